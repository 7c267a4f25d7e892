// The vertices of a chunk that has too many for a list, as a bridge asks for them: a word of bits at a time,
// or of every word the first and the last.
//
// Such a chunk has a bit an element and the sums before each word. The vertices of one word are within 32
// elements, so a warp reads these at once, sums them up by lanes, and picks the vertices: that is a window.
// Where in the chunk it is to be, the words' first and last vertices tell: the edges from one word to the
// next are edges of the hull, and a word's vertices lie on or below the chord from its first to its last.
//
// The bridges above the chunk may have cut off the part of it that is away from the boundary. Then the last
// vertex that is left is an end of such a bridge, and the bridge's other end is the hull's next vertex: the
// vertex *beyond*.
//
// Example, on the left of a boundary: bits of words 0 and 1 at 0 1 2 3 | 7 8, and the end of the chunk at 64.
// The groups are 0 to 3 and 39 to 64; the end is of the last group. Between them is the edge from 3 to 39. A
// window of word 1 has the vertices 39, 40 and 64.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/numeric/turn.hpp>
#include <iso/segment/reader.cuh>
#include <iso/segment/records.cuh>
#include <iso/segment/short_hull.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// What lanes have of a chunk without a list, on the left or right of a boundary.
template <class Sums>
struct dense_leaf {
  std::int64_t chunk;
  bool left;
  // Of lane l: the vertices before the elements 32 l to 32 l + 31 that are not cut off, but for the point at
  // the boundary. The words that have any.
  std::uint32_t bits;
  unsigned words;
  // On the right, the hull's end is not cut off. Then it counts with the last of the words.
  bool ends;
  point<Sums> shared;  // the vertex at the boundary, which counts with the word next to it

  ISO_HOST_DEVICE int nearest() const { return left ? highest_bit(words) : lowest_bit(words); }
  ISO_HOST_DEVICE bool starts_with(int word) const { return !left && word == lowest_bit(words); }
  ISO_HOST_DEVICE bool ends_with(int word) const { return ends && word == highest_bit(words); }
};

// How far it is from one point to another, in doubles.
struct distance {
  double s, w;
};

// Of a side's vertices one group a lane: a word's, a single one, or none.
struct vertex_group {
  bool some, several, edge;  // whether there is one, of several vertices, with an edge that leads to it
  distance first, last;      // between its first or last vertex and the point that the two sides share
  distance chord, before;  // from its first vertex to the last, and of the edge that ends in the first: about
};

// The position of bit n of those that are set, counted from 0; there are more than n.
ISO_HOST_DEVICE inline int position_of_bit(std::uint32_t mask, int n) {
  int position = 0;
  for (int half = 16; half > 0; half /= 2) {
    const int lower = count_bits(mask & ((std::uint32_t{1} << half) - 1));
    const bool above = n >= lower;
    n -= above ? lower : 0;
    mask >>= above ? half : 0;
    position += above ? half : 0;
  }
  return position;
}

// Of the chunk on the left or right of a boundary, which is live and has no list; vertices that are no
// further than `distance` elements away are left. `sums`: those before the boundary. All lanes of the warp
// call.
template <class Reader>
ISO_DEVICE dense_leaf<typename Reader::sums> dense_leaf_of(const Reader& reader, std::int64_t c, bool left,
                                                           std::int64_t distance,
                                                           const typename Reader::sums& sums) {
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const auto& chunk = reader.state.chunk[c];
  const std::int64_t begin = reader.state.chunk_begin(c), lane_begin = begin + 32 * lane;
  const std::int64_t from = left ? begin + chunk_elements - distance : begin + chunk.start + 1;
  const std::int64_t to = left ? begin + chunk_elements : begin + distance;
  const auto position = [=](std::int64_t i) {
    return static_cast<int>(i < lane_begin ? 0 : i - lane_begin < 32 ? i - lane_begin : 32);
  };
  const std::uint32_t bits =
      reader.state.bits[c * 32 + lane] & bits_between(position(from), position(to + 1));
  return {c,
          left,
          bits,
          reader.tile.ballot(bits != 0),
          begin + chunk.high <= to,
          {begin + (left ? chunk.high : chunk.start), sums}};
}

// The end of the hull of a chunk whose hull's end is not cut off.
template <class Reader>
ISO_DEVICE point<typename Reader::sums> end_of(const Reader& reader,
                                               const dense_leaf<typename Reader::sums>& leaf) {
  if (leaf.left) return leaf.shared;
  const auto& chunk = reader.state.chunk[leaf.chunk];
  return reader.at(leaf.chunk, chunk.high, chunk.total);
}

