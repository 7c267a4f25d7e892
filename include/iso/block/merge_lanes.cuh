// Lane hulls merged pairwise into the hull of a tile: paper, section 3.2.
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

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// Joins the pool that starts at `end` with the one before it, if they violate the order, and the joined one
// with its neighbours for as long as these do. Returns where the joined pool ends, or `end`. All who share
// `pools` call, and get the same of it:
//
//   before(i), after(i)    where the pool begins that ends at i, and ends that begins there; -1 if none does
//   sum(begin, end)        its sums, of which zero() are none
//   clear(i)               no pool begins at i any more
//
// Every step asks for one pool, on the one side or the other: so threads that join pools of their own take
// the same steps.
template <class Pools>
ISO_DEVICE int join_pools(const Pools& pools, int end) {
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
      if (!merged) return end;
      ++refused;
      to_right = !to_right;
    }
  }
  return end;
}

// The pools of the lanes [first, last) of a tile, for one thread: nobody else may use these lanes' masks
// meanwhile. `ends`: a pool ends where the lanes do; else the last one is not to be had.
template <class View>
struct pools_of_lanes {
  using sums = typename View::sums;
  static constexpr int p = View::lane_elements;

  const View& v;
  int first, last;
  bool ends;
  bool& cut_off;  // set when a pool is asked for that these lanes do not have

  ISO_DEVICE int limit() const { return last * p < v.high ? last * p : v.high; }
  ISO_DEVICE int before(int i) const {
    const int start = i > first * p ? v.start_before(i, first) : -1;
    cut_off |= start < 0;
    return start;
  }
  ISO_DEVICE int after(int i) const {
    const int end = limit(), next = i + 1 < end ? v.start_from(i + 1, last) : -1;
    if (next >= 0) return next;
    if (i < end && ends) return end;
    cut_off |= end < v.high;
    return -1;
  }
  ISO_DEVICE static sums zero() { return sums::zero(); }
  ISO_DEVICE sums sum(int begin, int end) const { return v.sum(begin, end); }
  ISO_DEVICE void clear(int i) const { v.clear(i); }
};

// Joins the pools of the lanes [first, middle) with those of [middle, last), as join_pools does. Returns
// whether it was cut off, be it by the tile's beginning. One thread calls.
template <class View>
[[gnu::noinline]] ISO_DEVICE bool join_lanes(const View v, int first, int middle, int last, bool ends) {
  bool cut_off = false;
  const pools_of_lanes<View> pools{v, first, last, ends, cut_off};
  const int boundary = middle * View::lane_elements;
  if (boundary >= pools.limit() || v.rises(boundary, pools.limit())) return false;
  const int start = v.start_from(boundary, last);
  if (start < 0) return true;  // there is no weight on the right, or a pool goes on
  join_pools(pools, start);
  return cut_off;
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
      join_lanes(v, first + rank, first + rank + width, first + last, true);
    }
    group.sync();
  }
}

// Merges the hulls of the lanes [first, first + size of the tile) into one. All lanes of the tile call.
//
// Pools of dense data are short. So after the pairs of lanes 0 1, 2 3, ... the pairs 1 2, 3 4, ... are
// merged, where they can be without the lanes beside them, and as a rule nothing is left to join. If one
// cannot, the latter merges are undone; if a pool covers a lane, they are not tried.
template <warp_tile Tile, class View>
ISO_DEVICE void merge_warp(const Tile& tile, const View& v, int first) {
  const int rank = static_cast<int>(tile.thread_rank()), size = static_cast<int>(tile.num_threads());
  const int lane = first + rank;
  tile.sync();
  if (rank % 2 == 0 && rank + 1 < size) join_lanes(v, lane, lane + 1, lane + 2, true);
  tile.sync();
  const std::uint32_t mask = v.mask[lane];
  const unsigned starting = tile.ballot(static_cast<int>(mask & 1u));
  if (tile.any(static_cast<int>(mask == 0 && v.begin(lane) < v.end(lane))) == 0) {
    tile.sync();
    const int after = rank + 2;
    const bool ends =
        after >= size || (first + after) * View::lane_elements >= v.high || (starting >> after & 1u) != 0;
    const bool cut_off = rank % 2 != 0 && rank + 1 < size && join_lanes(v, lane, lane + 1, lane + 2, ends);
    tile.sync();
    if (tile.any(static_cast<int>(cut_off)) == 0) return;
    v.mask[lane] = mask;
  }
  merge_lanes(tile, v, first, 2, size);
}

}  // namespace iso
