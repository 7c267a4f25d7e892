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

#include <iso/block/tile_storage.cuh>
#include <iso/detail/config.hpp>
#include <iso/lane/findings.cuh>
#include <iso/lane/packed_pool.cuh>
#include <iso/lane/pool_place.cuh>
#include <iso/numeric/format.hpp>
#include <iso/numeric/sums.hpp>
#include <iso/status.hpp>

namespace iso {

// What a lane knows of its row. The elements [low, high) are finite and to be fitted; all before are
// -infinity in the fit, and all from `high` on +infinity. They lie on a grid of `bits` positions from `grid`
// on, none if they are all 0.
struct lane_facts {
  row_status status;
  int low, high;
  int grid, bits;

  // Of a lane without a row.
  ISO_HOST_DEVICE static lane_facts none() { return {row_status::ok, 0, 0, 0, 0}; }

  ISO_HOST_DEVICE bool live() const { return status == row_status::ok && low < high; }
  // Whether the row is fitted with packed pools.
  template <class Pool>
  ISO_HOST_DEVICE bool packed() const {
    return grid >= Pool::lowest && bits <= Pool::element_bits;
  }
  // As other solvers take them, of a row of `count` elements.
  ISO_HOST_DEVICE tile_facts of_tile(int count) const {
    tile_facts facts{status, false, count, low, high, findings::nothing().grid<false>()};
    if (bits > 0) facts.on.products.include(grid, grid + bits);
    return facts;
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

// What that look says of a row if no element is infinite or NaN.
template <class T>
ISO_HOST_DEVICE lane_facts finite_row(const quick_look<T, false>& look, int count) {
  using f = numeric::format<T>;
  lane_facts facts{row_status::ok, 0, count, f::positions / 2, 0};
  const auto least = static_cast<typename f::bits_type>(look.least + 1);
  if (least != 0) {
    facts.grid = f::position(least);
    facts.bits = f::position(look.most) + f::digits - facts.grid;
  }
  return facts;
}

// Looks at a row of `count` > 0 elements, which may be infinite or NaN.
template <class T>
ISO_HOST_DEVICE lane_facts look_at_row(const T* y, int count) {
  using f = numeric::format<T>;
  row_status status = row_status::ok;
  int low = 0, high = count;
  quick_look<T, false> finite;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int i = 0; i < count; ++i) {
    const T value = y[i];
    const auto size = f::size_bits(value);
    if (size < f::infinity_bits) {
      finite.include(value, T(1));
    } else if (size > f::infinity_bits) {
      status = row_status::nan;
    } else if (f::is_negative(value)) {
      low = i + 1;
    } else if (i < high) {
      high = i;
    }
  }
  // An infinite pool of either sign.
  if (status == row_status::ok && low > high) status = row_status::indeterminate;
  lane_facts facts = finite_row(finite, count);
  facts.status = status;
  facts.low = low;
  facts.high = high;
  return facts;
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

// Writes the starts of all pools of a row of `count` elements, those of infinite ones too, to as many words
// as hold them, given the place of the last pool if there are finite ones; before the means are spread.
template <class T, int Most>
ISO_HOST_DEVICE void write_starts(std::uint32_t* to, int count, const lane_facts& facts,
                                  pool_place<T, Most> last) {
  constexpr int bits = 32;
  const bool bad = facts.status != row_status::ok;
  int start = facts.live() ? facts.low + last.load_fitted().start : -1;  // of the next, or none
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int word = (count - 1) / bits; word >= 0; --word) {
    std::uint32_t mask = 0;
    while (start >= word * bits) {
      mask |= std::uint32_t{1} << start % bits;
      --last;
      start = start > facts.low ? facts.low + last.load_fitted().start : -1;
    }
    if (!bad && facts.high < count && facts.high / bits == word) {
      mask |= std::uint32_t{1} << facts.high % bits;
    }
    if (!bad && facts.low > 0 && word == 0) mask |= 1u;
    to[word] = mask;
  }
}

// Writes what is not finite: infinity before `low` and from `high` on, or NaN everywhere in a bad row.
template <class T>
ISO_HOST_DEVICE void finish_lane_row(T* y, int count, const lane_facts& facts) {
  using f = numeric::format<T>;
  const bool bad = facts.status != row_status::ok;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int i = 0; i < count; ++i) {
    if (bad || i < facts.low || i >= facts.high) y[i] = bad ? f::nan() : f::infinity(i < facts.low);
  }
}

}  // namespace iso
