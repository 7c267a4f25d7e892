// The double solver against the oracle, without weights and with.
#include "exactness.hpp"

TEST_CASE("double: every family of values comes back exact") {
  host_test::check_families<double>("");
}

TEST_CASE("double: every family of values comes back exact under every family of weights") {
  for (const std::string_view weights : reference::weight_families)
    host_test::check_families<double>(weights);
}

TEST_CASE("double: infinities are extended real numbers") {
  host_test::check_infinities<double>("");
  for (const std::string_view weights : {"uniform", "zeros", "leading zeros", "exponents"}) {
    host_test::check_infinities<double>(weights);
  }
}
