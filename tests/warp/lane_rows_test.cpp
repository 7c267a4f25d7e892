// Batches of short rows solved by emulated warps, a lane a row, against the CPU solver.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "host/check.hpp"
#include "reference/families.hpp"
#include "sanitized.hpp"
#include "warp/lane_rows.hpp"

using namespace lane_rows_test;

TEMPLATE_TEST_CASE("rows of every length, one after the other, are solved by lanes exactly", "", float,
                   double) {
  std::uint64_t seed = 0;
  for (const std::int64_t n : lengths()) {
    for (const std::int64_t rows : {1, 16, 31, 32, 45}) {
      for (const std::int64_t first : {0, 1, 2}) {
        if (left_out(++seed)) continue;
        batch<TestType> b{{rows, n}, {{n, 1}, first}, {{n, 1}, 2 * first % 3}};
        b.in_place = seed % 3 == 0;
        if (b.in_place) b.out = b.in;
        b.increasing = seed % 2 == 0;
        fill(b, "noise", seed);
        check<const TestType*>(b, "noise", seed);
      }
    }
  }
}

TEMPLATE_TEST_CASE("rows that lie apart are solved by lanes exactly", "", float, double) {
  std::uint64_t seed = 0;
  for (const std::int64_t n : {1, 2, 5, 16, 32, 33, 60, 128, 131, 256}) {
    const std::int64_t rows = 37;
    for (const place& in : places(rows, n, 1)) {
      for (const place& out : places(rows, n, 0)) {
        if (left_out(++seed)) continue;
        batch<TestType> b{{rows, n}, in, out};
        fill(b, "noise", seed);
        check<const TestType*>(b, "apart", seed);
      }
      batch<TestType> b{{rows, n}, in, in, true};
      fill(b, "uniform", ++seed);
      check<const TestType*>(b, "apart", seed);
      b.in_place = false;
      for (auto& v : b.y) v = std::floor(v * 100);
      check<const std::int16_t*>(b, "converted", seed);
    }
  }
}

TEMPLATE_TEST_CASE("rows of every family, direction and bounds are solved by lanes exactly", "", float,
                   double) {
  std::uint64_t seed = 0, wide = 0;
  for (const std::string_view family : reference::value_families) {
    for (const std::int64_t n : {2, 5, 13, 20, 32, 33, 47, 144}) {
      if (left_out(++seed)) continue;
      batch<TestType> b{{33, n}, {{n, 1}, 0}, {{n, 1}, 0}};
      b.increasing = seed % 2 == 0;
      if (seed % 3 == 1) b.y_min = TestType(-0.5);
      if (seed % 5 == 1) b.y_max = TestType(0.75);
      fill(b, family, seed);
      wide += check<const TestType*>(b, std::string(family), seed).wide;
    }
  }
  CHECK(wide > 0);
}

TEMPLATE_TEST_CASE("rows that are packed, large, wide, infinite and bad share a warp", "", float, double) {
  reference::random_source random(5);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    if (left_out(seed)) continue;
    const auto n = static_cast<std::int64_t>(2 + random.below(seed % 2 == 0   ? 31
                                                              : seed % 4 == 1 ? 127
                                                                              : 255));
    batch<TestType> b{{64, n}, {{n, 1}, 0}, {{n, 1}, 0}};
    b.increasing = seed % 2 == 0;
    if (seed % 3 == 1) b.y_max = TestType(0.75);
    fill(b, "noise", seed);
    const auto any = [&](std::int64_t r) -> TestType& {
      return b.y[static_cast<std::size_t>(r * n) + random.below(static_cast<std::uint64_t>(n))];
    };
    for (std::int64_t r = 0; r < b.size.rows; ++r) {
      const auto kind = random.below(8);
      if (kind == 0) any(r) = std::ldexp(TestType(1), sizeof(TestType) == 4 ? -40 : -90);
      if (kind == 1) any(r) = std::numeric_limits<TestType>::max();
      if (kind == 1) any(r) = std::numeric_limits<TestType>::denorm_min();
      if (kind == 2) any(r) = host_test::not_a_number<TestType>;
      if (kind >= 3 && kind <= 5)
        any(r) = kind == 3 ? -reference::infinity<TestType> : reference::infinity<TestType>;
      if (kind == 5) any(r) = std::numeric_limits<TestType>::denorm_min();
      if (kind == 6 && r % 7 == 0) any(r) = -reference::infinity<TestType>;
    }
    check<const TestType*>(b, "all kinds", seed);
  }
}

