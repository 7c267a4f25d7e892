// The fit of a short row with weights, by one lane that has the row to itself (see weighted_pool.cuh for what
// is certain of its sums).
//
// First the elements are summed up in runs that do not increase, which are pools already; an element without
// weight goes with the run before it. Then the runs' pools are joined, each iteration pushing a pool or
// joining two, so that lanes stay in step: the last pool and the one before it are in registers, the others
// on a stack, and each iteration fetches one pool, from the stack or from the runs. Then each pool's mean is
// rounded once, and last the means are spread to the elements.
//
// Pools lie where their elements were. One of a single element is that element; one of more has room for S in
// the first two of its values, and for W in the first two of its weights; on the stack, which is read from
// its end, S and W are in the last two. Where pools start is in an array of bytes, first the starts of the
// runs and then, from the front on, those of the stack, which is never longer than the runs that have been
// taken.
//
// Invariant of the joining: the pools on the stack have strictly increasing means.
//
// Example, values 1 5 2 3 of weights 1 1 2 1: runs {1} {5 2} {3}, starts 0 1 3 and the end 4. Push {1}; {5 2}
// is 9 / 3 > 1, pushed: S = 9 is in values 1 and 2, W = 3 in weights 1 and 2; 3 is not less than 3: joined,
// 12 / 4; 1 < 3: pushed. Two pools: of mean 1, and of 3 from element 1 on.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_isotonic.cuh>
#include <iso/lane/weighted_pool.cuh>
#include <iso/numeric/format.hpp>

namespace iso {

// A lane's row in memory. Two values and two weights before the first ones, and after the last ones, are
// read, but play no part; likewise a byte before the first start.
template <class T>
struct weighted_row {
  T* y;
  T* w;
  std::uint8_t* start;  // as many bytes as `start_bytes` says
  int count;

  // That a row takes, from the byte before the first start on: there may be as many pools as elements, then
  // comes their end, and one more is read.
  ISO_HOST_DEVICE static constexpr int start_bytes(int length) { return length + 3; }

  using pool = weighted_pool<T>;

