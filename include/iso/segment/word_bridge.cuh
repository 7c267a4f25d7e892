// The bridge of two hulls of which one or both begin or end with a chunk that has too many vertices for a
// list.
//
// A guess says in which words of the chunks it is: the words next to the boundary, where most bridges of
// rising data are, or those that touch the bridge of the chains through all words' first and last vertices.
// In the windows of these words a bridge is found. If it reaches the end of a window, the edge that leads on
// from there tells whether it is that of the hulls; if it is not, the next word is tried, and in the end a
// search is left to others.
//
// Invariant: windows are stretches of neighbouring vertices, so the bridge of two windows touches the hulls
// where it does not reach the windows' ends; and at an end, if the edge that leads on from there is not below
// its line. A hull is convex: what is further away is above the line then too. The doubles that make the
// guess may be wrong, and then nothing is found; those that accept a bridge are certain.
//
// Example: teeth of 1000 elements, and a boundary at element 700 of a tooth. The bridge starts at about 500
// of the tooth, 200 vertices from the boundary, and ends at about 500 of the next, 800 elements away: seven
// words before the boundary, 25 after it. Both words are found at once, and two windows tell the vertices.
#pragma once

#include <cmath>
#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/numeric/turn.hpp>
#include <iso/segment/dense_leaf.cuh>
#include <iso/segment/hull_side.cuh>
#include <iso/segment/records.cuh>
#include <iso/segment/short_hull.cuh>

namespace iso {

// The words of two hulls; of a hull that is no dense chunk's the window's vertices.
struct word_pair {
  int left, right;
};

// The distance of a group's first (place 2 l) or last vertex (2 l + 1) from the boundary.
template <class Tile>
ISO_DEVICE distance distance_of(const Tile& tile, const vertex_group& group, int place) {
  const bool last = place % 2 != 0;
  return {tile.shfl(last ? group.last.s : group.first.s, place / 2),
          tile.shfl(last ? group.last.w : group.first.w, place / 2)};
}

// How an edge turns from the line that leads on to a vertex of the other side, from a point at a distance.
ISO_DEVICE inline numeric::turn turn_from(const distance& edge, const distance& at, const distance& to) {
  return numeric::turn_of(edge.s, edge.w, at.s + to.s, std::fabs(at.s) + std::fabs(to.s), at.w + to.w);
}

// The words that the bridge of the two chains of groups touches, as doubles tell. All lanes of the warp call.
//
// As likely_bridge, with two vertices a lane. Places are those of distance_of; of a group of one vertex both
// are the same.
template <class Tile>
ISO_DEVICE word_pair likely_words(const Tile& tile, const vertex_group& l, const vertex_group& r) {
  const unsigned l_some = tile.ballot(l.some), r_some = tile.ballot(r.some);
  const int first_right = lowest_bit(r_some);
  const bool several = (tile.ballot(r.several) >> first_right & 1u) != 0;
  const unsigned others = r_some & (r_some - 1);
  const int nearest = 2 * (several || others == 0 ? first_right : lowest_bit(others)) + 1;
  int a = 2 * highest_bit(l_some) + 1, b = nearest;
  for (int turns = 0; turns < 16; ++turns) {
    const distance to = distance_of(tile, r, b);
    const unsigned steep_first = tile.ballot(l.edge && turn_from(l.before, l.first, to).by >= 0);
    const unsigned steep_last = tile.ballot(l.several && turn_from(l.chord, l.last, to).by >= 0);
    const int first = steep_first != 0 ? 2 * lowest_bit(steep_first) : 64;
    const int last = steep_last != 0 ? 2 * lowest_bit(steep_last) + 1 : 64;
    const int before = a;
    if (last < first) {
      a = last - 1;
    } else if (first < 64) {
      const unsigned lower = l_some & bits_between(0, first / 2);
      a = lower != 0 ? 2 * highest_bit(lower) + 1 : first;
    }
    if (turns > 0 && a == before) break;
    const distance from = distance_of(tile, l, a);
    const unsigned flat_first = tile.ballot(r.edge && turn_from(r.before, r.first, from).by <= 0);
    const unsigned flat_last = tile.ballot(r.several && turn_from(r.chord, r.last, from).by <= 0);
    const int b_before = b;
    if (flat_first != 0) b = b > 2 * highest_bit(flat_first) ? b : 2 * highest_bit(flat_first);
    if (flat_last != 0) b = b > 2 * highest_bit(flat_last) + 1 ? b : 2 * highest_bit(flat_last) + 1;
    if (b == b_before) break;
  }
  return {a / 2, b / 2};
}

// A side's groups. All lanes of the warp call.
template <class Reader, class Sums>
ISO_DEVICE vertex_group groups_of(const Reader& reader, const hull_side<Sums>& side,
                                  const point<Sums>& shared) {
  constexpr bool weighted = Reader::weighted;
  const auto& tile = reader.tile;
  const int lane = static_cast<int>(tile.thread_rank());
  if (!side.dense) {
    const auto& hull = side.window.hull;
    return group_of<weighted>(tile, lane < hull.count, hull.own, hull.own, shared, side.left);
  }
  const auto [first, last] = ends_of_words(reader, side.leaf);
  return group_of<weighted>(tile, side.leaf.bits != 0, first, last, shared, side.left);
}

// exact_bridge out of the way of bridges that doubles find.
template <class Tile, class Sums>
[[gnu::noinline]] ISO_DEVICE bridge_positions exact_bridge_apart(const Tile tile, const short_hull<Sums> l,
                                                                 const short_hull<Sums> r,
                                                                 const shared_ends has) {
  return exact_bridge(tile, l, r, has);
}

// The bridge between the two sides' windows. All lanes of the warp call.
template <bool Weighted, class Tile, class Sums>
ISO_DEVICE bridge_positions bridge_of_sides(const Tile& tile, hull_side<Sums>& l, hull_side<Sums>& r,
                                            const point<Sums>& shared, std::int64_t first) {
  const shared_ends has{l.has_shared(), r.has_shared()};
  auto &left = l.window.hull, &right = r.window.hull;
  if (left.count < 1 + int{has.left} || right.count < 1 + int{has.right}) return {0, 0, false};
  const bridge_positions bridge = likely_bridge<Weighted>(tile, left, right, shared, has);
  if (bridge.certain) return bridge;
  return exact_bridge_apart(tile, short_hull<Sums>{left.count, with_weight<Weighted>(left.own, first)},
                            short_hull<Sums>{right.count, with_weight<Weighted>(right.own, first)}, has);
}

// What a side's window has no neighbour of, at the position where the bridge touches it.
struct missing_neighbours {
  bool before, after;

