// The fit of a short row with weights, by one lane that has the row to itself: see twofold_isotonic.cuh for
// how, and weighted_pool.cuh for what is certain of its sums.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/twofold_isotonic.cuh>
#include <iso/lane/weighted_pool.cuh>
#include <iso/numeric/format.hpp>

namespace iso {

// A lane's row in memory.
template <class T>
struct weighted_row {
  using value = T;
  using pool = weighted_pool<T>;
  using look = weighted_look<T>;
  using margins = weighted_margins;

  T* y;
  T* w;
  std::uint8_t* start;
  int high;
  static constexpr int low = 0;

  ISO_HOST_DEVICE T weight(int i) const { return w[i]; }
  // The pool of `count` elements whose sums are in the words i and i + 1, or, if it is a single one, which is
  // element i or the `next` one.
  ISO_HOST_DEVICE pool load(int i, int count, bool next) const {
    const T y0 = y[i], y1 = y[i + 1], w0 = w[i], w1 = w[i + 1];
    return count == 1 ? pool::of(next ? y1 : y0, next ? w1 : w0)
                      : pool{twofold<T>::from_words(y0, y1), twofold<T>::from_words(w0, w1)};
  }
  ISO_HOST_DEVICE void store(int i, const pool& p) const {
    p.s.to_words(y[i], y[i + 1]);
    p.w.to_words(w[i], w[i + 1]);
  }
};

// Weights that are all alike might as well be 1, and then sums have fewer digits: replaces them. The mean of
// two floats, say, is half-way between two others as often as not, which only exact sums tell.
template <class T>
ISO_HOST_DEVICE void simplify_weights(const weighted_row<T>& row) {
  const T weight = row.w[0];
  int i = row.high - 1;
  if (!(weight > T(0) && weight < numeric::format<T>::infinity(false) && weight != T(1))) return;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  while (i > 0 && row.w[i] == weight) --i;
  if (i > 0) return;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (; i < row.high; ++i) row.w[i] = T(1);
}

// Finds the pools of a row and their means, if all is usual and certain: returns how many, or 0.
template <class T>
ISO_HOST_DEVICE int fit_weighted_pools(const weighted_row<T>& row) {
  simplify_weights(row);
  return fit_twofold_pools(row);
}

}  // namespace iso
