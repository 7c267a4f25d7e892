// The calibration curve: a monotone, piecewise linear function given by its knots, and predictions from it.
//
// A constant piece of the curve has a knot at both of its ends (one if it covers a single score). With one
// knot a piece the curve would slope inside pools and miss the fit at its own training scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <iso/detail/check.hpp>
#include <iso/host/parallel.hpp>
#include <iso/status.hpp>

namespace iso {

// What a score beyond the ends of a curve gets: the value of the nearer end, or NaN.
enum class out_of_range : std::uint8_t { clip, nan };

namespace detail {

// The line from (x0, v0) to (x1, v1) at x0 < x < x1; x1 may be +infinity and x0 -infinity.
//
// Monotone in x without tolerance. Each operation below is monotone in x as a real function, rounding is
// monotone, and so is their composition as computed; the clamp then keeps the rounding of the last addition
// from passing the other knot, so intervals agree where they meet. The quotients are nested so that no
// rounded product feeds a sum (those by a half are exact where they count): a compiler that contracts into
// fused operations in one place and not in another cannot change a bit. The ratio width / offset is at least
// 1 and may overflow, in which case x is so close to x0 that v0 is right; a slope (v1 - v0) / (x1 - x0) would
// give infinities where scores are a subnormal apart.
template <class T>
T interpolate(T x0, T x1, T v0, T v1, T x) noexcept {
  if (v0 == v1 || std::isinf(x0)) return v1;
  if (std::isinf(x1)) return v0;
  // Differences that overflow are taken at half scale, which is exact for numbers of that size.
  const T half = T(0.5);
  T width = x1 - x0, offset = x - x0;
  if (std::isinf(width)) width = x1 * half - x0 * half, offset = x * half - x0 * half;
  const T ratio = width / offset;
  const T rise = v1 - v0;
  const T value = std::isinf(rise) ? (v0 * half + (v1 * half - v0 * half) / ratio) * T(2) : v0 + rise / ratio;
  return v0 < v1 ? (std::max)(v0, (std::min)(v1, value)) : (std::max)(v1, (std::min)(v0, value));
}

// Whether two arrays share memory without being the same one.
template <class T>
bool overlap_in_part(std::span<const T> a, std::span<const T> b) noexcept {
  if (a.empty() || b.empty() || a.data() == b.data()) return false;
  const std::less<const T*> before;
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

inline status bad_element(const char* name, std::size_t index, const char* fault) {
  return detail::refused(name, "[", index, "] ", fault);
}

}  // namespace detail

// A calibration curve: knots joined by straight lines, monotone to the last bit.
//
//   iso::calibration_curve<float> curve;
//   iso::calibrate<float>(scores, labels, curve).check();
//   float p = curve(0.7f);                                // one score
//   curve.predict(new_scores, probabilities).check();     // many
//
// A default-constructed curve is empty: it has no knots and predicts NaN. Predictions may run in many threads
// at once.
template <class T>
class calibration_curve {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);

 public:
  calibration_curve() = default;

  // The knots: scores strictly increasing, of which the first may be -infinity and the last +infinity; values
  // finite and monotone.
  std::span<const T> scores() const noexcept { return scores_; }
  std::span<const T> values() const noexcept { return values_; }
  bool increasing() const noexcept { return increasing_; }
  out_of_range outside() const noexcept { return outside_; }

  // The curve at one score: linear between knots, the knot's own value at a knot, `outside()` beyond the
  // ends. NaN for NaN. Towards an infinite knot the line is flat: strictly between, the curve has the value
  // of the finite knot (of the right one if both are infinite). For a <= b, curve(a) <= curve(b) without
  // tolerance (>= if not increasing).
  T operator()(T score) const noexcept;

  // values[i] = (*this)(scores[i]) for all i, by up to `threads` threads (0: all the machine has).
  // Both spans are host memory of equal size, and may be the same memory.
  // Errors, with nothing written: empty curve, sizes that disagree, negative threads, a partial overlap.
  status predict(std::span<const T> scores, std::span<T> values, int threads = 0) const;

