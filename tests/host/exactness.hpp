// The solver against the oracle, bit for bit: values, status and pools, over every pair of families and the
// sizes around words and chunks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "rows.hpp"
#include "sanitized.hpp"

namespace host_test {

template <class T>
void check_families(std::string_view weights) {
  // Numbers of many words take long.
  const bool wide = sizeof(T) == 8 && (weights.find("decades") == 0 || weights == "exponents");
  std::uint64_t seed = 0;
  for (const std::string_view values : reference::value_families) {
    for (const std::size_t n : sizes) {
      if (wide && n > 70 && (n + seed) % 3 != 0) continue;
      for (int repeat = n < 70 ? 6 : 1; repeat > 0; --repeat) {
        if (left_out(++seed)) continue;
        check_exact(seeded_row<T>(values, weights, n, seed), label(values, weights, n, seed));
      }
    }
  }
}

// Rows with infinities, negative ones rather at the start, so that all of ok, infinite pools and
// indeterminate rows occur.
template <class T>
reference::problem<T> row_with_infinities(std::string_view weights, std::size_t n, std::uint64_t seed) {
  reference::problem<T> p = seeded_row<T>("noise", weights, n, seed);
  reference::random_source random(seed);
  for (std::uint64_t count = random.below(4); count > 0 && n > 0; --count) {
    const std::size_t i = random.below(n);
    const bool negative = random.chance(i < n / 2 ? 0.9 : 0.1) == p.increasing;
    for (std::size_t k = i; k < n && k < i + 1 + random.below(3); ++k) {
      p.y[k] = negative ? -infinity<T> : infinity<T>;
    }
  }
  return p;
}

template <class T>
void check_infinities(std::string_view weights) {
  for (const std::size_t n : sizes) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      if (left_out(seed)) continue;
      check_exact(row_with_infinities<T>(weights, n, seed), label("infinities", weights, n, seed));
    }
  }
}

}  // namespace host_test
