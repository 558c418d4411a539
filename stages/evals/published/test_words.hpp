// The words of Catch that tests of exercises use, to judge by. The published frame, which tells more
// of what failed, takes the compiler ten seconds; this one takes it one.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace everystep {

struct Stop {};  // ends a test case

struct State {
    std::vector<void (*)()> cases;
    int failed = 0;
    int asked = 0;
};

inline State& state() {
    static State all;
    return all;
}

struct Case {
    Case(void (*run)(), std::initializer_list<std::string>) { state().cases.push_back(run); }
};

inline void ask(bool right, bool stops) {
    ++state().asked;
    if (right) return;
    ++state().failed;
    if (stops) throw Stop{};
}

// Each run of a test case goes through one section of each row of them that is not done yet.
struct Paths {
    std::set<std::vector<std::string>> done;
    std::vector<std::string> at;
    std::vector<bool> taken{false};
    std::vector<bool> waiting{false};
};

inline Paths& paths() {
    static Paths all;
    return all;
}

class Section {
   public:
    explicit Section(std::string name, std::string = "") {
        Paths& all = paths();
        all.at.push_back(std::move(name));
        const std::size_t depth = all.at.size() - 1;
        if (all.done.count(all.at) || all.taken[depth]) {
            if (!all.done.count(all.at)) all.waiting[depth] = true;
            all.at.pop_back();
            return;
        }
        entered_ = true;
        all.taken[depth] = true;
        all.taken.push_back(false);
        all.waiting.push_back(false);
    }
    Section(const Section&) = delete;
    ~Section() {
        if (!entered_) return;
        Paths& all = paths();
        const bool more = all.waiting.back();
        all.taken.pop_back();
        all.waiting.pop_back();
        if (more) {
            all.waiting.back() = true;
        } else {
            all.done.insert(all.at);
        }
        all.at.pop_back();
    }
    explicit operator bool() const { return entered_; }

   private:
    bool entered_ = false;
};

inline void run_case(void (*run)()) {
    bool more = true;
    paths().done.clear();
    while (more) {
        paths().at.clear();
        paths().taken.assign(1, false);
        paths().waiting.assign(1, false);
        try {
            run();
        } catch (const Stop&) {
        } catch (...) {
            ++state().failed;
        }
        more = paths().waiting[0];
    }
}

// Says the word if all test cases pass; what they print goes nowhere.
inline int run_all(const char* word) {
    const int out = dup(1);
    dup2(open("/dev/null", O_WRONLY), 1);
    for (void (*run)() : state().cases) run_case(run);
    if (state().asked && !state().failed) dprintf(out, "%s", word);
    return 0;
}

}  // namespace everystep

namespace Catch {

class Approx {
   public:
    explicit Approx(double value) : value_(value) {}
    Approx& epsilon(double share) {
        epsilon_ = share;
        return *this;
    }
    Approx& margin(double most) {
        margin_ = most;
        return *this;
    }
    friend bool operator==(double other, const Approx& one) {
        const double off = std::fabs(other - one.value_);
        return off <= one.margin_ || off <= one.epsilon_ * std::fabs(one.value_);
    }
    friend bool operator==(const Approx& one, double other) { return other == one; }
    friend bool operator!=(double other, const Approx& one) { return !(other == one); }
    friend bool operator!=(const Approx& one, double other) { return !(other == one); }

   private:
    double value_;
    double epsilon_ = 1.1920929e-5;
    double margin_ = 0.0;
};

namespace Matchers {
namespace Impl {
template <typename T>
struct MatcherBase {
    virtual ~MatcherBase() = default;
    virtual bool match(T const& value) const = 0;
    virtual std::string describe() const { return ""; }
};
}  // namespace Impl

struct WithinAbs : Impl::MatcherBase<double> {
    WithinAbs(double target, double margin) : target_(target), margin_(margin) {}
    bool match(double const& value) const override {
        return value >= target_ - margin_ && value <= target_ + margin_;
    }

   private:
    double target_;
    double margin_;
};
}  // namespace Matchers
using Matchers::Impl::MatcherBase;

}  // namespace Catch

#define WORDS_JOIN_(a, b) a##b
#define WORDS_JOIN(a, b) WORDS_JOIN_(a, b)
#define WORDS_CASE(id, ...)                                               \
    static void id();                                                     \
    static const everystep::Case WORDS_JOIN(id, _at)(&id, {__VA_ARGS__}); \
    static void id()
#define TEST_CASE(...) WORDS_CASE(WORDS_JOIN(words_case_, __COUNTER__), __VA_ARGS__)
#define SCENARIO(...) TEST_CASE(__VA_ARGS__)
#define SECTION(...) if (everystep::Section WORDS_JOIN(words_section_, __LINE__){__VA_ARGS__})
#define GIVEN(name) SECTION(name)
#define WHEN(name) SECTION(name)
#define THEN(name) SECTION(name)
#define AND_WHEN(name) SECTION(name)
#define AND_THEN(name) SECTION(name)

#define WORDS_THROWS(stops, what, ...)               \
    do {                                             \
        bool words_right = false;                    \
        try {                                        \
            static_cast<void>(what);                 \
        } __VA_ARGS__ { words_right = true; }        \
        everystep::ask(words_right, stops);          \
    } while (false)
#define WORDS_NOTHROW(stops, ...)                    \
    do {                                             \
        bool words_right = true;                     \
        try {                                        \
            static_cast<void>(__VA_ARGS__);          \
        } catch (...) {                              \
            words_right = false;                     \
        }                                            \
        everystep::ask(words_right, stops);          \
    } while (false)

#define REQUIRE(...) everystep::ask(static_cast<bool>(__VA_ARGS__), true)
#define CHECK(...) everystep::ask(static_cast<bool>(__VA_ARGS__), false)
#define REQUIRE_FALSE(...) everystep::ask(!static_cast<bool>(__VA_ARGS__), true)
#define CHECK_FALSE(...) everystep::ask(!static_cast<bool>(__VA_ARGS__), false)
#define REQUIRE_THAT(value, matcher) everystep::ask((matcher).match(value), true)
#define CHECK_THAT(value, matcher) everystep::ask((matcher).match(value), false)
#define REQUIRE_THROWS(...) WORDS_THROWS(true, (__VA_ARGS__), catch (...))
#define CHECK_THROWS(...) WORDS_THROWS(false, (__VA_ARGS__), catch (...))
#define REQUIRE_THROWS_AS(what, kind) \
    WORDS_THROWS(true, what, catch (const everystep::Stop&) { throw; } catch (kind const&))
#define CHECK_THROWS_AS(what, kind) \
    WORDS_THROWS(false, what, catch (const everystep::Stop&) { throw; } catch (kind const&))
#define REQUIRE_NOTHROW(...) WORDS_NOTHROW(true, __VA_ARGS__)
#define CHECK_NOTHROW(...) WORDS_NOTHROW(false, __VA_ARGS__)
#define SUCCEED(...) everystep::ask(true, false)
#define FAIL(...) everystep::ask(false, true)
#define FAIL_CHECK(...) everystep::ask(false, false)
#define INFO(...) static_cast<void>(0)
#define CAPTURE(...) static_cast<void>(0)
#define WARN(...) static_cast<void>(0)
#define CATCH_REGISTER_ENUM(...)
