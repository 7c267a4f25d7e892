// Rows without weights fitted by one lane in numbers of twice the digits, against the exact oracle.
#include <iso/lane/counted_isotonic.cuh>

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
  int rows = 0, solved = 0;

  bool at_least(double share) const { return solved >= share * rows; }
};

// Solves a row of the lane's direction, without bounds, if all is usual and certain.
template <class T>
bool solve(const std::vector<T>& values, host_test::outcome<T>& out) {
  constexpr T unused = T(-12345);
  const std::size_t n = values.size();
  std::vector<T> y(n + 4, unused);
  std::copy(values.begin(), values.end(), y.begin() + 2);
  const auto bytes = static_cast<std::size_t>(iso::start_bytes(static_cast<int>(n)));
  std::vector<std::uint8_t> starts(bytes, 201);
  out.pools.assign((n + 31) / 32, 99);
  const iso::counted_result result =
      iso::solve_counted_row(y.data() + 2, starts.data() + 1, static_cast<int>(n), out.pools.data());
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, n + 2, n + 3}) REQUIRE(y[i] == unused);
  out.fit.assign(y.begin() + 2, y.end() - 2);
  out.status = result.status;
  return result.solved;
}

template <class T>
void check(std::vector<T> y, const std::string& what, tally& seen) {
  const auto p = reference::row(std::move(y));
  host_test::outcome<T> got;
  ++seen.rows;
  if (!solve(p.y, got)) return;
  ++seen.solved;
  const std::string fault = host_test::difference(got, reference::solve(p));
  if (!fault.empty()) FAIL_CHECK(what << ": " << fault);
}

// The value, or one of another size: at either end, or anywhere, of far greater size or of far less.
template <class T>
void put_far_value(std::vector<T>& y, std::uint64_t kind, reference::random_source& random) {
  const int far = sizeof(T) == 4 ? 90 : 200;
  const std::size_t at = kind % 3 == 0 ? 0 : kind % 3 == 1 ? y.size() - 1 : random.below(y.size());
  y[at] = static_cast<T>(std::ldexp(random.uniform(1, 2), kind % 2 == 0 ? far : -far));
  if (kind % 4 < 2) y[at] = -y[at];
}

}  // namespace

TEMPLATE_TEST_CASE("a lane fits rows of every length and family exactly in twice the digits, or not", "",
                   float, double) {
  for (const std::string_view family : reference::value_families) {
    tally seen;
    for (std::size_t n = 1; n <= 256; n += n < 128 ? 1 : 16) {
      for (std::uint64_t seed = 0; seed < (n <= 32 ? 20 : 4); ++seed) {
        if (left_out(seed)) continue;
        check(reference::values<TestType>(family, n, seed), host_test::label(family, "", n, seed), seen);
      }
    }
    const bool outermost = family == "huge" || family == "subnormals" || family == "signed zeros" ||
                           family.ends_with("exponents") || family == "cancellation";
    INFO(family << ": " << seen.solved << " of " << seen.rows << " rows are solved");
    if (!outermost) CHECK(seen.at_least(0.999));
  }
}

// One value of another size makes a row one that packed pools do not take; ties of the others stay exact.
TEMPLATE_TEST_CASE("a lane fits rows with a value far from the others", "", float, double) {
  for (const std::string_view family :
       {"noise", "uniform", "increasing", "decreasing", "constant", "labels", "staircase", "tent", "ulps"}) {
    tally seen;
    reference::random_source random(6);
    for (std::size_t n = 1; n <= 256; n += n < 128 ? 1 : 16) {
      for (std::uint64_t seed = 0; seed < 24; ++seed) {
        if (left_out(seed)) continue;
        auto y = reference::values<TestType>(family, n, seed);
        put_far_value(y, seed, random);
        check(std::move(y), host_test::label(family, "", n, seed), seen);
      }
    }
    INFO(family << ": " << seen.solved << " of " << seen.rows << " rows are solved");
    CHECK(seen.at_least(0.5));
  }
}

TEMPLATE_TEST_CASE("a lane pools ties without weights in twice the digits", "", float, double) {
  tally seen;
  reference::random_source random(1);
  for (int i = 0; i < tries(20000); ++i) {
    std::vector<TestType> y(1 + random.below(128));
    const std::uint64_t values = 2 + random.below(5);
    const auto scale = static_cast<TestType>(std::ldexp(1.0, static_cast<int>(random.below(60)) - 30));
    for (auto& v : y) v = (static_cast<TestType>(random.below(values)) - TestType(2)) * scale;
    check(std::move(y), "small integers", seen);
  }
  CHECK(seen.solved == seen.rows);
}

// Sums that are rounded: means that tie or nearly tie, at midpoints of numbers, that cancel.
TEMPLATE_TEST_CASE("a lane guesses nothing where means of rounded sums nearly tie", "", float, double) {
  tally seen;
  reference::random_source random(2);
  constexpr auto ulp = std::numeric_limits<TestType>::epsilon();
  const int apart = sizeof(TestType) == 4 ? 20 : 45;
  for (int i = 0; i < tries(60000); ++i) {
    std::vector<TestType> y(2 + random.below(20));
    const auto kind = random.below(5);
    for (auto& v : y) {
      const auto few = static_cast<TestType>(random.below(4));
      v = 1 + ulp * few;
      if (kind == 1) v = few + (random.chance(0.2) ? ulp * static_cast<TestType>(random.below(8)) : 0);
      if (kind >= 2) {
        const int exponent = static_cast<int>(random.below(kind == 2 ? 4 : 5)) * apart - 2 * apart;
        v = std::ldexp(few - 1, exponent) * (random.chance(0.3) ? 1 + ulp : 1);
      }
    }
    if (kind == 4) {  // the same mean again, or nearly
      y.insert(y.end(), y.begin(), y.end());
      if (random.chance(0.5)) y[random.below(y.size())] *= 1 + ulp;
    }
    check(std::move(y), "near ties of kind " + std::to_string(kind), seen);
  }
  INFO(seen.solved << " of " << seen.rows << " rows are solved");
  CHECK(seen.at_least(0.5));
  CHECK(seen.solved < seen.rows);
}

TEMPLATE_TEST_CASE("a lane takes infinite values for extended reals, and NaN for a fault", "", float,
                   double) {
  tally seen;
  reference::random_source random(3);
  for (int i = 0; i < tries(30000); ++i) {
    const std::size_t n = 1 + random.below(128);
    auto y = reference::values<TestType>(i % 2 == 0 ? "noise" : "labels", n, static_cast<std::uint64_t>(i));
    const auto infinity = reference::infinity<TestType>;
    const std::size_t low = random.below(n + 1), high = low + random.below(n - low + 1);
    if (i % 4 == 3) put_far_value(y, static_cast<std::uint64_t>(i / 4), random);
    if (random.chance(0.5)) {
      for (std::size_t k = 0; k < low; ++k) y[k] = -infinity;
    }
    if (random.chance(0.7)) {
      for (std::size_t k = high; k < n; ++k) y[k] = infinity;
    }
    if (random.chance(0.2)) y[random.below(n)] = random.chance(0.5) ? infinity : -infinity;
    if (random.chance(0.1)) y[random.below(n)] = -host_test::not_a_number<TestType>;
    check(std::move(y), "infinities", seen);
  }
  INFO(seen.solved << " of " << seen.rows << " rows are solved");
  CHECK(seen.at_least(0.99));
}
