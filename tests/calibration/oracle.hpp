// The oracle of calibration: equal scores pooled in rational arithmetic, then pool adjacent violators, then
// one rounding; and the line between two knots as a rational number. Slow, and nothing of it is shared with
// the library.
#pragma once

#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "observations.hpp"
#include "reference/rational.hpp"

namespace calibration_test {

using rational = boost::multiprecision::cpp_rational;

template <class T>
T rounded(const rational& x) {
  return reference::rounded<T>(reference::integer(numerator(x)), reference::integer(denominator(x)), 0);
}

// The fit at every score that has a weight: -0 and +0 are one score.
template <class T>
std::map<T, T> exact_fit(const observations<T>& o, bool increasing) {
  struct pool {
    rational sum = 0, weight = 0;
    std::vector<T> scores = {};
  };
  std::map<T, pool> points;
  for (std::size_t i = 0; i < o.scores.size(); ++i) {
    const rational weight = o.weights.empty() ? rational(1) : rational(o.weights[i]);
    if (weight == 0) continue;
    pool& point = points[o.scores[i]];
    point.sum += weight * rational(o.targets[i]) * (increasing ? 1 : -1);
    point.weight += weight;
    point.scores = {o.scores[i]};
  }
  std::vector<pool> pools;
  for (auto& [score, point] : points) {
    while (!pools.empty() && pools.back().sum * point.weight >= point.sum * pools.back().weight) {
      pool& before = pools.back();
      point.sum += before.sum;
      point.weight += before.weight;
      before.scores.insert(before.scores.end(), point.scores.begin(), point.scores.end());
      point.scores = std::move(before.scores);
      pools.pop_back();
    }
    pools.push_back(point);
  }
  std::map<T, T> fit;
  for (const pool& p : pools) {
    const T value = rounded<T>(p.sum / p.weight * (increasing ? 1 : -1));
    for (const T score : p.scores) fit[score] = value;
  }
  return fit;
}

// The curve through a fit, at a finite score between two finite ones.
template <class T>
rational exact_line(const std::map<T, T>& fit, T score) {
  const auto right = fit.lower_bound(score);
  if (right->first == score) return rational(right->second);
  const auto left = std::prev(right);
  const rational x0(left->first), x1(right->first), v0(left->second), v1(right->second);
  return v0 + (rational(score) - x0) * (v1 - v0) / (x1 - x0);
}

}  // namespace calibration_test
