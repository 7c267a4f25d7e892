// The bridge of two stretches of hulls, each of a chunk that has too many vertices for a list, or of a list,
// or a single vertex.
//
// A guess says in which words of the chunks it is: those next to each other, if values rise there, or those
// that touch the bridge of the chains through all words' first and last vertices. In the windows of these
// words a bridge is found. If it reaches the end of a window, the edge that leads on from there tells whether
// it is that of the stretches; if it is not, the next word is tried, and in the end a search is left to
// others.
//
// Invariant: windows are stretches of neighbouring vertices, so the bridge of two windows touches the hulls
// where it does not reach the windows' ends; and at an end, if the edge that leads on from there is not below
// its line. A hull is convex: what is further away is above the line then too. The doubles that make the
// guess may be wrong, and then nothing is found; those that accept a bridge are certain, or integers are.
//
// Example: teeth of 1000 elements, and a boundary at element 700 of a tooth. The bridge starts at about 500
// of the tooth, 200 vertices from the boundary, and ends at about 500 of the next, 800 elements away: seven
// words before the boundary, 25 after it. Both words are found at once, and two windows tell the vertices.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/segment/bridge.cuh>
#include <iso/segment/chain.cuh>
#include <iso/segment/dense_leaf.cuh>
#include <iso/segment/short_hull.cuh>

