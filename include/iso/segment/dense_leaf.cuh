// The vertices of a chunk that has too many for a list, as a bridge asks for them: a word of bits at a time,
// or of every word the first and the last, about.
//
// Such a chunk has a bit an element and the sums before each word. The vertices of one word are within 32
// elements, so a warp reads these at once, sums them up by lanes, and picks the vertices: that is a window.
// Where in the chunk it is to be, the words' first and last vertices tell: the edges from one word to the
// next are edges of the hull, and a word's vertices lie on or below the chord from its first to its last.
//
// Bridges above the chunk may have cut off either end of it, and a search too: what is left is a stretch of
// its vertices. The chunk's end has no bit, and counts as a word of its own, after the others.
//
// Example: bits of words 0 and 1 at 0 1 2 3 | 7 8, and the end of the chunk at 64. The groups are 0 to 3 and
// 39 to 40; between them is the edge from 3 to 39. A window of word 1 has the vertices 39 and 40.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/numeric/integer.hpp>
#include <iso/segment/bridge.cuh>
#include <iso/segment/chain.cuh>
#include <iso/segment/records.cuh>
#include <iso/segment/short_hull.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// A stretch of the vertices of a chunk without a list.
struct dense_leaf {
  static constexpr int end_word = 32;

  std::int64_t chunk;
  // Of lane l: those before the elements 32 l to 32 l + 31. The words that have any.
  std::uint32_t bits;
  unsigned words;
  bool ends;  // the last vertex is the chunk's end

  // The words beside one; -1 if there is none.
  ISO_HOST_DEVICE int word_before(int word) const { return highest_bit(words & bits_between(0, word)); }
  ISO_HOST_DEVICE int word_after(int word) const {
    const unsigned after = word < 31 ? words & ~bits_between(0, word + 1) : 0;
    if (after != 0) return lowest_bit(after);
    return ends && word < end_word ? end_word : -1;
  }
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

// The stretch of a chain that has got to a chunk without a list, of two vertices or more. All lanes of the
// warp call.
template <class Reader>
ISO_DEVICE dense_leaf dense_leaf_of(const Reader& reader, const chain<typename Reader::kept>& of) {
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const std::int64_t c = of.from.at, lane_begin = reader.state.chunk_begin(c) + 32 * lane;
  const auto position = [=](std::int64_t i) {
    return static_cast<int>(i < lane_begin ? 0 : i - lane_begin < 32 ? i - lane_begin : 32);
  };
  const int low = position(of.low.element), high = position(of.high.element);
  const int after_low = position(of.low.element + 1), after_high = position(of.high.element + 1);
  const std::uint32_t bits = (reader.state.bits[c * 32 + lane] & bits_between(low, high)) |
                             bits_between(low, after_low) | bits_between(high, after_high);
  return {c, bits, reader.tile.ballot(bits != 0),
          of.high.element == reader.state.chunk_begin(c) + chunk_elements};
}

// The vertices of one of a stretch's words; `end`: the stretch's last. All lanes of the warp call.
template <class Reader>
ISO_DEVICE short_hull<typename Reader::sums> hull_of_word(const Reader& reader, const dense_leaf& leaf,
                                                          int word, const point<typename Reader::sums>& end) {
  if (word == dense_leaf::end_word) return {1, end};
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
  const int from = position_of_bit(bits, lane) & 31;
  point<typename Reader::sums> p = reader.at(leaf.chunk, first, reader.state.points[leaf.chunk].at[word]);
  p.element += from;
  p.at += shuffled(before, [&](std::uint64_t w) { return reader.tile.shfl(w, from); });
  return {count_bits(bits), with_weight<Reader::weighted>(p, reader.facts.begin)};
}

// The first or last vertex of one of a stretch's words. All lanes of the warp call and get the same.
template <class Reader>
ISO_DEVICE point<typename Reader::sums> vertex_in_word(const Reader& reader, const dense_leaf& leaf, int word,
                                                       bool last, const point<typename Reader::sums>& end) {
  if (word == dense_leaf::end_word) return end;
  const std::uint32_t bits = reader.tile.shfl(leaf.bits, word);
  return reader.at(leaf.chunk, 32 * word + (last ? highest_bit(bits) : lowest_bit(bits)));
}

// From s to the first and the last vertex of a lane's group, about, if it has `some`.
struct group_ends {
  bool some;
  distance first, last;
};

// Those of a lane's word. All lanes of the warp call.
template <class Reader>
ISO_DEVICE group_ends ends_of_word(const Reader& reader, const dense_leaf& leaf,
                                   const point<typename Reader::sums>& s) {
  using format = numeric::format<typename Reader::T>;
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const auto& chunk = reader.state.chunk[leaf.chunk];
  const auto& on = reader.facts.on;
  // A unit of the grid that is beyond doubles gives a wrong guess.
  const auto units = [](int exponent) {
    return numeric::power_of_two(exponent < -1022 ? -1022 : exponent > 1023 ? 1023 : exponent);
  };
  const double s_units = units(-on.products.unit() - (Reader::weighted ? 2 : 1) * format::min_exponent);
  const double w_units = Reader::weighted ? units(-on.weights.unit() - format::min_exponent) : 1;
  const auto from = reader.at(leaf.chunk, 32 * lane, reader.state.points[leaf.chunk].at[lane]);
  distance at = in_doubles(between(s, from)), first = at;
  const int first_bit = lowest_bit(leaf.bits), last_bit = highest_bit(leaf.bits);
  const std::int64_t begin = reader.state.chunk_begin(leaf.chunk);
  // By fours, whose elements are read at once.
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int four = 0; four < last_bit; four += 4) {
    for (int k = four; k < four + 4; ++k) {
      if (k == first_bit) first = at;
      const int i = 32 * lane + k;
      const bool counts = k < last_bit && i >= chunk.low && i < chunk.high;
      const std::int64_t element = begin + (counts ? i : chunk.low);
      const auto y = static_cast<double>(reader.rows.value(reader.row, element));
      const double w = Reader::weighted ? static_cast<double>(reader.rows.weight(reader.row, element)) : 1;
      at.s += counts && w > 0 ? y * w * s_units : 0;
      at.w += counts ? w * w_units : 0;
    }
  }
  if (first_bit == last_bit) first = at;
  return {leaf.bits != 0, first, at};
}

// The group of a lane. All lanes of the warp call.
template <class Tile>
ISO_DEVICE vertex_group group_of(const Tile& tile, const group_ends& at, bool left) {
  const bool some = at.some;
  const unsigned lower = tile.ballot(some) & bits_between(0, static_cast<int>(tile.thread_rank()));
  const int previous = lower != 0 ? highest_bit(lower) : 0;
  const distance at_previous{tile.shfl(at.last.s, previous), tile.shfl(at.last.w, previous)};
  const double sign = left ? -1 : 1;
  return {some,
          some && at.first.w != at.last.w,
          some && lower != 0,
          {sign * at.first.s, sign * at.first.w},
          {sign * at.last.s, sign * at.last.w},
          {at.last.s - at.first.s, at.last.w - at.first.w},
          {at.first.s - at_previous.s, at.first.w - at_previous.w}};
}

}  // namespace iso
