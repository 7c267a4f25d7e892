// The bridge of two long hulls from the vertices nearest to it, merged in registers like two short hulls.
//
// Hulls of data with a trend have more vertices than a warp has lanes, but a bridge spans few of them. The
// hull of a node ends, on the side of its parent's boundary, with vertices of a node further down that may be
// short: its list, of which the bridges in between have cut off the part away from the boundary. A lane takes
// each of those that are left, and one more the vertex beyond them, which is the far end of the bridge that
// cuts: that is the window. A hull is convex, so a line that touches a window at a vertex whose neighbours
// the window has too touches the hull there.
//
// The nodes that may be looked at follow from numbers alone, those at a distance of 1, 2, 4, ... chunks from
// the boundary: the *spines*. So a merge waits twice for memory, once for what the spines say, one node a
// lane, and once for the vertices; a search down the trees waits at every level.
//
// Invariant: nodes of a spine are listed from the chunk up to some node and no further, and of all bridges
// above that node the one that reaches nearest to the boundary cuts the list, at a vertex of the list. If
// several do, the topmost is an edge of the hull: a node's own bridge is one, whatever the nodes below have.
//
// Example: boundary 8, and on its left the nodes 4, 6, 7 and chunk 7. Nodes 6 and 7 are listed, node 4 is
// not; its bridge is from element 900 to 6300. Node 6 has the vertices 4096, 6100, 6300, 7000, 8192, and the
// window is 900, 6300, 7000, 8192. A bridge of boundary 8 that starts at 6300 or 7000 is found; where that of
// the windows starts at 900, the hulls' may start at 900 or before, and a search has to tell.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/segment/hull_tree.cuh>
#include <iso/segment/records.cuh>
#include <iso/segment/short_hull.cuh>

