// main() of the tests under a Catch2 of version 2 that comes without one; compiled once, it takes longer than
// most tests.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