namespace {

// Puts a value far from the others into a row, so that pools do not pack: at either end, or anywhere.
template <class T>
void put_far_value(std::vector<T>& row, std::uint64_t kind, reference::random_source& random) {
  const int far = sizeof(T) == 4 ? 60 : 120;
  const std::size_t at = kind % 3 == 0 ? 0 : kind % 3 == 1 ? row.size() - 1 : random.below(row.size());
  row[at] = std::ldexp(static_cast<T>(random.uniform(1, 2)), kind % 5 < 3 ? far : -far);
  if (kind % 2 == 0) row[at] = -row[at];
}

// How many rows went which way.
struct ways {
  std::int64_t rows = 0, left = 0;
};

template <class T>
void count(ways& seen, const batch<T>& b, const solved<T>& got) {
  seen.rows += b.size.rows;
  seen.left += got.left;
  CHECK(static_cast<std::uint64_t>(got.left) == got.wide);
}

}  // namespace

// Lanes solve them: hardly any is left to the warp.
TEMPLATE_TEST_CASE("rows of every length whose pools do not pack are solved by lanes exactly", "", float,
                   double) {
  reference::random_source random(8);
  std::uint64_t seed = 0;
  for (const std::string_view family : {"increasing", "noise", "labels", "cliff"}) {
    ways seen;
    for (const std::int64_t n : lengths()) {
      if (left_out(++seed)) continue;
      batch<TestType> b{{seed % 4 == 0 ? 45 : 32, n}, {{n, 1}, 0}, {{n, 1}, 0}};
      b.increasing = seed % 3 != 0;
      b.in_place = seed % 5 == 0;
      if (seed % 7 == 1) b.y_min = TestType(-0.5);
      b.y.assign(room, TestType(777));
      for (std::int64_t r = 0; r < b.size.rows; ++r) {
        auto row = reference::values<TestType>(family, static_cast<std::size_t>(n),
                                               64 * seed + static_cast<std::uint64_t>(r));
        // A drop to the last value, as a rule, which pools all; one row of a warp may be usual.
        if (family == "increasing")
          row.back() = TestType(-1e12) * (sizeof(TestType) == 4 ? 1 : TestType(1e20));
        if (family != "increasing" && r != 5)
          put_far_value(row, seed + static_cast<std::uint64_t>(r), random);
        if (!b.increasing) {
          for (auto& v : row) v = -v;
        }
        put_row(b.y, b.in, r, row);
      }
      count(seen, b, check<const TestType*>(b, std::string(family) + " and a far value", seed));
    }
    INFO(family << ": " << seen.rows - seen.left << " of " << seen.rows << " rows are solved by lanes");
    CHECK(seen.left * 20 < seen.rows);
    if (family == "increasing") CHECK(seen.left == 0);
  }
}

// Means that tie where sums are rounded, and numbers below the normal ones: the warp solves them row by row.
TEMPLATE_TEST_CASE("rows of every length that lanes are not certain of are solved by the warp exactly", "",
                   float, double) {
  reference::random_source random(9);
  ways seen;
  std::uint64_t seed = 0;
  for (const std::int64_t n : lengths()) {
    if (left_out(++seed)) continue;
    batch<TestType> b{{seed % 4 == 0 ? 5 : 32, n}, {{n, 1}, 0}, {{n, 1}, 0}};
    b.increasing = seed % 3 != 0;
    b.in_place = seed % 5 == 0;
    if (seed % 7 == 1) b.y_max = TestType(0.75);
    fill(b, seed % 2 == 0 ? "ulps" : "noise", seed);
    for (std::int64_t r = 0; r < b.size.rows; ++r) {
      if (random.chance(0.7)) continue;
      std::vector<TestType> row(static_cast<std::size_t>(n));
      const TestType terms[] = {
          1, -1, std::ldexp(TestType(1), 70), std::ldexp(TestType(-1), 70), 0, std::ldexp(TestType(1), -70)};
      for (auto& v : row) v = terms[random.below(6)];
      if (random.chance(0.3)) row.back() = std::numeric_limits<TestType>::denorm_min();
      if (random.chance(0.3)) row.front() = reference::infinity<TestType> * (b.increasing ? -1 : 1);
      if (random.chance(0.3)) row.back() = reference::infinity<TestType> * (b.increasing ? 1 : -1);
      put_row(b.y, b.in, r, row);
    }
    count(seen, b, check<const TestType*>(b, "ties", seed));
  }
  INFO(seen.left << " of " << seen.rows << " rows are left to the warp");
  CHECK(seen.left > 0);
}
