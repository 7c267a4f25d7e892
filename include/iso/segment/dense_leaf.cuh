// The vertices of a chunk that has too many for a list, as a bridge asks for them: a word of bits at a time,
// or of every word the first and the last, about.
//
// Such a chunk has a bit an element and the sums before each word. The vertices of one word are within 32
// elements, so a warp reads these at once, sums them up by lanes, and picks the vertices: that is a window.
// Where in the chunk it is to be, the words' first and last vertices tell: the edges from one word to the
// next are edges of the hull, and a word's vertices lie on or below the chord from its first to its last.
// That is a guess, for which nothing is summed up: the first vertex is next to the word's beginning as a
// rule, whose sums are known, and the last next to its end; and what is in between rises about evenly.
//
// Bridges above the chunk may have cut off either end of it, and a search too: what is left is a stretch of
// its vertices. The chunk's end has no bit, and counts as a word of its own, after the others.
//
// Example: bits of words 0 and 1 at 0 1 2 3 | 7 8, and the end of the chunk at 64. The groups are 0 to 3 and
// 39 to 40; between them is the edge from 3 to 39. A window of word 1 has the vertices 39 and 40.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/lane/lane_hull.cuh>
#include <iso/numeric/integer.hpp>
#include <iso/numeric/turn.hpp>
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

  ISO_HOST_DEVICE static dense_leaf none() { return {0, 0, 0, false}; }

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

// Whether the bits that are set, one or more, are next to each other.
ISO_HOST_DEVICE inline bool in_a_row(std::uint32_t mask) {
  const std::uint32_t run = mask >> lowest_bit(mask);
  return (run & (run + 1)) == 0;
}

