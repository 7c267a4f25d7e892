// Rows with weights fitted by one lane in numbers of twice the digits, against the exact oracle.
#include <iso/lane/weighted_isotonic.cuh>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "host/check.hpp"
#include "host/exactness.hpp"
#include "host/rows.hpp"
#include "reference/families.hpp"
#include "sanitized.hpp"

namespace {

struct tally {
  int rows = 0, fitted = 0;

  bool at_least(double share) const { return fitted >= share * rows; }
};

// Solves a row of the lane's direction, without bounds, if all is usual and certain.
template <class T>
bool solve(const reference::problem<T>& p, host_test::outcome<T>& out) {
  constexpr T unused = T(-12345);
  const std::size_t n = p.y.size();
  std::vector<T> y(n + 4, unused), w(n + 4, unused);
  std::copy(p.y.begin(), p.y.end(), y.begin() + 2);
  std::copy(p.w.begin(), p.w.end(), w.begin() + 2);
  const auto bytes = static_cast<std::size_t>(iso::start_bytes(static_cast<int>(n)));
  std::vector<std::uint8_t> starts(bytes, 201);
  const iso::weighted_row<T> row{y.data() + 2, w.data() + 2, starts.data() + 1, static_cast<int>(n)};
  const int pools = iso::fit_weighted_pools(row);
  for (const auto* memory : {&y, &w}) {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, n + 2, n + 3}) {
      REQUIRE((*memory)[i] == unused);
    }
  }
  if (pools == 0) return false;
  out.pools.resize((n + 31) / 32);
  iso::write_twofold_starts(out.pools.data(), row.start, pools, row.high);
  iso::spread_twofold_pools(row);
  out.fit.assign(row.y, row.y + n);
  return true;
}

template <class T>
void check(std::vector<T> y, std::vector<T> w, const std::string& what, tally& seen) {
  auto p = reference::row(std::move(y));
  p.weighted = true;
  p.w = std::move(w);
  host_test::outcome<T> got;
  ++seen.rows;
  if (!solve(p, got)) return;
  ++seen.fitted;
  const std::string fault = host_test::difference(got, reference::solve(p));
  if (!fault.empty()) FAIL_CHECK(what << ": " << fault);
}

}  // namespace

TEMPLATE_TEST_CASE("a lane fits weighted rows of every length and family exactly, or not", "", float,
                   double) {
  for (const std::string_view values : reference::value_families) {
    for (const std::string_view weights : reference::weight_families) {
      tally seen;
      for (std::size_t n = 1; n <= 256; n += n < 40 ? 1 : n < 130 ? 5 : 9) {
        for (std::uint64_t seed = 0; seed < (n <= 32 ? 6 : 2); ++seed) {
          if (left_out(seed)) continue;
          check(reference::values<TestType>(values, n, seed), reference::weights<TestType>(weights, n, seed),
                host_test::label(values, weights, n, seed), seen);
        }
      }
      const bool usual_values = values == "noise" || values == "uniform" || values == "labels" ||
                                values == "decreasing" || values == "increasing" || values == "staircase" ||
                                values == "offset 1e6" || values == "softmax";
      const bool usual_weights = weights == "uniform" || weights == "exponential" || weights == "counts" ||
                                 weights == "equal" || weights == "decades";
      INFO(values << " / " << weights << ": " << seen.fitted << " of " << seen.rows << " rows are fitted");
      // Labels of which one outweighs the others by far have means that nearly tie.
      const bool near_ties = values == "labels" && weights == "decades";
      if (usual_values && usual_weights && !near_ties) CHECK(seen.at_least(0.95));
    }
  }
}

// Where all sums are exact, ties are found and means rounded, however they lie.
TEMPLATE_TEST_CASE("a lane pools ties of few digits", "", float, double) {
  tally seen;
  reference::random_source random(1);
  for (int i = 0; i < tries(20000); ++i) {
    std::vector<TestType> y(1 + random.below(128)), w(y.size());
    const std::uint64_t values = 2 + random.below(5), weights = 1 + random.below(4);
    const auto any_scale = [&] {
      return static_cast<TestType>(std::ldexp(1.0, static_cast<int>(random.below(60)) - 30));
    };
    const TestType scale = any_scale(), weight = any_scale();
    const TestType offset = random.chance(0.5) ? TestType(0) : TestType(2);
    for (auto& v : y) v = (static_cast<TestType>(random.below(values)) - offset) * scale;
    for (auto& v : w) {
      v = random.chance(0.1) ? TestType(0) : static_cast<TestType>(1 + random.below(weights)) * weight;
    }
    w[random.below(w.size())] = weight;
    check(std::move(y), std::move(w), "small integers", seen);
  }
  CHECK(seen.at_least(0.999));
}

