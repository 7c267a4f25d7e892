// Rows of one chunk and of several through the whole pipeline, against the exact oracle.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "block/wide.hpp"
#include "catch.hpp"
#include "emulated_long_row.hpp"
#include "host/exactness.hpp"
#include "host/rows.hpp"
#include "reference/families.hpp"
#include "sanitized.hpp"

namespace {

using host_test::label;
using host_test::seeded_row;

struct tally {
  int rows = 0, wide = 0;
};

template <bool Weighted, class T>
void check(const reference::problem<T>& p, const std::string& what, std::uint64_t order, tally& seen) {
  // Wide rows take long, and have tests of their own: here, a few of the shortest.
  const auto expected = block_test::wide_sums<Weighted>(p);
  if (expected.possible && order % 31 != 1) return;
  bool wide = false;
  const auto got = segment_test::solve_emulated<Weighted>(p, order, wide);
  ++seen.rows;
  seen.wide += wide;
  CHECK((wide ? expected.possible : !expected.sure));
  const std::string fault = host_test::difference(got, reference::solve(p));
  if (!fault.empty()) FAIL_CHECK(what << ": " << fault);
}

template <class T>
void check_families(std::string_view weights, tally& seen) {
  std::uint64_t seed = 0;
  for (const std::string_view values : reference::value_families) {
    for (const std::size_t n : {33u, 700u, 1023u, 1024u, 1025u, 2048u, 3000u, 7000u}) {
      if (left_out(++seed)) continue;
      const auto p = seeded_row<T>(values, weights, n, seed);
      const std::string what = label(values, weights, n, seed);
      weights.empty() ? check<false>(p, what, seed, seen) : check<true>(p, what, seed, seen);
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("rows of one chunk and of several, of every family, are solved exactly", "", float,
                   double) {
  tally seen;
  check_families<TestType>("", seen);
  for (const std::string_view weights : reference::weight_families) check_families<TestType>(weights, seen);
  INFO(seen.wide << " of " << seen.rows << " rows are wide");
  CHECK(seen.wide * 3 < seen.rows);
}

TEMPLATE_TEST_CASE("rows of one chunk and of several with infinities are solved exactly", "", float, double) {
  tally seen;
  for (const std::string_view weights :
       {std::string_view(), std::string_view("uniform"), std::string_view("zero runs"),
        std::string_view("zero chunks"), std::string_view("leading zeros")}) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      if (left_out(seed)) continue;
      const std::size_t n = seed % 3 == 0 ? 900 : seed % 3 == 1 ? 2500 : 4096;
      const auto p = host_test::row_with_infinities<TestType>(weights, n, seed);
      const std::string what = label("infinities", weights, n, seed);
      weights.empty() ? check<false>(p, what, seed, seen) : check<true>(p, what, seed, seen);
    }
  }
  CHECK(seen.wide == 0);
}
