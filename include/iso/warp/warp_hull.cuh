// The hull of the elements of one warp, or of some lanes of it: the filter first, the exact merges for what
// is left.
//
// Every step takes a superset of the hull's vertices, as masks, and leaves a smaller one. On noise the filter
// and some rounds of local convexity do it all; where values never fall they tell the hull, and no sum is
// asked.
#pragma once

#include <cstdint>

#include <iso/block/merge_lanes.cuh>
#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/warp/convex_rounds.cuh>
#include <iso/warp/filters.cuh>
#include <iso/warp/lane_order.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// The points of a lane that may be vertices of the hull of the tile's lanes. All lanes of the tile call.
template <warp_tile Tile, class View>
ISO_DEVICE std::uint32_t filtered(const Tile& tile, const View& v, int lane) {
  using T = std::remove_reference_t<decltype(*v.e.y)>;
  constexpr int p = View::lane_elements;
  std::uint32_t kept = v.part(lane);
  if (tile.all(static_cast<int>(v.end(lane) - v.begin(lane) == p)) != 0) {
    kept = chord_filter<true, T>(tile, v, lane);
  } else if (v.low == (lane - static_cast<int>(tile.thread_rank())) * p) {
    kept = chord_filter<false, T>(tile, v, lane);
  }
  if constexpr (View::weighted) {
    for (int k = 0; k < p; ++k) {
      if ((kept >> k & 1u) != 0 && !v.e.counts(lane * p + k)) kept &= ~(1u << k);
    }
  }
  return kept;
}

// Thins the mask of a lane out to the starts of its own hull's pools; returns whether all values of the tile
// told, which then are in the order of its hull. All lanes of the tile call; `ring` is the lane's own room
// for sums.
//
// Where values do not rise after an element of weight there is no vertex. Where they never fall all others
// are vertices, of the lane, and if no lane falls of the tile. A lane that falls begins with its first point
// of any weight, which may have gone.
template <warp_tile Tile, class View, class Ring>
ISO_DEVICE bool thin_lane(const Tile& tile, const View& v, int lane, const Ring& ring) {
  using sums = typename View::sums;
  constexpr int n = decltype(sums::s)::words, m = decltype(sums::w)::words;
  const int base = lane * View::lane_elements, begin = v.begin(lane), end = v.end(lane);
  const lane_order order = order_of_lane(v, lane);
  const bool counted = all_count(v, lane);
  const bool rising = tile.all(static_cast<int>(counted && order.falls == 0)) != 0;
  int first = begin;
  while (first < end && !v.e.counts(first)) ++first;
  if (first >= end) return rising;
  const std::uint32_t start = std::uint32_t{1} << (first - base);
  std::uint32_t mask = v.mask[lane];
  if (rising) {
    mask = begin == v.low ? order.rises | start : order.rises;
  } else {
    if (counted) mask &= order.rises;
    mask |= start;
    const bool in_order = counted && (order.falls & ~start) == 0;
    if (mask != start && !in_order) mask = lane_hull<n, m>(v.e, base, end, mask, v.on, ring).starts;
  }
  v.mask[lane] = mask;
  return rising;
}

// The same as warp_hull, out of the way of tiles of few points: of lanes whose masks hold what the filters
// and rounds have left of their points, lanes are hulled and merged.
template <warp_tile Tile, class View, class List>
[[gnu::noinline]] ISO_DEVICE int dense_hull(const Tile tile, const View v, int lane, const List list) {
  using sums = typename View::sums;
  const int size = static_cast<int>(tile.num_threads()), rank = static_cast<int>(tile.thread_rank());
  v.total[lane] = total_of_lane(v, lane);
  const bool rising =
      thin_lane(tile, v, lane, sums_ring<sums>::of(list.room() + rank, size, list.room_size() / size));
  tile.sync();
  if (rising) return 0;
  const std::uint32_t hull = v.mask[lane];
  if (int points = list_points(tile, v, lane, hull, list)) {
    points = convex_rounds(tile, v, lane, list, points);
    if (points > 0) return points;
    v.mask[lane] = hull;
  }
  merge_warp(tile, v, lane - rank);
  return 0;
}

// Thins the masks of the lanes [first_lane, first_lane + size of the tile) out to the hull of these lanes,
// and sets their totals. If the list then holds the vertices of the hull, returns how many, else 0. All lanes
// of the tile call.
template <warp_tile Tile, class View, class List>
ISO_DEVICE int warp_hull(const Tile& tile, const View& v, int first_lane, const List& list) {
  const int lane = first_lane + static_cast<int>(tile.thread_rank());
  if (int points = list_points(tile, v, lane, v.mask[lane], list)) {
    points = convex_rounds(tile, v, lane, list, points);
    if (points > 0) return points;
  }
  return dense_hull(tile, v, lane, list);
}

}  // namespace iso
