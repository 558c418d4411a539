#include "coin_jar.h"
#include <stdexcept>
#ifdef EXERCISM_TEST_SUITE
#include <catch2/catch.hpp>
#else
#include "test/catch.hpp"
#endif

TEST_CASE("an empty jar") { REQUIRE(coin_jar::worth(0, 0) == 0); }

#if defined(EXERCISM_RUN_ALL_TESTS)
TEST_CASE("coins of both kinds") { REQUIRE(coin_jar::worth(3, 2) == 16); }

TEST_CASE("less than none") { REQUIRE_THROWS_AS(coin_jar::worth(-1, 0), std::domain_error); }
#endif
