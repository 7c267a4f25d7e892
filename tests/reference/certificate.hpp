// Proofs that an answer is right, without solving: the Karush-Kuhn-Tucker conditions in exact arithmetic, and
// the definition of a rounding.
//
// A partition into pools is the isotonic fit's, pools of equal means being one, exactly if the means of the
// pools increase strictly and, within a pool, the mean of no leading part is below the mean of the pool.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "problem.hpp"
#include "rational.hpp"

namespace reference {

// Whether `value` is the nearest T to numerator / denominator * 2^unit, the one with an even last bit of two
// equally near ones, and +0 if it is zero. The quotient must be within the finite range of T.
template <class T>
bool is_rounding_of(T value, const integer& numerator, const integer& denominator, int unit) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  if (!std::isfinite(value) || (value == 0 && std::signbit(value))) return false;
  const std::array<T, 3> candidates = {value, std::nextafter(value, -infinity<T>),
                                       std::nextafter(value, infinity<T>)};
  const int fine = (std::min)(unit, unit_exponent<T>(candidates));
  const integer exact = shifted(numerator, unit - fine);
  const auto distance = [&](T x) { return abs(in_units(x, fine) * denominator - exact); };
  const bool even = std::bit_cast<bits>(value) % 2 == 0;
  const integer own = distance(value);
  return std::ranges::all_of(candidates, [&](T other) {
    if (other == value || std::isinf(other)) return true;
    const integer its = distance(other);
    return even ? own <= its : own < its;
  });
}

// What a certificate knows of one element or pool.
struct moment {
  integer sum = 0;
  integer weight = 0;
};

inline int compare_means(const moment& a, const moment& b) {
  return (a.sum * b.weight).compare(b.sum * a.weight);
}

template <class T>
std::vector<moment> moments(const problem<T>& p, int y_unit) {
  const int w_unit = p.weighted ? unit_exponent<T>(p.w) : 0;
  std::vector<moment> out(p.y.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].weight = p.weighted ? in_units(p.w[i], w_unit) : integer(1);
    out[i].sum = out[i].weight * in_units(p.increasing ? p.y[i] : -p.y[i], y_unit);
  }
  return out;
}

// Whether `value` is what every element of a pool with this moment owes.
template <class T>
bool is_value_of_pool(T value, const moment& pool, const problem<T>& p, int y_unit) {
  const auto order = [&](T bound) {  // of the mean and a bound
    const int unit = (std::min)(y_unit, bound == 0 ? y_unit : parts(bound).exponent);
    const integer mean = shifted(pool.sum, y_unit - unit) * (p.increasing ? 1 : -1);
    return mean.compare(in_units(bound, unit) * pool.weight);
  };
  if (std::isfinite(p.y_min) && order(p.y_min) <= 0) return value == p.y_min;
  if (std::isfinite(p.y_max) && order(p.y_max) >= 0) return value == p.y_max;
  return is_rounding_of(value, p.increasing ? pool.sum : integer(-pool.sum), pool.weight, y_unit);
}

// Empty if the answer is proved to be the exact one; otherwise what is wrong with it. For rows of finite
// values, weights that are not all zero, and bounds that are finite or leave that side open.
template <class T>
std::string fault(const problem<T>& p, std::span<const T> fit, const std::vector<bool>& starts) {
  const std::size_t n = p.y.size();
  if (fit.size() != n || starts.size() != n) return "sizes differ";
  if (n == 0) return {};
  if (!starts[0]) return "element 0 starts no pool";
  const int y_unit = unit_exponent<T>(p.y);
  const std::vector<moment> elements = moments(p, y_unit);
  moment before;
  for (std::size_t first = 0, end = 0; first < n; first = end) {
    const std::string where = "pool at " + std::to_string(first) + ": ";
    moment pool;
    for (end = first; end == first || (end < n && !starts[end]); ++end) {
      pool.sum += elements[end].sum;
      pool.weight += elements[end].weight;
    }
    if (pool.weight == 0) return where + "no weight";
    if (first > 0 && elements[first].weight == 0) return where + "begins with an element without weight";
    if (first > 0 && compare_means(before, pool) >= 0) return where + "not above the pool before";
    moment part;
    for (std::size_t i = first; i < end; ++i) {
      part.sum += elements[i].sum;
      part.weight += elements[i].weight;
      if (compare_means(part, pool) < 0) return where + "should end at " + std::to_string(i);
      if (fit[i] != fit[first]) return where + "not constant";
      if (fit[i] == 0 && std::signbit(fit[i])) return where + "a negative zero";
    }
    if (!is_value_of_pool(fit[first], pool, p, y_unit)) return where + "its value is not its rounded mean";
    before = pool;
  }
  return {};
}

}  // namespace reference