  ISO_HOST_DEVICE bool any() const { return before || after; }
};
template <class Sums>
ISO_DEVICE missing_neighbours missing_at(const hull_side<Sums>& side, int position) {
  const bool first = position == 0, last = position == side.window.hull.count - 1;
  if (side.dense) return {first, last};
  return {side.left && first && !side.whole, !side.left && last && !side.whole};
}

// The first or last vertex of one of a chunk's words, not the one at the boundary, nor the end. All lanes of
// the warp call and get the same.
template <class Reader, class Sums>
ISO_DEVICE point<Sums> vertex_in_word(const Reader& reader, const dense_leaf<Sums>& leaf, int word,
                                      bool last) {
  const std::uint32_t bits = reader.tile.shfl(leaf.bits, word);
  return reader.at(leaf.chunk, 32 * word + (last ? highest_bit(bits) : lowest_bit(bits)));
}

// A bridge as its ends, and in doubles as their distances from the point that the sides share.
template <class Sums>
struct bridge_line {
  point<Sums> a, b;
  distance from, to;
};

// The side's word if the bridge touches the hull where it touches the window; else the word where it may do,
// or -1 if there is none. `beyond`: the vertex beyond the cut. All lanes of the warp call and get the same.
template <class Reader, class Sums>
ISO_DEVICE int next_word(const Reader& reader, const hull_side<Sums>& side, const missing_neighbours& missing,
                         const bridge_line<Sums>& line, const point<Sums>& beyond) {
  if (!side.dense) return missing.any() ? -1 : side.word;
  const unsigned words = side.leaf.words, after = words & ~bits_between(0, side.word + 1);
  const int previous = highest_bit(words & bits_between(0, side.word)), next = after ? lowest_bit(after) : -1;
  const point<Sums>& end = side.left ? line.a : line.b;
  const auto turn = [&](const point<Sums>& p, const point<Sums>& q) {
    return turn_from(distance_in_doubles<Reader::weighted>(p, q), line.from, line.to);
  };
  if (missing.before) {
    if (side.left && side.out) return previous;
    if (previous >= 0 || (side.left && !side.whole)) {
      const auto at = turn(previous >= 0 ? vertex_in_word(reader, side.leaf, previous, true) : beyond, end);
      if (!at.certain || !(side.left ? at.by < 0 : at.by <= 0)) return previous;
    }
  }
  if (missing.after) {
    if (!side.left && side.out) return next;
    if (next >= 0 || (!side.left && !side.whole)) {
      const auto at = turn(end, next >= 0 ? vertex_in_word(reader, side.leaf, next, false) : beyond);
      if (!at.certain || !(side.left ? at.by >= 0 : at.by > 0)) return next;
    }
  }
  return side.word;
}

// The bridge of the sides' windows. All lanes of the warp call.
template <class Reader, class Sums>
ISO_DEVICE bridge_positions bridge_in_windows(const Reader& reader, both_sides<Sums>& sides) {
  if (sides.l.dense) sides.l.window.hull = hull_of_word(reader, sides.l.leaf, sides.l.word, sides.l.out);
  if (sides.r.dense) sides.r.window.hull = hull_of_word(reader, sides.r.leaf, sides.r.word, sides.r.out);
  return bridge_of_sides<Reader::weighted>(reader.tile, sides.l, sides.r, sides.shared, reader.facts.begin);
}

// The bridge of two sides, in windows that are the sides' or that these lead to; uncertain if it is not
// found. All lanes of the warp call and get the same.
template <class Reader, class Sums>
ISO_DEVICE bridge_positions find_in_words(const Reader& reader, both_sides<Sums>& sides) {
  constexpr bool weighted = Reader::weighted;
  const auto& tile = reader.tile;
  auto &l = sides.l, &r = sides.r;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int tries = 0; tries < 3; ++tries) {
    const bridge_positions bridge = bridge_in_windows(reader, sides);
    if (!bridge.certain) break;
    const missing_neighbours at_a = missing_at(l, bridge.a), at_b = missing_at(r, bridge.b);
    if ((bridge.b == 0 && r.has_shared()) || !(at_a.any() || at_b.any())) return bridge;
    const auto a = vertex_of_lane<weighted>(tile, l.window.hull.own, bridge.a);
    const auto b = vertex_of_lane<weighted>(tile, r.window.hull.own, bridge.b);
    const bridge_line<Sums> line{a, b, distance_in_doubles<weighted>(a, sides.shared),
                                 distance_in_doubles<weighted>(sides.shared, b)};
    const auto beyond = [&](int side) { return vertex_of_lane<weighted>(tile, sides.other.own, side); };
    const word_pair next{next_word(reader, l, at_a, line, beyond(0)),
                         next_word(reader, r, at_b, line, beyond(1))};
    if (next.left == l.word && next.right == r.word) return bridge;
    if (next.left < 0 || next.right < 0) break;
    l.word = next.left;
    r.word = next.right;
  }
  return {0, 0, false};
}

