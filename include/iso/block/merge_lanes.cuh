// Lane hulls merged into the hull of a tile: paper, section 3.2. Where pools are short all are merged at
// once, else in pairs, level by level.
//
// Neighbouring hulls are joined at the boundary between them by pooling: the two pools that meet there are
// one if the left mean is not less than the right, and the joined pool then absorbs its neighbours for as
// long as they violate the order. That is the walk to the bridge, with its left and right ends as the ends of
// the joined pool. All lanes between two joined halves keep their other pools.
//
// Invariant: before a round of width h, the masks of every h lanes are the hull of these lanes' elements.
// Each step of a walk but the last on either side removes a pool, and a pool is removed once, so all walks of
// a tile take a number of steps linear in its elements. Hard case: a long increasing run and then one low
// value; one lane then walks through the whole run.
//
// Example, two lanes of four: 1 5 2 3 | 0 4 6 7. The lanes' pools are 1, {5 2 3} and 0, 4, 6, 7. At the
// boundary 10/3 >= 0: {5 2 3 0} of mean 10/4; on its left 1 is less, on its right 4 is more: joined.
#pragma once

#include <cstdint>
#include <type_traits>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// A pool of the elements [begin, end), or none.
struct pool_range {
  int begin, end;
};

// Joins the pool that starts at `end` with the one before it, if they violate the order, and the joined one
// with its neighbours for as long as these do. Returns the joined pool, or an empty one at `end`. All who
// share `pools` call, and get the same of it:
//
//   before(i), after(i)    where the pool begins that ends at i, and ends that begins there; -1 if none does
//   sum(begin, end)        its sums, of which zero() are none
//   clear(i)               no pool begins at i any more
//
// Every step asks for one pool, on the one side or the other: so threads that join pools of their own take
// the same steps.
template <class Pools>
ISO_DEVICE pool_range join_pools(const Pools& pools, int end) {
  // The joined pool is [begin, end), and begins empty: it absorbs the one on its left.
  int begin = end;
  auto joined = pools.zero();
  bool to_right = false, merged = false;
  for (int refused = 0; refused < 2;) {
    const int from = to_right ? end : pools.before(begin), to = to_right ? pools.after(end) : begin;
    bool one = from >= 0 && to >= 0;
    if (one) {
      const auto other = pools.sum(from, to);
      if (begin < end) {
        auto left = joined, right = other;
        if (!to_right) {
          left = other;
          right = joined;
        }
        one = mean_not_less(left, right);
        if (one) pools.clear(to_right ? end : begin);
        merged |= one;
      }
      if (one) joined += other;
    }
    if (one) {
      refused = 0;
      const bool first = begin == end;
      begin = to_right ? begin : from;
      end = to_right ? to : end;
      to_right |= first;
    } else {
      if (!merged) return {end, end};
      ++refused;
      to_right = !to_right;
    }
  }
  return {begin, end};
}

// The pools of the lanes [first, last) of a tile, for one thread: nobody else may use these lanes' masks
// meanwhile.
template <class View>
struct pools_of_lanes {
  using sums = typename View::sums;
  static constexpr int p = View::lane_elements;

  const View& v;
  int first, last;

  ISO_DEVICE int limit() const { return last * p < v.high ? last * p : v.high; }
  ISO_DEVICE int before(int i) const { return i > first * p ? v.start_before(i, first) : -1; }
  ISO_DEVICE int after(int i) const {
    const int end = limit();
    if (i >= end) return -1;
    const int next = i + 1 < end ? v.start_from(i + 1, last) : -1;
    return next >= 0 ? next : end;
  }
  ISO_DEVICE static sums zero() { return sums::zero(); }
  ISO_DEVICE sums sum(int begin, int end) const { return v.sum(begin, end); }
  ISO_DEVICE void clear(int i) const { v.clear(i); }
};

// Joins the pools of the lanes [first, middle) with those of [middle, last), as join_pools does. One thread
// calls.
template <class View>
[[gnu::noinline]] ISO_DEVICE void join_lanes(const View v, int first, int middle, int last) {
  v.assume_shared();
  const pools_of_lanes<View> pools{v, first, last};
  const int boundary = middle * View::lane_elements;
  if (boundary >= pools.limit() || v.rises(boundary, pools.limit())) return;
  const int start = v.start_from(boundary, last);
  if (start >= 0) join_pools(pools, start);  // else there is no weight on the right
}