// The position of bit n of those that are set, counted from 0; there are more than n.
[[gnu::noinline]] ISO_HOST_DEVICE inline int position_of_bit(std::uint32_t mask, int n) {
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

// The stretch from vertex `low` to vertex `high`, positions in chunk c, which has no list. All lanes of the
// warp call.
template <class Reader>
ISO_DEVICE dense_leaf dense_leaf_of(const Reader& reader, std::int64_t c, int low, int high) {
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const auto position = [=](int i) { return i < 32 * lane ? 0 : i - 32 * lane < 32 ? i - 32 * lane : 32; };
  const int from = position(low), to = position(high);
  // The ends may have no bits of their own: the chunk's last vertex has none.
  const std::uint32_t bits = (reader.state.bits[c * 32 + lane] & bits_between(from, to)) |
                             bits_between(from, position(low + 1)) | bits_between(to, position(high + 1));
  return {c, bits, reader.tile.ballot(bits != 0), high == chunk_elements};
}

// An element of a row as it is read.
template <class T>
struct read_element {
  T y, w;
};

// What a window of a word is made of, as far as it is in memory: the lane's element, or 0 if it plays no
// part, and the sums before the word. So a merge reads the words of both sides at once.
template <class T, bool Weighted>
struct word_in_memory {
  read_element<T> own;
  recorded_sums<T, Weighted> before;
};
template <class Reader, class Side>
ISO_DEVICE auto word_in_memory_of(const Reader& reader, const Side& side, int word) {
  using T = typename Reader::T;
  word_in_memory<T, Reader::weighted> of{};
  if (!side.dense || word == dense_leaf::end_word) return of;
  const std::int64_t c = side.leaf.chunk, begin = reader.state.chunk_begin(c);
  const int i = 32 * word + static_cast<int>(reader.tile.thread_rank());
  const auto& chunk = reader.state.chunk[c];
  const std::int64_t element = begin + i < reader.state.length ? begin + i : begin;
  of.before = reader.state.points[c].at[word];
  of.own = {reader.rows.value(reader.row, element), reader.rows.weight(reader.row, element)};
  if (i < chunk.low || i >= chunk.high) of.own = {T(0), T(0)};
  return of;
}

// The bits of a value on a row's grid so that sums of 32 fit one word.
inline constexpr int word_value_bits = 57;

// The sums of the elements of the lanes before this one, as they are kept. All lanes of the warp call.
template <bool Weighted, class Tile, class T>
[[gnu::noinline]] ISO_DEVICE recorded_sums<T, Weighted> wide_sums_in_word(const Tile tile,
                                                                          const read_element<T> own,
                                                                          const numeric::grid on) {
  auto sum = large_sums<T, Weighted>::zero();
  numeric::add_element<T, Weighted>(sum, &own.y, &own.w, 0, on);
  return sums_before(tile, kept_sums<large_sums<T, Weighted>, Weighted>::of(sum));
}
template <class Reader>
ISO_DEVICE auto sums_in_word(const Reader& reader, const read_element<typename Reader::T>& own) {
  const auto& on = reader.facts.on;
  if constexpr (!Reader::weighted) {
    if (on.products.bits() <= word_value_bits) {
      const std::int64_t value = value_on_grid(own.y, on.products.low);
      return decltype(Reader::sums::s)::from(total_up_to(reader.tile, value) - value);
    }
  }
  return wide_sums_in_word<Reader::weighted>(reader.tile, own, on);
}

// The vertices of one of a stretch's words. All lanes of the warp call.
template <class Reader, class Word>
ISO_DEVICE short_hull<typename Reader::sums> hull_of_word(const Reader& reader, const dense_leaf& leaf,
                                                          int word, const Word& of) {
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const std::uint32_t own_bits = leaf.bits, bits = reader.tile.shfl(own_bits, word);
  const auto before = sums_in_word(reader, of.own);
  const int from = (in_a_row(bits) ? lane + lowest_bit(bits) : position_of_bit(bits, lane)) & 31;
  auto p = reader.at(leaf.chunk, 32 * word, of.before);
  p.element += from;
  if constexpr (Reader::weighted) {
    p.at += shuffled(before, [&](std::uint64_t w) { return reader.tile.shfl(w, from); });
  } else {
    p.at.s += shuffled(before, [&](std::uint64_t w) { return reader.tile.shfl(w, from); });
  }
  return {count_bits(bits), with_weight<Reader::weighted>(p, reader.facts.begin)};
}

// The first or last vertex of one of a stretch's words. All lanes of the warp call and get the same.
template <class Reader>
ISO_DEVICE point<typename Reader::sums> vertex_in_word(const Reader& reader, const dense_leaf& leaf, int word,
                                                       bool last) {
  const std::uint32_t own_bits = leaf.bits, bits = reader.tile.shfl(own_bits, word);
  return reader.at(leaf.chunk, 32 * word + (last ? highest_bit(bits) : lowest_bit(bits)));
}

// From s to the first and the last vertex of a lane's group, about, if it has `some`.
struct group_ends {
  bool some;
  distance first, last;
};

// The factors that turn sums on one grid into those on another.
ISO_HOST_DEVICE inline distance units_of(const numeric::grid& of, const numeric::grid& to) {
  return {numeric::about_power_of_two(of.products.unit() - to.products.unit()),
          numeric::about_power_of_two(of.weights.unit() - to.weights.unit())};
}

// Recorded sums in doubles; without weights nothing is known of those.
template <int N>
ISO_HOST_DEVICE distance recorded_in_doubles(const numeric::integer<N>& s) {
  return {numeric::as_double(s), 0};
}
template <int N, int M>
ISO_HOST_DEVICE distance recorded_in_doubles(const numeric::sums<N, M>& of) {
  return in_doubles(of);
}

// The elements between the first or last vertex of a word and the nearer one of the word's ends.
struct word_part {
  int from, to;
  bool to_end;  // it is the word's end, and the sums of the elements are to be taken off those up to it

  // [begin, end): the word's elements that play a part. All are positions in the chunk.
  ISO_HOST_DEVICE static word_part of(int vertex, int begin, int end) {
    const bool to_end = vertex - begin > end - vertex;
    return {to_end ? vertex : begin, to_end ? end : vertex, to_end};
  }
};

// The sums of the elements of a word's part, about, as the first and the last of them tell: few are in
// between, or the word is at the end of a long edge. In units of the row's grid.
template <class Reader>
ISO_DEVICE distance sums_of_part(const Reader& reader, std::int64_t chunk_begin, const word_part& part) {
  const bool some = part.from < part.to;
  const auto product = [&](std::int64_t i, double& w) {
    const auto y = static_cast<double>(reader.rows.value(reader.row, i));
    if constexpr (!Reader::weighted) return y;
    w = static_cast<double>(reader.rows.weight(reader.row, i));
    return w > 0 ? y * w : 0;
  };
  double first_w = 0, last_w = 0;
  const double first = product(chunk_begin + (some ? part.from : 0), first_w);
  const double last = product(chunk_begin + (some ? part.to - 1 : 0), last_w);
  const double half = 0.5 * (part.to - part.from);
  return {some ? half * (first + last) : 0, some ? half * (first_w + last_w) : 0};
}

// From the start of chunk c to the first and the last vertex of a lane's word. All lanes of the warp call.
template <class Reader>
ISO_DEVICE group_ends ends_of_word(const Reader& reader, const dense_leaf& leaf, std::int64_t c) {
  using format = numeric::format<typename Reader::T>;
  const auto& tile = reader.tile;
  const auto& on = reader.facts.on;
  const auto& chunk = reader.state.chunk[leaf.chunk];
  const int lane = static_cast<int>(tile.thread_rank()), beside = (lane + 1) & 31;
  const std::int64_t begin = reader.state.chunk_begin(leaf.chunk), s_element = reader.state.chunk_begin(c);
  // Sums on the chunk's grid, and its units and those of elements on the row's.
  const distance total = recorded_in_doubles(chunk.total), unit = units_of(chunk.on, on);
  const distance before = recorded_in_doubles(reader.state.points[leaf.chunk].at[lane]);
  const double s_unit =
      numeric::about_power_of_two(-on.products.unit() - (Reader::weighted ? 2 : 1) * format::min_exponent);
  const double w_unit = numeric::about_power_of_two(-on.weights.unit() - format::min_exponent);
  distance after{tile.shfl(before.s, beside), 0}, start{0, 0};
  if constexpr (Reader::weighted) after.w = tile.shfl(before.w, beside);
  if (lane == 31) after = total;
  if (leaf.chunk == c - 1) {
    start = {-total.s * unit.s, -total.w * unit.w};
  } else if (leaf.chunk != c) {
    start = in_doubles(between(reader.vertex_at_start(c), reader.vertex_at_start(leaf.chunk)));
  }
  const int low = chunk.low > 32 * lane ? chunk.low : 32 * lane;
  const int high = chunk.high < 32 * lane + 32 ? chunk.high : 32 * lane + 32;
  const auto vertex = [&](int bit) {
    const word_part part = word_part::of(32 * lane + bit, low, high);
    const distance by = sums_of_part(reader, begin, part);
    const distance& border = part.to_end ? after : before;
    const double sign = part.to_end ? -1 : 1;
    distance at{start.s + border.s * unit.s + sign * by.s * s_unit,
                start.w + border.w * unit.w + sign * by.w * w_unit};
    if constexpr (!Reader::weighted) at.w = static_cast<double>(begin + 32 * lane + bit - s_element);
    return at;
  };
  const bool some = leaf.bits != 0;
  const distance first = vertex(some ? lowest_bit(leaf.bits) : 0);
  return {some, first, vertex(some ? highest_bit(leaf.bits) : 0)};
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
