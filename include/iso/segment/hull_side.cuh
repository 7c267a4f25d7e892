// What a merge sees of the hulls on both sides of a boundary, if one of them ends or begins there with a
// chunk that has no list, a *dense* one.
//
// No node above a dense chunk is listed, since only nodes of listed children are. So the dense chunk has its
// hull's vertices that are nearest to the boundary, as far as the bridges above do not cut them off; the one
// that reaches nearest cuts, and of several the topmost, as of lists: see window.cuh. The lowest of these
// bridges has an end in the chunk, so the cut is in it. The other side may be dense too, or has a window.
//
// Example: boundary 8, and on its left nodes 4, 6 and 7 and chunk 7, which is dense. Bridges end at the
// elements 7200 of node 7, 7500 of node 6 and 7300 of node 4: of chunk 7, which is from 7168 to 8192, the
// vertices from 7500 on are left, and beyond is the left end of the bridge of node 6.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/segment/dense_leaf.cuh>
#include <iso/segment/records.cuh>
#include <iso/segment/short_hull.cuh>
#include <iso/segment/window.cuh>

namespace iso {

// A hull at one side of a boundary: of a dense chunk, or else a window.
template <class Sums>
struct hull_side {
  bool left, dense;
  bool whole;  // the hull is no more than the chunk's, or the list's
  hull_window<Sums> window;
  // Of a dense chunk: the word whose vertices the window has, and whether one of them is left out.
  dense_leaf<Sums> leaf;
  int word;
  bool out;

  // Whether the window has the vertex at the boundary.
  ISO_HOST_DEVICE bool has_shared() const { return !dense || word == leaf.nearest(); }
};

// One side of boundary c, from its spine. All lanes of the warp call.
template <class Reader>
ISO_DEVICE hull_side<typename Reader::sums> side_of(const Reader& reader, const spine_facts& spine,
                                                    const other_point<typename Reader::sums>& other,
                                                    const point<typename Reader::sums>& shared, bool left) {
  using sums = typename Reader::sums;
  constexpr bool weighted = Reader::weighted;
  const auto none = point<sums>::zero();
  hull_side<sums> side{left, spine.dense, spine.whole, {{0, none}, false}, {0, left, 0, 0, false, none},
                       0,    false};
  if (spine.dense) {
    side.leaf = dense_leaf_of(reader, spine.listed.at, left, spine.distance, shared.at);
    if (side.leaf.words != 0) side.word = side.leaf.nearest();
    return side;
  }
  const auto own = reader.in_row(reader.frame_of(spine.listed),
                                 sums_before_list<weighted>(reader.tile, other, left ? 0 : 1),
                                 listed_point_of_lane(reader, spine));
  side.window = left ? window_on_left<weighted>(reader.tile, spine, own, other, shared.element)
                     : window_on_right<weighted>(reader.tile, spine, own, other, shared.element);
  return side;
}

// The two sides of a boundary, and what else a merge reads.
template <class Sums>
struct both_sides {
  bool usable;  // neither is without vertices, and one is dense
  other_point<Sums> other;
  point<Sums> shared;
  hull_side<Sums> l, r;
};

// Of boundary c. All lanes of the warp call.
template <class Reader>
ISO_DEVICE both_sides<typename Reader::sums> sides_at(const Reader& reader, std::int64_t c) {
  const auto spine = [&](bool left) {
    const tree_node leaf{true, left ? c - 1 : c};
    const int points = short_count(reader, leaf);
    const bool dense = points == 0 && is_live(reader, leaf.at);
    const spine_node own = spine_node_of_lane(reader, c, left);
    spine_facts facts = facts_of_spine(reader.tile, own, c, left, dense ? 1 : points);
    facts.dense = dense;
    return facts;
  };
  const spine_facts left = spine(true), right = spine(false);
  both_sides<typename Reader::sums> sides;
  sides.usable = left.count != 0 && right.count != 0 && (left.dense || right.dense);
  if (!sides.usable) return sides;
  sides.other = other_point_of_lane(reader, left, right);
  sides.shared = {reader.state.chunk_begin(c), reader.start_of_chunk(c)};
  sides.l = side_of(reader, left, sides.other, sides.shared, true);
  sides.r = side_of(reader, right, sides.other, sides.shared, false);
  if (sides.l.dense && sides.l.leaf.words == 0) sides.usable = false;
  if (sides.r.dense && sides.r.leaf.words == 0) sides.usable = false;
  return sides;
}

}  // namespace iso
