// Observations of a calibration test, and the curve they give.
#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <iso/calibration.hpp>

#include "catch.hpp"
#include "host/instances.hpp"
#include "reference/random.hpp"

namespace calibration_test {

template <class T>
struct observations {
  std::vector<T> scores;
  std::vector<T> targets;
  std::vector<T> weights = {};  // empty: all one
};

// The curve of the observations, which must be in order.
template <class T>
iso::calibration_curve<T> fitted(const observations<T>& o, iso::calibration_options<T> options = {}) {
  iso::calibration_curve<T> curve;
  const iso::status status = iso::calibrate<T>(o.scores, o.targets, o.weights, curve, options);
  INFO(status.message());
  REQUIRE(status);
  return curve;
}

// What the curve predicts, by one call of predict.
template <class T>
std::vector<T> predictions(const iso::calibration_curve<T>& curve, const std::vector<T>& scores,
                           int threads = 1) {
  std::vector<T> values(scores.size());
  REQUIRE(curve.predict(scores, values, threads));
  return values;
}

// The observations with the given one first, second, ...
template <class T>
observations<T> reordered(const observations<T>& o, const std::vector<std::size_t>& order) {
  observations<T> out;
  for (const std::size_t i : order) {
    out.scores.push_back(o.scores[i]);
    out.targets.push_back(o.targets[i]);
    if (!o.weights.empty()) out.weights.push_back(o.weights[i]);
  }
  return out;
}

inline std::vector<std::size_t> random_order(std::size_t n, reference::random_source& random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

template <class T>
std::vector<T> copy(std::span<const T> values) {
  return {values.begin(), values.end()};
}

}  // namespace calibration_test
