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

// The points of a lane that may be vertices of the hull of the tile's lanes; `certain`: all of the tile's
// are. All lanes of the tile call.
template <warp_tile Tile, class View>
ISO_DEVICE std::uint32_t filtered(const Tile& tile, const View& v, int lane, bool& certain) {
  using T = std::remove_reference_t<decltype(*v.e.y)>;
  constexpr int p = View::lane_elements;
  std::uint32_t kept = v.part(lane);
  certain = rising_starts(tile, v, lane, kept);
  if (certain) return kept;
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

// The same as warp_hull, of lanes whose masks hold what the filters and rounds have left of their points:
// lanes are hulled and merged.
template <warp_tile Tile, class View, class List>
[[gnu::noinline]] ISO_DEVICE int dense_hull(const Tile tile, const View v, int lane, const List list) {
  const int size = static_cast<int>(tile.num_threads()), rank = static_cast<int>(tile.thread_rank());
  // A lane begins with its first point of any weight, which may have gone.
  for (int i = v.begin(lane); i < v.end(lane); ++i) {
    if (v.e.counts(i)) {
      v.mask[lane] |= 1u << (i - lane * View::lane_elements);
      break;
    }
  }
  v.total[lane] = total_of_lane(v, lane);
  join_within_lane(v, lane);
  const std::uint32_t hull = v.mask[lane];
  if (int points = list_points(tile, v, lane, hull, list)) {
    points = convex_rounds(tile, v, lane, list, points);
    if (points > 0) return points;
    v.mask[lane] = hull;
  }
  merge_lanes(tile, v, lane - rank, 1, size);
  return 0;
}

// Thins the masks of the lanes [first_lane, first_lane + size of the tile) out to the hull of these lanes,
// and sets their totals. If the list then holds the vertices of the hull, returns how many, else 0.
// `certain`: the masks are those of the hull already. All lanes of the tile call.
template <warp_tile Tile, class View, class List>
ISO_DEVICE int warp_hull(const Tile& tile, const View& v, int first_lane, const List& list, bool certain) {
  const int lane = first_lane + static_cast<int>(tile.thread_rank());
  if (int points = list_points(tile, v, lane, v.mask[lane], list)) {
    points = convex_rounds(tile, v, lane, list, points);
    if (points > 0) return points;
  }
  if (!certain) return dense_hull(tile, v, lane, list);
  v.total[lane] = total_of_lane(v, lane);
  return 0;
}

}  // namespace iso
