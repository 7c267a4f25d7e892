// A look at a chunk of a long row before it is hulled: its exact sums, and how far its points sag.
//
// Usual chunks are summed up in doubles. Others are looked at as for their hulls, and have to be hulled.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <iso/block/load_tile.cuh>
#include <iso/block/reduce.cuh>
#include <iso/block/row_tile.cuh>
#include <iso/block/tile_storage.cuh>
#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/lane/findings.cuh>
#include <iso/lane/twofold.cuh>
#include <iso/numeric/format.hpp>
#include <iso/numeric/integer.hpp>
#include <iso/segment/chunk.cuh>
#include <iso/segment/reader.cuh>
#include <iso/segment/records.cuh>
#include <iso/warp/begin_copy.cuh>
#include <iso/warp/filters.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// The shared memory of a warp that looks at a chunk.
template <class T, bool Weighted>
struct look_storage {
  static constexpr int room = elements<T, Weighted>::room(chunk_elements);
  T y[room];
  T w[Weighted ? room : 1];

  ISO_HOST_DEVICE tile_memory<T, Weighted, chunk_lane_elements> memory() {
    return {y, w, nullptr, nullptr, nullptr, nullptr, nullptr, chunk_lanes::value, 0};
  }
};

// The elements of a lane of a whole chunk: in registers, or where these are too few in shared memory.
template <class T, bool Weighted>
struct lane_values {
  static constexpr int count = chunk_lane_elements;
  static constexpr bool in_registers = sizeof(T) == 4 && !Weighted;

  std::conditional_t<in_registers, T[count], T*> y;
  const T* w = nullptr;

  ISO_HOST_DEVICE T weight(int k) const {
    if constexpr (Weighted) return w[k];
    return T(1);
  }

  // Calls f(k) for each.
  template <class F>
  ISO_HOST_DEVICE static void for_each(const F& f) {
#if defined(__CUDA_ARCH__)
#pragma unroll(in_registers ? count : 8)
#endif
    for (int k = 0; k < count; ++k) f(k);
  }
};

// Brings those of a whole chunk to the lanes, by way of `s`. All lanes of the warp call.
template <class T, bool Weighted, class Warp, class Memory, class Rows>
ISO_DEVICE lane_values<T, Weighted> lane_values_of(const Warp& warp, const Memory& s, const Rows& rows,
                                                   std::int64_t r, std::int64_t begin) {
  using values = lane_values<T, Weighted>;
  const auto e = s.data();
  const bool copied = copy_row<values::count>(warp, s, rows, r, begin);
  if (!copied) load_row_again(warp, s, rows, r, begin, chunk_elements);
  const int first = e.at(values::count * static_cast<int>(warp.thread_rank()));
  T* const y = e.y + first;
  values own;
  if constexpr (Weighted) own.w = e.w + first;
  if constexpr (values::in_registers) {
    values::for_each([&](int k) { own.y[k] = y[k]; });
  } else {
    own.y = y;
  }
  if (copied && !rows.increasing) {
    values::for_each([&](int k) { own.y[k] = numeric::format<T>::negate(own.y[k]); });
  }
  return own;
}

// The exact sum of doubles that lie on a grid, of a thousand: in one double up to 43 bits, and in another one
// for each 42 more. All but the last have multiples of a unit above the grid's, to which each number is
// rounded, as x + great - great; what is left goes on to the next. That is half a unit at most, so of two
// parts or more there may be two thousand numbers.
//
// Example, of 6 bits with 2 in a part of their own: 10.1101 is 11 - 0.0011, of which the first sum gets 11
// and the second one the rest.
template <int Parts>
struct double_sum {
  static constexpr int upper_bits = 42, last_bits = 53 - 10, most_bits = upper_bits * (Parts - 1) + last_bits;

  int unit[Parts];  // as a power of two
  double great[Parts], sum[Parts];

  ISO_HOST_DEVICE static bool fits(int bits, int unit) {
    return bits <= most_bits && unit >= -1000 && unit + bits <= 1000;
  }
  // Nothing, on a grid of so many bits whose unit is 2^unit.
  ISO_HOST_DEVICE static double_sum none(int bits, int unit) {
    double_sum r;
    for (int i = 0; i < Parts; ++i) {
      const int above = bits - (i + 1) * upper_bits;
      r.unit[i] = i + 1 < Parts && above > 0 ? unit + above : unit;
      r.great[i] = 1.5 * numeric::power_of_two(r.unit[i] + 52);
      r.sum[i] = 0;
    }
    return r;
  }
  ISO_HOST_DEVICE void add(double x) {
    for (int i = 0; i + 1 < Parts; ++i) {
      const double rounded = x + great[i] - great[i];
      sum[i] += rounded;
      x -= rounded;
    }
    sum[Parts - 1] += x;
  }
  // What all lanes have, in units of the grid. All lanes of the warp call.
  template <class Integer, class Warp>
  ISO_DEVICE Integer total(const Warp& warp) const {
    auto all = Integer::zero();
    for (int i = 0; i < Parts; ++i) {
      const double units = total_of(warp, sum[i]) * numeric::power_of_two(-unit[i]);
      auto part = Integer::from(static_cast<std::int64_t>(units));
      raise_units(part, unit[i] - unit[Parts - 1]);
      all += part;
    }
    return all;
  }
};