  // The pool whose sums are in the words i and i + 1, or, if it is a single one, which is element i or the
  // `next` one.
  ISO_HOST_DEVICE pool load(int i, bool single, bool next) const {
    const T y0 = y[i], y1 = y[i + 1], w0 = w[i], w1 = w[i + 1];
    return single ? pool::of(next ? y1 : y0, next ? w1 : w0)
                  : pool{twofold<T>::from_words(y0, y1), twofold<T>::from_words(w0, w1)};
  }
  ISO_HOST_DEVICE void store(int i, const pool& p) const {
    p.s.to_words(y[i], y[i + 1]);
    p.w.to_words(w[i], w[i + 1]);
  }
};

// Calls take(i, value, weight) for the elements in their order, which may have been overwritten before i.
template <class T, class Take>
ISO_HOST_DEVICE void for_elements(const weighted_row<T>& row, const Take& take) {
  int i = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (; i + lane_batch <= row.count; i += lane_batch) {
    T y[lane_batch], w[lane_batch];
    for (int k = 0; k < lane_batch; ++k) y[k] = row.y[i + k];
    for (int k = 0; k < lane_batch; ++k) w[k] = row.w[i + k];
    for (int k = 0; k < lane_batch; ++k) take(i + k, y[k], w[k]);
  }
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (; i < row.count; ++i) {
    const T y = row.y[i], w = row.w[i];
    take(i, y, w);
  }
}

// Weights that are all alike might as well be 1, and then sums have fewer digits: replaces them. The mean of
// two floats, say, is half-way between two others as often as not, which only exact sums tell.
template <class T>
ISO_HOST_DEVICE void simplify_weights(const weighted_row<T>& row) {
  const T weight = row.w[0];
  int i = row.count - 1;
  if (!(weight > T(0) && weight < numeric::format<T>::infinity(false) && weight != T(1))) return;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  while (i > 0 && row.w[i] == weight) --i;
  if (i > 0) return;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (; i < row.count; ++i) row.w[i] = T(1);
}

// Sums up the runs and looks at the elements on the way.
template <class T>
ISO_HOST_DEVICE weighted_look<T> sum_weighted_runs(const weighted_row<T>& row) {
  using pool = weighted_pool<T>;
  weighted_look<T> look;
  pool run = pool::none();
  T before = numeric::format<T>::infinity(false);  // the last value of positive weight
  int first = 0;
  std::uint8_t* next = row.start;
  *next++ = 0;
  for_elements(row, [&](int i, T y, T w) {
    look.include(y, w);
    const bool heavy = w > T(0);
    if (heavy && y > before) {
      if (i - first > 1) row.store(first, run);
      *next++ = static_cast<std::uint8_t>(i);
      first = i;
      run = pool::none();
    }
    run += pool::of(y, w);
    if (heavy) before = y;
  });
  if (row.count - first > 1) row.store(first, run);
  *next = static_cast<std::uint8_t>(row.count);
  return look;
}

// Joins the runs' pools until their means increase. Returns how many there are, or 0 if not all comparisons
// were certain.
//
// The loop is left at its end alone: a compiler would else make a loop within it of the pools that join, in
// which lanes that push wait for the others.
template <class T>
ISO_HOST_DEVICE int join_weighted_runs(const weighted_row<T>& row, const weighted_margins& margins) {
  using pool = weighted_pool<T>;
  // The last pool is [first, end), and the one before it [before_first, first).
  int before_first = 0, first = 0, end = row.start[1];
  pool before = pool::none(), last = row.load(0, end == 1, false);
  const std::uint8_t* next = row.start + 2;  // the end of the run to be taken next
  int pools = 0;                             // on the stack, with the one before the last
  int doubts = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  do {
    // Where there is no pool before the last, 0 is the mark.
    const bool join = turn_of_means(before, last, margins, doubts, pools) >= 0 && pools > 0;
    if (join) {
      last += before;
    } else {
      if (end - first > 1) row.store(end - 2, last);
      row.start[pools] = static_cast<std::uint8_t>(first);
    }
    pools += join ? -1 : 1;
    // Next come the pool of the stack that ends at `edge`, or the run that starts there.
    const int edge = join ? before_first : end;
    const int other = *(join ? row.start + (pools - 1) : next);
    next += join ? 0 : 1;
    const pool fetched = row.load(join ? edge - 2 : edge, (join ? edge - other : other - edge) == 1, join);
    const pool kept = last;
    before = join ? fetched : kept;
    last = join ? kept : fetched;
    before_first = join ? other : first;
    first = edge;
    end = join ? end : other;
  } while (first < row.count);
  row.start[pools] = static_cast<std::uint8_t>(row.count);
  return doubts == 0 ? pools : 0;
}

// Puts each pool's mean into the place of its first value. Returns whether all are certain.
template <class T>
ISO_HOST_DEVICE bool find_weighted_means(const weighted_row<T>& row, int pools,
                                         const weighted_margins& margins) {
  bool certain = true;
  int end = row.count;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  while (pools > 0) {
    const int first = row.start[--pools];
    T mean = row.y[first];
    if (mean == T(0)) mean = T(0);
    if (end - first > 1) mean = mean_of_pool(row.load(end - 2, false, false), margins, certain);
    row.y[first] = mean;
    end = first;
  }
  return certain;
}

// Finds the pools of a row and their means, if all is usual and certain: returns how many, or 0.
template <class T>
ISO_HOST_DEVICE int fit_weighted_pools(const weighted_row<T>& row) {
  simplify_weights(row);
  const weighted_look<T> look = sum_weighted_runs(row);
  if (!look.usual()) return 0;
  const weighted_margins margins = look.margins(row.count);
  const int pools = join_weighted_runs(row, margins);
  return find_weighted_means(row, pools, margins) ? pools : 0;
}

// Spreads the means of a row that has been fitted to its elements.
template <class T>
ISO_HOST_DEVICE void spread_weighted_pools(const weighted_row<T>& row) {
  const std::uint8_t* next = row.start;
  int start = 0;
  T mean = T(0);
#if defined(__CUDA_ARCH__)
#pragma unroll 4
#endif
  for (int i = 0; i < row.count; ++i) {
    if (i == start) {
      mean = row.y[i];
      start = *++next;
    }
    row.y[i] = mean;
  }
}

// Writes the starts of its pools to as many words as hold them.
template <class T>
ISO_HOST_DEVICE void write_weighted_starts(std::uint32_t* to, const weighted_row<T>& row) {
  constexpr int bits = 32;
  const std::uint8_t* next = row.start;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int begin = 0; begin < row.count; begin += bits) {
    std::uint32_t mask = 0;
    for (; *next < row.count && *next < begin + bits; ++next) mask |= std::uint32_t{1} << (*next - begin);
    *to++ = mask;
  }
}

}  // namespace iso
