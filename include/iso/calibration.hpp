// Calibration: fits a monotone curve to pairs of a score and a target. It means the same as scikit-learn's
// IsotonicRegression, but that a curve of one knot, too, has an outside where it answers NaN if asked to.
//
// Observations are sorted by score; equal scores are one point, whose target is the weighted mean of theirs
// and whose weight is their sum; the isotonic fit of these points is the curve's value at their scores.
//
// Ties are pooled exactly without being averaged. Within equal scores the targets are sorted against the
// direction of the fit: 1, 0 rather than 0, 1 for an increasing one. There the slopes of the cumulative sum
// diagram never increase, so the diagram lies on or above the chord over the tie and no vertex of its lower
// hull can be inside it. Hence the fit of the single observations pools every tie by itself, and it equals
// the fit of the pooled points.
//
//   score   0  1  1  2  3        the tie at 1 sorted as 1, 0
//   target  0  1  0  0  1        fit 0, 1/3, 1/3, 1/3, 1: (1 + 0 + 0) / 3 over the scores 1 and 2
//   knots   (0, 0) (1, 1/3) (2, 1/3) (3, 1)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <iso/calibration_curve.hpp>
#include <iso/host.hpp>
#include <iso/status.hpp>

namespace iso {

// Who solves for a curve's values: what does as host::solve does, to the bit, on a GPU for instance. y and
// fit are the same host memory; w is empty if all weights are one, and else as long. `threads` is that of the
// options. A failure it returns is the failure of the fit.
template <class T>
using calibration_solver = status (*)(std::span<const T> y, std::span<const T> w, std::span<T> fit,
                                      const options<T>& how, int threads);

// Options of `calibrate`.
template <class T>
struct calibration_options {
  // Non-decreasing curve, or non-increasing.
  bool increasing = true;
  // Bounds the fitted curve is clipped to, in the units of the targets. Some finite number must lie within.
  T y_min = -std::numeric_limits<T>::infinity();
  T y_max = std::numeric_limits<T>::infinity();
  // What scores beyond the first and the last knot get.
  out_of_range outside = out_of_range::clip;
  // Threads of the solve: 0 for all the machine has, 1 for the calling thread alone. No bit depends on it.
  int threads = 0;
  // Null for host::solve.
  calibration_solver<T> solver = nullptr;
};

namespace detail {

// What is sorted: one observation. Targets follow scores, so one pass of the sort orders ties too.
template <class T, bool Weighted>
struct observation {
  T score, target;
};
template <class T>
struct observation<T, true> {
  T score, target, weight;
};

template <class T>
status check_observations(std::span<const T> scores, std::span<const T> targets, std::span<const T> weights,
                          const calibration_options<T>& options) {
  const std::size_t n = scores.size();
  if (status s = detail::check_equal_sizes("scores", n, "targets", targets.size()); !s) return s;
  if (!weights.empty()) {
    if (status s = detail::check_equal_sizes("scores", n, "weights", weights.size()); !s) return s;
  }
  if (n == 0) return detail::refused("there is nothing to calibrate: scores has 0 elements");
  constexpr T inf = std::numeric_limits<T>::infinity();
  if (!(options.y_min <= options.y_max) || options.y_min == inf || options.y_max == -inf)
    return detail::refused("y_min ", options.y_min, " and y_max ", options.y_max, " bound no finite value");
  if (status s = detail::check_not_negative("the number of threads", options.threads); !s) return s;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(scores[i])) return bad_element("scores", i, "is NaN");
    if (!std::isfinite(targets[i])) return bad_element("targets", i, "is not finite");
    if (!weights.empty() && !(weights[i] >= T(0) && weights[i] < inf))
      return bad_element("weights", i, "is negative, infinite or NaN");
  }
  return {};
}

// The observations that have a say, sorted by score and, within a tie, against the direction of the fit.
template <class T, bool Weighted>
std::vector<observation<T, Weighted>> sorted_observations(std::span<const T> scores,
                                                          std::span<const T> targets,
                                                          std::span<const T> weights,
                                                          const calibration_options<T>& options) {
  std::vector<observation<T, Weighted>> sorted;
  sorted.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const T score = scores[i] + T(0);  // -0 becomes +0: a knot's sign must not depend on the input's order
    if constexpr (!Weighted)
      sorted.push_back({score, targets[i]});
    else if (weights[i] > T(0))
      sorted.push_back({score, targets[i], weights[i]});
  }
  std::sort(sorted.begin(), sorted.end(), [up = options.increasing](const auto& a, const auto& b) {
    if (a.score != b.score) return a.score < b.score;
    return up ? a.target > b.target : a.target < b.target;
  });
  return sorted;
}

template <class T>
status solve_on_host(std::span<const T> y, std::span<const T> w, std::span<T> fit, const options<T>& how,
                     int threads) {
  return w.empty() ? host::solve<T, false>(y, fit, how, threads)
                   : host::solve<T, true>(y, w, fit, how, threads);
}

