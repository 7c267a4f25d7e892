// Integers too wide for the registers of one thread, spread over the 32 lanes of a warp.
//
// Word i of the number lives in lane i % 32, in slot i / 32 of that lane. So a number of 67 words takes three
// registers of 64 bits a lane, and an operation on all its words takes three steps of the warp.
//
// Carries. A sum is formed in every lane on its own. A lane *generates* a carry if its sum wrapped, and
// *propagates* one if its sum is all ones; two ballots make this a mask each, G and P. The lanes that receive
// a carry are then found by one addition of integers: the bits in which P + (2 G + carry in) differs from P.
// For instance, where lane 0 generates and lanes 1 and 2 propagate: G = 001, P = 110, P + 2 G = 1000, which
// differs from P in the bits 1, 2 and 3: lanes 1, 2 and 3 each receive one. Bit 32 is the carry into the next
// slot.
//
// All lanes of the warp call every function together, with the same scalar arguments, and each gets the same
// scalar result. Nothing is ordered in memory by this. Loops over slots are unrolled, and a slot is chosen by
// comparison, never by an index: so nothing leaves the registers.
#pragma once

#include <cstdint>
#include <utility>

#include <iso/detail/config.hpp>
#include <iso/numeric/bits.hpp>
#include <iso/numeric/format.hpp>
#include <iso/numeric/integer.hpp>
#include <iso/numeric/quotient.hpp>
#include <iso/numeric/sums.hpp>

namespace iso::warp {

namespace detail {

// Calls f.template operator()<i>() for each i from 0 to Count - 1.
template <int Count, class F>
ISO_DEVICE void unrolled(F&& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (f.template operator()<I>(), ...);
  }
  (std::make_integer_sequence<int, Count>{});
}

}  // namespace detail

// The slots that a number of N words takes.
template <int N>
inline constexpr int word_slots = (N + 31) / 32;

// The interface is that of numeric::integer<Words>: two's complement, arithmetic wraps at 64 * Words bits.
// The words above, up to the end of the last slot, are always zero, whatever the sign.
//
// Warp: a tile of 32 lanes, of which each number holds a copy.
template <int Words, class Warp>
struct spread_integer {
  static_assert(Words >= 1);
  static constexpr int words = Words;
  static constexpr int slots = word_slots<Words>;

  Warp warp;
  std::uint64_t slot[slots];

  // A number of any value, for a function that sets all slots.
  ISO_DEVICE explicit spread_integer(const Warp& of) : warp(of) {}

  ISO_DEVICE static spread_integer zero(const Warp& warp) {
    spread_integer r(warp);
    detail::unrolled<slots>([&]<int s>() { r.slot[s] = 0; });
    return r;
  }

  ISO_DEVICE static spread_integer from(const Warp& warp, std::int64_t value) {
    const auto low = static_cast<std::uint64_t>(value), high = static_cast<std::uint64_t>(value >> 63);
    spread_integer r(warp);
    detail::unrolled<slots>([&]<int s>() { r.slot[s] = r.template index<s>() == 0 ? low : high; });
    r.trim();
    return r;
  }

  // From and to `Words` words in memory, least first; each lane reads and writes its own.
  ISO_DEVICE static spread_integer load(const Warp& warp, const std::uint64_t* from) {
    spread_integer r(warp);
    detail::unrolled<slots>([&]<int s>() {
      const int i = r.template index<s>();
      r.slot[s] = i < Words ? from[i] : 0;
    });
    return r;
  }
  ISO_DEVICE void store(std::uint64_t* to) const {
    detail::unrolled<slots>([&]<int s>() {
      const int i = index<s>();
      if (i < Words) to[i] = slot[s];
    });
  }

  // Which word this lane has in slot S.
  template <int S>
  ISO_DEVICE int index() const {
    return 32 * S + lane();
  }
  ISO_DEVICE int lane() const { return static_cast<int>(warp.thread_rank()); }

  // Word i >= 0, in all lanes; 0 from `Words` on.
  ISO_DEVICE std::uint64_t word(int i) const {
    std::uint64_t own = 0;
    detail::unrolled<slots>([&]<int s>() { own = i / 32 == s ? slot[s] : own; });
    return warp.shfl(own, i % 32);
  }

  ISO_DEVICE bool negative() const {
    const bool top = slot[slots - 1] >> 63 != 0;
    return warp.any(static_cast<int>(top && index<slots - 1>() == Words - 1)) != 0;
  }

  ISO_DEVICE bool is_zero() const {
    std::uint64_t own = 0;
    detail::unrolled<slots>([&]<int s>() { own |= slot[s]; });
    return warp.any(static_cast<int>(own != 0)) == 0;
  }

  // All ones if the number is negative, else 0.
  ISO_DEVICE std::uint64_t sign() const { return negative() ? ~std::uint64_t{0} : 0; }

