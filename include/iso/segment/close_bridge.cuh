// The bridge of two hulls without weights that joins vertices within 32 elements of the boundary: the usual
// one of rising data whose chunks have too many vertices for lists.
//
// A lane takes an element on either side, and the sums between the boundary and it. Slopes are compared after
// the value before the boundary has been taken off all of them, which leaves few bits of neighbouring values:
// so sums fit one word and products of theirs too, exactly. Points that are no vertices keep their lanes and
// have no say. Nothing is read but the elements, two words of bits, and what of the children goes to the
// node's record.
//
// Invariant: lane l has on the left the vertex before element l of the last 32, if there is one, and on the
// right the vertex after element l of the first 32. Both sides' vertices are neighbours on their hulls, if no
// bridge above the chunks cuts these off. So the bridge of both touches the hulls, unless it touches the
// vertex that is farthest from the boundary on either side.
//
// Example: values ... 6 7 7 | 7 8 9 ..., vertices before 6 and the first 7, and after the third 7 and
// after 8. The edge of slope 7 before the boundary is as steep as that of slope 7 after it: so the vertex at
// the boundary goes. The edge of slope 6 is flatter, and 8 is steeper: the bridge joins the three 7.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/lane/lane_hull.cuh>
#include <iso/segment/hull_tree.cuh>
#include <iso/segment/records.cuh>
#include <iso/segment/short_hull.cuh>
#include <iso/segment/window.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// The bits that values may have on the row's grid: sums of 32 elements fit a word. And those that they may
// have less the value at the boundary: sums of 64, times as many, fit a word.
inline constexpr int close_value_bits = 57, close_difference_bits = 51;

// The vertices of one side that are within 32 elements of the boundary, one a lane: the number of elements
// from the boundary and the sum of their differences, and those of the edge that ends in the vertex, if the
// side has another one before it.
struct close_side {
  unsigned vertices;
  std::int64_t s, edge_s;
  int w, edge_w;
};

// Whether an edge is as steep as a line, or steeper.
ISO_HOST_DEVICE inline bool as_steep(std::int64_t s, int w, std::int64_t line_s, int line_w) {
  return s * line_w >= line_s * w;
}

// The positions in the lanes of the ends of a bridge.
struct close_ends {
  int a, b;
  bool certain;
};

// The value of a lane's element on the left or right of boundary c, on the row's grid; 0 if it is not finite.
template <class Reader>
ISO_DEVICE std::int64_t close_value(const Reader& reader, std::int64_t c, bool left) {
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const std::int64_t i = reader.state.chunk_begin(c) + (left ? lane - 32 : lane);
  if (i < reader.facts.begin || i >= reader.facts.end) return 0;
  return value_on_grid(reader.rows.value(reader.row, i), reader.facts.on.products.low);
}

// Of a boundary whose chunks are dense, given the vertices and differences. All lanes of the warp call.
template <class Tile>
ISO_DEVICE close_side close_side_of(const Tile& tile, bool left, unsigned vertices, std::int64_t difference) {
  const int lane = static_cast<int>(tile.thread_rank());
  close_side side{vertices, total_up_to(tile, difference), 0, left ? 32 - lane : lane + 1, 0};
  // On the left the sums from a lane on, and not those up to it.
  if (left) side.s = tile.shfl(side.s, 31) - side.s + difference;
  const unsigned lower = side.vertices & bits_between(0, lane);
  const int from = lower != 0 ? highest_bit(lower) : 0;
  const std::int64_t other_s = tile.shfl(side.s, from);
  side.edge_s = left ? other_s - side.s : lower != 0 ? side.s - other_s : side.s;
  side.edge_w = left || lower != 0 ? lane - from : lane + 1;
  return side;
}