// Replaces the targets of the sorted observations by their fit.
template <class T, bool Weighted>
status solve_sorted(const std::vector<observation<T, Weighted>>& sorted, std::span<T> fit,
                    const calibration_options<T>& o) {
  std::vector<T> w;
  if constexpr (Weighted) {
    w.resize(sorted.size());
    std::transform(sorted.begin(), sorted.end(), w.begin(),
                   [](const auto& element) { return element.weight; });
  }
  const options<T> how{.increasing = o.increasing, .y_min = o.y_min, .y_max = o.y_max};
  const calibration_solver<T> solver = o.solver != nullptr ? o.solver : solve_on_host<T>;
  return solver(fit, w, fit, how, o.threads);
}

// Fits what `check_observations` let pass.
template <class T, bool Weighted>
status fit_curve(std::span<const T> scores, std::span<const T> targets, std::span<const T> weights,
                 calibration_curve<T>& curve, const calibration_options<T>& o) {
  const auto sorted = sorted_observations<T, Weighted>(scores, targets, weights, o);
  const std::size_t n = sorted.size();
  if (n == 0) return detail::refused("all ", scores.size(), " weights are zero");
  std::vector<T> fit(n);
  std::transform(sorted.begin(), sorted.end(), fit.begin(),
                 [](const auto& element) { return element.target; });
  if (status s = solve_sorted<T, Weighted>(sorted, fit, o); !s) return s;

  // A run of equal values is one constant piece of the curve, even if it is several pools whose means round
  // to one number or were clipped to one bound. A tie is inside one pool, so no two runs share a score. The
  // knots' values overwrite the fit, which has at least as many elements up to any place.
  std::vector<T> knots;
  knots.reserve(n);
  for (std::size_t first = 0, last = 0; first < n; first = last + 1) {
    const T value = fit[first];
    for (last = first; last + 1 < n && fit[last + 1] == value;) ++last;
    fit[knots.size()] = value;
    knots.push_back(sorted[first].score);
    if (sorted[last].score == sorted[first].score) continue;
    fit[knots.size()] = value;
    knots.push_back(sorted[last].score);
  }
  fit.resize(knots.size());
  return calibration_curve<T>::from_knots(knots, fit, curve, o.increasing, o.outside);
}

}  // namespace detail

// Fits `curve` to observations: the monotone curve closest to the targets in weighted least squares.
//
// scores[i], targets[i] and weights[i] belong to observation i; host memory, equal sizes, any order. Scores
// may be infinite; targets are finite (0/1 labels, or any number); `weights` may be left out or empty, which
// means all one, and observations of weight zero take no part. The curve's value at each score of an
// observation is the exact fit, rounded once, so neither the order of the observations nor the number of
// threads changes a bit of it. Working memory: less than twice the input, and what the solve takes or, after
// it, the knots twice.
//
// Unlike a solve, which marks a row it cannot fit and goes on, a fit that cannot be had is refused.
//
// Errors, with `curve` left as it was: sizes that disagree, no observations, a NaN score, a target that is
// not finite, a weight that is negative, infinite or NaN, all weights zero, bounds that hold no finite value,
// threads < 0, no memory.
//
//   std::vector<double> scores{0, 1, 1, 2, 3}, labels{0, 0, 1, 0, 1};
//   iso::calibration_curve<double> curve;
//   iso::calibrate(scores, labels, curve, {.y_min = 0.01, .y_max = 0.99}).check();
//   curve(1.5);   // 1/3: the scores 1 and 2 are one pool
//
// Source: Zadrozny and Elkan, Transforming classifier scores into accurate multiclass probability estimates,
// KDD 2002.
template <class T>
[[nodiscard]] status calibrate(std::type_identity_t<std::span<const T>> scores,
                               std::type_identity_t<std::span<const T>> targets,
                               std::type_identity_t<std::span<const T>> weights, calibration_curve<T>& curve,
                               std::type_identity_t<calibration_options<T>> options = {}) {
  if (status s = detail::check_observations(scores, targets, weights, options); !s) return s;
  try {
    return weights.empty() ? detail::fit_curve<T, false>(scores, targets, weights, curve, options)
                           : detail::fit_curve<T, true>(scores, targets, weights, curve, options);
  } catch (const std::bad_alloc&) {
    return {errc::out_of_memory, detail::message("no memory to sort ", scores.size(), " observations")};
  }
}

template <class T>
[[nodiscard]] status calibrate(std::type_identity_t<std::span<const T>> scores,
                               std::type_identity_t<std::span<const T>> targets, calibration_curve<T>& curve,
                               std::type_identity_t<calibration_options<T>> options = {}) {
  return calibrate<T>(scores, targets, std::span<const T>(), curve, options);
}

}  // namespace iso
