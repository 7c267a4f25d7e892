// Rows of several chunks whose sums are too wide for a thread's registers, through the whole pipeline.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "block/wide.hpp"
#include "catch.hpp"
#include "emulated_long_row.hpp"
#include "host/rows.hpp"
#include "reference/families.hpp"
#include "sanitized.hpp"

namespace {

using block_test::wide_values;
using block_test::wide_weights;
using host_test::label;
using host_test::seeded_row;

template <bool Weighted, class T>
void check(const reference::problem<T>& p, const std::string& what, std::uint64_t order) {
  bool wide = false;
  const auto got = segment_test::solve_emulated<Weighted>(p, order, wide);
  const std::string fault = host_test::difference(got, reference::solve(p));
  if (!fault.empty()) FAIL_CHECK(what << ": " << fault);
  const auto expected = block_test::wide_sums<Weighted>(p);
  CHECK((wide ? expected.possible : !expected.sure));
}

}  // namespace

TEMPLATE_TEST_CASE("long rows whose sums are wide are solved exactly", "", float, double) {
  std::uint64_t seed = 0;
  for (const std::string_view values : wide_values) {
    const std::size_t n = 1025 + 997 * seed % 2048;
    ++seed;
    check<false>(seeded_row<TestType>(values, "", n, seed), label(values, "", n, seed), seed);
    for (const std::string_view weights : wide_weights) {
      if (left_out(++seed)) continue;
      check<true>(seeded_row<TestType>(values, weights, n, seed), label(values, weights, n, seed), seed);
    }
  }
}

TEMPLATE_TEST_CASE("rows of which only some chunks are wide are solved exactly", "", float, double) {
  for (std::uint64_t seed = 1; seed <= (sanitized ? 1 : 4); ++seed) {
    auto p = seeded_row<TestType>(seed % 2 ? "noise" : "increasing", "uniform", 4000, seed);
    for (std::size_t i = 1024 + 300 * seed; i < 1100 + 300 * seed; ++i) {
      reference::random_source random(seed + i);
      p.y[i] = reference::any_finite<TestType>(random);
    }
    check<true>(p, "some wide chunks, seed " + std::to_string(seed), seed);
  }
}

TEMPLATE_TEST_CASE("wide rows with infinities, and chunks without weight, are solved exactly", "", float,
                   double) {
  using limits = std::numeric_limits<TestType>;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    if (left_out(seed)) continue;
    const std::string_view weights = seed % 2 ? "zero chunks" : "leading zeros";
    auto p = seeded_row<TestType>("sorted exponents", weights, 4096 - seed % 3, seed);
    const TestType sign = p.increasing ? TestType(1) : TestType(-1);
    for (TestType& y : p.y) y *= sign;
    if (seed % 4 < 2) p.y[seed * 400] = -sign * limits::infinity();
    if (seed % 3 == 0) p.y[3500 - seed] = sign * limits::infinity();
    check<true>(p, label("infinities", weights, p.y.size(), seed), seed);
  }
}

// More chunks than one thread block sums: values rise through all exponents, and at the end fall below half
// of them.
TEST_CASE("wide rows of several groups of chunks are solved exactly") {
  constexpr std::size_t n = 1024 * (2 * iso::group_chunks + 3) + 5;
  auto y = reference::values<float>("exponents", n, 3);
  std::sort(y.begin(), y.end());
  y.back() = -1;
  check<false>(reference::row(y), "several groups", 2);
}
