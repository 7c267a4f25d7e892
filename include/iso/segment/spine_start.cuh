// Where the search for a bridge starts: in the subtrees beside the spines that it is likely to touch.
//
// The hull of a node is, from its end back: the last vertices of its last chunk or listed node, then of every
// node on its right spine the bridge, if none above cuts it off, and what is left of the node's left child.
// So the bridges are edges of the hull, and part it into as many stretches as there are of them, and one. The
// left spine of the node on the other side does the same. All levels are read at once, one a lane, and the
// two chains of the stretches' ends have a bridge in doubles: it touches the stretches where the search goes
// on, each within one subtree, and most often the two next to the boundary.
//
// Invariant: the bridge of two stretches is that of the hulls if the edges beside the stretches are not below
// its line; only one that it ends at can be. If one is, the guess was wrong, and the search starts anew, from
// the nodes.
//
// Example: boundary 8, and on its left the nodes 4, 6 and 7. Bridge 4 ends at the element 6300, bridge 6 at
// 6200, which is cut off, and bridge 7 is from 7000 to 7300. Stretches are: of node 2 up to where bridge 4
// starts, of chunk 6 from 6300 to 7000, and of chunk 7 from 7300 on.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/segment/bridge.cuh>
#include <iso/segment/chain.cuh>
#include <iso/segment/dense_leaf.cuh>
#include <iso/segment/hull_tree.cuh>
#include <iso/segment/records.cuh>
#include <iso/segment/word_bridge.cuh>

namespace iso {

// The stretches of one side of boundary c, one a lane, in the order of the row: that next to the boundary is
// lane 31 on the left and lane 0 on the right, and that beside the spine's node 2^j chunks away is j + 1
// lanes further.
struct spine_side {
  std::int64_t c;
  bool left, usable;
  int listed;      // the level of the node whose list is next to the boundary; -1 if that is a chunk
  unsigned edges;  // the lanes whose bridges are edges of the hull, and one where there is none: beyond all
  int beyond_all;

  ISO_HOST_DEVICE int level(int lane) const { return left ? 30 - lane : lane - 1; }
  ISO_HOST_DEVICE int lane(int level) const { return left ? 30 - level : level + 1; }
  ISO_HOST_DEVICE std::int64_t node(int level) const {
    const std::int64_t away = std::int64_t{1} << level;
    return left ? c - away : c + away;
  }
  // The lane whose edge is next to a lane's stretch, on the side away from the boundary.
  ISO_HOST_DEVICE int beyond(int lane) const {
    return left ? highest_bit(edges & bits_between(0, lane)) : lowest_bit(edges & ~bits_between(0, lane + 1));
  }
};

// The least of a lane's and of those further from the boundary.
template <class Tile>
ISO_DEVICE std::uint64_t least_beyond(const Tile& tile, std::uint64_t own, bool left) {
  const int lane = static_cast<int>(tile.thread_rank());
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int away = 1; away < 32; away *= 2) {
    const int from = left ? lane - away : lane + away;
    const std::uint64_t other = tile.shfl(own, from & 31);
    if (from >= 0 && from < 32 && other < own) own = other;
  }
  return own;
}

// A side of boundary c, whose hull without s is the given chain, and the ends of a lane's stretch. All lanes
// of the warp call.
template <class Reader>
[[gnu::noinline]] ISO_DEVICE group_ends ends_at_spine(const Reader& reader,
                                                      const chain<typename Reader::kept>& of,
                                                      const point<typename Reader::sums>& s,
                                                      spine_side& side) {
  const auto& tile = reader.tile;
  const bool left = side.left;
  const int lane = static_cast<int>(tile.thread_rank()), level = side.level(lane);
  const std::int64_t at = side.node(level & 31);
  const bool exists = level >= 0 && !of.single() &&
                      std::int64_t{1} << (level & 31) < hull_tree::width(side.c) && at < reader.state.chunks;
  // The ends of the lane's edge; next to the boundary that of the hull, and beyond all nodes its other one.
  auto outer = left ? of.high : of.low, inner = left ? of.low : of.high;
  bool joined = true, points = false;
  if (exists) {
    const auto& node = reader.state.node[at];
    outer = reader.recorded(left ? node.bridge_left : node.bridge_right);
    inner = reader.recorded(left ? node.bridge_right : node.bridge_left);
    joined = node.is == node.joined;
    points = node.points > 0;
  }
  const unsigned lists = tile.ballot(points);
  side.listed = lists == 0 ? -1 : side.level(left ? lowest_bit(lists) : highest_bit(lists));
  const bool edge = exists && level > side.listed;
  const std::int64_t element = level < 0 ? outer.element : inner.element;
  const auto away = static_cast<std::uint64_t>(left ? s.element - element : element - s.element);
  const std::uint64_t least = least_beyond(tile, edge ? away : ~std::uint64_t{0}, left);
  const std::uint64_t cut = tile.shfl(least, (left ? lane - 1 : lane + 1) & 31);
  const bool some = level < 0 ? away <= cut : edge && away < cut;
  side.beyond_all = side.lane(count_bits(tile.ballot(exists)));
  side.edges = tile.ballot(some && level >= 0) | 1u << side.beyond_all;
  side.usable = !tile.any(edge && !joined) && tile.any(some);

  const distance to_outer = in_doubles(between(s, outer)), to_inner = in_doubles(between(s, inner));
  const int from = side.beyond(lane) & 31;
  const distance to_far{tile.shfl(to_inner.s, from), tile.shfl(to_inner.w, from)};
  return {some, left ? to_far : to_outer, left ? to_outer : to_far};
}