// Merges the hulls of runs of `width` lanes each, of the lanes [first, first + lanes), into one. All threads
// of the group call, one a lane; memory is synchronised by the call.
template <class Group, class View>
ISO_DEVICE void merge_lanes(const Group& group, const View& v, int first, int width, int lanes) {
  const int rank = static_cast<int>(group.thread_rank());
  group.sync();
  for (; width < lanes; width *= 2) {
    if (rank % (2 * width) == 0 && rank + width < lanes) {
      const int last = rank + 2 * width < lanes ? rank + 2 * width : lanes;
      join_lanes(v, first + rank, first + rank + width, first + last);
    }
    group.sync();
  }
}

// The pools of two neighbouring lanes' own hulls, for one thread; the masks stay as they are.
template <class View, class Adder>
struct pools_of_neighbours {
  using sums = typename Adder::sums;
  static constexpr int p = View::lane_elements;

  const View& v;
  const Adder& adder;
  int lane;                   // the left one
  std::uint32_t left, right;  // their masks
  bool& cut_off;              // set when a pool is asked for that these lanes do not have

  ISO_DEVICE int middle() const { return (lane + 1) * p; }
  ISO_DEVICE int before(int i) const {
    const std::uint32_t starts = left & bits_between(0, i < middle() ? i - lane * p : p);
    if (starts != 0) return lane * p + highest_bit(starts);
    cut_off |= v.begin(lane) > v.low;
    return -1;
  }
  ISO_DEVICE int after(int i) const {
    const int end = v.end(lane + 1);
    if (i < end) {
      const std::uint32_t starts = right & ~bits_between(0, i + 1 - middle());
      return starts != 0 ? middle() + lowest_bit(starts) : end;
    }
    cut_off |= end < v.high;
    return -1;
  }
  ISO_DEVICE static sums zero() { return Adder::zero(); }
  ISO_DEVICE sums sum(int begin, int end) const { return sum_of(adder, begin, end); }
  ISO_DEVICE static void clear(int) {}
};

// Joins the pools of a lane's own hull with those of the next lane's, as join_pools does: `left` and `right`
// are their masks. One thread calls; `cut_off` is set if these lanes' pools do not tell.
template <class View>
ISO_DEVICE pool_range join_neighbours(const View& v, int lane, std::uint32_t left, std::uint32_t right,
                                      bool& cut_off) {
  const int middle = (lane + 1) * View::lane_elements;
  if (middle >= v.high || middle <= v.low || v.rises(middle, v.end(lane + 1))) return {middle, middle};
  cut_off |= left == 0 || right == 0;  // there is no weight
  if (cut_off) return {middle, middle};
  const auto adder = v.adder();
  using adder_type = std::remove_const_t<decltype(adder)>;
  const pools_of_neighbours<View, adder_type> pools{v, adder, lane, left, right, cut_off};
  return join_pools(pools, middle + lowest_bit(right));
}

// Merges the hulls of the lanes [first, first + size of the tile) into one, if pools are short: else returns
// false and leaves the masks as they are. All lanes of the tile call.
//
// All boundaries between lanes are taken at once: each lane joins its own pools with those of the next one.
// That is the hull of all if between the pool that is joined at a lane's beginning and the one at its end the
// lane has another one, which both have left as it was.
template <warp_tile Tile, class View>
ISO_DEVICE bool merge_neighbours(const Tile& tile, const View& v, int first) {
  const int rank = static_cast<int>(tile.thread_rank()), size = static_cast<int>(tile.num_threads());
  const int lane = first + rank, base = lane * View::lane_elements;
  std::uint32_t mask = v.mask[lane];
  bool failed = false;
  pool_range at_end{0, 0};
  if (rank + 1 < size) at_end = join_neighbours(v, lane, mask, v.mask[lane + 1], failed);
  pool_range at_begin{tile.shfl_up(at_end.begin, 1u), tile.shfl_up(at_end.end, 1u)};
  if (rank == 0) at_begin = {0, 0};
  const bool begins = at_begin.begin < at_begin.end, ends = at_end.begin < at_end.end;
  failed |= begins && ends && at_begin.end >= at_end.begin;
  if (tile.any(static_cast<int>(failed)) != 0) return false;
  tile.sync();
  if (begins) mask &= ~bits_between(0, at_begin.end - base);
  if (ends) mask &= bits_between(0, at_end.begin - base + 1);
  v.mask[lane] = mask;
  tile.sync();
  return true;
}

// Merges the hulls of the lanes [first, first + size of the tile) into one. All lanes of the tile call.
template <warp_tile Tile, class View>
ISO_DEVICE void merge_warp(const Tile& tile, const View& v, int first) {
  tile.sync();
  if (!merge_neighbours(tile, v, first)) {
    merge_lanes(tile, v, first, 1, static_cast<int>(tile.num_threads()));
  }
}

}  // namespace iso
