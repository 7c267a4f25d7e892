// The fit of a short row by one lane that has the row to itself, in numbers of twice the digits: with weights
// (see weighted_isotonic.cuh), or of a row that packed pools do not take (see counted_isotonic.cuh).
//
// First the elements are summed up in runs that do not increase, which are pools already; an element without
// weight goes with the run before it. Then the runs' pools are joined, each iteration pushing a pool or
// joining two, so that lanes stay in step: the last pool and the one before it are in registers, the others
// on a stack, and each iteration fetches one pool, from the stack or from the runs. Then each pool's mean is
// rounded once, and last the means are spread to the elements.
//
// Pools lie where their elements were. One of a single element is that element; one of more has room for S in
// the first two of its values, and for W in the first two of its weights, where there are any; on the stack,
// which is read from its end, S and W are in the last two. Where pools are is in an array of bytes: first the
// last elements of the runs, after the start of the first, and then, from the front on, the starts of the
// pools on the stack, which is never longer than the runs that have been taken.
//
// Invariant of the joining: the pools on the stack have strictly increasing means.
//
// Example, values 1 5 2 3 of weights 1 1 2 1: runs {1} {5 2} {3}, with last elements 0 2 3. Push {1}; {5 2}
// is 9 / 3 > 1, pushed: S = 9 is in values 1 and 2, W = 3 in weights 1 and 2; 3 is not less than 3: joined,
// 12 / 4; 1 < 3: pushed. Two pools: of mean 1, and of 3 from element 1 on.
//
// A `Row` says where a lane's row is in memory, and what is certain of it:
//   - types `value` of elements; `pool` of sums; `look` at elements, which tells whether the row is usual,
//     and its `margins`; turn_of_means and mean_of_pool take the latter two;
//   - y, the values, of which those from `low` to `high` are the row's, and start, as many bytes as
//     start_bytes(high) of this file says;
//   - weight(i), load(i, count, next) and store(i, pool).
// Two values and two weights before the row's first ones, and after the last ones, are read, but play no
// part; likewise a byte before the first start.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_isotonic.cuh>
#include <iso/numeric/format.hpp>

namespace iso {

// Bytes that the starts of a row of up to 256 elements take, from the byte before the first start on: there
// may be as many pools as elements, then comes their end, of which nothing is asked but that it starts no
// pool, and one more is read.
ISO_HOST_DEVICE constexpr int start_bytes(int length) {
  return length + 3;
}

// Calls take(i, value, weight) for the elements in their order, which may have been overwritten before i.
template <class Row, class Take>
ISO_HOST_DEVICE void for_elements(const Row& row, const Take& take) {
  using value = typename Row::value;
  int i = row.low;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (; i + lane_batch <= row.high; i += lane_batch) {
    value y[lane_batch], w[lane_batch];
    for (int k = 0; k < lane_batch; ++k) y[k] = row.y[i + k];
    for (int k = 0; k < lane_batch; ++k) w[k] = row.weight(i + k);
    for (int k = 0; k < lane_batch; ++k) take(i + k, y[k], w[k]);
  }
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (; i < row.high; ++i) {
    const value y = row.y[i], w = row.weight(i);
    take(i, y, w);
  }
}

// Sums up the runs and looks at the elements on the way.
template <class Row>
ISO_HOST_DEVICE typename Row::look sum_twofold_runs(const Row& row) {
  using value = typename Row::value;
  using pool = typename Row::pool;
  typename Row::look look;
  pool run = pool::none();
  value before = numeric::format<value>::infinity(false);  // the last value of positive weight
  int first = row.low;
  std::uint8_t* next = row.start;
  *next++ = static_cast<std::uint8_t>(first);
  for_elements(row, [&](int i, value y, value w) {
    look.include(y, w);
    const bool heavy = w > value(0);
    if (heavy && y > before) {
      if (i - first > 1) row.store(first, run);
      *next++ = static_cast<std::uint8_t>(i - 1);
      first = i;
      run = pool::none();
    }
    run += pool::of(y, w);
    if (heavy) before = y;
  });
  if (row.high - first > 1) row.store(first, run);
  *next = static_cast<std::uint8_t>(row.high - 1);
  return look;
}

// Joins the runs' pools until their means increase. Returns how many there are, or 0 if not all comparisons
// were certain.
//
// The loop is left at its end alone: a compiler would else make a loop within it of the pools that join, in
// which lanes that push wait for the others.
template <class Row>
ISO_HOST_DEVICE int join_twofold_runs(const Row& row, const typename Row::margins& margins) {
  using pool = typename Row::pool;
  // The last pool is [first, end), and the one before it [before_first, first).
  int before_first = row.low, first = row.low, end = row.start[1] + 1;
  pool before = pool::none(), last = row.load(first, end - first, false);
  const std::uint8_t* next = row.start + 2;  // the last element of the run to be taken next
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
    const int other = *(join ? row.start + (pools - 1) : next) + (join ? 0 : 1);
    next += join ? 0 : 1;
    const pool fetched = row.load(join ? edge - 2 : edge, join ? edge - other : other - edge, join);
    const pool kept = last;
    before = join ? fetched : kept;
    last = join ? kept : fetched;
    before_first = join ? other : first;
    first = edge;
    end = join ? end : other;
  } while (first < row.high);
  row.start[pools] = static_cast<std::uint8_t>(row.high);
  return doubts == 0 ? pools : 0;
}

// Puts each pool's mean into the place of its first value. Returns whether all are certain.
template <class Row>
ISO_HOST_DEVICE bool find_twofold_means(const Row& row, int pools, const typename Row::margins& margins) {
  using value = typename Row::value;
  bool certain = true;
  int end = row.high;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  while (pools > 0) {
    const int first = row.start[--pools];
    value mean = row.y[first];
    if (mean == value(0)) mean = value(0);
    if (end - first > 1) mean = mean_of_pool(row.load(end - 2, end - first, false), margins, certain);
    row.y[first] = mean;
    end = first;
  }
  return certain;
}

// Finds the pools of a row of at least one element and their means, if all is usual and certain: returns how
// many, or 0.
template <class Row>
ISO_HOST_DEVICE int fit_twofold_pools(const Row& row) {
  const auto look = sum_twofold_runs(row);
  if (!look.usual()) return 0;
  const auto margins = look.margins(row.high - row.low);
  const int pools = join_twofold_runs(row, margins);
  return find_twofold_means(row, pools, margins) ? pools : 0;
}

// Spreads the means of a row that has been fitted to its elements, the first of which starts a pool.
template <class Row>
ISO_HOST_DEVICE void spread_twofold_pools(const Row& row) {
  using value = typename Row::value;
  const std::uint8_t* next = row.start;
  int start = 0;
  value mean = value(0);
#if defined(__CUDA_ARCH__)
#pragma unroll 4
#endif
  for (int i = 0; i < row.high; ++i) {
    if (i == start) {
      mean = row.y[i];
      start = *++next;
    }
    row.y[i] = mean;
  }
}

// Writes the starts of `pools` pools of a row of `count` elements, from `next` on, to as many words as hold
// them.
ISO_HOST_DEVICE inline void write_twofold_starts(std::uint32_t* to, const std::uint8_t* next, int pools,
                                                 int count) {
  constexpr int bits = 32;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int begin = 0; begin < count; begin += bits) {
    std::uint32_t mask = 0;
    for (; pools > 0 && *next < begin + bits; ++next, --pools) mask |= std::uint32_t{1} << (*next - begin);
    *to++ = mask;
  }
}

}  // namespace iso
