// The hull of the elements of one warp, or of some lanes of it: filters first, the exact merges for what is
// left.
//
// Every step takes a superset of the hull's vertices, as masks, and leaves a smaller one. On noise the line
// filter and some rounds of local convexity do it all; on increasing data, where every point is a vertex, the
// filter and the lane hulls pass all and the merges find nothing to do.
#pragma once

#include <cstdint>

#include <iso/block/merge_lanes.cuh>
#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/warp/convex_rounds.cuh>
#include <iso/warp/line_filter.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// Sets the masks and totals of the lanes [first_lane, first_lane + size of the tile). All lanes of the tile
// call.
template <warp_tile Tile, class View, class List>
ISO_DEVICE void warp_hull(const Tile& tile, const View& v, int first_lane, const List& list) {
  using sums = typename View::sums;
  constexpr int n = decltype(sums::s)::words, m = decltype(sums::w)::words;
  constexpr int rounds = 16;
  const int size = static_cast<int>(tile.num_threads());
  const int lane = first_lane + static_cast<int>(tile.thread_rank());
  const int begin = v.begin(lane), end = v.end(lane);

  std::uint32_t candidates = 0;
  for (int i = begin; i < end; ++i) {
    if (v.e.counts(i)) candidates |= 1u << (i - lane * View::lane_elements);
  }
  const std::uint32_t first_bit = candidates & (0u - candidates);
  const sums own = begin < end ? v.e.template sum<n, m>(begin, end, v.on) : sums::zero();
  v.total[lane] = own;
  const sums before = sums_before(tile, own);
  if constexpr (!View::weighted && n == 1) {
    sums all = before;
    all += own;
    all = shuffled(all, [&](std::uint64_t word) { return tile.shfl(word, size - 1); });
    candidates = line_filter(tile, v, lane, candidates, before, all);
  }
  v.mask[lane] = candidates;
  tile.sync();
  if (size > 1 && convex_rounds(tile, v, lane, before, list, rounds)) return;

  // Lanes are hulled and merged from their first point on, which the filters may have dropped.
  candidates = v.mask[lane] | first_bit;
  const std::uint32_t hull = lane_hull<n, m>(v.e, lane * View::lane_elements, end, candidates, v.on);
  v.mask[lane] = hull;
  tile.sync();
  if (size > 1 && !convex_rounds(tile, v, lane, before, list, rounds)) {
    v.mask[lane] = hull;
    merge_lanes(tile, v, first_lane, 1, size);
  }
}

}  // namespace iso
