// Rows fitted by one lane with packed pools, against the exact oracle.
#include <iso/lane/lane_isotonic.cuh>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
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
  int rows = 0, packed = 0;
};

// The forms of a lane's fit, by the elements that a row may have.
template <class T, int Most>
struct form {
  using value_type = T;
  static constexpr int most = Most;
};

// Solves an unweighted row of the lane's direction, without bounds, if it is packed.
template <class Form, class T = typename Form::value_type>
bool solve(const std::vector<T>& y, host_test::outcome<T>& out) {
  using place = iso::pool_place<T, Form::most>;
  const auto n = static_cast<int>(y.size());
  std::vector<typename place::word> memory(static_cast<std::size_t>(place::words(n)) *
                                           (place::in_place ? 1 : 32));
  std::vector<T> apart(place::in_place ? 0 : y.size());
  T* values = apart.data();
  if constexpr (place::in_place) values = memory.data() + place::first_value(n);
  std::copy(y.begin(), y.end(), values);
  const auto look = iso::look_at_values(values, n);
  const iso::lane_grid grid = iso::grid_of(look);
  if (look.odd() || !grid.packed<typename place::pool>()) return false;
  const auto last =
      iso::fit_pools(values, n, iso::packing<T, Form::most>(grid.low, grid.bits), place(memory.data()));
  out.pools.resize(static_cast<std::size_t>(n + 31) / 32);
  iso::write_starts(out.pools.data(), n, last);
  iso::spread_pools(values, n, last);
  out.fit.assign(values, values + n);
  return true;
}

template <class Form, class T = typename Form::value_type>
void check(std::vector<T> y, const std::string& what, tally& seen) {
  const auto p = reference::row(std::move(y));
  host_test::outcome<T> got;
  ++seen.rows;
  if (!solve<Form>(p.y, got)) return;
  ++seen.packed;
  const std::string fault = host_test::difference(got, reference::solve(p));
  if (!fault.empty()) FAIL_CHECK(what << ": " << fault);
}

using short_float = form<float, 32>;
using long_float = form<float, 256>;
using short_double = form<double, 32>;
using long_double = form<double, 256>;

}  // namespace

TEMPLATE_TEST_CASE("a lane fits rows of every length and family exactly", "", short_float, long_float,
                   short_double, long_double) {
  using value_type = typename TestType::value_type;
  for (const std::string_view family : reference::value_families) {
    tally seen;
    for (std::size_t n = 1; n <= TestType::most; ++n) {
      for (std::uint64_t seed = 0; seed < (n <= 32 ? 40 : 8); ++seed) {
        if (left_out(seed)) continue;
        check<TestType>(reference::values<value_type>(family, n, seed), host_test::label(family, "", n, seed),
                        seen);
      }
    }
    const bool usual = family == "noise" || family == "uniform" || family == "labels" || family == "tent" ||
                       family == "decreasing" || family == "offset 1e6" || family == "ulps";
    INFO(family << ": " << seen.packed << " of " << seen.rows << " rows are packed");
    if (usual) CHECK(seen.packed * 100 >= seen.rows * 99);
  }
}

TEMPLATE_TEST_CASE("a lane pools ties", "", short_float, long_float, short_double, long_double) {
  using value_type = typename TestType::value_type;
  tally seen;
  reference::random_source random(1);
  for (int i = 0; i < tries(20000); ++i) {
    std::vector<value_type> y(1 + random.below(TestType::most));
    const std::uint64_t values = 2 + random.below(5);
    const auto scale = static_cast<value_type>(std::ldexp(1.0, static_cast<int>(random.below(60)) - 30));
    for (auto& v : y) v = (static_cast<value_type>(random.below(values)) - value_type(2)) * scale;
    check<TestType>(std::move(y), "small integers", seen);
  }
  CHECK(seen.packed == seen.rows);
}

// The widest grids, and the lowest and the highest, that packed pools take, and the next ones.
TEMPLATE_TEST_CASE("a lane fits rows up to the limits of packed pools exactly", "", short_float, long_float,
                   short_double, long_double) {
  using value_type = typename TestType::value_type;
  using f = iso::numeric::format<value_type>;
  using pool = iso::packed_pool<value_type, TestType::most>;
  tally seen;
  reference::random_source random(2);
  const int widest = pool::element_bits - f::digits, lowest = pool::lowest + f::min_exponent + f::digits - 1;
  const int highest = std::numeric_limits<value_type>::max_exponent - 1;
  for (int i = 0; i < tries(30000); ++i) {
    std::vector<value_type> y(1 + random.below(TestType::most));
    const int span = widest + 1 - static_cast<int>(random.below(3) * random.below(11));
    const int base = random.chance(0.3)   ? lowest - 1 + static_cast<int>(random.below(3))
                     : random.chance(0.5) ? highest - span
                                          : -static_cast<int>(random.below(40));
    for (auto& v : y) {
      const bool end = random.chance(0.5);
      const int exponent =
          base + (end ? (random.chance(0.5) ? span : 0)
                      : static_cast<int>(random.below(static_cast<std::uint64_t>(span) + 1)));
      const double size =
          random.chance(0.3) ? 2 - std::numeric_limits<value_type>::epsilon() : 1 + random.uniform();
      v = std::ldexp(static_cast<value_type>(size), exponent);
      if (!std::isfinite(v)) v = std::numeric_limits<value_type>::max();
      if (random.chance(0.5)) v = -v;
    }
    if (random.chance(0.3)) std::sort(y.begin(), y.end(), std::greater<value_type>());
    check<TestType>(std::move(y), "limits", seen);
  }
  INFO(seen.packed << " of " << seen.rows);
  CHECK(seen.packed * 3 > seen.rows);
  CHECK(seen.packed < seen.rows);
}