// The words in which the bridge at boundary c may be, if one of the chunks there is dense and has its hull's
// beginning or end; else both are -1. All lanes of the warp call and get the same.
template <class Reader>
ISO_DEVICE word_pair guess_words(const Reader& reader, std::int64_t c) {
  const auto sides = sides_at(reader, c);
  if (!sides.usable) return {-1, -1};
  const vertex_group l = groups_of(reader, sides.l, sides.shared);
  const vertex_group r = groups_of(reader, sides.r, sides.shared);
  return likely_words(reader.tile, l, r);
}

// Merges the children of boundary c, which are done, if one of the chunks there is dense and has its hull's
// beginning or end: writes the node; or returns false, and nothing is done, if it does not find the bridge in
// the words given, or next to the boundary if these are -1. All lanes of the warp call and get the same.
template <class Reader>
ISO_DEVICE bool merge_words(const Reader& reader, std::int64_t c, const word_pair& words) {
  auto sides = sides_at(reader, c);
  if (!sides.usable) return false;
  if (sides.l.dense && words.left >= 0) sides.l.word = words.left;
  if (sides.r.dense && words.right >= 0) sides.r.word = words.right;
  const bridge_positions bridge = find_in_words(reader, sides);
  if (bridge.certain) write_long(reader, c, sides.l.window, sides.r.window, bridge, sides.other);
  return bridge.certain;
}

}  // namespace iso
