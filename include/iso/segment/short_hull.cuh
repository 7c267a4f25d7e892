// Hulls of few vertices, merged in registers: one vertex a lane.
//
// Noise leaves the hull of a node, however many elements it spans, with a dozen vertices or two. Such a hull
// is kept as a list beside its bridge, and two of them are merged with a few votes: of the line from a
// candidate on one side, every lane of the other tells whether its edge is steeper, and the first or last
// that is marks the point of contact. The two sides take turns until neither moves; this is the walk of the
// paper (section 3.2) with all steps of a side in one.
//
// Invariant: the candidates lie between s and the bridge's ends, and the points they have passed lie above
// the line between them.
//
// The lines are compared in doubles, of coordinates that count from s; where a single comparison is not
// certain the bridge is found anew in integers. Without weights a point's weight is the number of its
// element, and is neither moved between lanes nor read: `at.w` of points here means something only with
// weights. Example: L = (0,0) (4,-4) (6,-4), R = (6,-4) (7,-6) (12,-5). From b = (7,-6) no edge
// of L before (4,-4) is steeper than -2/3: a = (4,-4). From a the edge to (12,-5) is steeper than the line to
// (7,-6): b stays.
#pragma once

#include <cmath>
#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/numeric/turn.hpp>
#include <iso/segment/bridge.cuh>
#include <iso/segment/hull_tree.cuh>
#include <iso/segment/records.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// The vertices of a node's hull, one a lane: `own` of the lanes before `count`. The first has the node's
// beginning as its element, the last its end.
template <class Sums>
struct short_hull {
  int count;  // 0: the hull has too many vertices to be kept so, or the node is dead
  point<Sums> own;
};

// A point as lanes move it by `shuffle`, a shuffle of 64 bits.
template <bool Weighted, class Sums, class Shuffle>
ISO_DEVICE point<Sums> moved(const point<Sums>& p, Shuffle&& shuffle) {
  point<Sums> r = p;
  r.element = static_cast<std::int64_t>(shuffle(static_cast<std::uint64_t>(p.element)));
  for (std::uint64_t& word : r.at.s.word) word = shuffle(word);
  if constexpr (Weighted) {
    for (std::uint64_t& word : r.at.w.word) word = shuffle(word);
  }
  return r;
}

template <bool Weighted, warp_tile Tile, class Sums>
ISO_DEVICE point<Sums> vertex_of_lane(const Tile& tile, const point<Sums>& own, int lane) {
  return moved<Weighted>(own, [&](std::uint64_t word) { return tile.shfl(word, lane); });
}

// A point with its weight, of a row whose finite elements begin at `first`.
template <bool Weighted, class Sums>
ISO_DEVICE point<Sums> with_weight(point<Sums> p, std::int64_t first) {
  using kept = kept_sums<Sums, Weighted>;
  return {p.element, kept::whole(kept::of(p.at), p.element - first)};
}

// Whether a chunk has finite elements of positive weight; those beyond an infinity play no part.
template <class Reader>
ISO_DEVICE bool is_live(const Reader& reader, std::int64_t c) {
  const bool live = reader.state.chunk[c].live;
  const std::int64_t begin = reader.state.chunk_begin(c);
  return live & (begin < reader.facts.end) & (begin + chunk_elements > reader.facts.begin);
}

// The vertices of a node's hull if it is short, else 0.
template <class Reader>
ISO_DEVICE int short_count(const Reader& reader, const tree_node& node) {
  if (!node.leaf) return reader.state.node[node.at].points;
  const int points = reader.state.chunk[node.at].points;
  return is_live(reader, node.at) ? points : 0;
}

// The hulls of a node's children.
template <class Sums>
struct short_pair {
  short_hull<Sums> l, r;
};

// Vertex i of a node's hull, of which `count` are listed; of any other i nothing is read. Lanes may ask for
// different nodes.
template <class Reader>
ISO_DEVICE point<typename Reader::sums> short_vertex(const Reader& reader, const tree_node& node, int i,
                                                     int count) {
  auto p = point<typename Reader::sums>::zero();
  if (i < 0 || i >= count) return p;
  if (node.leaf) {
    const auto& list = reader.state.points[node.at];
    p = reader.at(node.at, static_cast<int>(list.element[i]), list.at[i]);
  } else {
    p = reader.listed(hull_tree::first_chunk(node.at), count, i);
  }
  if constexpr (!Reader::weighted) p.at.w = decltype(p.at.w)::zero();
  return p;
}

// The hull of a node, of short_count vertices. All lanes of the warp call.
template <class Reader>
ISO_DEVICE short_hull<typename Reader::sums> short_hull_of(const Reader& reader, const tree_node& node,
                                                           int count) {
  const int lane = static_cast<int>(reader.tile.thread_rank());
  return {count, short_vertex(reader, node, lane, count)};
}

// Both hulls of two neighbouring nodes. All lanes of the warp call.
template <class Reader>
ISO_DEVICE short_pair<typename Reader::sums> short_hulls_of(const Reader& reader, const tree_node& left,
                                                            int l_count, const tree_node& right,
                                                            int r_count) {
  return {short_hull_of(reader, left, l_count), short_hull_of(reader, right, r_count)};
}

