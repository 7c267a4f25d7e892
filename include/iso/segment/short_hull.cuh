// Hulls of few vertices, merged in registers: one vertex a lane.
//
// Noise leaves the hull of a node, however many elements it spans, with a dozen vertices or two. Such a hull
// is kept as a list beside its bridge, and two of them are merged with a few votes: of the line from a
// candidate on one side, every lane of the other tells whether its edge is steeper, and the first or last
// that is marks the point of contact. The two sides take turns until neither moves; this is the walk of the
// paper (section 3.2) with all steps of a side in one.
//
// Invariant: the candidates lie between s and the bridge's ends, and the points they have passed lie above
// the line between them. Example: L = (0,0) (4,-4) (6,-4), R = (6,-4) (7,-6) (12,-5). From b = (7,-6) no edge
// of L before (4,-4) is steeper than -2/3: a = (4,-4). From a the edge to (12,-5) is steeper than the line to
// (7,-6): b stays.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/segment/bridge.cuh>
#include <iso/segment/hull_tree.cuh>
#include <iso/segment/records.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// The vertices of a node's hull, one a lane: `own` of the lanes before `count`. The first has the node's
// beginning as its element, the last its end.
template <class Sums>
struct short_hull {
  int count;  // 0: the hull has too many vertices to be kept so
  point<Sums> own;
};

template <warp_tile Tile, class Sums>
ISO_DEVICE point<Sums> vertex_of_lane(const Tile& tile, const point<Sums>& own, int lane) {
  return {tile.shfl(own.element, lane),
          shuffled(own.at, [&](std::uint64_t word) { return tile.shfl(word, lane); })};
}

// Whether a chunk has finite elements of positive weight; those beyond an infinity play no part.
template <class Reader>
ISO_DEVICE bool is_live(const Reader& reader, std::int64_t c) {
  const auto& state = reader.state;
  return state.chunk[c].live && state.chunk_end(c) > reader.facts.begin &&
         state.chunk_begin(c) < reader.facts.end;
}

// The hull of a node, of no vertices if it is not live. All lanes of the warp call.
template <class Reader>
ISO_DEVICE short_hull<typename Reader::sums> short_hull_of(const Reader& reader, const tree_node& node) {
  using sums = typename Reader::sums;
  const auto& state = reader.state;
  const int lane = static_cast<int>(reader.tile.thread_rank());
  short_hull<sums> hull{0, {0, sums::zero()}};
  if (node.leaf) {
    const std::int64_t c = node.at;
    hull.count = is_live(reader, c) ? state.chunk[c].points : 0;
    if (lane < hull.count)
      hull.own = reader.at(c, static_cast<int>(state.points[c].element[lane]), state.points[c].at[lane]);
  } else {
    const std::int64_t first = hull_tree{state.chunks}.first_chunk(node.at);
    hull.count = state.node[node.at].points;
    if (lane < hull.count) {
      hull.own = {state.chunk_begin(first) + state.points[first].element[lane], state.points[first].at[lane]};
    }
  }
  return hull;
}

// The positions in two short hulls that share a point of the ends of their bridge; if the chain is convex at
// that point, of the last edge of the left one, as the last but one of `l` and the first of `r`. All lanes of
// the warp call.
template <warp_tile Tile, class Sums>
ISO_DEVICE void short_bridge(const Tile& tile, const short_hull<Sums>& l, const short_hull<Sums>& r, int& a,
                             int& b) {
  const int lane = static_cast<int>(tile.thread_rank());
  const auto up = [&](std::uint64_t word) { return tile.shfl_up(word, 1u); };
  const auto down = [&](std::uint64_t word) { return tile.shfl(word, (lane + 1) % 32); };
  // Of the edges that end in a lane's vertex of l, and begin in its vertex of r.
  Sums left = l.own.at, right = shuffled(r.own.at, down);
  const Sums before = shuffled(l.own.at, up);
  left.s -= before.s;
  left.w -= before.w;
  right.s -= r.own.at.s;
  right.w -= r.own.at.w;
  a = l.count - 2;
  b = 0;
  const point<Sums> last = vertex_of_lane(tile, l.own, l.count - 1);
  if (!mean_not_less(between(vertex_of_lane(tile, l.own, a), last),
                     between(last, vertex_of_lane(tile, r.own, 1))))
    return;
  b = 1;
  for (bool again = true; again;) {
    again = false;
    const point<Sums> to = vertex_of_lane(tile, r.own, b);
    const bool steep = lane > 0 && lane <= a && mean_not_less(left, between(l.own, to));
    if (const unsigned lanes = tile.ballot(steep)) {
      a = lowest_bit(lanes) - 1;
      again = true;
    }
    const point<Sums> from = vertex_of_lane(tile, l.own, a);
    const bool flat = lane >= b && lane + 1 < r.count && mean_not_less(between(from, r.own), right);
    if (const unsigned lanes = tile.ballot(flat)) {
      b = highest_bit(lanes) + 1;
      again = true;
    }
  }
}

// Merges the short hulls of the children of boundary c into the node's record, and keeps its hull if it is
// short too. All lanes of the warp call and get the same.
template <class Reader>
ISO_DEVICE node_record<typename Reader::sums> merge_short(const Reader& reader, std::int64_t c,
                                                          const short_hull<typename Reader::sums>& l,
                                                          const short_hull<typename Reader::sums>& r) {
  using sums = typename Reader::sums;
  using vertex = point<sums>;
  using record = node_record<sums>;
  const auto& tile = reader.tile;
  const auto& state = reader.state;
  const int lane = static_cast<int>(tile.thread_rank());
  const std::int64_t first = hull_tree{state.chunks}.first_chunk(c);
  int a = 0, b = 0;
  short_bridge(tile, l, r, a, b);
  const vertex left = vertex_of_lane(tile, l.own, a), right = vertex_of_lane(tile, r.own, b);
  const vertex l_second = vertex_of_lane(tile, l.own, 1), r_last = vertex_of_lane(tile, r.own, r.count - 2);
  const int count = a + 1 + r.count - b;
  record node{record::joined,
              0,
              left,
              right,
              tile.shfl(l.own.element, 0),
              tile.shfl(r.own.element, r.count - 1),
              a == 0 ? right : l_second,
              b == r.count - 1 ? left : r_last};
  // Elements of a list are counted in 32 bits.
  const bool countable = node.end - state.chunk_begin(first) <= INT32_MAX;
  if (!countable || count > chunk_points<typename Reader::T, Reader::weighted>::capacity) return node;
  node.points = count;
  const vertex of_r = vertex_of_lane(tile, r.own, (lane - a - 1 + b) & 31);
  const vertex merged = lane <= a ? l.own : of_r;
  if (lane < count) {
    state.points[first].at[lane] = merged.at;
    state.points[first].element[lane] = static_cast<std::int32_t>(merged.element - state.chunk_begin(first));
  }
  return node;
}

}  // namespace iso
