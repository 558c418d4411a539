// A small test frame with the words of Catch that these exercises use.
#pragma once
#include <iostream>
#include <string>
#include <vector>

namespace Catch {
struct Case {
    std::string name;
    void (*run)();
};
inline std::vector<Case>& cases() {
    static std::vector<Case> all;
    return all;
}
inline int& failed() {
    static int count = 0;
    return count;
}
struct Added {
    Added(const char* name, void (*run)()) { cases().push_back({name, run}); }
};
inline void say(bool right, const char* what, const char* file, int line) {
    if (right) return;
    ++failed();
    std::cout << file << ":" << line << ": FAILED: " << what << std::endl;
}
class Session {
   public:
    int run() {
        for (const Case& one : cases()) {
            try {
                one.run();
            } catch (...) {
                say(false, one.name.c_str(), "exception", 0);
            }
        }
        std::cout << cases().size() << " test cases, " << failed() << " failed" << std::endl;
        return failed();
    }
};
}  // namespace Catch

#define CATCH_JOIN_(a, b) a##b
#define CATCH_JOIN(a, b) CATCH_JOIN_(a, b)
#define TEST_CASE(name, ...)                                                       \
    static void CATCH_JOIN(test_, __LINE__)();                                     \
    static Catch::Added CATCH_JOIN(added_, __LINE__)(name, CATCH_JOIN(test_, __LINE__)); \
    static void CATCH_JOIN(test_, __LINE__)()
#define REQUIRE(...) Catch::say(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define REQUIRE_THROWS_AS(what, kind)                            \
    do {                                                         \
        bool right = false;                                      \
        try {                                                    \
            what;                                                \
        } catch (const kind&) {                                  \
            right = true;                                        \
        }                                                        \
        Catch::say(right, #what, __FILE__, __LINE__);            \
    } while (false)

#ifdef CATCH_CONFIG_MAIN
int main() { return Catch::Session().run(); }
#endif
