// Two neighbouring short hulls side by side in one warp, which are merged with half the work.
//
// Hulls of noise have a dozen vertices, and two of them fit the lanes of a warp: the left one's vertices in
// the first lanes, the right one's in those after. The search for the bridge is that of short_hull.cuh, but
// both sides take their turns at once: every lane looks at the other side's candidate.
//
// Example: L = (0,0) (4,-4) (6,-4), R = (6,-4) (7,-6) (12,-5), in the lanes 0 to 5. The candidates are at
// first (4,-4) and (7,-6), lanes 1 and 4. Of L the edge to (6,-4), of slope 0, is steeper than the line from
// there to (7,-6): the chain is not convex at (6,-4). That to (4,-4), of slope -1, is flatter than the line
// from there to (7,-6), of slope -2/3; and of R the edge to (12,-5), of slope 1/5, is steeper than the line
// from (4,-4) to (12,-5), of slope -1/8. So the candidates are the bridge.
#pragma once

#include <cmath>
#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/segment/hull_tree.cuh>
#include <iso/segment/records.cuh>
#include <iso/segment/short_hull.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// Lane i has vertex i of the left hull, lane l_count + i vertex i of the right one. If they do not fit,
// vertices say nothing.
template <class Sums>
struct packed_hulls {
  int l_count, r_count;  // 0: not short
  point<Sums> own;

  ISO_HOST_DEVICE bool both() const { return l_count > 0 && r_count > 0; }
  ISO_HOST_DEVICE bool fit() const { return l_count + r_count <= 32; }
};

// The hulls of the chunks c - 1 and c. All lanes of the warp call.
template <class Reader>
ISO_DEVICE packed_hulls<typename Reader::sums> packed_chunks(const Reader& reader, std::int32_t c) {
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const int l_count = short_count(reader, tree_node{true, c - 1});
  const int r_count = short_count(reader, tree_node{true, c});
  const bool of_left = lane < l_count;
  const int count = l_count > 0 && r_count > 0 ? of_left ? l_count : r_count : 0;
  return {l_count, r_count,
          short_vertex(reader, tree_node{true, of_left ? c - 1 : c}, of_left ? lane : lane - l_count, count)};
}

// The beginning and the end of a clear block, as hulls of a vertex each. All lanes of the warp call.
template <class Reader>
ISO_DEVICE packed_hulls<typename Reader::sums> chord_of_block(const Reader& reader,
                                                              const clear_block& block) {
  const std::int64_t c = block.first + (reader.tile.thread_rank() == 0 ? 0 : block.size);
  auto own = reader.at_start(c, c * chunk_elements);
  if constexpr (!Reader::weighted) own.at.w = decltype(own.at.w)::zero();
  return {1, 1, own};
}

// The hull of `count` vertices in the first lanes, and that of a neighbouring node, of which `others` are
// listed. All lanes of the warp call.
template <class Reader>
ISO_DEVICE packed_hulls<typename Reader::sums> packed_with(const Reader& reader,
                                                           const point<typename Reader::sums>& own, int count,
                                                           const tree_node& other, int others,
                                                           bool other_is_left) {
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const auto found = short_vertex(reader, other, other_is_left ? lane : lane - count, others);
  if (!other_is_left) return {count, others, lane < count ? own : found};
  const auto moved_up = vertex_of_lane<Reader::weighted>(reader.tile, own, (lane - others) & 31);
  return {others, count, lane < others ? found : moved_up};
}

// As likely_bridge, of hulls that fit. All lanes of the warp call and get the same.
//
// Distances go to the first vertex of the right hull, and are negative in that hull: so the line between two
// vertices is the difference of theirs. And edges of that hull are negated: so a vertex is passed on either
// side if its edge turns upwards from the line.
template <bool Weighted, warp_tile Tile, class Sums>
ISO_DEVICE bridge_positions packed_bridge(const Tile& tile, const packed_hulls<Sums>& of) {
  const int lane = static_cast<int>(tile.thread_rank()), first_right = of.l_count;
  const bool of_left = lane < first_right;
  const point<Sums> s = vertex_of_lane<Weighted>(tile, of.own, first_right);
  const vertex_in_doubles v = in_doubles<Weighted>(tile, of.own, of.own, s);
  const double edge_s = of_left ? v.edge_s : -v.edge_s;
  const unsigned left_lanes = (1u << first_right) - 1, all_lanes = ~0u >> (32 - first_right - of.r_count);
  int a = first_right - 2, b = first_right + 1;
  unsigned unsure = 0, left_active = left_lanes & ~1u;
  for (;;) {
    const int other = of_left ? b : a;
    const double other_s = tile.shfl(v.s, other), other_w = tile.shfl(v.w, other);
    const numeric::turn at = numeric::turn_of(edge_s, v.edge_w, v.s - other_s,
                                              std::fabs(v.s) + std::fabs(other_s), std::fabs(v.w - other_w));
    const unsigned right_active = all_lanes & (~1u << b);
    const unsigned passed = tile.ballot(at.by >= 0), doubts = ~tile.ballot(at.certain);
    const unsigned steep = passed & left_active, flat = passed & right_active;
    // At first, the last edge of the left hull is among them: flatter, if the chain is convex there.
    if (((steep ^ left_active) >> (first_right - 1) & 1u) != 0) return {a, 0, (doubts & left_active) == 0};
    unsure |= doubts & (left_active | right_active);
    if (steep == 0 && flat == 0) return {a, b - first_right, unsure == 0};
    a = steep != 0 ? lowest_bit(steep) - 1 : a;
    b = flat != 0 ? highest_bit(flat) : b;
    left_active = ((2u << a) - 1) & ~1u;
  }
}

}  // namespace iso
