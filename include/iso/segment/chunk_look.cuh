// A look at a chunk of a long row before it is hulled: its exact sum, and how far its points sag.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <iso/block/load_tile.cuh>
#include <iso/block/reduce.cuh>
#include <iso/block/row_tile.cuh>
#include <iso/block/tile_storage.cuh>
#include <iso/detail/config.hpp>
#include <iso/numeric/format.hpp>
#include <iso/numeric/integer.hpp>
#include <iso/segment/chunk.cuh>
#include <iso/segment/reader.cuh>
#include <iso/segment/records.cuh>
#include <iso/warp/filters.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// The shared memory of a warp that looks at a chunk.
template <class T>
struct look_storage {
  T y[elements<T, false>::room(chunk_elements)];

  ISO_HOST_DEVICE tile_memory<T, false, chunk_lane_elements> memory() {
    return {y, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, chunk_lanes::value, 0};
  }
};

// The sum of all elements of a whole chunk, in units of its grid. All lanes of the warp call.
//
// Elements on a grid of up to 43 bits add up in doubles without rounding. Of up to 85 bits they do in two:
// each is rounded to a multiple of 2^-42 of what is above all, as y + c - c for a great c, and the rest is
// left.
//
// Example, of six bits instead: 101.1 rounded to halves of 8 is 100 or 110, and what is left has 3 bits.
template <class Tile, class View>
ISO_DEVICE auto sum_of_chunk(const Tile& tile, const View& v) {
  using T = std::remove_const_t<std::remove_pointer_t<decltype(v.e.y)>>;
  using f = numeric::format<T>;
  using integer = decltype(v.lane_sum(0).s);
  using numeric::power_of_two;
  constexpr int p = View::lane_elements, plain_bits = 53 - 10, upper_bits = 42;
  const int lane = static_cast<int>(tile.thread_rank());
  const T* const y = v.e.of_lane(p * lane).y + p * lane;
  const int bits = v.on.products.bits(), unit = v.on.products.unit() + f::min_exponent;
  if (bits == 0) return integer::zero();
  if constexpr (f::digits <= plain_bits) {
    if (bits <= plain_bits) {
      double sum = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll 8
#endif
      for (int k = 0; k < p; ++k) sum += static_cast<double>(y[k]);
      return integer::from(static_cast<std::int64_t>(total_of(tile, sum) * power_of_two(-unit)));
    }
  }
  if (bits <= upper_bits + plain_bits && unit >= -1000 && unit + bits <= 1000) {
    const int upper_unit = unit + bits - upper_bits;  // not below the grid's: there would be bits enough
    const double c = 1.5 * power_of_two(upper_unit + 52);
    double upper = 0, lower = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll 8
#endif
    for (int k = 0; k < p; ++k) {
      const double value = static_cast<double>(y[k]), rounded = value + c - c;
      upper += rounded;
      lower += value - rounded;
    }
    auto sum = integer::from(static_cast<std::int64_t>(total_of(tile, upper) * power_of_two(-upper_unit)));
    raise_units(sum, upper_unit - unit);
    sum += integer::from(static_cast<std::int64_t>(total_of(tile, lower) * power_of_two(-unit)));
    return sum;
  }
  return sums_of_all(tile, v.lane_sum(lane).s);
}

// How far the points of a chunk are below its chord at most, and how far its lanes' beginnings are above it,
// in parts of the power of two that is above all its values.
struct chunk_sag {
  float below, above;

  // Of a chunk that has to be hulled, and one that has not.
  static constexpr float any = INFINITY, none = -1;

  // Whether the chunk's sums are convex at large, as those of values that rise are: noise is so once in 25.
  ISO_HOST_DEVICE bool convex() const { return 8 * above < below; }
};

// Whether the sag of a chunk is told: neither overflow nor underflow may count. Its elements are finite.
template <class T>
ISO_HOST_DEVICE bool has_sag(const numeric::range& products) {
  using f = numeric::format<T>;
  return products.empty() || (products.high >= 3 * f::digits && products.high <= f::positions - 16);
}

