// Long rows and large batches, drawn by all threads of the machine: the families of the paper's tables.
//
// The same bits whatever the number of threads: every block of elements has random numbers of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <iso/host/parallel.hpp>

#include "reference/families.hpp"

namespace device_test {

inline constexpr std::array<std::string_view, 13> long_families = {
    "ramp",        "noise",    "increasing", "decreasing", "constant",   "pieces",       "ulps",
    "random walk", "sawtooth", "cliff",      "collinear",  "offset 1e6", "cancellation",
};

// Calls f(first, end, random) for each block of `total` elements.
template <class F>
void for_each_block(std::int64_t total, std::uint64_t seed, const F& f) {
  constexpr std::int64_t block = std::int64_t{1} << 15;
  const int threads = iso::host::detail::thread_count(0);
  iso::host::detail::parallel_for(threads, (total + block - 1) / block, [&](std::int64_t b, int) {
    reference::random_source random(seed * 0x100000001b3u + static_cast<std::uint64_t>(b));
    f(b * block, (std::min)(total, (b + 1) * block), random);
  });
}

// Element i of a row of n elements.
template <class T>
double element(std::string_view family, std::int64_t i, std::int64_t n, reference::random_source& random) {
  if (family == "ramp") return 3 * static_cast<double>(i) / static_cast<double>(n) + random.normal();
  return reference::detail::element<T>(family, static_cast<std::size_t>(i), static_cast<std::size_t>(n),
                                       random);
}

// A walk through all elements: each block sums its steps, then starts where the blocks before it end.
template <class T>
void fill_walk(T* y, std::int64_t total, std::uint64_t seed) {
  std::vector<std::int64_t> starts;
  for (std::int64_t at = 0; at < total; at += std::int64_t{1} << 15) starts.push_back(at);
  std::vector<double> ends(starts.size());
  const auto walk = [&](std::int64_t first, std::int64_t end, reference::random_source& random, double from) {
    for (std::int64_t k = first; k < end; ++k) y[k] = static_cast<T>(from += random.normal());
    return from;
  };
  const auto block_of = [](std::int64_t first) { return static_cast<std::size_t>(first >> 15); };
  for_each_block(total, seed, [&](std::int64_t first, std::int64_t end, reference::random_source& random) {
    ends[block_of(first)] = walk(first, end, random, 0);
  });
  for (std::size_t b = 1; b < ends.size(); ++b) ends[b] += ends[b - 1];
  for_each_block(total, seed, [&](std::int64_t first, std::int64_t end, reference::random_source& random) {
    walk(first, end, random, first == 0 ? 0 : ends[block_of(first) - 1]);
  });
}

// `rows` dense rows of `length` values.
template <class T>
void fill_values(std::string_view family, T* y, std::int64_t rows, std::int64_t length, std::uint64_t seed) {
  if (family == "random walk") return fill_walk(y, rows * length, seed);
  for_each_block(rows * length, seed,
                 [&](std::int64_t first, std::int64_t end, reference::random_source& random) {
                   for (std::int64_t k = first; k < end; ++k) {
                     y[k] = static_cast<T>(element<T>(family, k % length, length, random));
                   }
                 });
}

// Weights of a family of reference/families.hpp that has no runs of zeros.
template <class T>
void fill_weights(std::string_view family, T* w, std::int64_t total, std::uint64_t seed) {
  for_each_block(total, ~seed, [&](std::int64_t first, std::int64_t end, reference::random_source& random) {
    for (std::int64_t k = first; k < end; ++k) w[k] = reference::detail::weight<T>(family, random);
  });
}

}  // namespace device_test