// How sums of a chunk's elements are taken in doubles, and whether they are.
template <class T, bool Weighted>
struct look_sums {
  using f = numeric::format<T>;
  using words = sum_words<T, Weighted>;
  using sums =
      std::conditional_t<Weighted, numeric::sums<words::small_n, words::small_m>, numeric::sums<2, 1>>;
  using kept = kept_sums<sums, Weighted>;
  // Products of doubles are two numbers, and have more bits than others.
  static constexpr bool two = Weighted && f::digits > 26;
  static constexpr int parts = two ? 3 : 2, weight_parts = two ? 2 : 1;

  int bits, unit, weight_bits, weight_unit;

  ISO_HOST_DEVICE static look_sums of(const numeric::grid& on) {
    return {on.products.bits(),
            on.products.empty() ? 0 : on.products.low + (Weighted ? 2 : 1) * f::min_exponent,
            on.weights.bits(), on.weights.unit() + f::min_exponent};
  }
  ISO_HOST_DEVICE bool fit() const {
    return double_sum<parts>::fits(bits, unit) &&
           (!Weighted || double_sum<weight_parts>::fits(weight_bits, weight_unit));
  }
  // All lanes of the warp call and get the same.
  template <class Warp>
  ISO_DEVICE typename kept::type taken(const Warp& warp, const lane_values<T, Weighted>& own) const {
    if constexpr (!Weighted && f::digits <= double_sum<1>::most_bits) {
      if (bits <= double_sum<1>::most_bits) return taken_in<1>(warp, own);
    }
    return taken_in<parts>(warp, own);
  }

 private:
  template <int Parts, class Warp>
  ISO_DEVICE typename kept::type taken_in(const Warp& warp, const lane_values<T, Weighted>& own) const {
    auto terms = double_sum<Parts>::none(bits, unit);
    auto weights = double_sum<weight_parts>::none(weight_bits, weight_unit);
    own.for_each([&](int k) {
      if constexpr (Weighted) {
        const auto product = twofold<T>::product(own.y[k], own.w[k]);
        if constexpr (two) {
          terms.add(product.high);
          terms.add(product.low);
        } else {
          terms.add(product.value);
        }
        weights.add(static_cast<double>(own.w[k]));
      } else {
        terms.add(static_cast<double>(own.y[k]));
      }
    });
    auto all = sums::zero();
    all.s = terms.template total<decltype(all.s)>(warp);
    if constexpr (Weighted) all.w = weights.template total<decltype(all.w)>(warp);
    return kept::of(all);
  }
};

// How far the points of a chunk are below its chord at most, and how far its lanes' beginnings are above it,
// in parts of the power of two that is above all its values, or products.
struct chunk_sag {
  float below, above;

  // Of a chunk that has to be hulled, and one that has not.
  static constexpr float any = INFINITY, none = -1;

  // Whether the chunk's sums are convex at large, as those of values that rise are: noise is so once in 25.
  ISO_HOST_DEVICE bool convex() const { return 8 * above < below; }
};

// The positions below which all values, and all of what is summed of them, are.
template <class T, bool Weighted>
struct sag_heights {
  int value, term;

  ISO_HOST_DEVICE static sag_heights of(const numeric::grid& on) {
    const int high = on.products.high;
    if constexpr (Weighted) return {high - on.weights.high, high + numeric::format<T>::min_exponent};
    return {high, high};
  }
  // Whether neither overflow nor underflow counts.
  ISO_HOST_DEVICE bool usual() const {
    using f = numeric::format<T>;
    const auto usual = [](int height) { return height >= 3 * f::digits && height <= f::positions - 16; };
    return usual(value) && usual(term);
  }
  ISO_HOST_DEVICE static T power(int height) {
    using f = numeric::format<T>;
    return f::encode(false, std::uint64_t{1} << (f::digits - 1), height - f::digits + 1);
  }
};