// The sag of a whole chunk, given its sum. All lanes of the warp call.
//
// Example, lanes of four elements, values 4 0 2 6 | 1 9 3 7, below 16, whose mean is 4: the points are 0 0 4
// 6, 4 7 2 3 and 0 below the chord, so 7 / 16 is the sag.
template <class Tile, class View, class Sum>
ISO_DEVICE chunk_sag sag_of(const Tile& tile, const View& v, const Sum& total) {
  using T = std::remove_const_t<std::remove_pointer_t<decltype(v.e.y)>>;
  using f = numeric::format<T>;
  constexpr int p = View::lane_elements;
  const int lane = static_cast<int>(tile.thread_rank());
  if (v.on.products.empty()) return {0, 0};
  // Above all values, and 2^bits units of the grid.
  const T part = f::encode(false, std::uint64_t{1} << (f::digits - 1), v.on.products.high - f::digits + 1);
  const T mean = static_cast<T>(numeric::approximate(total, v.on.products.bits() + 10)) * part;
  const T* const y = v.e.of_lane(p * lane).y + p * lane;
  T sag = 0, most = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll 8
#endif
  for (int k = 0; k < p; ++k) {
    sag += mean - y[k];
    most = most < sag ? sag : most;
  }
  const double own = static_cast<double>(sag) / part, begin = total_up_to(tile, own) - own;
  // All that has been rounded off is less than 2^-7: in floats 1024 sums of up to 64 parts, and the rest
  // little.
  const auto greatest = [&](float of) {  // whose bits are ordered as it is
    using bits = numeric::format<float>;
    const auto own_bits = static_cast<std::int32_t>(bits::to_bits(of > 0 ? of : 0));
    return bits::from_bits(static_cast<std::uint32_t>(reduce_max(tile, own_bits, nullptr)));
  };
  return {greatest(static_cast<float>(begin + static_cast<double>(most / part)) + 0x1p-7f),
          greatest(static_cast<float>(-begin))};
}

// Whether looks at a row's chunks are given up by chunk c: a third of those before it were convex, by the
// chunks that are asked, one in so many. Chunks are looked at in order, about.
inline constexpr std::int64_t chunks_asked = 16;
ISO_DEVICE inline bool looks_end(const row_record& row, std::int64_t c) {
  constexpr std::int64_t some = 16;
  const std::uint32_t unseen = peek(row.unseen), convex = peek(row.convex);
  return unseen != 0 || (convex > some && 3 * chunks_asked * std::int64_t{convex} > c);
}

// Looks at chunk g, counted through all rows: fills in what its record says whatever its hull, and notes its
// sag. All lanes of the warp call.
template <class Warp, class Rows, class Space, class T = typename Rows::value_type>
ISO_DEVICE void look_at_chunk(const Warp& warp, look_storage<T>& storage, const Rows& rows, const Space& at,
                              std::int64_t g) {
  const std::int64_t r = quotient(g, at.chunks), c = g - r * at.chunks;
  row_record& row = at.row[r];
  const int lane = static_cast<int>(warp.thread_rank());
  if (looks_end(row, c)) {
    if (lane == 0 && peek(row.unseen) == 0) raise(row.unseen, 1u);
    return;
  }
  const auto s = storage.memory();
  const std::int64_t begin = c * chunk_elements;
  const int count =
      static_cast<int>(at.length - begin < chunk_elements ? at.length - begin : std::int64_t{chunk_elements});
  const findings found = load_row<2 * usual_batch>(warp, s, rows, r, begin, count);
  const tile_facts facts = examine_tile<T, false>(warp, s, count, found, false);
  if (lane == 0) tell_row<false>(row, found, facts, begin, at.length);
  const bool live = begin_chunk(warp, s, at.chunk[g], facts);
  float sag = chunk_sag::any;
  if (live && !facts.wide) {
    with_view<T, false>(s, facts, [&](const auto& v) {
      const bool whole = facts.low == 0 && facts.high == chunk_elements;
      const auto sum = whole ? sum_of_chunk(warp, v) : sums_of_all(warp, v.lane_sum(lane).s);
      if (whole && has_sag<T>(facts.on.products)) {
        const chunk_sag of = sag_of(warp, v, sum);
        if (lane == 0 && c % chunks_asked == 0 && of.convex()) add_one(row.convex);
        sag = of.below;
      }
      if (lane == 0) {
        record_sums(at.chunk[g].total, sum);
        at.chunk[g].points = 2;
      }
    });
  }
  if (lane == 0) at.sag[g] = sag;
}

}  // namespace iso