// Means that lie a few units of the sums apart, on either side, and at midpoints of numbers.
TEMPLATE_TEST_CASE("a lane guesses nothing where means nearly tie", "", float, double) {
  tally seen;
  reference::random_source random(2);
  constexpr auto ulp = std::numeric_limits<TestType>::epsilon();
  for (int i = 0; i < tries(40000); ++i) {
    std::vector<TestType> y(2 + random.below(20)), w(y.size());
    const auto kind = random.below(4);
    for (auto& v : y) {
      const auto few = static_cast<TestType>(random.below(4));
      v = 1 + ulp * few;
      if (kind == 1) v = few + (random.chance(0.2) ? ulp * static_cast<TestType>(random.below(8)) : 0);
      if (kind == 2) v = std::ldexp(few - 1, static_cast<int>(random.below(8)) * 8);
      if (kind == 3) v = static_cast<TestType>(random.uniform(-1, 1));
    }
    if (kind == 3) {  // the same mean again, or nearly
      y.insert(y.end(), y.begin(), y.end());
      w.resize(y.size());
    }
    const bool rough = random.chance(0.5);
    for (std::size_t k = 0; k < w.size(); ++k) {
      w[k] = 1 + (rough ? ulp * static_cast<TestType>(random.below(3)) : 0);
      if (kind == 3 && k >= w.size() / 2) w[k] = w[k - w.size() / 2];
    }
    check(std::move(y), std::move(w), "near ties of kind " + std::to_string(kind), seen);
  }
  CHECK(seen.at_least(0.2));
}

TEMPLATE_TEST_CASE("a lane leaves rows that are bad or infinite to others", "", float, double) {
  reference::random_source random(3);
  constexpr TestType inf = reference::infinity<TestType>, nan = host_test::not_a_number<TestType>;
  for (int i = 0; i < tries(2000); ++i) {
    const std::size_t n = 1 + random.below(128);
    auto p = reference::row(reference::values<TestType>("noise", n, static_cast<std::uint64_t>(i)));
    p.w = reference::weights<TestType>("uniform", n, static_cast<std::uint64_t>(i));
    const std::size_t at = random.below(n);
    switch (random.below(4)) {
      case 0:
        p.y[at] = random.chance(0.5) ? inf : -inf;
        break;
      case 1:
        p.y[at] = nan;
        break;
      case 2:
        p.w[at] = random.chance(0.3) ? nan : random.chance(0.5) ? inf : TestType(-1);
        break;
      default:
        std::fill(p.w.begin(), p.w.end(), TestType(0));
    }
    host_test::outcome<TestType> got;
    CHECK_FALSE(solve(p, got));
  }
}

TEMPLATE_TEST_CASE("a lane fits bootstrap weightings, most of them with zeros", "", float, double) {
  tally seen;
  reference::random_source random(4);
  for (int i = 0; i < tries(3000); ++i) {
    const std::size_t n = 4 + random.below(125);
    std::vector<TestType> w(n, TestType(0));
    for (std::size_t k = 0; k < n; ++k) w[random.below(n)] += 1;
    check(reference::values<TestType>(i % 2 == 0 ? "noise" : "labels", n, static_cast<std::uint64_t>(i)),
          std::move(w), "bootstrap", seen);
  }
  CHECK(seen.at_least(0.999));
}

TEST_CASE("a mean of integers in numbers of twice the digits is exact where it is certain") {
  using iso::numeric::integer;
  reference::random_source random(6);
  const auto bits = [&] {
    return std::uint64_t{random.below(1u << 16)} * 0x1000100010001u ^ random.below(1u << 31);
  };
  const auto same = [](double a, double b) { return host_test::same(a, b); };
  int certain = 0;
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i) {
    // Of any number of digits, down to sums beside a power of 2^64.
    integer<4> sum = integer<4>::from(static_cast<std::int64_t>(bits()) >> random.below(63));
    integer<3> weight = integer<3>::from(static_cast<std::int64_t>(bits() >> 1 >> random.below(62)) | 1);
    for (int word = 1; word < 1 + static_cast<int>(random.below(3)); ++word) {
      sum <<= 64;
      sum.word[0] = random.chance(0.2) ? ~std::uint64_t{0} : random.chance(0.2) ? 0 : bits();
    }
    for (int word = 1; word < 1 + static_cast<int>(random.below(2)); ++word) {
      weight <<= 64;
      weight.word[0] = random.chance(0.2) ? ~std::uint64_t{0} : bits();
    }
    const int position = static_cast<int>(random.below(1800));  // no mean overflows
    const auto told = iso::twofold_mean(sum, weight, position);
    if (!told.certain) continue;
    ++certain;
    CHECK(same(told.value, iso::numeric::rounded_mean<double>(sum, weight, position)));
  }
  CHECK(certain > count / 2);

  certain = 0;
  for (int i = 0; i < count; ++i) {  // at and beside the midpoints of doubles
    const std::uint64_t odd = (std::uint64_t{1} << 53 | bits() >> 11) | 1, by = 1 + (bits() >> 4);
    const integer<4> middle = iso::numeric::widen<4>(integer<2>{{odd, 0}}.times(by));
    const integer<4> sum = middle + integer<4>::from(static_cast<std::int64_t>(random.below(3)) - 1);
    const auto told = iso::twofold_mean(sum, integer<3>::from(static_cast<std::int64_t>(by)), 1074);
    certain += told.certain;
    if (told.certain) {
      const auto owed =
          iso::numeric::rounded_mean<double>(sum, integer<3>::from(static_cast<std::int64_t>(by)), 1074);
      CHECK(same(told.value, owed));
    }
  }
  CHECK(certain < count);
}
