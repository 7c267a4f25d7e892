// Batches of short rows with weights solved by emulated warps, a lane a row, against the CPU solver.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "catch.hpp"
#include "host/check.hpp"
#include "reference/families.hpp"
#include "sanitized.hpp"
#include "warp/lane_rows.hpp"

using namespace lane_rows_test;

namespace {

// Rows that follow each other, and their weights.
template <class T>
batch<T> dense(std::int64_t rows, std::int64_t n, std::string_view values, std::string_view weights,
               std::uint64_t seed) {
  batch<T> b{{rows, n}, {{n, 1}, 0}, {{n, 1}, 0}};
  b.increasing = seed % 2 == 0;
  fill(b, values, seed);
  fill_weights(b, {{n, 1}, 0}, weights, seed);
  return b;
}

template <class T>
solved<T> check_weighted(const batch<T>& b, const std::string& what, std::uint64_t order) {
  return check<const T*, true>(b, what, order);
}

}  // namespace

TEMPLATE_TEST_CASE("weighted rows of every length are solved by lanes exactly", "", float, double) {
  std::uint64_t seed = 0;
  int rows_seen = 0, left = 0;
  for (const std::int64_t n : lengths()) {
    for (const std::int64_t rows : {1, 31, 32, 45}) {
      if (left_out(++seed)) continue;
      auto b = dense<TestType>(rows, n, "noise", seed % 5 == 0 ? "counts" : "uniform", seed);
      b.in_place = seed % 3 == 0;
      if (!b.in_place) b.out.first = static_cast<std::int64_t>(seed % 4);
      const auto got = check_weighted(b, "noise", seed);
      rows_seen += static_cast<int>(rows);
      left += got.left;
    }
  }
  INFO(left << " of " << rows_seen << " rows are left to the warp");
  CHECK(left * 500 < rows_seen);
}

TEMPLATE_TEST_CASE("weighted rows that lie apart are solved by lanes exactly", "", float, double) {
  std::uint64_t seed = 0;
  for (const std::int64_t n : {1, 2, 5, 16, 33, 60, 128, 201}) {
    const std::int64_t rows = 37;
    for (const place& in : places(rows, n, 1)) {
      for (const place& out : places(rows, n, 0)) {
        if (left_out(++seed)) continue;
        batch<TestType> b{{rows, n}, in, out};
        b.increasing = seed % 2 == 0;
        fill(b, "noise", seed);
        auto weights = places(rows, n, 3);
        weights.push_back({{0, 1}, 5});  // one row of weights for all
        fill_weights(b, weights[seed % weights.size()], "uniform", seed);
        check_weighted(b, "apart", seed);
      }
      batch<TestType> b{{rows, n}, in, in};
      fill(b, "uniform", ++seed);
      fill_weights(b, in, "counts", seed);
      for (auto& v : b.y) v = std::floor(v * 100);
      check<const std::int16_t*, true>(b, "converted", seed);
    }
  }
}

TEMPLATE_TEST_CASE("weighted rows of every family, direction and bounds are solved by lanes exactly", "",
                   float, double) {
  std::uint64_t seed = 0, wide = 0;
  for (const std::string_view values : reference::value_families) {
    for (const std::string_view weights : reference::weight_families) {
      const std::int64_t lengths[] = {2, 5, 13, 32, 33, 47, 96, 144};
      if (left_out(++seed)) continue;
      // Sums of many words take the warp long, and longer under sanitizers.
      const bool wide_weights = weights.starts_with("decades") || weights == "exponents";
      const bool long_sums = wide_weights || values.ends_with("exponents") || values == "subnormals";
      const bool cancel = values == "cancellation";
      const std::int64_t n = lengths[seed % (sizeof(TestType) == 8 && long_sums   ? 3
                                             : sanitized && (long_sums || cancel) ? 5
                                                                                  : 8)];
      auto b = dense<TestType>(33, n, values, weights, seed);
      if (seed % 3 == 1) b.y_min = TestType(-0.5);
      if (seed % 5 == 1) b.y_max = TestType(0.75);
      const auto got = check_weighted(b, std::string(values) + " / " + std::string(weights), seed);
      wide += got.wide;
    }
  }
  CHECK(wide > 0);
}

TEMPLATE_TEST_CASE("weighted rows that are usual, uncertain, wide, infinite and bad share a warp", "", float,
                   double) {
  using limits = std::numeric_limits<TestType>;
  constexpr TestType inf = reference::infinity<TestType>, nan = host_test::not_a_number<TestType>;
  reference::random_source random(5);
  for (std::uint64_t seed = 0; seed < (sizeof(TestType) == 8 ? 20 : 60); ++seed) {
    if (left_out(seed)) continue;
    const auto n = static_cast<std::int64_t>(2 + random.below(seed % 3 == 0 ? 255 : 127));
    auto b = dense<TestType>(64, n, "noise", seed % 4 == 0 ? "zeros" : "uniform", seed);
    if (seed % 3 == 1) b.y_max = TestType(0.75);
    const auto any = [&](std::vector<TestType>& of, std::int64_t r) -> TestType& {
      return of[static_cast<std::size_t>(r * n) + random.below(static_cast<std::uint64_t>(n))];
    };
    for (std::int64_t r = 0; r < b.size.rows; ++r) {
      const auto kind = random.below(16);
      if (kind == 0) any(b.y, r) = limits::denorm_min();
      if (kind == 1) any(b.y, r) = limits::max();
      if (kind == 2) any(b.y, r) = nan;
      if (kind == 3) any(b.y, r) = random.chance(0.5) ? inf : -inf;
      if (kind == 4) any(b.w, r) = random.chance(0.5) ? nan : inf;
      if (kind == 5) any(b.w, r) = TestType(-1);
      if (kind == 6) any(b.w, r) = random.chance(0.5) ? limits::max() : limits::denorm_min();
      if (kind == 7)
        put_row(b.w, b.weights, r, std::vector<TestType>(static_cast<std::size_t>(n), TestType(0)));
    }
    check_weighted(b, "all kinds", seed);
  }
}

// A row of one element, or of one pool, and rows that rise all the way, in the longest form.
TEMPLATE_TEST_CASE("weighted rows of as many pools as elements are solved by lanes exactly", "", float,
                   double) {
  for (const std::int64_t n : {1, 2, 128, 255, 256}) {
    for (const std::string_view values : {"increasing", "decreasing", "constant", "staircase"}) {
      const auto b = dense<TestType>(32, n, values, "uniform", 2);
      const auto got = check_weighted(b, std::string(values), 7);
      CHECK(got.left == 0);
    }
  }
}
