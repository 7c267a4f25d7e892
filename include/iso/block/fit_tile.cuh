// From the pools of a tile to the fit of its elements.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/numeric/quotient.hpp>
#include <iso/warp/tile.cuh>

namespace iso {

// The mean of the pool [begin, end), whose sums are given: of one element the element itself, every zero +0.
template <class T, class View>
ISO_HOST_DEVICE T mean_of_pool(const View& v, int begin, int end, const typename View::sums& sum) {
  T mean = v.e.y[v.e.at(begin)];
  if (end > begin + 1) mean = numeric::rounded_mean<T>(sum.s, sum.w, v.on.mean_position());
  return mean == T(0) ? T(0) : mean;
}

// Writes that mean to those elements of the pool that are before `stop`, and returns it.
template <class T, class View>
ISO_HOST_DEVICE T write_mean(const View& v, int begin, int end, const typename View::sums& sum, int stop) {
  const T mean = mean_of_pool<T>(v, begin, end, sum);
  for (int i = begin; i < stop; ++i) v.e.y[v.e.at(i)] = mean;
  return mean;
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
  const auto adder = v.adder();
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
  const int lane = i / P;
  return pools_before[lane] + count_bits(mask[lane] & bits_between(0, i % P + 1));
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

// Replaces the values of the elements that play a part by their fit: each pool's mean, rounded once, and
// `before` for the elements before the first start; an element that is a pool by itself stays as it is, be it
// -0. `carry` holds one T a lane, in shared memory; the totals are overwritten. All threads of the group
// call, one a lane.
//
// Each lane writes the pools that end in it. The pool that leaves a lane takes the sums that the lanes after
// it have up to their first start, and those lanes take its mean from there.
template <class T, class Group, class View>
[[gnu::noinline]] ISO_DEVICE void fit_tile(const Group group, const View v, int lanes, T before, T* carry) {
  using sums = typename View::sums;
  constexpr int n = decltype(sums::s)::words, m = decltype(sums::w)::words;
  const int lane = static_cast<int>(group.thread_rank()), base = lane * View::lane_elements;
  const int begin = v.begin(lane), end = v.end(lane);
  const std::uint32_t mask = v.mask[lane];
  const int first = mask != 0 ? base + lowest_bit(mask) : end;
  if (mask != 0) v.total[lane] = v.e.template sum<n, m>(begin, first, v.on);
  group.sync();
  if (mask != 0) {
    // Of the pools that end before the lane's last start, those of more than one element.
    const int start = base + highest_bit(mask);
    for (std::uint32_t rest = mask & ~(mask >> 1) & bits_between(0, start - base); rest != 0;
         rest &= rest - 1) {
      const int from = lowest_bit(rest), next = base + lowest_bit(mask & (~std::uint32_t{1} << from));
      write_mean<T>(v, base + from, next, v.e.template sum<n, m>(base + from, next, v.on), next);
    }
    sums sum = v.e.template sum<n, m>(start, end, v.on);
    int last = end;
    for (int l = lane + 1; l < lanes && v.begin(l) < v.end(l) && last == v.begin(l); ++l) {
      const std::uint32_t bits = v.mask[l];
      sum += v.total[l];
      last = bits != 0 ? l * View::lane_elements + lowest_bit(bits) : v.end(l);
    }
    carry[lane] = write_mean<T>(v, start, last, sum, end);
  }
  group.sync();
  const int l = lane_with_start_before(group, v, lane);
  if (begin < first) {
    const T value = l >= 0 ? carry[l] : before;
    for (int i = begin; i < first; ++i) v.e.y[v.e.at(i)] = value;
  }
  group.sync();
}

}  // namespace iso
