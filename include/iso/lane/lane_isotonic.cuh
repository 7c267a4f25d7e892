// The fit of a short row without weights, by one lane that has the row to itself, with packed pools (see
// packed_pool.cuh).
//
// First the elements are summed up in runs that do not increase, which are pools already: no pool of the fit
// starts within one. Then the runs' pools are joined in place (see pool_place.cuh), each iteration pushing a
// pool or joining two, so that lanes stay in step. Then each pool's mean is rounded once, and takes the
// pool's place together with the pool's start; last the means are spread to the elements, from the last to
// the first.
//
// Invariant of the joining: the pools on the stack have strictly increasing means, and are no more than the
// runs that have been taken, which they may overwrite. Below all of them lies a pool of a mean that no other
// is below: nothing is ever joined with it.
//
// Example, values 1 5 2 3 on a grid of ones: runs {1} {5 2} {3}. Push {1}; push {5 2}, since 1 < 7 / 2; 7 / 2
// >= 3: joined, {5 2 3}; push, since 1 < 10 / 3. Two pools: of mean 1, and of 10 / 3 from element 1 on.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/findings.cuh>
#include <iso/lane/packed_pool.cuh>
#include <iso/lane/pool_place.cuh>
#include <iso/numeric/format.hpp>

namespace iso {

// The grid of a row's elements, `bits` positions from `low` on, none if they are all 0.
struct lane_grid {
  int low, bits;

  // Whether the row is fitted with packed pools.
  template <class Pool>
  ISO_HOST_DEVICE bool packed() const {
    return low >= Pool::lowest && bits <= Pool::element_bits;
  }
};

// Elements that a lane loads together, so that it waits for them once.
inline constexpr int lane_batch = 4;

// Calls take(value) for `count` elements in their order.
template <class T, class Take>
ISO_HOST_DEVICE void for_values(const T* y, int count, const Take& take) {
  int left = count;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (; left >= lane_batch; left -= lane_batch, y += lane_batch) {
    T value[lane_batch];
    for (int k = 0; k < lane_batch; ++k) value[k] = y[k];
    for (int k = 0; k < lane_batch; ++k) take(value[k]);
  }
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (; left > 0; --left, ++y) take(*y);
}

// Looks at `count` elements.
template <class T>
ISO_HOST_DEVICE quick_look<T, false> look_at_values(const T* y, int count) {
  quick_look<T, false> look;
  for_values(y, count, [&](T value) { look.include(value, T(1)); });
  return look;
}

// The grid of elements that have been looked at, none of them infinite or NaN.
template <class T>
ISO_HOST_DEVICE lane_grid grid_of(const quick_look<T, false>& look) {
  using f = numeric::format<T>;
  const auto least = static_cast<typename f::bits_type>(look.least + 1);
  if (least == 0) return {f::positions / 2, 0};
  const int low = f::position(least);
  return {low, f::position(look.most) + f::digits - low};
}

// Sums up the runs of the `count` > 0 elements that do not increase: pools from number 1 on, and after them
// one without elements.
template <class T, int Most>
ISO_HOST_DEVICE void sum_runs(const T* y, int count, const packing<T, Most>& packed, pool_place<T, Most> at) {
  using pool = packed_pool<T, Most>;
  T before = y[0];
  pool run = pool::none();
  ++at;
  for_values(y, count, [&](T value) {
    pool sum = packed.pool(value);
    if (value > before) {
      ++at;
    } else {
      sum += run;
    }
    at.store(sum);
    run = sum;
    before = value;
  });
  ++at;
  at.store(pool::none());
}

// Joins those pools until their means increase. Returns the last one's place; the others are before it, from
// number 1 on.
//
// The loop is left at its end alone: a compiler would else make a loop within it of the pools that join, in
// which lanes that push wait for the others.
template <class T, int Most>
ISO_HOST_DEVICE pool_place<T, Most> join_runs(pool_place<T, Most> top) {
  using pool = packed_pool<T, Most>;
  top.store(pool::lowest_mean());
  pool last = top.after(1).load();
  pool_place<T, Most> next = top.after(2);
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  do {
    const pool before = top.load();
    ++top;
    top.store(last);  // in vain if it is joined
    if (mean_not_less(before, last)) {
      last += before;
      top = top.after(-2);
    } else {
      last = next.load();
      ++next;
    }
  } while (last.count() != 0);
  return top;
}

// Finds the pools of `count` > 0 elements, which are packed, and puts their means and starts in their places.
// Returns the last one's place.
template <class T, int Most>
ISO_HOST_DEVICE pool_place<T, Most> fit_pools(const T* y, int count, const packing<T, Most>& packed,
                                              const pool_place<T, Most>& memory) {
  sum_runs(y, count, packed, memory);
  const auto last = join_runs(memory);
  auto at = last;
  int start = count;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  do {
    const packed_pool<T, Most> pool = at.load();
    start -= static_cast<int>(pool.count());
    at.store_fitted({packed.mean(pool), start});
    --at;
  } while (start > 0);
  return last;
}

// Spreads the means to the `count` > 0 elements, given the place of the last pool.
template <class T, int Most>
ISO_HOST_DEVICE void spread_pools(T* y, int count, pool_place<T, Most> last) {
  auto pool = last.load_fitted();
  --last;
  const auto put = [&](T& to, int i) {
    to = pool.mean;
    if (i == pool.start) {
      pool = last.load_fitted();
      --last;
    }
  };
  int i = count - 1;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (; i >= lane_batch - 1; i -= lane_batch) {
    for (int k = 0; k < lane_batch; ++k) put(y[i - k], i - k);
  }
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (; i >= 0; --i) put(y[i], i);
}

// Writes the starts of the pools of a row of `count` > 0 elements to as many words as hold them, given the
// place of the last pool; before the means are spread.
template <class T, int Most>
ISO_HOST_DEVICE void write_starts(std::uint32_t* to, int count, pool_place<T, Most> last) {
  constexpr int bits = 32;
  int start = last.load_fitted().start;  // of the next, or none
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int word = (count - 1) / bits; word >= 0; --word) {
    std::uint32_t mask = 0;
    while (start >= word * bits) {
      mask |= std::uint32_t{1} << start % bits;
      --last;
      start = start > 0 ? last.load_fitted().start : -1;
    }
    to[word] = mask;
  }
}

}  // namespace iso