namespace iso {

// The words of two chunks; of a side that is no dense chunk, a vertex of the window.
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

// The words that the bridge of the two chains of groups touches, as doubles tell. All lanes of the warp call.
//
// As likely_bridge, with two vertices a lane. Places are those of distance_of; of a group of one vertex both
// are the same.
template <class Tile>
[[gnu::noinline]] ISO_DEVICE word_pair likely_words(const Tile tile, const group_ends& left,
                                                    const group_ends& right) {
  const vertex_group l = group_of(tile, left, true), r = group_of(tile, right, false);
  const unsigned l_some = tile.ballot(l.some), r_some = tile.ballot(r.some);
  int a = 2 * highest_bit(l_some) + 1, b = 2 * lowest_bit(r_some);
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
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

// A stretch of a hull at one side of a boundary. Of a dense chunk the window has one word's vertices, else
// all. Points have their weights.
template <class Sums>
struct hull_side {
  bool left, dense;
  int word;
  dense_leaf leaf;
  short_hull<Sums> window;
};

// The stretch of a list, or the single vertex, that a chain has got to. All lanes of the warp call.
template <class Reader>
ISO_DEVICE short_hull<typename Reader::sums> listed_stretch(const Reader& reader,
                                                            const chain<typename Reader::kept>& of) {
  if (of.single()) return {1, of.low};
  const int lane = static_cast<int>(reader.tile.thread_rank()), count = short_count(reader, of.from);
  const auto own =
      with_weight<Reader::weighted>(short_vertex(reader, of.from, lane, count), reader.facts.begin);
  const unsigned inside =
      reader.tile.ballot(lane < count && own.element >= of.low.element && own.element <= of.high.element);
  return {count_bits(inside), vertex_of_lane<true>(reader.tile, own, (lane + lowest_bit(inside)) & 31)};
}

// The side of a chain that has gone down to a list or chunk; of a chunk without its window. All lanes of the
// warp call.
template <class Reader>
[[gnu::noinline]] ISO_DEVICE void read_side(const Reader& reader, const chain<typename Reader::kept>& of,
                                            hull_side<typename Reader::sums>& side) {
  side.dense = !of.single() && of.from.leaf && reader.state.chunk[of.from.at].points == 0;
  side.word = -1;
  if (side.dense) {
    side.leaf = dense_leaf_of(reader, of);
  } else {
    side.window = listed_stretch(reader, of);
  }
}

// The window of a side's word, if it has another's. All lanes of the warp call.
template <class Reader>
[[gnu::noinline]] ISO_DEVICE void read_word(const Reader& reader, const chain<typename Reader::kept>& of,
                                            int word, hull_side<typename Reader::sums>& side) {
  if (side.dense && side.word != word) side.window = hull_of_word(reader, side.leaf, word, of.high);
  side.word = word;
}

// The ends of the group of a side's lane. All lanes of the warp call.
template <class Reader>
[[gnu::noinline]] ISO_DEVICE group_ends ends_of_side(const Reader& reader,
                                                     const hull_side<typename Reader::sums>& side,
                                                     const point<typename Reader::sums>& s) {
  if (side.dense) return ends_of_word(reader, side.leaf, s);
  const distance at = in_doubles(between(s, side.window.own));
  return {static_cast<int>(reader.tile.thread_rank()) < side.window.count, at, at};
}

// The words in which the bridge of two sides may be. All lanes of the warp call and get the same.
template <class Reader, class Side>
[[gnu::noinline]] ISO_DEVICE word_pair guess_words(const Reader& reader, const Side& l,
                                                   const point<typename Reader::sums>& s, const Side& r) {
  const group_ends left = ends_of_side(reader, l, s), right = ends_of_side(reader, r, s);
  return likely_words(reader.tile, left, right);
}

// Whether the bridge of two dense chunks is likely to be in the words that are next to each other: both have
// vertices, and values rise from the one to the other. All lanes of the warp call and get the same.
template <class Reader>
ISO_DEVICE bool likely_in_nearest(const Reader& reader, const dense_leaf& l, const dense_leaf& r) {
  if ((l.words >> 31 & r.words & 1u) == 0) return false;
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const std::int64_t from = reader.state.chunk_begin(l.chunk) + 32 * 31 + lane;
  const std::int64_t to = reader.state.chunk_begin(r.chunk) + lane, end = reader.state.length;
  return reader.tile.any(to < end &&
                         !(reader.rows.value(reader.row, from) < reader.rows.value(reader.row, to))) == 0;
}

// Whether an edge of a hull, which is before or after the vertex where the bridge ends, tells that the bridge
// does not touch the hull there. A bridge starts where the hull gets as steep as it, and ends where it gets
// steeper.
template <class Sums>
ISO_DEVICE bool wrong_side(const Sums& edge, const Sums& bridge, bool left, bool after) {
  return mean_not_less_apart(left ? edge : bridge, left ? bridge : edge) == (left != after);
}

// The side's word if a bridge from a to b, which ends at a position of its window, touches the stretch there;
// else the word where the bridge may do. `end`: the stretch's last vertex. All lanes of the warp call and get
// the same.
template <class Reader, class Sums>
[[gnu::noinline]] ISO_DEVICE int next_word(const Reader& reader, const hull_side<Sums>& side, int position,
                                           const point<Sums>& a, const point<Sums>& b,
                                           const point<Sums>& end) {
  const point<Sums>& here = side.left ? a : b;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int after = 0; side.dense && after < 2; ++after) {
    if (position != (after != 0 ? side.window.count - 1 : 0)) continue;
    const int next = after != 0 ? side.leaf.word_after(side.word) : side.leaf.word_before(side.word);
    if (next < 0) continue;
    const point<Sums> there = vertex_in_word(reader, side.leaf, next, after == 0, end);
    const Sums edge = after != 0 ? between(here, there) : between(there, here);
    if (wrong_side(edge, between(a, b), side.left, after != 0)) return next;
  }
  return side.word;
}

// Makes single vertices, the ends of the bridge, of two chains that have gone down to lists or chunks, on
// either side of s; or returns false, and nothing is done, if it does not find them. All lanes of the warp
// call and get the same.
template <class Reader>
[[gnu::noinline]] ISO_DEVICE bool bridge_in_words(const Reader& reader, chain<typename Reader::kept>& a,
                                                  const point<typename Reader::sums>& s,
                                                  chain<typename Reader::kept>& b) {
  using sums = typename Reader::sums;
  constexpr shared_ends none{false, false};
  const auto& tile = reader.tile;
  hull_side<sums> l{true, false, 0, {0, 0, 0, false}, {0, a.low}}, r = l;
  r.left = false;
  read_side(reader, a, l);
  read_side(reader, b, r);
  bool nearest = l.dense && r.dense && likely_in_nearest(reader, l.leaf, r.leaf);
  word_pair next = nearest ? word_pair{31, 0} : guess_words(reader, l, s, r);
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int tries = 0; tries < 4; ++tries) {
    read_word(reader, a, next.left, l);
    read_word(reader, b, next.right, r);
    auto bridge = likely_bridge<true>(tile, l.window, r.window, s, none);
    if (!bridge.certain) bridge = exact_bridge_apart(tile, l.window, r.window, none);
    const auto from = vertex_of_lane<true>(tile, l.window.own, bridge.a);
    const auto to = vertex_of_lane<true>(tile, r.window.own, bridge.b);
    next.left = next_word(reader, l, bridge.a, from, to, a.high);
    next.right = next_word(reader, r, bridge.b, from, to, b.high);
    if (next.left == l.word && next.right == r.word) {
      a.low = a.high = from;
      b.low = b.high = to;
      return true;
    }
    if (nearest) next = guess_words(reader, l, s, r);
    nearest = false;
  }
  return false;
}

}  // namespace iso