  // Adds b where `sign` is 0, subtracts it where it is all ones.
  ISO_DEVICE void add_signed(const spread_integer& b, std::uint64_t sign) {
    std::uint64_t carry = sign & 1;
    detail::unrolled<slots>([&]<int s>() {
      const std::uint64_t term = b.slot[s] ^ sign;
      const std::uint64_t sum = slot[s] + term;
      const std::uint64_t generate = warp.ballot(static_cast<int>(sum < term));
      const std::uint64_t propagate = warp.ballot(static_cast<int>(sum == ~std::uint64_t{0}));
      const std::uint64_t carries = (propagate + (generate << 1 | carry)) ^ propagate;
      slot[s] = sum + (carries >> lane() & 1);
      carry = carries >> 32;
    });
    trim();
  }

  // Adds the 128-bit number {low, high} * 2^shift where `sign` is 0, subtracts it where it is all ones. Bits
  // that do not fit above, or below where shift is negative, are lost before.
  ISO_DEVICE void add_placed(std::uint64_t low, std::uint64_t high, int shift, std::uint64_t sign) {
    const int whole = shift >> 6, part = shift & 63;
    const std::uint64_t first = low << part;
    const std::uint64_t second = high << part | (low >> 1) >> (63 - part);
    const std::uint64_t third = (high >> 1) >> (63 - part);
    spread_integer b(warp);
    detail::unrolled<slots>([&]<int s>() {
      const int i = b.template index<s>() - whole;
      b.slot[s] = i == 0 ? first : i == 1 ? second : i == 2 ? third : 0;
    });
    add_signed(b, sign);
  }

  ISO_DEVICE spread_integer& operator+=(const spread_integer& b) {
    add_signed(b, 0);
    return *this;
  }
  ISO_DEVICE spread_integer& operator-=(const spread_integer& b) {
    add_signed(b, ~std::uint64_t{0});
    return *this;
  }
  ISO_DEVICE friend spread_integer operator+(spread_integer a, const spread_integer& b) { return a += b; }
  ISO_DEVICE friend spread_integer operator-(spread_integer a, const spread_integer& b) { return a -= b; }

  // Multiplies by 2^64.
  ISO_DEVICE void raise_word() {
    std::uint64_t below = 0;  // of lane 0: the last word of the slot below
    detail::unrolled<slots>([&]<int s>() {
      const std::uint64_t neighbour = warp.shfl(slot[s], (lane() + 31) % 32);
      slot[s] = lane() == 0 ? below : neighbour;
      below = neighbour;
    });
    trim();
  }

  // Multiplies by 2^shift, shift >= 0.
  ISO_DEVICE spread_integer& operator<<=(int shift) {
    const int whole = shift / 64, part = shift % 64;
    spread_integer turned(warp), upper = zero(warp);
    detail::unrolled<slots>(
        [&]<int s>() { turned.slot[s] = warp.shfl(slot[s], (lane() + 32 - whole % 32) % 32); });
    // Of a word that comes from a higher lane, the slot is one further below.
    const int down = whole / 32 + static_cast<int>(lane() < whole % 32);
    detail::unrolled<slots>([&]<int to>() {
      detail::unrolled<to + 1>(
          [&]<int s>() { upper.slot[to] = s + down == to ? turned.slot[s] : upper.slot[to]; });
    });
    spread_integer lower = upper;
    lower.raise_word();
    detail::unrolled<slots>(
        [&]<int s>() { slot[s] = upper.slot[s] << part | (lower.slot[s] >> 1) >> (63 - part); });
    trim();
    return *this;
  }

  // The absolute value, to be read as an unsigned number.
  ISO_DEVICE spread_integer magnitude() const {
    spread_integer r = zero(warp);
    r.add_signed(*this, sign());
    return r;
  }

  // The 64 bits from position `from` >= 0 upwards, of the words read as an unsigned number.
  ISO_DEVICE std::uint64_t bits_from(int from) const {
    const int whole = from / 64, part = from % 64;
    return word(whole) >> part | (word(whole + 1) << 1) << (63 - part);
  }

  // The product with a factor, of which `Words` words are kept.
  ISO_DEVICE spread_integer times(std::uint64_t factor) const {
    spread_integer low(warp), high(warp);
    detail::unrolled<slots>([&]<int s>() {
      low.slot[s] = slot[s] * factor;
      high.slot[s] = numeric::multiply_high(slot[s], factor);
    });
    high.raise_word();
    return low += high;
  }

  // Sets the words above `Words` to zero.
  ISO_DEVICE void trim() {
    if constexpr (Words % 32 != 0) slot[slots - 1] = lane() < Words % 32 ? slot[slots - 1] : 0;
  }
};

// A number that every lane holds, spread.
template <int N, class Warp>
ISO_DEVICE spread_integer<N, Warp> spread(const Warp& warp, const numeric::integer<N>& a) {
  auto r = spread_integer<N, Warp>::zero(warp);
  detail::unrolled<N>([&]<int i>() {
    if (r.lane() == i % 32) r.slot[i / 32] = a.word[i];
  });
  return r;
}

