// Lane hulls merged pairwise into the hull of a tile: paper, section 3.2.
//
// Neighbouring hulls are joined at the boundary between them by pooling: the two pools that meet there are
// one if the left mean is not less than the right, and the joined pool then absorbs its neighbours for as
// long as they violate the order. That is the walk to the bridge, with its left and right ends as the ends of
// the joined pool. All lanes between two joined halves keep their other pools. The hull of a lane's own
// points is found by the same walk, from each boundary of two pools that may violate the order.
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
// with its neighbours for as long as these do, all of the lanes [first, last). Returns where the joined pool
// ends, or `end`. One thread calls; nobody else may use these lanes' masks meanwhile.
template <class View>
ISO_HOST_DEVICE int join_pools(const View& v, int end, int first, int last) {
  constexpr int p = View::lane_elements;
  const int limit = last * p < v.high ? last * p : v.high;
  const auto end_of = [&](int start) {
    const int next = start + 1 < limit ? v.start_from(start + 1, last) : -1;
    return next < 0 ? limit : next;
  };
  int begin = v.start_before(end, first);
  if (begin < 0) return end;  // no weight on the left
  auto joined = v.sum(begin, end);
  bool merged = false, left_known = false;
  int before = -1;
  auto left = joined;
  for (bool again = true; again;) {
    again = false;
    while (end < limit) {
      const int next = end_of(end);
      const auto right = v.sum(end, next);
      if (!mean_not_less(joined, right)) break;
      v.clear(end);
      joined += right;
      end = next;
      again = merged = true;
    }
    if (!merged) return end;
    for (;;) {
      if (!left_known) {
        before = begin > first * p ? v.start_before(begin, first) : -1;
        if (before < 0) break;
        left = v.sum(before, begin);
        left_known = true;
      }
      if (!mean_not_less(left, joined)) break;
      v.clear(begin);
      joined += left;
      begin = before;
      left_known = false;
      again = true;
    }
  }
  return end;
}

// Joins the hull of the lanes [first, middle) with that of [middle, last), as join_pools does.
template <class View>
ISO_HOST_DEVICE void join_lanes(const View& v, int first, int middle, int last) {
  constexpr int p = View::lane_elements;
  const int limit = last * p < v.high ? last * p : v.high;
  if (middle * p >= limit || v.rises(middle * p, limit)) return;
  const int start = v.start_from(middle * p, last);
  if (start >= 0) join_pools(v, start, first, last);  // else there is no weight on the right
}

// Thins the mask of a lane, which holds the starts of its hull's pools and other points, out to the starts.
// The lane's total is known. One thread calls.
//
// Where elements of their own increase there is nothing to join, so a lane of increasing values takes no
// sums.
template <class View>
ISO_HOST_DEVICE void join_within_lane(const View& v, int lane) {
  const int base = lane * View::lane_elements, begin = v.begin(lane), end = v.end(lane);
  const std::uint32_t mask = v.mask[lane];
  if (mask == 0) return;
  std::uint32_t rises = 0;
  for (int i = begin + 1; i < end; ++i) {
    rises |= static_cast<std::uint32_t>(v.e.y[v.e.at(i - 1)] < v.e.y[v.e.at(i)]) << (i - base);
  }
  // A pool of one element is followed by another start, or by the end.
  const std::uint32_t single = mask & (mask >> 1 | std::uint32_t{1} << (end - 1 - base));
  std::uint32_t left = mask & (mask - 1) & ~(single & single << 1 & rises);
  while (left != 0) {
    const int start = base + lowest_bit(left), next = join_pools(v, start, lane, lane + 1);
    left &= left - 1;
    // What the walk has passed, and the boundary at its end, need no other look.
    left &= v.mask[lane];
    if (next < end) left &= ~(std::uint32_t{1} << (next - base));
  }
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

}  // namespace iso
