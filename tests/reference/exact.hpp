// The oracle: isotonic regression in exact rational arithmetic, rounded once at the end.
//
// Pool adjacent violators, one element at a time: each element is a pool of its own until the pool before it
// has a mean that is not lower; then the two become one. The values are integers of a common unit, and so are
// the weights, so a pool's mean is the quotient of two integers and two means compare by
// cross-multiplication. Infinite values are extended reals: a pool that holds one has that mean.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "problem.hpp"
#include "rational.hpp"

namespace reference {

struct exact_pool {
  std::size_t first = 0;
  integer sum = 0;     // of weight times value, the infinite values left out
  integer weight = 0;  // of every element
  int infinite = 0;    // -1 or +1: the mean is that infinity
};

// The status of a row that follows from single elements; `ok` may still turn out indeterminate.
template <class T>
iso::row_status inspect(const problem<T>& p) {
  bool any_weight = !p.weighted || p.y.empty();
  for (std::size_t i = 0; p.weighted && i < p.y.size(); ++i) {
    if (!(p.w[i] >= 0) || std::isinf(p.w[i])) return iso::row_status::bad_weight;
    any_weight = any_weight || p.w[i] > 0;
  }
  for (const T v : p.y) {
    if (std::isnan(v)) return iso::row_status::nan;
  }
  return any_weight ? iso::row_status::ok : iso::row_status::no_weight;
}

// Whether the mean of `a` is at least the mean of `b`.
inline bool not_below(const exact_pool& a, const exact_pool& b) {
  if (a.infinite != 0 || b.infinite != 0) return a.infinite >= b.infinite;
  return a.sum * b.weight >= b.sum * a.weight;
}

// The pools of a row whose inspection is ok, values negated for a decreasing fit. False if indeterminate.
template <class T>
bool pool_adjacent_violators(const problem<T>& p, int y_unit, std::vector<exact_pool>& pools) {
  const int w_unit = p.weighted ? unit_exponent<T>(p.w) : 0;
  for (std::size_t i = 0; i < p.y.size(); ++i) {
    if (p.weighted && p.w[i] == 0) continue;
    const T value = p.increasing ? p.y[i] : -p.y[i];
    exact_pool last;
    last.first = pools.empty() ? 0 : i;  // elements without weight at the start of a row join its first pool
    last.weight = p.weighted ? in_units(p.w[i], w_unit) : integer(1);
    if (std::isinf(value)) {
      last.infinite = value > 0 ? 1 : -1;
    } else {
      last.sum = last.weight * in_units(value, y_unit);
    }
    while (!pools.empty() && not_below(pools.back(), last)) {
      exact_pool& before = pools.back();
      if (before.infinite * last.infinite < 0) return false;
      last.first = before.first;
      last.sum += before.sum;
      last.weight += before.weight;
      if (last.infinite == 0) last.infinite = before.infinite;
      pools.pop_back();
    }
    pools.push_back(std::move(last));
  }
  return true;
}

// A value of the fit within the bounds; zeros become +0.
template <class T>
T clipped(T value, const problem<T>& p) {
  if (value < p.y_min) value = p.y_min;
  if (value > p.y_max) value = p.y_max;
  return value == 0 ? T(0) : value;
}

// The mean of a pool, rounded once to T.
template <class T>
T rounded_mean(const exact_pool& pool, int y_unit, bool increasing) {
  if (pool.infinite != 0) return (pool.infinite > 0) == increasing ? infinity<T> : -infinity<T>;
  const T mean = rounded<T>(pool.sum, pool.weight, y_unit);
  return increasing || mean == 0 ? mean : -mean;
}

// The exact fit of one row, its pools, and its status.
template <class T>
answer<T> solve(const problem<T>& p) {
  const std::size_t n = p.y.size();
  const int y_unit = unit_exponent<T>(p.y);
  answer<T> out{inspect(p), std::vector<T>(n, std::numeric_limits<T>::quiet_NaN()), std::vector<bool>(n)};
  if (out.status != iso::row_status::ok) return out;
  std::vector<exact_pool> pools;
  if (!pool_adjacent_violators(p, y_unit, pools)) {
    out.status = iso::row_status::indeterminate;
    return out;
  }
  for (std::size_t k = 0; k < pools.size(); ++k) {
    const std::size_t end = k + 1 < pools.size() ? pools[k + 1].first : n;
    const T value = clipped(rounded_mean<T>(pools[k], y_unit, p.increasing), p);
    out.starts[pools[k].first] = true;
    for (std::size_t i = pools[k].first; i < end; ++i) out.fit[i] = value;
  }
  return out;
}

}  // namespace reference