// The vertices of one of a chunk's words. If they are more than 32, the one farthest from the boundary is
// left out, which `out` tells. All lanes of the warp call.
template <class Reader>
ISO_DEVICE short_hull<typename Reader::sums> hull_of_word(const Reader& reader,
                                                          const dense_leaf<typename Reader::sums>& leaf,
                                                          int word, bool& out) {
  const int lane = static_cast<int>(reader.tile.thread_rank()), first = 32 * word;
  const auto& chunk = reader.state.chunk[leaf.chunk];
  const std::uint32_t bits = reader.tile.shfl(leaf.bits, word);
  auto own = Reader::sums::zero();
  if (first + lane >= chunk.low && first + lane < chunk.high) {
    reader.add_element(own, leaf.chunk, first + lane);
  }
  auto before = Reader::sums::zero();
  if constexpr (Reader::weighted) {
    before = sums_before(reader.tile, own);
  } else {
    before.s = sums_before(reader.tile, own.s);
  }
  const int starts = leaf.starts_with(word), ends = leaf.ends_with(word);
  const int all = starts + count_bits(bits) + ends, skipped = leaf.left && all > 32 ? all - 32 : 0;
  out = all > 32;
  const int from = position_of_bit(bits, (lane + skipped - starts) & 31) & 31;
  point<typename Reader::sums> p = reader.at(leaf.chunk, first, reader.state.points[leaf.chunk].at[word]);
  p.element += from;
  p.at += shuffled(before, [&](std::uint64_t w) { return reader.tile.shfl(w, from); });
  if (starts != 0 && lane == 0) p = leaf.shared;
  if (ends != 0 && lane == all - skipped - 1) p = end_of(reader, leaf);
  return {out ? 32 : all, p};
}

template <bool Weighted, class Sums>
ISO_DEVICE distance distance_in_doubles(const point<Sums>& from, const point<Sums>& to) {
  using numeric::as_double, numeric::difference;
  const double s = as_double(difference(to.at.s, from.at.s));
  if constexpr (Weighted) return {s, as_double(difference(to.at.w, from.at.w))};
  return {s, static_cast<double>(to.element - from.element)};
}

// The group of a lane that has the vertices `first` to `last`, if it has `some`. `shared`: the point that the
// sides share. All lanes of the warp call.
template <bool Weighted, class Tile, class Sums>
ISO_DEVICE vertex_group group_of(const Tile& tile, bool some, const point<Sums>& first,
                                 const point<Sums>& last, const point<Sums>& shared, bool left) {
  const unsigned lower = tile.ballot(some) & bits_between(0, static_cast<int>(tile.thread_rank()));
  const int previous = lower != 0 ? highest_bit(lower) : 0;
  const distance at_first = distance_in_doubles<Weighted>(first, shared);
  const distance at_last = distance_in_doubles<Weighted>(last, shared);
  const distance at_previous{tile.shfl(at_last.s, previous), tile.shfl(at_last.w, previous)};
  const double sign = left ? 1 : -1;
  return {some,
          some && first.element != last.element,
          some && lower != 0,
          {sign * at_first.s, sign * at_first.w},
          {sign * at_last.s, sign * at_last.w},
          {at_first.s - at_last.s, at_first.w - at_last.w},
          {at_previous.s - at_first.s, at_previous.w - at_first.w}};
}

// The first or last vertex of a lane's word, if it has any. `from`: where the word begins; `to`: where the
// next one does, of any but the last word.
template <class Reader, class Point>
ISO_DEVICE Point vertex_of_word(const Reader& reader, const dense_leaf<typename Reader::sums>& leaf,
                                bool last, const Point& from, const Point& to) {
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const auto& chunk = reader.state.chunk[leaf.chunk];
  if (leaf.bits == 0) return Point::zero();
  if (last ? leaf.ends_with(lane) : leaf.starts_with(lane)) return last ? end_of(reader, leaf) : leaf.shared;
  const int i = 32 * lane + (last ? highest_bit(leaf.bits) : lowest_bit(leaf.bits));
  // From the end of the word that is nearer.
  const bool backwards = i % 32 > 16 && lane < 31;
  const int low = 32 * lane < chunk.low ? chunk.low : 32 * lane;
  const int high = 32 * lane + 32 < chunk.high ? 32 * lane + 32 : chunk.high;
  auto sum = Reader::sums::zero();
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int k = backwards ? i : low; k < (backwards ? high : i); ++k) reader.add_element(sum, leaf.chunk, k);
  Point p{reader.state.chunk_begin(leaf.chunk) + i, backwards ? to.at : from.at};
  if (backwards) {
    p.at -= sum;
  } else {
    p.at += sum;
  }
  return p;
}

// The first and the last vertex of each lane's word. All lanes of the warp call.
template <class Sums>
struct word_ends {
  point<Sums> first, last;
};
template <class Reader>
ISO_DEVICE word_ends<typename Reader::sums> ends_of_words(const Reader& reader,
                                                          const dense_leaf<typename Reader::sums>& leaf) {
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const auto from = reader.at(leaf.chunk, 32 * lane, reader.state.points[leaf.chunk].at[lane]);
  const auto to = vertex_of_lane<Reader::weighted>(reader.tile, from, (lane + 1) & 31);
  return {vertex_of_word(reader, leaf, false, from, to), vertex_of_word(reader, leaf, true, from, to)};
}

}  // namespace iso