  // Rebuilds a curve from stored knots, which scores() and values() of a curve are; it predicts what that one
  // did. Errors, with `curve` left as it was: no knots, sizes that disagree, scores not strictly increasing
  // or NaN, values not finite or not monotone in the direction.
  static status from_knots(std::span<const T> scores, std::span<const T> values, calibration_curve& curve,
                           bool increasing = true, out_of_range outside = out_of_range::clip);

 private:
  std::vector<T> scores_, values_;
  bool increasing_ = true;
  out_of_range outside_ = out_of_range::clip;
};

template <class T>
T calibration_curve<T>::operator()(T score) const noexcept {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  if (scores_.empty() || std::isnan(score)) return nan;
  // Knots at or below the score, by a binary search whose steps are sums, not branches to predict.
  std::size_t above = 0;
  for (std::size_t left = scores_.size(); left > 0;) {
    const std::size_t half = left - left / 2;
    above += half * static_cast<std::size_t>(scores_[above + half - 1] <= score);
    left -= half;
  }
  if (above == 0) return outside_ == out_of_range::clip ? values_.front() : nan;
  const std::size_t below = above - 1;
  if (scores_[below] == score) return values_[below];
  if (above == scores_.size()) return outside_ == out_of_range::clip ? values_.back() : nan;
  return detail::interpolate(scores_[below], scores_[above], values_[below], values_[above], score);
}

template <class T>
status calibration_curve<T>::predict(std::span<const T> scores, std::span<T> values, int threads) const {
  if (scores_.empty()) return detail::refused("the calibration curve is empty");
  if (status s = detail::check_equal_sizes("scores", scores.size(), "values", values.size()); !s) return s;
  if (status s = detail::check_not_negative("the number of threads", threads); !s) return s;
  if (detail::overlap_in_part(scores, std::span<const T>(values)))
    return detail::refused("scores and values overlap in part");
  const std::size_t n = scores.size();
  // A task is large enough to be worth a thread's start.
  constexpr std::size_t task_size = std::size_t{1} << 15;
  auto task = [&](std::int64_t index, int) {
    const std::size_t first = static_cast<std::size_t>(index) * task_size;
    const std::size_t last = (std::min)(n, first + task_size);
    for (std::size_t i = first; i < last; ++i) values[i] = (*this)(scores[i]);
  };
  host::detail::parallel_for(host::detail::thread_count(threads),
                             static_cast<std::int64_t>((n + task_size - 1) / task_size), task);
  return {};
}

template <class T>
status calibration_curve<T>::from_knots(std::span<const T> scores, std::span<const T> values,
                                        calibration_curve& curve, bool increasing, out_of_range outside) {
  if (status s = detail::check_equal_sizes("scores", scores.size(), "values", values.size()); !s) return s;
  if (scores.empty()) return detail::refused("a calibration curve needs at least one knot");
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) return detail::bad_element("scores", i, "is NaN");
    if (!std::isfinite(values[i])) return detail::bad_element("values", i, "is not finite");
    if (i == 0) continue;
    if (!(scores[i - 1] < scores[i]))
      return detail::bad_element("scores", i, "is not above the score before it");
    if (increasing ? values[i] < values[i - 1] : values[i] > values[i - 1])
      return detail::bad_element(
          "values", i, increasing ? "is below the value before it" : "is above the value before it");
  }
  try {
    calibration_curve made;
    made.scores_.assign(scores.begin(), scores.end());
    made.values_.assign(values.begin(), values.end());
    made.increasing_ = increasing;
    made.outside_ = outside;
    curve = std::move(made);
  } catch (const std::bad_alloc&) {
    return {errc::out_of_memory, "no memory for the knots of a calibration curve"};
  }
  return {};
}

}  // namespace iso