// bit_length, less_unsigned: of the words read as an unsigned number.
template <int N, class Warp>
ISO_DEVICE int bit_length(const spread_integer<N, Warp>& a) {
  std::uint64_t lanes = 0, own = 0;  // of the highest slot that is not zero
  int below = 0;
  detail::unrolled<word_slots<N>>([&]<int s>() {
    const std::uint64_t here = a.warp.ballot(static_cast<int>(a.slot[s] != 0));
    below = here != 0 ? 32 * s : below;
    own = here != 0 ? a.slot[s] : own;
    lanes = here != 0 ? here : lanes;
  });
  if (lanes == 0) return 0;
  const int top = numeric::bit_length(lanes) - 1;
  return 64 * (below + top) + numeric::bit_length(a.warp.shfl(own, top));
}

template <int N, class Warp>
ISO_DEVICE bool less_unsigned(const spread_integer<N, Warp>& a, const spread_integer<N, Warp>& b) {
  bool r = false;
  detail::unrolled<word_slots<N>>([&]<int s>() {
    const unsigned below = a.warp.ballot(static_cast<int>(a.slot[s] < b.slot[s]));
    const unsigned above = a.warp.ballot(static_cast<int>(a.slot[s] > b.slot[s]));
    r = below != above ? below > above : r;  // the highest lane where they differ decides
  });
  return r;
}

template <int N, class Warp>
ISO_DEVICE bool less(const spread_integer<N, Warp>& a, const spread_integer<N, Warp>& b) {
  const bool negative = a.negative();
  const bool unsigned_less = less_unsigned(a, b);
  return negative != b.negative() ? negative : unsigned_less;
}

// The same words in R >= N words, with zeros above.
template <int R, int N, class Warp>
ISO_DEVICE spread_integer<R, Warp> widen_unsigned(const spread_integer<N, Warp>& a) {
  static_assert(R >= N);
  auto r = spread_integer<R, Warp>::zero(a.warp);
  detail::unrolled<word_slots<N>>([&]<int s>() { r.slot[s] = a.slot[s]; });
  return r;
}

// The same value in R >= N words.
template <int R, int N, class Warp>
ISO_DEVICE spread_integer<R, Warp> widen(const spread_integer<N, Warp>& a) {
  auto r = widen_unsigned<R>(a);
  const std::uint64_t sign = a.sign();
  detail::unrolled<word_slots<R>>([&]<int s>() { r.slot[s] = r.template index<s>() < N ? r.slot[s] : sign; });
  r.trim();
  return r;
}

// a * b, exactly: a signed, b non-negative.
//
// The words of b come one by one, least first, and meet `a` raised as far. Each lane sums up the products of
// its own word in three words, of which the upper two are carried to their lanes at the end.
template <int N, int M, class Warp>
[[gnu::noinline]] ISO_DEVICE spread_integer<N + M, Warp> multiply(const spread_integer<N, Warp> a,
                                                                  const spread_integer<M, Warp> b) {
  auto raised = widen<N + M>(a);
  auto low = raised.zero(a.warp), high = low, over = low;
  const int b_words = (bit_length(b) + 63) / 64;
  for (int j = 0; j < b_words; ++j) {
    const std::uint64_t factor = b.word(j);
    detail::unrolled<word_slots<N + M>>([&]<int s>() {
      const std::uint64_t product = raised.slot[s] * factor;
      low.slot[s] += product;
      const std::uint64_t upper =
          numeric::multiply_high(raised.slot[s], factor) + static_cast<std::uint64_t>(low.slot[s] < product);
      high.slot[s] += upper;
      over.slot[s] += static_cast<std::uint64_t>(high.slot[s] < upper);
    });
    raised.raise_word();
  }
  over.raise_word();
  high += over;
  high.raise_word();
  return low += high;
}

// a * b, exactly: a signed.
template <int N, class Warp>
ISO_DEVICE spread_integer<N + 1, Warp> multiply(const spread_integer<N, Warp>& a, std::uint64_t b) {
  return widen<N + 1>(a).times(b);
}

// The mean sum / weight * 2^(position + min_exponent) of a pool, rounded once to T, in all lanes, as
// numeric::rounded_mean gives it: to nearest, ties to even; a zero is +0. weight > 0.
template <class T, int N, int M, class Warp>
ISO_DEVICE T rounded_mean(const spread_integer<N, Warp>& sum, const spread_integer<M, Warp>& weight,
                          int position) {
  if (sum.is_zero()) return numeric::format<T>::from_bits(0);
  constexpr int words = N > M ? N : M + 1;
  return numeric::round_ratio<T>(sum.negative(), widen_unsigned<words>(sum.magnitude()),
                                 widen_unsigned<words>(weight), position);
}

// Whether s1 / w1 >= s2 / w2, exactly.
using numeric::mean_not_less;

}  // namespace iso::warp