// The bridge of two sides, which have two vertices each; uncertain where the chain is convex at the boundary.
// All lanes of the warp call and get the same.
//
// The sides take turns, as in short_hull.cuh.
template <class Tile>
ISO_DEVICE close_ends close_bridge(const Tile& tile, const close_side& l, const close_side& r) {
  const int lane = static_cast<int>(tile.thread_rank());
  const int farthest_left = lowest_bit(l.vertices), farthest_right = highest_bit(r.vertices);
  int a = highest_bit(l.vertices), b = lowest_bit(r.vertices);
  const std::int64_t last_s = tile.shfl(l.s, a), first_s = tile.shfl(r.s, b);
  if (!as_steep(last_s, 32 - a, first_s, b + 1)) return {a, b, false};
  const bool on_left = (l.vertices >> lane & 1u) != 0 && lane > farthest_left;
  const bool on_right = (r.vertices >> lane & 1u) != 0;
  for (bool moved = true; moved;) {
    const std::int64_t to_s = tile.shfl(r.s, b);
    const unsigned steep =
        tile.ballot(on_left && lane <= a && as_steep(l.edge_s, l.edge_w, l.s + to_s, l.w + b + 1));
    if (steep != 0) a = highest_bit(l.vertices & bits_between(0, lowest_bit(steep)));
    const std::int64_t from_s = tile.shfl(l.s, a);
    const unsigned flat =
        tile.ballot(on_right && lane > b && as_steep(r.s + from_s, r.w + 32 - a, r.edge_s, r.edge_w));
    if (flat != 0) b = highest_bit(flat);
    moved = flat != 0;
  }
  return {a, b, a > farthest_left && b < farthest_right};
}

// Of a child of boundary c that has no list: its end away from the boundary and the vertex next to that, for
// lane 0 of the left child and for lane 1 of the right one. All lanes of the warp call.
template <class Reader>
ISO_DEVICE other_point<typename Reader::sums> far_ends(const Reader& reader, std::int64_t c) {
  const auto& state = reader.state;
  const hull_tree tree{state.chunks};
  const bool right = reader.tile.thread_rank() == 1;
  const tree_node child = right ? tree.right(c) : tree.left(c);
  other_point<typename Reader::sums> ends{point<typename Reader::sums>::zero(), 0};
  if (reader.tile.thread_rank() > 1) return ends;
  if (!child.leaf) {
    const auto& node = state.node[child.at];
    return {reader.recorded(right ? node.last_but_one : node.second), right ? node.end : node.begin};
  }
  return far_end_of_chunk(reader, child.at, right);
}

// A point at a distance from another one. Without weights.
template <class Sums>
ISO_DEVICE point<Sums> point_at_distance(const point<Sums>& from, std::int64_t s, int elements) {
  point<Sums> p = from;
  p.element += elements;
  p.at.s += decltype(p.at.s)::from(s);
  return p;
}

// Merges the children of boundary c, which are done, if their bridge is close to it: writes the node; or
// returns false, and nothing is done. Of rows without weights; the chunks next to c are live and dense, and
// of the children's bridges the nearest is more than 32 elements away. All lanes of the warp call and get the
// same.
template <class Reader>
ISO_DEVICE bool merge_close(const Reader& reader, std::int64_t c) {
  using vertex = point<typename Reader::sums>;
  const unsigned l_bits = reader.state.bits[32 * c - 1], r_bits = reader.state.bits[32 * c] >> 1;
  const bool few_bits = reader.facts.on.products.bits() <= close_value_bits;
  if (!few_bits || count_bits(l_bits) < 2 || count_bits(r_bits) < 2) return false;
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const std::int64_t l_value = close_value(reader, c, true), r_value = close_value(reader, c, false);
  const std::int64_t base = reader.tile.shfl(l_value, 31), l_less = l_value - base, r_less = r_value - base;
  const auto many = [](std::int64_t x) { return ((x ^ (x >> 63)) >> close_difference_bits) != 0; };
  if (reader.tile.any(many(l_less) || many(r_less))) return false;
  const close_side l = close_side_of(reader.tile, true, l_bits, l_less);
  const close_side r = close_side_of(reader.tile, false, r_bits, r_less);
  const close_ends ends = close_bridge(reader.tile, l, r);
  if (!ends.certain) return false;
  const vertex shared{reader.state.chunk_begin(c), reader.start_of_chunk(c)};
  const auto others = far_ends(reader, c);
  auto& node = reader.state.node[c];
  if (lane == 0) {
    node.is = node.joined;
    node.points = 0;
    node.begin = others.end;
    node.second = others.own;
  }
  if (lane == 1) {
    node.end = others.end;
    node.last_but_one = others.own;
  }
  if (lane == ends.a) node.bridge_left = point_at_distance(shared, -l.s - l.w * base, -l.w);
  if (lane == ends.b) node.bridge_right = point_at_distance(shared, r.s + r.w * base, r.w);
  return true;
}

}  // namespace iso
