// Sums of products and of weights as integers spread over a warp, and how a warp sums up elements.
//
// Elements come 32 at a time, one a lane. Each lane places its product within its words: a few words and the
// index of the first. Then one element after another is shown to all lanes, and every lane adds what falls
// into its own word; carries out of a word are counted there, and handed on once at the end.
//
// Example, with words of two decimal digits: 90 + 80 - 30 in word 0 leaves 40 there and a count of 1, of
// which word 1 gets 1 in the end: 140.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/numeric/format.hpp>
#include <iso/numeric/sums.hpp>
#include <iso/warp/spread_integer.cuh>

namespace iso::warp {

// As numeric::sums; the words hold every finite input. All lanes of the warp call every function together.
template <class T, bool Weighted, class Warp>
struct spread_sums {
  using products = spread_integer<numeric::most_product_words<T, Weighted>, Warp>;
  using weights = spread_integer<numeric::most_weight_words<T, Weighted>, Warp>;
  static constexpr int words = products::words + weights::words;

  products s;
  weights w;

  ISO_DEVICE static spread_sums zero(const Warp& warp) { return {products::zero(warp), weights::zero(warp)}; }
  // From and to `words` words in memory.
  ISO_DEVICE static spread_sums load(const Warp& warp, const std::uint64_t* from) {
    return {products::load(warp, from), weights::load(warp, from + products::words)};
  }
  ISO_DEVICE void store(std::uint64_t* to) const {
    s.store(to);
    w.store(to + products::words);
  }
  ISO_DEVICE spread_sums& operator+=(const spread_sums& b) {
    s += b.s;
    w += b.w;
    return *this;
  }
};

// Whether the mean of `a` is not less than that of `b`, exactly.
template <class T, bool Weighted, class Warp>
[[gnu::noinline]] ISO_DEVICE bool mean_not_less(spread_sums<T, Weighted, Warp> a,
                                                spread_sums<T, Weighted, Warp> b) {
  return !less(multiply(a.s, b.w), multiply(b.s, a.w));
}

namespace detail {

// The words of a * 2^shift from word `first` on, for an integer a of up to `Bits` bits.
template <int Bits>
struct placed_number {
  static constexpr int pieces = (Bits + 63 + 63) / 64;

  numeric::integer<pieces> piece;
  std::int16_t first;
  bool negative;

  template <int K>
  ISO_HOST_DEVICE static placed_number of(const numeric::integer<K>& a, int shift, bool negative) {
    return {numeric::place<pieces>(a, shift & 63), static_cast<std::int16_t>(shift >> 6), negative};
  }
};

// A sum in the making: each lane has its word of it, and the carries out of that word, less the borrows.
template <int Words, class Warp>
class spread_total {
 public:
  using number = spread_integer<Words, Warp>;

  ISO_DEVICE explicit spread_total(const Warp& warp) : low_(number::zero(warp)), carries_(low_) {}

  // Adds the numbers of those lanes that have any.
  template <class Placed>
  ISO_DEVICE void add(const Placed& own, bool any) {
    const Warp& warp = low_.warp;
    for (unsigned lanes = warp.ballot(static_cast<int>(any)); lanes != 0; lanes &= lanes - 1) {
      add_one(warp.shfl(own, lowest_bit(lanes)));
    }
  }

  ISO_DEVICE number sum() const {
    number up = carries_, down = carries_, r = low_;
    unrolled<number::slots>([&]<int s>() {
      const bool negative = carries_.slot[s] >> 63 != 0;
      up.slot[s] = negative ? 0 : carries_.slot[s];
      down.slot[s] = negative ? 0 - carries_.slot[s] : 0;
    });
    up.raise_word();
    down.raise_word();
    r += up;
    return r -= down;
  }

 private:
  template <class Placed>
  ISO_DEVICE void add_one(const Placed& a) {
    unrolled<number::slots>([&]<int s>() {
      const int i = low_.template index<s>() - a.first;
      std::uint64_t term = 0;
      unrolled<Placed::pieces>([&]<int k>() { term = i == k ? a.piece.word[k] : term; });
      const std::uint64_t before = low_.slot[s];
      if (a.negative) {
        low_.slot[s] = before - term;
        carries_.slot[s] -= static_cast<std::uint64_t>(before < term);
      } else {
        low_.slot[s] = before + term;
        carries_.slot[s] += static_cast<std::uint64_t>(low_.slot[s] < term);
      }
    });
  }

  number low_, carries_;
};

}  // namespace detail

// Sums of the elements [begin, end) on a grid that holds them; value(i) and weight(i) are those of element i.
// Nothing of an element of weight 0 counts. All lanes of the warp call.
template <class T, bool Weighted, class Warp, class Value, class Weight>
ISO_DEVICE spread_sums<T, Weighted, Warp> sum_elements(const Warp& warp, int begin, int end,
                                                       const numeric::grid& on, const Value& value,
                                                       const Weight& weight) {
  using f = numeric::format<T>;
  using sums = spread_sums<T, Weighted, Warp>;
  using product = detail::placed_number<(Weighted ? 2 : 1) * f::digits>;
  using placed_weight = detail::placed_number<f::digits>;
  detail::spread_total<sums::products::words, Warp> s(warp);
  detail::spread_total<sums::weights::words, Warp> w(warp);
  for (int base = begin; base < end; base += 32) {
    const int i = base + static_cast<int>(warp.thread_rank());
    const bool present = i < end;
    const numeric::decoded y = f::decode(present ? value(i) : T(0));
    const bool negative = y.sign != 0;
    const int position = y.position - on.products.low;
    if constexpr (Weighted) {
      const numeric::decoded x = f::decode(present ? weight(i) : T(0));
      w.add(placed_weight::of(numeric::integer<1>{{x.mantissa}}, x.position - on.weights.low, false),
            x.mantissa != 0);
      s.add(
          product::of(numeric::mantissa_product<T>(y.mantissa, x.mantissa), position + x.position, negative),
          y.mantissa != 0 && x.mantissa != 0);
    } else {
      s.add(product::of(numeric::integer<1>{{y.mantissa}}, position, negative), y.mantissa != 0);
    }
  }
  if constexpr (Weighted) return {s.sum(), w.sum()};
  return {s.sum(), sums::weights::from(warp, end > begin ? end - begin : 0)};
}

}  // namespace iso::warp
