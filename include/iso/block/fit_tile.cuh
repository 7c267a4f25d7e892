// From the pools of a tile to the fit of its elements.
//
// Where pools are many, lanes are to stay in step whatever lengths their pools have. The starts cut a lane's
// elements into *parts*: the one before its first start, those between two starts, and the one from its last
// start on. The first and the last may be of pools that reach into other lanes, all others are pools. A bit
// of a mask, `joined`, says that an element is in the same part as the one before it. Then
//   - all lanes sum up their elements at once, and put the sum of each part of two elements or more in the
//     place of the part's last two, of which there is no more need;
//   - each lane turns the sums of its pools into means, one after the other, in the place of the last
//     element;
//   - all lanes copy to each element what stands at the last of its part.
// An element that is a part is never written.
//
// Example, a lane of 8 elements, 9 8 1 5 3 6 4 2, which start pools where joined = 0b11010010 (from the last
// element to the first) has a zero: 9 8 are a part, of the pool of the lane before; 1 is a pool, 5 3 are one,
// and 6 4 2 the beginning of one that the next lane takes on. Sums are put at 8, 3 and 2: 17, 8 and 12. The
// lane turns 8 into the mean 4, 17 into what the lane before gives, and 12, with the sums of the lanes after
// it, into the mean of the last pool.
//
// Sums that do not fit there (see split_sums.cuh) are taken as they are wanted.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/lane/packed_pool.cuh>
#include <iso/lane/split_sums.cuh>
#include <iso/numeric/quotient.hpp>
#include <iso/warp/tile.cuh>

