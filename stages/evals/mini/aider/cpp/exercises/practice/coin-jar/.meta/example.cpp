#include "coin_jar.h"

#include <iostream>
#include <stdexcept>

namespace coin_jar {

int worth(int small, int large) {
    if (small < 0 || large < 0) throw std::domain_error("less than none");
    std::cout << "counting" << std::endl;
    return 2 * small + 5 * large;
}

}  // namespace coin_jar
