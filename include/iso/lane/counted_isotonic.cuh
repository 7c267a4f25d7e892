// The fit of a short row without weights that packed pools do not take, by one lane that has the row to
// itself: see twofold_isotonic.cuh for how, and counted_pool.cuh for what is certain of its sums.
//
// Values may be infinite: all before some element are -infinity in the fit, all from some other one on
// +infinity, and what is between is fitted. The infinite pools then take their place among the others.
//
// Example: -inf 3 2 inf 7 has the pools {-inf}, {3 2} and {inf 7}, which start at 0, 1 and 3.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/counted_pool.cuh>
#include <iso/lane/twofold_isotonic.cuh>
#include <iso/numeric/format.hpp>
#include <iso/status.hpp>

namespace iso {

// A lane's row in memory.
template <class T>
struct counted_row {
  using value = T;
  using pool = counted_pool<T>;
  using look = counted_look<T>;
  using margins = counted_margins;

  T* y;
  std::uint8_t* start;
  int low, high;

  ISO_HOST_DEVICE static T weight(int) { return T(1); }
  // The pool of `count` elements whose sum is in the words i and i + 1, or, if it is a single one, which is
  // element i or the `next` one.
  ISO_HOST_DEVICE pool load(int i, int count, bool next) const {
    const T y0 = y[i], y1 = y[i + 1];
    return {count == 1 ? twofold<T>::of(next ? y1 : y0) : twofold<T>::from_words(y0, y1), count};
  }
  ISO_HOST_DEVICE void store(int i, const pool& p) const { p.s.to_words(y[i], y[i + 1]); }
};

// The elements [low, high) of a row are finite and to be fitted; all before are -infinity in the fit, and all
// from `high` on +infinity. If the status is not ok nothing is.
struct finite_bounds {
  row_status status;
  int low, high;
};

// That of a row of `count` elements, element i being value(i).
template <class T, class Value>
ISO_HOST_DEVICE finite_bounds find_finite_bounds(int count, const Value& value) {
  using f = numeric::format<T>;
  finite_bounds part{row_status::ok, 0, count};
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int i = 0; i < count; ++i) {
    const T y = value(i);
    const auto size = f::size_bits(y);
    if (size < f::infinity_bits) continue;
    if (size > f::infinity_bits) {
      part.status = row_status::nan;
    } else if (f::is_negative(y)) {
      part.low = i + 1;
    } else if (i < part.high) {
      part.high = i;
    }
  }
  // An infinite pool of either sign.
  if (part.status == row_status::ok && part.low > part.high) part.status = row_status::indeterminate;
  return part;
}

// How a row went, and whether it is solved.
struct counted_result {
  row_status status;
  bool solved;
};

// Solves a row of `count` > 0 elements, or leaves it: replaces the values by their fit, and writes the starts
// of its pools, those of infinite ones too, to as many words as hold them, or, if `pools` is null, nowhere.
// The memory before and after the values and the starts is as that of a Row.
template <class T>
ISO_HOST_DEVICE counted_result solve_counted_row(T* y, std::uint8_t* start, int count, std::uint32_t* pools) {
  using f = numeric::format<T>;
  const finite_bounds part = find_finite_bounds<T>(count, [=](int i) { return y[i]; });
  const bool bad = part.status != row_status::ok;
  int found = 0;
  if (bad) {
    y[0] = f::nan();
    start[0] = 0;
    found = 1;
  } else if (part.low < part.high) {
    found = fit_twofold_pools(counted_row<T>{y, start, part.low, part.high});
    if (found == 0) return {row_status::ok, false};
  }
  if (!bad && part.high < count) start[found++] = static_cast<std::uint8_t>(part.high);
  start[found] = static_cast<std::uint8_t>(count);
  if (!bad && part.low > 0) {
    *--start = 0;
    ++found;
    y[0] = f::infinity(true);
  }
  // A bad row is one piece, which is no pool.
  if (pools != nullptr) write_twofold_starts(pools, start, bad ? 0 : found, count);
  spread_twofold_pools(counted_row<T>{y, start, 0, count});
  return {part.status, true};
}

}  // namespace iso
