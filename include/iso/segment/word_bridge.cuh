// The bridge of two stretches of hulls, each of a chunk that has too many vertices for a list, or of a list,
// or a single vertex.
//
// A guess says in which words of the chunks it is: those next to each other, if values rise there, or those
// that the caller has reason to name, or those that touch the bridge of the chains through all words' first
// and last vertices. In the windows of these words a bridge is found. If it reaches the end of a window, the
// edge that leads on from there tells whether it is that of the stretches; if it is not, the next word is
// tried, and in the end a search is left to others.
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
[[gnu::noinline]] ISO_DEVICE word_pair likely_words(const Tile tile, const group_ends left,
                                                    const group_ends right) {
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

// A stretch of a hull at one side of a boundary: of a dense chunk, or up to 32 vertices, one a lane, which
// are in a window. Points have their weights.
template <class Sums>
struct hull_side {
  bool left, dense;
  dense_leaf leaf;
  const short_hull<Sums>* window;  // of a dense chunk: the stretch's last vertex, if that is the chunk's end
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

// The side of a chain that has gone down to a list or chunk; `window` is memory for it. All lanes of the warp
// call.
template <class Reader, class Window>
[[gnu::noinline]] ISO_DEVICE dense_leaf read_side(const Reader& reader,
                                                  const chain<typename Reader::kept>& of, Window& window) {
  if (of.single() || !of.from.leaf || reader.state.chunk[of.from.at].points != 0) {
    window = listed_stretch(reader, of);
    return dense_leaf::none();
  }
  window = {1, of.high};
  const std::int64_t begin = reader.state.chunk_begin(of.from.at);
  return dense_leaf_of(reader, of.from.at, static_cast<int>(of.low.element - begin),
                       static_cast<int>(of.high.element - begin));
}

// The vertices of one of a side's words, or of one that has none all; `of`: what memory has of the word. All
// lanes of the warp call.
template <class Reader, class Word>
ISO_DEVICE short_hull<typename Reader::sums> window_of(const Reader& reader,
                                                       const hull_side<typename Reader::sums>& side, int word,
                                                       const Word& of) {
  if (!side.dense || word == dense_leaf::end_word) return *side.window;
  return hull_of_word(reader, side.leaf, word, of);
}

// From the start of chunk c to the ends of the group of a side's lane. All lanes of the warp call.
template <class Reader>
ISO_DEVICE group_ends ends_of_side(const Reader& reader, const hull_side<typename Reader::sums>& side,
                                   std::int64_t c) {
  if (side.dense) return ends_of_word(reader, side.leaf, c);
  const distance at = in_doubles(between(reader.vertex_at_start(c), side.window->own));
  return {static_cast<int>(reader.tile.thread_rank()) < side.window->count, at, at};
}

// The words in which the bridge of two sides of the start of chunk c may be. All lanes of the warp call and
// get the same.
template <class Reader>
[[gnu::noinline]] ISO_DEVICE word_pair guess_words(const Reader& reader, std::int64_t c,
                                                   const hull_side<typename Reader::sums>& left,
                                                   const hull_side<typename Reader::sums>& right) {
  const group_ends l = ends_of_side(reader, left, c), r = ends_of_side(reader, right, c);
  return likely_words(reader.tile, l, r);
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

// The side's word if a bridge from a to b, which ends at a position of the window of `count` vertices of that
// word, touches the stretch there; else the word where the bridge may do. All lanes of the warp call and get
// the same.
template <class Reader, class Sums>
[[gnu::noinline]] ISO_DEVICE int next_word(const Reader& reader, const hull_side<Sums>& side, int word,
                                           int count, int position, const point<Sums> a,
                                           const point<Sums> b) {
  const point<Sums>& here = side.left ? a : b;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int after = 0; after < 2; ++after) {
    if (position != (after != 0 ? count - 1 : 0)) continue;
    const int next = after != 0 ? side.leaf.word_after(word) : side.leaf.word_before(word);
    if (next < 0) continue;
    const point<Sums> there =
        next == dense_leaf::end_word ? side.window->own : vertex_in_word(reader, side.leaf, next, after == 0);
    const Sums edge = after != 0 ? between(here, there) : between(there, here);
    if (wrong_side(edge, between(a, b), side.left, after != 0)) return next;
  }
  return word;
}
template <class Reader, class Window, class Point>
ISO_DEVICE int word_after_bridge(const Reader& reader, const hull_side<typename Reader::sums>& side, int word,
                                 const Window& window, int position, const Point& a, const Point& b) {
  const bool inside = position > 0 && position < window.count - 1;
  return inside || !side.dense ? word : next_word(reader, side, word, window.count, position, a, b);
}

// The ends of a bridge, if it is found.
template <class Sums>
struct found_bridge {
  bool found;
  point<Sums> from, to;
};

// The bridge of two stretches on either side of the start of chunk c. A first guess of the words may be
// given, or {-1, -1}. All lanes of the warp call and get the same.
template <class Reader>
[[gnu::noinline]] ISO_DEVICE found_bridge<typename Reader::sums> bridge_of_sides(
    const Reader& reader, std::int64_t c, const hull_side<typename Reader::sums>& left,
    const hull_side<typename Reader::sums>& right, word_pair at) {
  constexpr bool weighted = Reader::weighted;
  constexpr shared_ends none{false, false};
  const auto& tile = reader.tile;
  if (left.dense && right.dense && likely_in_nearest(reader, left.leaf, right.leaf)) at = {31, 0};
  bool given = at.left >= 0, guess = !given;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int tries = 0; tries < 4; ++tries) {
    if (guess) at = guess_words(reader, c, left, right);
    // Both sides' memory is read at once.
    const auto l_word = word_in_memory_of(reader, left, at.left);
    const auto r_word = word_in_memory_of(reader, right, at.right);
    const auto l = window_of(reader, left, at.left, l_word), r = window_of(reader, right, at.right, r_word);
    auto bridge = likely_bridge<weighted>(tile, l, r, reader.vertex_at_start(c), none);
    if (!bridge.certain) bridge = exact_bridge_apart(tile, l, r, none);
    const auto vertex = [&](const auto& window, int position) {
      const auto p = vertex_of_lane<weighted>(tile, window.own, position);
      return with_weight<weighted>(p, reader.facts.begin);
    };
    const auto from = vertex(l, bridge.a), to = vertex(r, bridge.b);
    const word_pair next{word_after_bridge(reader, left, at.left, l, bridge.a, from, to),
                         word_after_bridge(reader, right, at.right, r, bridge.b, from, to)};
    if (next.left == at.left && next.right == at.right) return {true, from, to};
    at = next;
    guess = given;
    given = false;
  }
  return {false, point<typename Reader::sums>::zero(), point<typename Reader::sums>::zero()};
}

// Makes single vertices, the ends of the bridge, of two chains that have gone down to lists or chunks, on
// either side of the start of chunk c; or returns false, and nothing is done, if it does not find them. All
// lanes of the warp call and get the same.
template <class Reader>
[[gnu::noinline]] ISO_DEVICE bool bridge_in_words(const Reader& reader, std::int64_t c,
                                                  chain<typename Reader::kept>& a,
                                                  chain<typename Reader::kept>& b) {
  short_hull<typename Reader::sums> left{0, a.low}, right = left;
  const dense_leaf l = read_side(reader, a, left), r = read_side(reader, b, right);
  const auto bridge = bridge_of_sides<Reader>(reader, c, {true, l.words != 0, l, &left},
                                              {false, r.words != 0, r, &right}, {-1, -1});
  if (!bridge.found) return false;
  a.low = a.high = bridge.from;
  b.low = b.high = bridge.to;
  return true;
}

}  // namespace iso