// The sag of a whole chunk, given its sums. All lanes of the warp call.
//
// Example, lanes of four elements, values 4 0 2 6 | 1 9 3 7, below 16, whose mean is 4: the points are 0 0 4
// 6, 4 7 2 3 and 0 below the chord, so 7 / 16 is the sag.
template <class Warp, class T, bool Weighted, class Sums>
ISO_DEVICE chunk_sag sag_of(const Warp& warp, const lane_values<T, Weighted>& own, const numeric::grid& on,
                            const Sums& total) {
  using heights_type = sag_heights<T, Weighted>;
  if (on.products.empty()) return {0, 0};
  const auto heights = heights_type::of(on);
  if (!heights.usual()) return {chunk_sag::any, chunk_sag::any};
  double share;
  if constexpr (Weighted) {
    share = numeric::approximate(total.s, on.products.bits() + 10) /
            numeric::approximate(total.w, on.weights.bits() + 10);
  } else {
    share = numeric::approximate(total, on.products.bits() + 10);
  }
  const T mean = static_cast<T>(share) * heights_type::power(heights.value);
  T sag = 0, most = 0;
  own.for_each([&](int k) {
    T term = mean - own.y[k];
    if constexpr (Weighted) term *= own.w[k];
    sag += term;
    most = most < sag ? sag : most;
  });
  const T part = heights_type::power(heights.term);
  const double all = static_cast<double>(sag) / part, begin = total_up_to(warp, all) - all;
  // All that has been rounded off is less than 2^-7: in floats 1024 sums of up to 64 parts, and the rest
  // little.
  const auto greatest = [&](float of) {  // whose bits are ordered as it is
    using bits = numeric::format<float>;
    const auto own_bits = static_cast<std::int32_t>(bits::to_bits(of > 0 ? of : 0));
    return bits::from_bits(static_cast<std::uint32_t>(reduce_max(warp, own_bits, nullptr)));
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

// Looks at a whole chunk as look_at_chunk does, if doubles hold its sums: returns whether they do. All lanes
// of the warp call.
template <class Warp, class Memory, class Rows, class Space>
ISO_DEVICE bool look_at_values(const Warp& warp, const Memory& s, const Rows& rows, const Space& at,
                               std::int64_t r, std::int64_t c) {
  using T = typename Rows::value_type;
  constexpr bool weighted = Rows::weighted;
  const auto own = lane_values_of<T, weighted>(warp, s, rows, r, c * chunk_elements);
  quick_look<T, weighted> look;
  own.for_each([&](int k) { look.include(own.y[k], own.weight(k)); });
  if (warp.any(look.odd())) return false;
  // Joined after all lanes' are known: the hull's lanes find no wider grid, whichever elements they have.
  const findings found = reduce<weighted>(warp, look.apart(true), nullptr).template joined<weighted>();
  tile_facts facts{found.status(), false, chunk_elements, 0, chunk_elements, found.template grid<weighted>()};
  const auto sums = look_sums<T, weighted>::of(facts.on);
  if (facts.status != row_status::ok || !sums.fit()) return false;
  const auto total = sums.taken(warp, own);
  const chunk_sag sag = sag_of(warp, own, facts.on, total);
  const std::int64_t g = r * at.chunks + c;
  begin_chunk(warp, s, at.chunk[g], facts);
  if (warp.thread_rank() != 0) return true;
  row_record& row = at.row[r];
  tell_row<weighted>(row, found, facts, c * chunk_elements, at.length);
  if (c % chunks_asked == 0 && sag.convex()) add_one(row.convex);
  at.sag[g] = sag.below;
  at.chunk[g].points = 2;  // of its chord: not so many that merges would look for words of them
  record_sums(at.chunk[g].total, total);
  return true;
}

// The same of any chunk, as its hull would; but its sag is not told. All lanes of the warp call.
template <class Warp, class Memory, class Rows, class Space>
[[gnu::noinline]] ISO_DEVICE void look_at_memory(const Warp& warp, const Memory& s, const Rows& rows,
                                                 const Space& at, std::int64_t r, std::int64_t c) {
  using T = typename Rows::value_type;
  constexpr bool weighted = Rows::weighted;
  const int lane = static_cast<int>(warp.thread_rank());
  const std::int64_t begin = c * chunk_elements, g = r * at.chunks + c, left = at.length - begin;
  const auto count = static_cast<int>(left < chunk_elements ? left : std::int64_t{chunk_elements});
  const findings found = load_row(warp, s, rows, r, begin, count);
  const tile_facts facts = examine_tile<T, weighted>(warp, s, count, found, false);
  if (lane == 0) tell_row<weighted>(at.row[r], found, facts, begin, at.length);
  const bool live = begin_chunk(warp, s, at.chunk[g], facts);
  if (lane == 0) at.sag[g] = chunk_sag::any;
  if (!live || facts.wide) return;
  with_view<T, weighted>(s, facts, [&](const auto& v) {
    using kept = kept_sums<typename std::remove_cvref_t<decltype(v)>::sums, weighted>;
    const auto sum = sums_of_all(warp, kept::of(v.lane_sum(lane)));
    if (lane == 0) record_sums(at.chunk[g].total, sum);
  });
}

// Looks at chunk g, counted through all rows: fills in what its record says whatever its hull, and notes its
// sag. All lanes of the warp call.
template <class Warp, class Rows, class Space, class T = typename Rows::value_type>
ISO_DEVICE void look_at_chunk(const Warp& warp, look_storage<T, Rows::weighted>& storage, const Rows& rows,
                              const Space& at, std::int64_t g) {
  const std::int64_t r = quotient(g, at.chunks), c = g - r * at.chunks;
  row_record& row = at.row[r];
  if (looks_end(row, c)) {
    if (warp.thread_rank() == 0 && peek(row.unseen) == 0) raise(row.unseen, 1u);
    return;
  }
  const auto s = storage.memory();
  if ((c + 1) * chunk_elements <= at.length && look_at_values(warp, s, rows, at, r, c)) return;
  warp.sync();
  look_at_memory(warp, s, rows, at, r, c);
}

}  // namespace iso
