// The hull of the elements of one warp, or of some lanes of it: filters first, the exact merges for what is
// left.
//
// Every step takes a superset of the hull's vertices, as masks, and leaves a smaller one. On noise the line
// filters and some rounds of local convexity do it all; on increasing data, where every point is a vertex,
// the filters and the lane hulls pass all and the merges find nothing to do.
#pragma once

#include <cstdint>

#include <iso/block/merge_lanes.cuh>
#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/warp/convex_rounds.cuh>
#include <iso/warp/filters.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// The points of a tile that may be vertices of its hull, of each lane. All lanes of the tile call.
template <warp_tile Tile, class View>
ISO_DEVICE std::uint32_t filtered(const Tile& tile, const View& v, int lane, std::uint32_t candidates) {
  using T = std::remove_reference_t<decltype(*v.e.y)>;
  constexpr int p = View::lane_elements;
  const int begin = v.begin(lane), end = v.end(lane);
  const T pivot = v.low < v.high ? v.e.y[v.e.at(v.low)] : T(0);
  lane_points<T, View::weighted, p> points;
  place_points(v, lane, pivot, points);
  const bool full = end - begin == p;
  if (full) candidates &= window_filter(points);
  return line_filter(tile, points, begin < end, full, candidates);
}

// Sets the masks and totals of the lanes [first_lane, first_lane + size of the tile). If the list then holds
// the vertices of the hull, returns how many, else 0. All lanes of the tile call.
template <warp_tile Tile, class View, class List>
ISO_DEVICE int warp_hull(const Tile& tile, const View& v, int first_lane, const List& list) {
  using sums = typename View::sums;
  constexpr int n = decltype(sums::s)::words, m = decltype(sums::w)::words;
  constexpr int rounds = 16;
  const int size = static_cast<int>(tile.num_threads());
  const int lane = first_lane + static_cast<int>(tile.thread_rank());
  const int begin = v.begin(lane), end = v.end(lane);

  std::uint32_t candidates = v.part(lane);
  if constexpr (View::weighted) {
    for (int i = begin; i < end; ++i) {
      if (!v.e.counts(i)) candidates &= ~(1u << (i - lane * View::lane_elements));
    }
  }
  // Between uses of the list its memory serves the lanes' own hulls.
  const auto ring = sums_ring<sums>::of(list.at + tile.thread_rank(), size, list.capacity / size);
  const auto hull_of = [&](std::uint32_t points) {
    return lane_hull<n, m>(v.e, lane * View::lane_elements, end, points, v.on, ring).starts;
  };
  const std::uint32_t first_bit = candidates & (0u - candidates);
  v.mask[lane] = filtered(tile, v, lane, candidates);
  if (const int points = convex_rounds(tile, v, lane, list, rounds)) return points;

  // Lanes are hulled and merged from their first point on, which the filters may have dropped.
  candidates = v.mask[lane] | first_bit;
  const std::uint32_t hull = hull_of(candidates);
  v.mask[lane] = hull;
  tile.sync();
  if (const int points = convex_rounds(tile, v, lane, list, rounds)) return points;
  v.mask[lane] = hull;
  v.total[lane] = v.lane_sum(lane);
  merge_lanes(tile, v, first_lane, 1, size);
  return 0;
}

}  // namespace iso