// The nodes whose bridges are the edges before and after a stretch; 0: the hull has none there.
struct stretch_edges {
  std::int64_t before, after;
};

// Cuts a side's chain down to a lane's stretch. All lanes of the warp call.
template <class Reader>
[[gnu::noinline]] ISO_DEVICE stretch_edges cut_to_stretch(const Reader& reader, const spine_side& side,
                                                          int lane, chain<typename Reader::kept>& of) {
  const hull_tree tree{reader.state.chunks};
  const bool left = side.left;
  const int level = side.level(lane), beyond = side.beyond(lane);
  auto &near_end = left ? of.high : of.low, &far_end = left ? of.low : of.high;
  stretch_edges edges{0, 0};
  auto &inwards = left ? edges.after : edges.before, &outwards = left ? edges.before : edges.after;
  if (level >= 0) {
    inwards = side.node(level);
    const auto& node = reader.state.node[inwards];
    of.from = left ? tree.left(inwards) : tree.right(inwards);
    near_end = reader.recorded(left ? node.bridge_left : node.bridge_right);
  } else if (!of.single()) {
    of.from = side.listed < 0 ? tree_node{true, left ? side.c - 1 : side.c}
                              : tree_node{false, side.node(side.listed)};
  }
  if (beyond != side.beyond_all) {
    outwards = side.node(side.level(beyond));
    const auto& node = reader.state.node[outwards];
    far_end = reader.recorded(left ? node.bridge_right : node.bridge_left);
  }
  return edges;
}

// What is beside the stretches of two sides.
struct beside_stretches {
  stretch_edges left, right;
};

// Cuts the chains on both sides of s, the start of chunk c, down to stretches that their bridge is likely to
// touch; or leaves them. All lanes of the warp call and get the same.
template <class Reader>
[[gnu::noinline]] ISO_DEVICE beside_stretches start_at_spines(const Reader& reader, std::int64_t c,
                                                              chain<typename Reader::kept>& a,
                                                              const point<typename Reader::sums>& s,
                                                              chain<typename Reader::kept>& b) {
  spine_side l{c, true, false, -1, 0, 0}, r{c, false, false, -1, 0, 0};
  const group_ends left = ends_at_spine(reader, a, s, l), right = ends_at_spine(reader, b, s, r);
  if (!l.usable || !r.usable) return {};
  const word_pair at = likely_words(reader.tile, left, right);
  return {cut_to_stretch(reader, l, at.left, a), cut_to_stretch(reader, r, at.right, b)};
}

// Whether the bridge of two stretches, from a to b, is that of the hulls. All lanes of the warp call and get
// the same.
template <class Reader>
[[gnu::noinline]] ISO_DEVICE bool touches_hulls(const Reader& reader, const beside_stretches& beside,
                                                const typename Reader::kept& a,
                                                const typename Reader::kept& b) {
  const auto bridge = between(a, b);
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int k = 0; k < 4; ++k) {
    const bool left = k < 2, after = k % 2 != 0;
    const stretch_edges& edges = left ? beside.left : beside.right;
    const std::int64_t at = after ? edges.after : edges.before, end = left ? a.element : b.element;
    if (at == 0) continue;
    const auto& node = reader.state.node[at];
    if ((after ? node.bridge_left : node.bridge_right).element != end) continue;
    if (wrong_side(between(node.bridge_left, node.bridge_right), bridge, left, after)) return false;
  }
  return true;
}

}  // namespace iso
