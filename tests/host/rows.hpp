// The seeded rows that the properties are shown on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/families.hpp"
#include "reference/problem.hpp"

namespace host_test {

// Around the sizes of words, of chunks, and of some chunks.
inline const std::vector<std::size_t> sizes = {
    0,   1,   2,   3,   4,   5,   7,   8,   15,   16,   17,   31,   32,   33,   63,   64,   65,   127,
    128, 129, 255, 257, 511, 512, 513, 767, 1023, 1024, 1025, 2047, 2048, 2049, 3000, 4095, 4096, 4097};

// One row of a family of values and one of weights ("" for none), its direction and bounds by the seed.
template <class T>
reference::problem<T> seeded_row(std::string_view values, std::string_view weights, std::size_t n,
                                 std::uint64_t seed) {
  reference::problem<T> p = reference::row(reference::values<T>(values, n, seed));
  p.weighted = !weights.empty();
  if (p.weighted) p.w = reference::weights<T>(weights, n, seed);
  reference::random_source random(seed + 77);
  p.increasing = random.chance(0.5);
  if (n == 0 || random.chance(0.5)) return p;
  const T a = p.y[random.below(n)];
  const T b = random.chance(0.2) ? T(0) : p.y[random.below(n)];
  if (random.chance(0.7)) p.y_min = (std::min)(a, b);
  if (random.chance(0.7)) p.y_max = (std::max)(a, b);
  return p;
}

inline std::string label(std::string_view values, std::string_view weights, std::size_t n,
                         std::uint64_t seed) {
  return std::string(values) + " / " + (weights.empty() ? "no weights" : std::string(weights)) +
         ", n = " + std::to_string(n) + ", seed " + std::to_string(seed);
}

}  // namespace host_test