// What a lane's vertex looks like in doubles: the edge that ends in it, and how far it is from the point that
// two hulls share.
struct vertex_in_doubles {
  double edge_s, edge_w, s, w;
};

// All lanes of the warp call.
template <bool Weighted, warp_tile Tile, class Sums>
ISO_DEVICE vertex_in_doubles in_doubles(const Tile& tile, const point<Sums>& own, const point<Sums>& from,
                                        const point<Sums>& to) {
  using numeric::as_double, numeric::difference;
  const auto before = moved<Weighted>(own, [&](std::uint64_t word) { return tile.shfl_up(word, 1u); });
  const auto s = [](const auto& a, const auto& b) { return as_double(difference(b.at.s, a.at.s)); };
  const auto w = [](const auto& a, const auto& b) {
    if constexpr (Weighted) return as_double(difference(b.at.w, a.at.w));
    return static_cast<double>(b.element - a.element);
  };
  return {s(before, own), w(before, own), s(from, to), w(from, to)};
}

// How the edge that ends in a lane's vertex turns from the line through that vertex and a point on the other
// side, of which s and w are given.
ISO_DEVICE inline numeric::turn turn_of(const vertex_in_doubles& v, double s, double w) {
  return numeric::turn_of(v.edge_s, v.edge_w, s + v.s, std::fabs(s) + std::fabs(v.s), w + v.w);
}

// The positions in two short hulls that share a point of the ends of their bridge; if the chain is convex at
// that point, of the last edge of the left one, as the last but one of `l` and the first of `r`.
struct bridge_positions {
  int a, b;
  bool certain;
};

// Which of two stretches of hulls have the point that the hulls share: the left one as its last vertex, the
// right one as its first. A stretch that has not is of vertices further away.
struct shared_ends {
  bool left = true, right = true;
};

// The bridge where the two sides' turns have ended. On the left `a` is the last vertex if none was passed.
ISO_HOST_DEVICE inline bridge_positions bridge_at(int a, int b, int l_count, const shared_ends& has,
                                                  bool certain) {
  if (a < l_count - 1 || !has.left) return {a, b, certain};
  // Without the right one's first edge nobody knows whether the chain is convex.
  if (has.right) return {a - 1, 0, certain};
  return {a, b, false};
}

// The bridge of two stretches as doubles tell it; `s` is the point that the hulls share. All lanes of the
// warp call and get the same.
//
// A chain that is convex at s has no edge on the left that is as steep as the line to the right one's second
// vertex. An edge is as steep as the line from its beginning if it is as steep as that to its end.
template <bool Weighted, warp_tile Tile, class Sums>
ISO_DEVICE bridge_positions likely_bridge(const Tile& tile, const short_hull<Sums>& l,
                                          const short_hull<Sums>& r, const point<Sums>& s,
                                          const shared_ends& has) {
  const int lane = static_cast<int>(tile.thread_rank());
  const vertex_in_doubles left = in_doubles<Weighted>(tile, l.own, l.own, s);
  const vertex_in_doubles right = in_doubles<Weighted>(tile, r.own, s, r.own);
  bool unsure = false;
  int a = l.count - 1, b = has.right ? 1 : 0;
  for (bool first = true;; first = false) {
    const numeric::turn at_left = turn_of(left, tile.shfl(right.s, b), tile.shfl(right.w, b));
    const bool on_left = lane > 0 && lane <= a;
    unsure |= on_left && !at_left.certain;
    const unsigned steep = tile.ballot(on_left && at_left.by >= 0);
    if (steep == 0 && (has.left || !first)) break;
    if (steep != 0) a = lowest_bit(steep) - 1;
    const numeric::turn at_right = turn_of(right, tile.shfl(left.s, a), tile.shfl(left.w, a));
    const bool on_right = lane > b && lane < r.count;
    unsure |= on_right && !at_right.certain;
    const unsigned flat = tile.ballot(on_right && at_right.by <= 0);
    if (flat == 0) break;
    b = highest_bit(flat);
  }
  return bridge_at(a, b, l.count, has, !tile.any(unsure));
}

// The bridge of two whole hulls.
template <bool Weighted, warp_tile Tile, class Sums>
ISO_DEVICE bridge_positions likely_bridge(const Tile& tile, const short_hull<Sums>& l,
                                          const short_hull<Sums>& r) {
  return likely_bridge<Weighted>(tile, l, r, vertex_of_lane<Weighted>(tile, r.own, 0), shared_ends{});
}

