// main() of the tests under Catch2 version 2; compiled once, it takes longer than most tests. Version 3
// brings its own.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
