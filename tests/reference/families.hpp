// Rows that solvers have been seen to get wrong or slow, by family and seed.
//
// Values: an easy and a hard case for every step of a solver, from rows that pool into one to rows that do
// not pool at all, ties, cancellation, and numbers that no common word of 64 or 128 bits holds. Weights: the
// same for weights, and zeros wherever a chunk, its ends or a whole row may consist of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "random.hpp"

namespace reference {

// The elements that solvers take at a time; only where zeros lie depends on it.
inline constexpr std::size_t usual_chunk = 1024;

inline constexpr std::array<std::string_view, 24> value_families = {
    "noise",       "uniform",  "increasing",   "decreasing",    "constant",      "pieces",
    "random walk", "sawtooth", "cliff",        "collinear",     "offset 1e6",    "cancellation",
    "ulps",        "labels",   "softmax",      "subnormals",    "exponents",     "sorted exponents",
    "huge",        "tent",     "signed zeros", "convex pieces", "mirrored walk", "staircase"};

inline constexpr std::array<std::string_view, 15> weight_families = {
    "uniform",    "exponential", "decades",       "counts",         "equal",
    "zeros",      "zero runs",   "leading zeros", "trailing zeros", "zero chunks",
    "one weight", "subnormal",   "huge",          "exponents",      "decades and zeros"};

// Any finite number of either sign, all exponents alike.
template <class T>
T any_finite(random_source& random) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  for (;;) {
    const T x = std::bit_cast<T>(static_cast<bits>(random.bits() >> (64 - 8 * sizeof(T))));
    if (std::isfinite(x)) return x;
  }
}

namespace detail {

// Families whose element depends on its index alone.
template <class T>
double element(std::string_view family, std::size_t index, std::size_t count, random_source& random) {
  constexpr double ulp = std::numeric_limits<T>::epsilon();
  constexpr double largest = std::numeric_limits<T>::max();
  const auto i = static_cast<double>(index);
  const auto n = static_cast<double>(count);
  if (family == "noise") return random.normal();
  if (family == "uniform") return random.uniform();
  if (family == "increasing") return i + random.uniform(0, 0.75);
  if (family == "decreasing") return -i + random.uniform(0, 0.75);
  if (family == "constant") return 0.1;
  if (family == "pieces") return std::floor(7 * i / n) + 0.25 * random.normal();
  if (family == "sawtooth") return 0.01 * std::fmod(i, 300) + 0.001 * i;
  if (family == "cliff") return index + 1 == count ? -1000 * n : i * i / n;
  if (family == "collinear") return 1 + ulp * (std::floor(i / 8) + (random.chance(0.1) ? -1 : 0));
  if (family == "offset 1e6") return 1e6 + random.uniform();
  if (family == "cancellation") {
    if (random.chance(0.01)) return random.normal();
    return index % 2 == 0 ? largest * 0x1p-8 : largest * -0x1p-3;
  }
  if (family == "ulps") return 1 + ulp * static_cast<double>(random.below(4));
  if (family == "labels") return random.chance(0.25 + 0.5 * i / n) ? 1 : 0;
  if (family == "softmax") return std::exp(4 * random.normal()) / (n * 2981);
  if (family == "signed zeros") {
    constexpr double smallest = std::numeric_limits<T>::denorm_min();
    return std::array{0.0, -0.0, smallest, -smallest}[random.below(4)];
  }
  if (family == "convex pieces") {
    const double at = std::fmod(i, 511) - 255;
    return at + 0.001 * i;
  }
  if (family == "staircase")
    return static_cast<double>(4 - index / 7 % 5) + 0.05 * static_cast<double>(index % 7);
  return 0;
}

// 0..m-1, then -(m-1)..m-1, then -(m-1)..0: the fit is 0 everywhere, and some solvers were quadratic on it
// (scikit-learn issue 6691).
inline double tent(std::size_t index, std::size_t count) {
  const auto i = static_cast<double>(index);
  const double m = std::floor((static_cast<double>(count) + 1) / 4);
  if (i < m) return i;
  return i < 3 * m - 1 ? i - 2 * m + 1 : i - 4 * m + 2;
}

template <class T>
T spread(std::string_view family, random_source& random) {
  constexpr T largest = std::numeric_limits<T>::max();
  if (family == "huge") return largest * static_cast<T>(random.uniform(-1, 1) < 0 ? -random.uniform() : 1);
  if (family == "subnormals") {
    if (random.chance(0.2)) return largest * static_cast<T>(random.uniform(-0.3, 0.3));
    return std::numeric_limits<T>::denorm_min() * static_cast<T>(std::floor(random.uniform(-1000, 1000)));
  }
  return any_finite<T>(random);
}

}  // namespace detail