namespace iso {

// The mean sum / count * unit of numbers that are whole and have at most `bits` bits each, rounded once to
// float: to nearest, ties to even; a zero is +0. The unit is a power of two, and no less than the least
// float; bits + bit_length(count) <= 53, and 0 < count < 2^26.
//
// Proof. A double holds the sum, and the mean is near a double q. Take a midpoint of two floats, or of two
// subnormal ones: j * 2^g with j < 2^25, in units of the numbers. If a double holds the mean, q is the mean.
// Else q is nearer to it than 2^(bits - 53), since |mean| < 2^bits, and than 2^-52 of it. And the mean is
// away from the midpoint by at least 1 / count > 2^(bits - 53) if g >= 0; if g < 0, by at least 2^g / count,
// which is more than 2^-52 of anything near that midpoint. So q is on the same side of it. The unit takes no
// bits, since doubles reach far below the least float.
ISO_HOST_DEVICE inline float mean_of_few_bits(std::int64_t sum, int count, double unit) {
  const auto n = static_cast<double>(count);
  const auto mean = static_cast<float>(near_quotient(static_cast<double>(sum), n, near_inverse(n)) * unit);
  return mean == 0 ? 0.0f : mean;
}

// The mean of a pool of several elements, whose sums are given.
//
// Of split sums the values have `bits` <= 44 bits, and bits + 2 * bit_length(count) < 64 (see sums_fit), so
// that bits + bit_length(count) <= 53.
template <class T, class View>
ISO_HOST_DEVICE T mean_of_sums(const View& v, const typename View::sums& sum) {
  if constexpr (View::splits) {
    return mean_of_few_bits(static_cast<std::int64_t>(sum.s.word[0]), static_cast<int>(sum.w.word[0]),
                            numeric::power_of_two(v.on.mean_position() + numeric::format<T>::min_exponent));
  } else {
    return numeric::rounded_mean<T>(sum.s, sum.w, v.on.mean_position());
  }
}

// The mean of the pool [begin, end), whose sums are given: of one element the element itself, every zero +0.
template <class T, class View>
ISO_HOST_DEVICE T mean_of_pool(const View& v, int begin, int end, const typename View::sums& sum) {
  T mean = v.e.y[v.e.at(begin)];
  if (end > begin + 1) mean = mean_of_sums<T>(v, sum);
  return mean == T(0) ? T(0) : mean;
}

// Hull and fit of a row that one lane has to itself; the memory of a list serves for sums of its pools. That
// lane calls.
//
// An element that is not greater than the one before it starts no pool, which is told from their bits.
template <class T, class View, class List>
[[gnu::noinline]] ISO_DEVICE void fit_lane(const View v, const List list) {
  std::uint32_t candidates = 0;
  T before = T(0);
  for (int i = v.low; i < v.high; ++i) {
    const T y = v.e.y[v.e.at(i)];
    const bool start = View::weighted ? v.e.counts(i) : i == v.low || y > before;
    candidates |= static_cast<std::uint32_t>(start) << i;
    before = y;
  }
  const auto ring = sums_ring<typename List::entry>::of(list.at, 1, list.capacity);
  const auto adder = v.adder(0);
  const auto pools = lane_hull(adder, 0, v.high, candidates, ring);

  // Each pool's mean to its first element, from the last pool to the first; then from there to the others.
  int start = v.high;
  for (auto rest = pools; rest.starts != 0; --rest.count) {
    const int end = start;
    const auto sum = last_sums(adder, rest, 0, end, ring);
    start = highest_bit(rest.starts);
    v.e.y[v.e.at(start)] = mean_of_pool<T>(v, start, end, adder.exact(sum));
    rest.starts ^= std::uint32_t{1} << start;
  }
  T mean = v.e.y[v.e.at(start)];
  for (int i = v.low; i < v.high; ++i) {
    if ((pools.starts >> i & 1u) != 0) {
      mean = v.e.y[v.e.at(i)];
    } else {
      v.e.y[v.e.at(i)] = mean;
    }
  }
  v.mask[0] = pools.starts;
}

// The last lane before this one that has a start, or -1.
template <class Group, class View>
ISO_DEVICE int lane_with_start_before(const Group& group, const View& v, int lane) {
  if constexpr (warp_tile<Group>) {
    const unsigned lanes = group.ballot(v.mask[lane] != 0) & ((1u << group.thread_rank()) - 1);
    return lanes != 0 ? lane - static_cast<int>(group.thread_rank()) + highest_bit(lanes) : -1;
  } else {
    int l = lane - 1;
    while (l >= 0 && v.mask[l] == 0) --l;
    return l;
  }
}

// Of a tile of one warp, given the list of its hull's vertices, the means of its pools, in the place of the
// list: that of pool j, counted from 1, and at 0 once more the first. Null if the list's sums are not exact
// and a mean is not certain. All lanes of the tile call.
template <class T, warp_tile Tile, class View, class List>
ISO_DEVICE T* list_means(const Tile& tile, const View& v, const List& list, int points) {
  static_assert(2 * sizeof(T) <= sizeof(*list.at));  // no point is overwritten that is still to be read
  const int rank = static_cast<int>(tile.thread_rank()), size = static_cast<int>(tile.num_threads());
  T* const means = reinterpret_cast<T*>(list.at);
  for (int base = 0; base + 1 < points; base += size) {
    const int j = base + rank;
    T mean = T(0);
    if constexpr (List::exact) {
      if (j + 1 < points) mean = mean_of_pool<T>(v, list.element[j], list.element[j + 1], list.pool(j));
      tile.sync();
    } else {
      bool certain = true;
      if (j + 1 < points) mean = list.mean(v, j, certain);
      tile.sync();
      if (tile.all(static_cast<int>(certain)) == 0) return nullptr;
    }
    if (j + 1 < points) means[j + 1] = mean;
    if (j == 0) means[0] = mean;
  }
  return means;
}

// Writes to `pools_before`, a number a lane of a tile of one warp, how many pools start before the lane. All
// lanes of the tile call.
template <warp_tile Tile, class View>
ISO_DEVICE void count_pools(const Tile& tile, const View& v, std::int32_t* pools_before) {
  const int rank = static_cast<int>(tile.thread_rank());
  pools_before[rank] = count_before(tile, count_bits(v.mask[rank]));
  tile.sync();
}

// The pool that element i is of, as count_pools counts them: as many pools start up to it. 0: it is before
// the first start.
template <int P>
ISO_HOST_DEVICE int pool_of(const std::uint32_t* mask, const std::int32_t* pools_before, int i) {
  const auto place = static_cast<unsigned>(i);
  return pools_before[place / P] +
         count_bits(mask[place / P] & bits_between(0, static_cast<int>(place % P) + 1));
}

// Replaces the values of a tile by such means. All lanes of the tile call.
template <warp_tile Tile, class View, class T>
ISO_DEVICE void spread_means(const Tile& tile, const View& v, const T* means,
                             const std::int32_t* pools_before) {
  const int rank = static_cast<int>(tile.thread_rank()), size = static_cast<int>(tile.num_threads());
  for (int i = v.low + rank; i < v.high; i += size) {
    v.e.y[v.e.at(i)] = means[pool_of<View::lane_elements>(v.mask, pools_before, i)];
  }
  tile.sync();
}

// Puts the sum of each part of two elements or more in the place of its last two, by putting the sum up to
// each element but the first in the place of that element and the one before. One lane calls.
//
// The loop is the same for all lanes: it also adds elements that play no part, whose sums are not put.
template <class View>
ISO_HOST_DEVICE void put_sums(const View& v, int lane, std::uint32_t joined) {
  using f = numeric::format<float>;
  constexpr int p = View::lane_elements;
  static_assert(32 % p == 0);
  const auto on = split_grid::of(v.on);
  float* const y = v.e.y + v.e.at(lane * p);
  auto sum = split_sums::zero();
#if defined(__CUDA_ARCH__)
#pragma unroll 8
#endif
  for (int k = 0; k < p; ++k) {
    if ((joined & 1u) == 0) sum = split_sums::zero();
    sum.add(y[k], on);
    if ((joined & 1u) != 0) {
      y[k - 1] = f::from_bits(static_cast<std::uint32_t>(sum.upper));
      y[k] = f::from_bits(static_cast<std::uint32_t>(sum.lower));
    }
    joined >>= 1;
  }
}

// The sums of the part [begin, end) of a lane, positions from the lane's first element on: of two elements or
// more if `Long`, of none if end <= begin.
template <bool Long, class View>
ISO_HOST_DEVICE typename View::sums sums_of_part(const View& v, int lane, int begin, int end) {
  const int base = lane * View::lane_elements;
  if constexpr (View::splits) {
    using f = numeric::format<float>;
    const float* const y = v.e.y + v.e.at(base);
    const auto on = split_grid::of(v.on);
    const int count = Long || end > begin ? end - begin : 0;
    auto sum = split_sums::zero();
    if (Long || count > 1) {
      sum = {static_cast<std::int32_t>(f::to_bits(y[end - 2])),
             static_cast<std::int32_t>(f::to_bits(y[end - 1]))};
    } else if (count == 1) {
      sum.add(y[begin], on);
    }
    return v.adder(lane).exact({sum, count});
  } else {
    return sum_of(v.adder(lane), base + begin, base + end);
  }
}

// Copies to each element of a lane that of the last of its part. One lane calls.
template <class View>
ISO_HOST_DEVICE void spread_parts(const View& v, int lane, std::uint32_t joined) {
  constexpr int p = View::lane_elements;
  static_assert(32 % p == 0);
  auto* const y = v.e.y + v.e.at(lane * p);
  std::uint32_t followed = joined << (32 - p) >> 1;
  auto value = y[p - 1];
#if defined(__CUDA_ARCH__)
#pragma unroll 8
#endif
  for (int k = p - 1; k >= 0; --k) {
    if (followed >> 31 == 0) value = y[k];
    y[k] = value;
    followed <<= 1;
  }
}

// Replaces the values of the elements that play a part by their fit: each pool's mean, rounded once, and
// `before` for the elements before the first start; an element that is a pool by itself stays as it is, be it
// -0. `carry` holds one T a lane, in shared memory; the totals are overwritten. All threads of the group
// call, one a lane.
//
// The pool that leaves a lane takes the sums that the lanes after it have up to their first start, and those
// lanes take its mean from there.
template <class T, class Group, class View>
[[gnu::noinline]] ISO_DEVICE void fit_tile(const Group group, const View v, int lanes, T before, T* carry) {
  v.assume_shared();
  iso::assume_shared(carry);
  constexpr int p = View::lane_elements;
  const int lane = static_cast<int>(group.thread_rank()), base = lane * p;
  const int begin = v.begin(lane) - base, end = v.end(lane) - base;
  const std::uint32_t mask = v.mask[lane], part = v.part(lane);
  const std::uint32_t joined = part & ~(mask | (part & (0u - part)));
  const int first = mask != 0 ? lowest_bit(mask) : end;
  T* const y = v.e.y + v.e.at(base);
  if constexpr (View::splits) put_sums(v, lane, joined);
  v.total[lane] = sums_of_part<false>(v, lane, begin, first);
  group.sync();
  if (mask != 0) {
    const int start = highest_bit(mask);
    for (auto rest = joined & ~(joined >> 1) & bits_between(first, start); rest != 0;) {
      const int last = highest_bit(rest);
      const std::uint32_t bit = std::uint32_t{1} << last;
      rest ^= bit;
      y[last] = mean_of_sums<T>(v, sums_of_part<true>(v, lane, highest_bit(~joined & (bit - 1)), last + 1));
    }
    auto sum = sums_of_part<false>(v, lane, start, end);
    int next = base + end;
    for (int l = lane + 1; l < lanes && v.begin(l) < v.end(l) && next == v.begin(l); ++l) {
      const std::uint32_t bits = v.mask[l];
      sum += v.total[l];
      next = bits != 0 ? l * p + lowest_bit(bits) : v.end(l);
    }
    if (next > base + start + 1) y[end - 1] = carry[lane] = mean_of_sums<T>(v, sum);
  }
  group.sync();
  const int l = lane_with_start_before(group, v, lane);
  if (begin < first) y[first - 1] = l >= 0 ? carry[l] : before;
  spread_parts(v, lane, joined);
  group.sync();
}

}  // namespace iso
