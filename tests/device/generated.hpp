// Calls through iterators that are more than pointers, compiled in generated_*.cu and converted.cu.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/options.hpp>
#include <iso/status.hpp>

#include "runtime.hpp"

namespace device_test {

// Weight of the element at a position: 0, 1, 2 or 3, by a hash of the position.
template <class T>
struct hashed_weight {
  ISO_HOST_DEVICE T operator()(std::int64_t at) const {
    auto z = static_cast<std::uint64_t>(at) * 0xbf58476d1ce4e5b9u;
    z ^= z >> 31;
    return static_cast<T>(z * 0x94d049bb133111ebu >> 62);
  }
};

// Elements of one row of n elements, for ever again.
template <class T>
struct repeated_row {
  const T* row;
  std::int64_t n;
  ISO_HOST_DEVICE T operator()(std::int64_t at) const { return row[at % n]; }
};

template <class T>
struct doubled {
  ISO_HOST_DEVICE T operator()(T value) const { return 2 * value; }
};

// One row under `rows` weightings: weights are hashed_weight of the position, and what is stored is the fit
// doubled. All three arrays are iterators of Thrust.
template <class T>
iso::status solve_generated(stream s, const T* y, T* fit, iso::shape size, iso::options<T> opt);

// Integers in, doubles out, floats in between.
iso::status solve_converted(stream s, const int* y, const unsigned char* w, double* fit, iso::shape size,
                            iso::options<float> opt);

}  // namespace device_test
