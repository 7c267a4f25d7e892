// main() of the tests on a device: exit code 4, which CTest shows as skipped, where there is none.
#include <cstdio>

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include "runtime.hpp"

int main(int argc, char** argv) {
  if (device_test::device_count() == 0) {
    std::printf("no device\n");
    return 4;
  }
  // Catch2's own code counts failures, and four of them are no skipped test.
  return Catch::Session().run(argc, argv) == 0 ? 0 : 1;
}
