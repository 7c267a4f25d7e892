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

// Sets the masks of the tile's lanes to the points that may be vertices of its hull, unless its values tell:
// then to all points, and true is returned. All lanes of the tile call.
template <warp_tile Tile, class View>
ISO_DEVICE bool filter_points(const Tile& tile, const View& v, int lane) {
  using T = std::remove_reference_t<decltype(*v.e.y)>;
  constexpr int p = View::lane_elements;
  const bool rising = is_rising(tile, v, lane);
  std::uint32_t kept = v.part(lane);
  if (!rising && tile.all(static_cast<int>(v.end(lane) - v.begin(lane) == p)) != 0) {
    kept = chord_filter<true, T>(tile, v, lane);
  } else if (!rising && v.low == (lane - static_cast<int>(tile.thread_rank())) * p) {
    kept = chord_filter<false, T>(tile, v, lane);
  }
  if constexpr (View::weighted) {
    for (int k = 0; k < p; ++k) {
      if ((kept >> k & 1u) != 0 && !v.e.counts(lane * p + k)) kept &= ~(1u << k);
    }
  }
  v.mask[lane] = kept;
  return rising;
}

// Thins the mask of a lane out to the starts of its own hull's pools. One thread calls; `ring` is the lane's
// own room for sums.
//
// Where values do not rise after an element of weight there is no vertex, and where they never fall all
// others are vertices of the lane. A lane begins with its first point of any weight, which may have gone.
template <class View, class Ring>
ISO_DEVICE void thin_lane(const View& v, int lane, const lane_order& order, const Ring& ring) {
  const int base = lane * View::lane_elements, end = v.end(lane);
  int first = v.begin(lane);
  while (first < end && !v.e.counts(first)) ++first;
  if (first >= end) return;
  std::uint32_t mask = v.mask[lane];
  const std::uint32_t start = std::uint32_t{1} << (first - base);
  const bool counted = all_count(v, lane);
  if (counted) mask &= order.rises;
  mask |= start;
  const bool in_order = counted && (order.falls & ~start) == 0;
  if (mask != start && !in_order) mask = lane_hull(v.adder(lane), base, end - base, mask, ring).starts;
  v.mask[lane] = mask;
}

// The same as warp_hull, out of the way of tiles of few points: of lanes whose masks hold what the filters
// and rounds have left of their points, lanes are hulled and merged. Where values rise throughout they tell.
template <warp_tile Tile, class View, class List>
[[gnu::noinline]] ISO_DEVICE int dense_hull(const Tile tile, const View v, int lane, const List list,
                                            bool rising) {
  const int size = static_cast<int>(tile.num_threads()), rank = static_cast<int>(tile.thread_rank());
  // Elsewhere it has cost usual tiles more than it gains these: the compiler lays out both.
  if constexpr (sizeof(*v.e.y) == 4 && !View::weighted) {
    v.assume_shared();
    assume_shared(list.at);
  }
  v.total[lane] = v.lane_sum(lane);
  const lane_order order = order_of_lane(v, lane);
  if (rising) {
    v.mask[lane] = starts_of_rising(v, lane, order);
  } else {
    thin_lane(v, lane, order,
              sums_ring<typename List::entry>::of(list.at + rank, size, list.capacity / size));
  }
  tile.sync();
  const std::uint32_t hull = v.mask[lane];
  const bool lists = !rising || count_points(tile, hull) <= size;
  if (int points = lists ? list_points(tile, v, lane, hull, list) : 0) {
    if (!rising) points = convex_rounds(tile, v, lane, list, points);
    if (points > 0) return points;
    v.mask[lane] = hull;
  }
  if (!rising) merge_warp(tile, v, lane - rank);
  return 0;
}

// Thins the masks of the lanes [first_lane, first_lane + size of the tile) out to the hull of these lanes,
// and sets their totals. If the list then holds the vertices of the hull, returns how many, else 0. `rising`:
// as filter_points says. All lanes of the tile call.
template <warp_tile Tile, class View, class List>
ISO_DEVICE int warp_hull(const Tile& tile, const View& v, int first_lane, const List& list, bool rising) {
  const int lane = first_lane + static_cast<int>(tile.thread_rank());
  if (int points = rising ? 0 : list_points(tile, v, lane, v.mask[lane], list)) {
    points = convex_rounds(tile, v, lane, list, points);
    if (points > 0) return points;
  }
  return dense_hull(tile, v, lane, list, rising);
}

}  // namespace iso
