// The float solver against the oracle, without weights and with.
#include "exactness.hpp"

TEST_CASE("float: every family of values comes back exact") {
  host_test::check_families<float>("");
}

TEST_CASE("float: every family of values comes back exact under every family of weights") {
  for (const std::string_view weights : reference::weight_families) host_test::check_families<float>(weights);
}

TEST_CASE("float: infinities are extended real numbers") {
  host_test::check_infinities<float>("");
  for (const std::string_view weights : {"uniform", "zeros", "leading zeros", "exponents"}) {
    host_test::check_infinities<float>(weights);
  }
}
