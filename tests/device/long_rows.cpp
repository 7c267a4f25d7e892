// One long row of every family of the paper's tables.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data.hpp"
#include "difference.hpp"

using namespace device_test;

namespace {

const std::vector<std::string_view> weightings = {"", "uniform", "exponential"};

template <class T>
call<T> long_call(std::string_view values, std::string_view weights, std::int64_t n, std::uint64_t seed) {
  call<T> c;
  c.y = dense_input<T>(1, n);
  fill_values(values, c.y.memory.data(), 1, n, seed);
  c.weighted = !weights.empty();
  if (c.weighted) c.w = dense_input<T>(1, n);
  if (c.weighted) fill_weights(weights, c.w.memory.data(), n, seed);
  c.fit = dense_output<T>(1, n);
  c.increasing = seed % 4 != 3;
  return c;
}

template <class T>
void check(std::string_view values, std::string_view weights, std::int64_t n, std::uint64_t seed) {
  check_call(long_call<T>(values, weights, n, seed), std::string(values) + " / " + std::string(weights) +
                                                         ", n = " + std::to_string(n) + ", seed " +
                                                         std::to_string(seed));
}

template <class T>
void check_all(std::int64_t n) {
  std::uint64_t seed = 0;
  for (const std::string_view values : long_families) {
    for (const std::string_view weights : weightings) check<T>(values, weights, n, ++seed);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("rows of a million elements come back with the host's bits", "", float, double) {
  check_all<TestType>(small() ? 5000 : 1000000);
}

TEMPLATE_TEST_CASE("rows of a million and some elements come back with the host's bits", "", float, double) {
  const std::int64_t n = small() ? 8192 : std::int64_t{1} << 20;
  for (const std::int64_t size : {n - 1, n, n + 1, n + 1025}) {
    for (const std::string_view weights : weightings) check<TestType>("ramp", weights, size, 5);
  }
}

TEMPLATE_TEST_CASE("rows of ten million elements come back with the host's bits", "", float, double) {
  if (!small()) check_all<TestType>(10000000);
}

TEST_CASE("rows of a hundred million elements come back with the host's bits") {
  if (small()) return;
  for (const char* values : {"ramp", "increasing", "cliff"}) check<float>(values, "", 100000000, 1);
  check<float>("ramp", "uniform", 100000000, 2);
}