namespace iso {

// What lanes know of one spine of boundary c: lane j of the node 2^j chunks away, if the spine has it.
struct spine_node {
  bool exists, joined;
  int points;
  std::int64_t distance;  // from the boundary, in elements: of the end of the node's bridge that faces it
};

// Both spines of a boundary.
struct spine_pair {
  spine_node left, right;
};

// A spine, as far as its window asks. All lanes have the same.
struct spine_facts {
  tree_node listed;  // the topmost listed node, and its vertices
  int count;         // 0: there is none, or nodes above it are not of the usual kind
  bool whole;        // it is the child of the boundary
  // If it is not: the child; how far from the boundary the list is cut, in elements, and by whose bridge.
  std::int64_t child, distance, cut_by;
};

// The vertices of a hull that are nearest to a boundary, one a lane, in the order of the row.
template <class Sums>
struct hull_window {
  short_hull<Sums> hull;
  bool whole;  // they are all there are
};

template <class Reader>
ISO_DEVICE spine_node spine_node_of_lane(const Reader& reader, std::int64_t c, bool left) {
  const auto& state = reader.state;
  const std::int64_t away = std::int64_t{1} << reader.tile.thread_rank(), at = left ? c - away : c + away;
  spine_node own{away < hull_tree::width(c) && at < state.chunks, false, 0, 0};
  if (own.exists) {
    const auto& node = state.node[at];
    const std::int64_t boundary = state.chunk_begin(c);
    own.joined = node.is == node.joined;
    own.points = node.points;
    own.distance = left ? boundary - node.bridge_right.element : node.bridge_left.element - boundary;
  }
  return own;
}

// All lanes of the warp call.
template <class Reader>
ISO_DEVICE spine_pair spines_of(const Reader& reader, std::int64_t c) {
  return {spine_node_of_lane(reader, c, true), spine_node_of_lane(reader, c, false)};
}

// Of a spine that begins with a chunk of which `leaf_points` vertices are listed. All lanes of the
// warp call.
template <class Tile>
ISO_DEVICE spine_facts facts_of_spine(const Tile& tile, const spine_node& own, std::int64_t c, bool left,
                                      int leaf_points) {
  const int lane = static_cast<int>(tile.thread_rank());
  const int nodes = count_bits(tile.ballot(own.exists));
  const int listed = numeric::bit_length(tile.ballot(own.points > 0));  // nodes
  const bool above = lane >= listed && lane < nodes;
  const bool unusual = tile.any(above && !own.joined) != 0;
  // The nearest, and of those equally near the topmost.
  std::uint64_t nearest = ~std::uint64_t{0};
  if (above) nearest = static_cast<std::uint64_t>(own.distance) * 32 + static_cast<std::uint64_t>(31 - lane);
  for (unsigned mask = 16; mask > 0; mask /= 2) {
    const std::uint64_t other = tile.shfl_xor(nearest, mask);
    nearest = other < nearest ? other : nearest;
  }
  const std::int64_t cut_away = std::int64_t{1} << (31 - nearest % 32);
  const std::int64_t away = listed > 0 ? std::int64_t{1} << (listed - 1) : left ? 1 : 0;
  const std::int64_t child_away = std::int64_t{1} << (nodes > 0 ? nodes - 1 : 0);
  const int points = tile.shfl(own.points, listed > 0 ? listed - 1 : 0);
  return {{listed == 0, left ? c - away : c + away},
          unusual       ? 0
          : listed == 0 ? leaf_points
                        : points,
          listed == nodes,
          left ? c - child_away : c + child_away,
          static_cast<std::int64_t>(nearest / 32),
          left ? c - cut_away : c + cut_away};
}

// A vertex of a spine's listed node, one a lane, as the list has it.
template <class Reader>
ISO_DEVICE typename Reader::listed_point listed_point_of_lane(const Reader& reader,
                                                              const spine_facts& spine) {
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const tree_node& node = spine.listed;
  const auto& list = reader.state.points[node.leaf ? node.at : hull_tree::first_chunk(node.at)];
  const int i = (node.leaf ? 0 : list.of_node(spine.count)) + lane;
  if (lane < spine.count) return {list.element[i], list.at[i]};
  return {0, recorded_sums<typename Reader::T, Reader::weighted>::zero()};
}

// The few other points that a merge asks for, one a lane: to read them all at once takes the registers of
// one. Even lanes are of the left side, odd ones of the right. If a side's list is not its whole hull, lanes
// 0 and 1 have the vertex beyond the cut, and lanes 2 and 3 the vertex next to the hull's far end, which is
// before the element `end`. If the list is a chunk's, lanes 4 and 5 have the sums before its group of chunks,
// and lanes 6 and 7 those from there to the chunk. All else is 0.
template <class Sums>
struct other_point {
  point<Sums> own;
  std::int64_t end;
};

// Of a chunk that is a child: its hull's end away from the boundary, and the vertex next to that.
template <class Reader>
ISO_DEVICE other_point<typename Reader::sums> far_end_of_chunk(const Reader& reader, std::int64_t c,
                                                               bool right) {
  const auto& chunk = reader.state.chunk[c];
  return {reader.at(c, right ? chunk.last_but_one : chunk.second,
                    right ? chunk.at_last_but_one : chunk.at_second),
          reader.state.chunk_begin(c) + (right ? chunk.high : chunk.start)};
}

template <class Reader>
ISO_DEVICE other_point<typename Reader::sums> other_point_of_lane(const Reader& reader, const spine_facts& l,
                                                                  const spine_facts& r) {
  using sums = typename Reader::sums;
  const auto& state = reader.state;
  const int lane = static_cast<int>(reader.tile.thread_rank()), what = lane / 2;
  const bool right = lane % 2 != 0, leaf = right ? r.listed.leaf : l.listed.leaf;
  const bool vertex = what < 2 && !(right ? r.whole : l.whole), start = (what == 2 || what == 3) && leaf;
  const std::int64_t cut_by = right ? r.cut_by : l.cut_by, child = right ? r.child : l.child;
  const std::int64_t chunk = right ? r.listed.at : l.listed.at;
  const auto& node = state.node[what == 0 ? cut_by : child];
  const auto* from = right ? &node.last_but_one : &node.second;
  if (what == 0) from = right ? &node.bridge_right : &node.bridge_left;
  const auto* at = &from->at;
  if (what == 2) at = &state.group_start[static_cast<std::uint64_t>(chunk) / group_chunks];
  if (what == 3) at = &state.start[chunk];
  other_point<sums> other{point<sums>::zero(), 0};
  const std::int64_t* end = right ? &node.end : &node.begin;
  if (vertex && what == 1) other.end = *end;
  if (vertex) other.own.element = from->element;
  if (vertex || start) other.own.at = kept_sums<sums, Reader::weighted>::whole(*at, 0);
  return other;
}

// Where the sums of a side's list count from. All lanes of the warp call.
template <bool Weighted, class Tile, class Sums>
ISO_DEVICE Sums sums_before_list(const Tile& tile, const other_point<Sums>& other, int side) {
  Sums before = vertex_of_lane<Weighted>(tile, other.own, 4 + side).at;
  before += vertex_of_lane<Weighted>(tile, other.own, 6 + side).at;
  return before;
}

// The window at the end of the hull on the left of an element. All lanes of the warp call.
//
// If no lane is free the vertex beyond is left out: then the window may be cut anywhere, and is.
template <bool Weighted, class Tile, class Sums>
ISO_DEVICE hull_window<Sums> window_on_left(const Tile& tile, const spine_facts& spine,
                                            const point<Sums>& own, const other_point<Sums>& other,
                                            std::int64_t boundary) {
  const int lane = static_cast<int>(tile.thread_rank());
  const bool stays = lane < spine.count && boundary - own.element <= spine.distance;
  const int cut = spine.count - count_bits(tile.ballot(stays));
  const int beyond = !spine.whole && spine.count - cut < 32 ? 1 : 0;
  hull_window<Sums> window{
      {spine.count - cut + beyond, vertex_of_lane<Weighted>(tile, own, (lane + cut - beyond) & 31)},
      spine.whole};
  if (beyond > lane) window.hull.own = other.own;
  return window;
}

// That at the beginning of the hull on the right.
template <bool Weighted, class Tile, class Sums>
ISO_DEVICE hull_window<Sums> window_on_right(const Tile& tile, const spine_facts& spine,
                                             const point<Sums>& own, const other_point<Sums>& other,
                                             std::int64_t boundary) {
  const int lane = static_cast<int>(tile.thread_rank());
  const bool stays = lane < spine.count && own.element - boundary <= spine.distance;
  const int left = count_bits(tile.ballot(stays)), beyond = !spine.whole && left < 32 ? 1 : 0;
  const point<Sums> beyond_cut = vertex_of_lane<Weighted>(tile, other.own, 1);
  return {{left + beyond, beyond != 0 && lane == left ? beyond_cut : own}, spine.whole};
}

// The bridge between two windows, if it is that of the hulls. All lanes of the warp call and get the same.
//
// A bridge that starts or ends with the vertex farthest from the boundary may have to go further, unless the
// hull has no further one. Where the chain is convex at the boundary (b = 0), the bridge is the last edge.
//
// `first` is where the row's finite elements begin. If doubles cannot tell, integers do, and the vertices get
// their weights.
template <bool Weighted, warp_tile Tile, class Sums>
ISO_DEVICE bridge_positions window_bridge(const Tile& tile, hull_window<Sums>& l, hull_window<Sums>& r,
                                          std::int64_t first) {
  bridge_positions bridge = likely_bridge<Weighted>(tile, l.hull, r.hull);
  if (!bridge.certain) {
    l.hull.own = with_weight<Weighted>(l.hull.own, first);
    r.hull.own = with_weight<Weighted>(r.hull.own, first);
    bridge = exact_bridge_apart(tile, l.hull, r.hull, shared_ends{});
  }
  const bool starts = l.whole || bridge.a > 0, ends = r.whole || bridge.b < r.hull.count - 1;
  bridge.certain = bridge.b == 0 || (starts && ends);
  return bridge;
}

// Writes the record of boundary c, of whose children not both have short hulls, given their windows and the
// bridge's positions in them. All lanes of the warp call.
template <class Reader, class Window>
ISO_DEVICE void write_long(const Reader& reader, std::int64_t c, const Window& l, const Window& r,
                           const bridge_positions& bridge, const other_point<typename Reader::sums>& other) {
  const int lane = static_cast<int>(reader.tile.thread_rank()), a = bridge.a, b = bridge.b;
  const recorded_point<typename Reader::T, Reader::weighted> left = l.hull.own, right = r.hull.own,
                                                             neighbour = other.own;
  auto& node = reader.state.node[c];
  if (lane == 0) {
    node.is = node.joined;
    node.points = 0;
  }
  if (lane == a) node.bridge_left = left;
  if (lane == b) node.bridge_right = right;
  if (l.whole) {
    write_beginning(node, lane, left, right, bridge);
  } else {
    // The vertex beyond the cut may be the hull's first.
    const bool first = reader.tile.shfl(left.element, a) == reader.tile.shfl(other.end, 2);
    if (lane == 2) node.begin = other.end;
    if (lane == (first ? b : 2)) node.second = first ? right : neighbour;
  }
  if (r.whole) {
    write_end(node, lane, left, right, bridge, r.hull.count);
  } else {
    const bool last = reader.tile.shfl(right.element, b) == reader.tile.shfl(other.end, 3);
    if (lane == 3) node.end = other.end;
    if (lane == (last ? a : 3)) node.last_but_one = last ? left : neighbour;
  }
}

// Merges the children of boundary c, which are done, by their windows: writes the node, and returns how many
// vertices are listed, 0 if they are too many; or returns -1, and nothing is done, if there are no windows or
// the bridge goes beyond them. All lanes of the warp call and get the same.
template <class Reader>
ISO_DEVICE int merge_windows(const Reader& reader, std::int64_t c, const spine_pair& spines) {
  constexpr bool weighted = Reader::weighted;
  const auto& tile = reader.tile;
  const int l_points = short_count(reader, tree_node{true, c - 1});
  const int r_points = short_count(reader, tree_node{true, c});
  if (l_points == 0 || r_points == 0) return -1;  // nor are there lists above
  const spine_facts l_spine = facts_of_spine(tile, spines.left, c, true, l_points);
  const spine_facts r_spine = facts_of_spine(tile, spines.right, c, false, r_points);
  if (l_spine.count == 0 || r_spine.count == 0) return -1;

  const auto l_listed = listed_point_of_lane(reader, l_spine);
  const auto r_listed = listed_point_of_lane(reader, r_spine);
  const auto other = other_point_of_lane(reader, l_spine, r_spine);
  const auto l_frame = reader.frame_of(l_spine.listed), r_frame = reader.frame_of(r_spine.listed);
  const std::int64_t boundary = reader.state.chunk_begin(c);
  const auto l_before = sums_before_list<weighted>(tile, other, 0);
  const auto r_before = sums_before_list<weighted>(tile, other, 1);
  auto l =
      window_on_left<weighted>(tile, l_spine, reader.in_row(l_frame, l_before, l_listed), other, boundary);
  auto r =
      window_on_right<weighted>(tile, r_spine, reader.in_row(r_frame, r_before, r_listed), other, boundary);
  const bridge_positions bridge = window_bridge<weighted>(tile, l, r, reader.facts.begin);
  if (!bridge.certain) return -1;
  if (l.whole && r.whole) return merge_short(reader, c, l.hull, r.hull, bridge).count;
  write_long(reader, c, l, r, bridge, other);
  return 0;
}

}  // namespace iso
