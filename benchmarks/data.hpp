// The data that benchmarks solve: families of rows, the same numbers on the host and on the device.
//
// An element is a function of its place alone, so that any thread can draw any element: `i` is its index in a
// row of n elements and `k` its index among all elements of all rows, which random numbers are hashes of.
//
//   noise       a ramp from 0 to 3 plus standard normal noise; few pools remain
//   trend       the same with a ramp to 1000; many pools remain
//   steep       i plus normal noise of deviation 2: pools of two or three elements
//   increasing  i: every element is its own pool, no filter removes a point
//   sawtooth    teeth of 1000 elements on a slow trend: long convex runs, each ended by a drop
//   cliff       increasing, then one drop that pools the whole row
//   labels      0 or 1, the chance of a 1 rising along the row
//   decreasing, constant, pairs (steps of two elements in the wrong order)
//
// Worked example: element 1 of row 2 of rows of 10 elements has i = 1, n = 10, k = 21; in `sawtooth` it is
// 1 + 0.001, in `noise` 0.3 plus the normal number that 21 stands for.
#pragma once

#include <cmath>
#include <cstdint>

#include <iso/detail/config.hpp>

namespace bench {

enum class family { noise, trend, steep, increasing, sawtooth, cliff, labels, decreasing, constant, pairs };

inline const char* name(family f) {
  constexpr const char* names[] = {"noise", "trend",  "steep",      "increasing", "sawtooth",
                                   "cliff", "labels", "decreasing", "constant",   "pairs"};
  return names[static_cast<int>(f)];
}

// In (0, 1), the same for the same k.
ISO_HOST_DEVICE inline double uniform(std::int64_t k) {
  auto z = static_cast<std::uint64_t>(k) * 0x9e3779b97f4a7c15u;  // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (static_cast<double>((z ^ (z >> 31)) >> 12) + 0.5) * 0x1p-52;
}

// Standard normal, the same for the same k.
ISO_HOST_DEVICE inline double normal(std::int64_t k) {
  constexpr double turn = 6.283185307179586;
  return std::sqrt(-2 * std::log(uniform(2 * k))) * std::cos(turn * uniform(2 * k + 1));
}

ISO_HOST_DEVICE inline double value(family f, std::int64_t i, std::int64_t n, std::int64_t k) {
  const double at = static_cast<double>(i), part = at / static_cast<double>(n);
  switch (f) {
    case family::noise:
      return 3 * part + normal(k);
    case family::trend:
      return 1000 * part + normal(k);
    case family::steep:
      return at + 2 * normal(k);
    case family::increasing:
      return at;
    case family::sawtooth:
      return static_cast<double>(i % 1000) + 1e-3 * at;
    case family::cliff:
      return i + 1 == n ? -1e12 : at;
    case family::labels:
      return uniform(2 * k) < part ? 1 : 0;
    case family::decreasing:
      return -at;
    case family::constant:
      return 0.3;
    case family::pairs:
      return static_cast<double>(i / 2) + (i % 2 == 0 ? 1.5 : 1.0);
  }
  return 0;
}

// Between 0.1 and 1.1.
ISO_HOST_DEVICE inline double weight(std::int64_t k) {
  return 0.1 + uniform(~k);
}

// Whether rows of n elements show what the family is about; a shorter sawtooth is just increasing.
inline bool applies(family f, std::int64_t n) {
  return f != family::sawtooth || n > 1000;
}

}  // namespace bench