// The same in integers where doubles cannot tell; points have their weights.
template <warp_tile Tile, class Sums>
ISO_DEVICE bridge_positions exact_bridge(const Tile& tile, const short_hull<Sums>& l,
                                         const short_hull<Sums>& r, const shared_ends& has = {}) {
  const int lane = static_cast<int>(tile.thread_rank());
  const auto before = [&](const Sums& of) {
    Sums edge = of;
    edge -= shuffled(of, [&](std::uint64_t word) { return tile.shfl_up(word, 1u); });
    return edge;
  };
  const Sums left = before(l.own.at), right = before(r.own.at);
  int a = l.count - 1, b = has.right ? 1 : 0;
  for (bool first = true;; first = false) {
    const point<Sums> to = vertex_of_lane<true>(tile, r.own, b);
    const bool steep = lane > 0 && lane <= a && mean_not_less_apart(left, between(l.own, to));
    const unsigned l_lanes = tile.ballot(steep);
    if (l_lanes == 0 && (has.left || !first)) break;
    if (l_lanes != 0) a = lowest_bit(l_lanes) - 1;
    const point<Sums> from = vertex_of_lane<true>(tile, l.own, a);
    const bool flat = lane > b && lane < r.count && mean_not_less_apart(between(from, r.own), right);
    const unsigned r_lanes = tile.ballot(flat);
    if (r_lanes == 0) break;
    b = highest_bit(r_lanes);
  }
  return bridge_at(a, b, l.count, has, true);
}

// exact_bridge out of the way of bridges that doubles find.
template <class Tile, class Sums>
[[gnu::noinline]] ISO_DEVICE bridge_positions exact_bridge_apart(const Tile tile, const short_hull<Sums> l,
                                                                 const short_hull<Sums> r,
                                                                 const shared_ends has) {
  return exact_bridge(tile, l, r, has);
}

// Of a node whose hull is not listed: writes what its record says of the hull's beginning, given the left
// child's whole hull and the vertices of the right child's from its first on, one a lane, and the bridge's
// positions among them.
template <class Node, class Point>
ISO_DEVICE void write_beginning(Node& node, int lane, const Point& l, const Point& r,
                                const bridge_positions& bridge) {
  if (lane == 0) node.begin = l.element;
  if (lane == (bridge.a > 0 ? 1 : bridge.b)) node.second = bridge.a > 0 ? l : r;
}

// The same of the hull's end, given the right child's whole hull, of r_count vertices, and the last vertices
// of the left child's.
template <class Node, class Point>
ISO_DEVICE void write_end(Node& node, int lane, const Point& l, const Point& r,
                          const bridge_positions& bridge, int r_count) {
  if (lane == r_count - 1) node.end = r.element;
  const bool inside = bridge.b < r_count - 1;
  if (lane == (inside ? r_count - 2 : bridge.a)) node.last_but_one = inside ? r : l;
}

// Writes the record of boundary c and the node's list, given its hull of `count` vertices, or 0 if it is not
// to be listed; in either case lane a has the left end of the bridge, and the next lane the right one. All
// lanes of the warp call.
template <class Reader, class Number>
ISO_DEVICE void write_short(const Reader& reader, Number c, int a, int count,
                            const point<typename Reader::sums>& own) {
  const auto& state = reader.state;
  const int lane = static_cast<int>(reader.tile.thread_rank());
  auto& node = state.node[c];
  reader.tile.sync();  // a child's list, which lanes have read, may be where the node's is written
  if (lane == 0) {
    node.is = node.joined;
    node.points = count;
  }
  if (lane == a || lane == a + 1) *(lane == a ? &node.bridge_left : &node.bridge_right) = own;
  if (lane < count) {
    const Number first = hull_tree::first_chunk(c);
    auto& list = state.points[first];
    const int i = list.of_node(count) + lane;
    list.at[i] = kept_sums<typename Reader::sums, Reader::weighted>::of(own.at);
    list.element[i] = static_cast<std::int32_t>(own.element - state.chunk_begin(first));
  }
}

// Elements of a list are counted in 32 bits.
template <class Number>
ISO_DEVICE bool is_countable(Number c) {
  return hull_tree::width(c) <= (1 << 30) / (2 * chunk_elements);
}

// Writes the record of boundary c, whose children have the given hulls and their bridge at some positions,
// and the node's hull if it is short too: to the node's list, and as what is returned. All lanes of the warp
// call.
template <class Reader, class Number, class Hull>
ISO_DEVICE Hull merge_short(const Reader& reader, Number c, const Hull& l, const Hull& r,
                            const bridge_positions& bridge) {
  constexpr bool weighted = Reader::weighted;
  const int lane = static_cast<int>(reader.tile.thread_rank()), a = bridge.a, b = bridge.b;
  int count = a + 1 + r.count - b;
  if (count > chunk_points<typename Reader::T, weighted>::capacity || !is_countable(c)) {
    const recorded_point<typename Reader::T, weighted> left = l.own, right = r.own;
    write_beginning(reader.state.node[c], lane, left, right, bridge);
    write_end(reader.state.node[c], lane, left, right, bridge, r.count);
    count = 0;
  }
  Hull merged{count, vertex_of_lane<weighted>(reader.tile, r.own, (lane - a - 1 + b) & 31)};
  if (lane <= a) merged.own = l.own;
  write_short(reader, c, a, count, merged.own);
  return merged;
}

}  // namespace iso