template <class T>
std::vector<T> values(std::string_view family, std::size_t n, std::uint64_t seed) {
  random_source random(seed);
  std::vector<T> y(n);
  double walk = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (family == "huge" || family == "subnormals" || family.ends_with("exponents")) {
      y[i] = detail::spread<T>(family, random);
    } else if (family == "tent") {
      y[i] = static_cast<T>(detail::tent(i, n));
    } else if (family.ends_with("walk")) {
      y[i] = static_cast<T>(walk += random.normal());
    } else {
      y[i] = static_cast<T>(detail::element<T>(family, i, n, random));
    }
  }
  if (family == "sorted exponents") {
    std::sort(y.begin(), y.end());
    for (std::size_t i = 0; i < n / 50; ++i) std::swap(y[random.below(n)], y[random.below(n)]);
  }
  if (family == "mirrored walk") {
    for (std::size_t i = 0; i < n / 2; ++i) y[n - 1 - i] = -y[i];
  }
  return y;
}

namespace detail {

template <class T>
T weight(std::string_view family, random_source& random) {
  using limits = std::numeric_limits<T>;
  if (family == "exponential") return static_cast<T>(std::exp(random.uniform(0, 8)));
  if (family.starts_with("decades")) return static_cast<T>(std::pow(10.0, random.uniform(-12, 12)));
  if (family == "counts") return static_cast<T>(1 + random.below(5));
  if (family == "equal") return static_cast<T>(0.7);
  if (family == "subnormal") return limits::denorm_min() * static_cast<T>(1 + random.below(1000));
  if (family == "huge") return limits::max() * static_cast<T>(random.uniform(0.5, 1));
  if (family == "exponents") {
    const T w = std::abs(any_finite<T>(random));
    return w > 0 ? w : T(1);
  }
  return static_cast<T>(random.uniform(0.1, 1.1));
}

// Sets runs of weights to zero, as the family says.
template <class T>
void clear_runs(std::string_view family, random_source& random, std::vector<T>& w) {
  const std::size_t n = w.size();
  const auto clear = [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < (std::min)(end, n); ++i) w[i] = 0;
  };
  if (family == "leading zeros") clear(0, 1 + random.below(n));
  if (family == "trailing zeros") clear(random.below(n), n);
  if (family == "zero chunks") {
    for (std::size_t first = usual_chunk; first < n; first += 2 * usual_chunk)
      clear(first, first + usual_chunk);
  }
  if (family == "zero runs") {
    for (std::size_t i = 0; i < n; i += 1 + random.below(n)) clear(i, i + 1 + random.below(1 + n / 4));
  }
  if (family == "one weight") {
    const std::size_t kept = random.below(n);
    clear(0, kept);
    clear(kept + 1, n);
  }
}

}  // namespace detail

template <class T>
std::vector<T> weights(std::string_view family, std::size_t n, std::uint64_t seed) {
  random_source random(~seed);
  std::vector<T> w(n);
  const bool sprinkled = family == "zeros" || family == "decades and zeros";
  for (T& v : w) {
    v = detail::weight<T>(family, random);
    if (sprinkled && random.chance(0.4)) v = random.chance(0.5) ? T(0) : -T(0);
  }
  if (n > 0) detail::clear_runs(family, random, w);
  return w;
}

// Compiled once for all tests, in oracle.cpp.
extern template std::vector<float> values(std::string_view, std::size_t, std::uint64_t);
extern template std::vector<double> values(std::string_view, std::size_t, std::uint64_t);
extern template std::vector<float> weights(std::string_view, std::size_t, std::uint64_t);
extern template std::vector<double> weights(std::string_view, std::size_t, std::uint64_t);

}  // namespace reference
