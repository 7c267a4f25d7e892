// Integers of a fixed number of 64-bit words: the type all cumulative sums are held in.
//
// Sums of integers are associative, so every order of summation gives the same bits, and a comparison of two
// products is exact. Storage is trivial (it may live in shared memory); nothing here allocates or throws.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/numeric/bits.hpp>

namespace iso::numeric {

// Two's complement, least significant word first. Arithmetic wraps; the callers choose N so that it never
// does.
template <int N>
struct integer {
  static_assert(N >= 1);
  static constexpr int words = N;

  std::uint64_t word[N];

  ISO_HOST_DEVICE static integer zero() {
    integer r;
    for (int i = 0; i < N; ++i) r.word[i] = 0;
    return r;
  }

  ISO_HOST_DEVICE static integer from(std::int64_t value) {
    integer r;
    r.word[0] = static_cast<std::uint64_t>(value);
    for (int i = 1; i < N; ++i) r.word[i] = static_cast<std::uint64_t>(value >> 63);
    return r;
  }

  ISO_HOST_DEVICE bool negative() const { return word[N - 1] >> 63 != 0; }

  ISO_HOST_DEVICE bool is_zero() const {
    std::uint64_t any = 0;
    for (int i = 0; i < N; ++i) any |= word[i];
    return any == 0;
  }

  // All ones if the number is negative, else 0.
  ISO_HOST_DEVICE std::uint64_t sign() const { return sign_of(word[N - 1]); }
  ISO_HOST_DEVICE static std::uint64_t sign_of(std::uint64_t top) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(top) >> 63);
  }

  // Adds b where `sign` is 0, subtracts it where it is all ones. A mask and not a bool, lest it become a
  // branch: signs of data are not to be predicted.
  ISO_HOST_DEVICE void add_signed(const integer& b, std::uint64_t sign) {
    if constexpr (N == 1) {
      word[0] += (b.word[0] ^ sign) - sign;
    } else {
      std::uint64_t carry = sign & 1;
      for (int i = 0; i < N; ++i) {
        const std::uint64_t term = b.word[i] ^ sign;
        const std::uint64_t sum = word[i] + term;
        const std::uint64_t total = sum + carry;
        carry = static_cast<std::uint64_t>(sum < term) | static_cast<std::uint64_t>(total < carry);
        word[i] = total;
      }
    }
  }

  ISO_HOST_DEVICE integer& operator+=(const integer& b) {
    add_signed(b, 0);
    return *this;
  }
  ISO_HOST_DEVICE integer& operator-=(const integer& b) {
    add_signed(b, ~std::uint64_t{0});
    return *this;
  }
  ISO_HOST_DEVICE friend integer operator+(integer a, const integer& b) { return a += b; }
  ISO_HOST_DEVICE friend integer operator-(integer a, const integer& b) { return a -= b; }

  // Multiplies by 2^shift, shift >= 0.
  ISO_HOST_DEVICE integer& operator<<=(int shift) {
    const int whole = shift / 64, part = shift % 64;
    for (int i = N - 1; i >= 0; --i) {
      const std::uint64_t upper = i - whole >= 0 ? word[i - whole] : 0;
      const std::uint64_t lower = i - whole - 1 >= 0 ? word[i - whole - 1] : 0;
      word[i] = part == 0 ? upper : (upper << part) | (lower >> (64 - part));
    }
    return *this;
  }

  // The absolute value, to be read as an unsigned number.
  ISO_HOST_DEVICE integer magnitude() const {
    integer r = zero();
    r.add_signed(*this, sign());
    return r;
  }

  // The 64 bits from position `from` >= 0 upwards, of the words read as an unsigned number.
  ISO_HOST_DEVICE std::uint64_t bits_from(int from) const {
    const int whole = from / 64, part = from % 64;
    const std::uint64_t lower = whole < N ? word[whole] : 0;
    const std::uint64_t upper = whole + 1 < N ? word[whole + 1] : 0;
    return part == 0 ? lower : (lower >> part) | (upper << (64 - part));
  }

  // The product with a factor, of which N words are kept.
  ISO_HOST_DEVICE integer times(std::uint64_t factor) const {
    integer r;
    std::uint64_t carry = 0;
    for (int i = 0; i < N; ++i) {
      const std::uint64_t low = word[i] * factor;
      r.word[i] = low + carry;
      carry = multiply_high(word[i], factor) + static_cast<std::uint64_t>(r.word[i] < low);
    }
    return r;
  }
};

// bit_length, less_unsigned: of the words read as an unsigned number.
template <int N>
ISO_HOST_DEVICE int bit_length(const integer<N>& a) {
  for (int i = N - 1; i > 0; --i) {
    if (a.word[i] != 0) return 64 * i + bit_length(a.word[i]);
  }
  return bit_length(a.word[0]);
}

template <int N>
ISO_HOST_DEVICE bool less_unsigned(const integer<N>& a, const integer<N>& b) {
  for (int i = N - 1; i > 0; --i) {
    if (a.word[i] != b.word[i]) return a.word[i] < b.word[i];
  }
  return a.word[0] < b.word[0];
}

template <int N>
ISO_HOST_DEVICE bool less(const integer<N>& a, const integer<N>& b) {
  return a.negative() != b.negative() ? a.negative() : less_unsigned(a, b);
}

// The same value in R >= N words.
template <int R, int N>
ISO_HOST_DEVICE integer<R> widen(const integer<N>& a) {
  static_assert(R >= N);
  integer<R> r;
  for (int i = 0; i < R; ++i) r.word[i] = i < N ? a.word[i] : a.sign();
  return r;
}

// a * 2^shift in N >= K words, for a non-negative a of K words that fits them and shift >= 0. Of a = 0 it is
// 0, whatever the shift.
//
// Words move by 1, 2, 4, ... places, so that all are in registers.
template <int N, int K>
ISO_HOST_DEVICE integer<N> raise(const integer<K>& a, int shift) {
  static_assert(N >= K);
  const int whole = shift >> 6, part = shift & 63;
  integer<N> r = integer<N>::zero();
  for (int i = 0; i < N && i <= K; ++i) {
    if (i < K) r.word[i] = a.word[i] << part;
    if (i > 0) r.word[i] |= (a.word[i - 1] >> 1) >> (63 - part);
  }
  for (int step = 1; step < N; step *= 2) {
    const bool move = (whole & step) != 0;
    for (int i = N - 1; i >= 0; --i) {
      const std::uint64_t from = i >= step ? r.word[i - step] : 0;
      r.word[i] = move ? from : r.word[i];
    }
  }
  return r;
}

// The same of any shift and any N; bits that do not fit above, or below where shift is negative, are lost.
template <int N, int K>
ISO_HOST_DEVICE integer<N> place(integer<K> a, int shift) {
  if constexpr (N == 1 && K == 1) return {{shift >= 0 ? a.word[0] << shift : a.word[0] >> -shift}};
  if (shift < 0) {
    for (int k = 0; k < K; ++k) a.word[k] = a.bits_from(64 * k - shift);
    shift = 0;
  }
  const int whole = shift / 64, part = shift % 64;
  integer<N> r;
  for (int i = 0; i < N; ++i) {
    const int j = i - whole;
    std::uint64_t bits = 0;
    for (int k = 0; k < K; ++k) {
      if (j == k) bits |= a.word[k] << part;
      if (j == k + 1) bits |= (a.word[k] >> 1) >> (63 - part);
    }
    r.word[i] = bits;
  }
  return r;
}

// a * b, exactly: a signed, b non-negative.
template <int N, int M>
ISO_HOST_DEVICE integer<N + M> multiply(const integer<N>& a, const integer<M>& b) {
  const integer<N> size = a.magnitude();
  integer<N + M> product = integer<N + M>::zero();
  // Wide integers are mostly empty at the top.
  int a_words = N, b_words = M;
  while (N > 4 && a_words > 1 && size.word[a_words - 1] == 0) --a_words;
  while (N > 4 && b_words > 1 && b.word[b_words - 1] == 0) --b_words;
  for (int j = 0; j < b_words; ++j) {
    std::uint64_t carry = 0;
    for (int i = 0; i < a_words; ++i) {
      const std::uint64_t low = size.word[i] * b.word[j];
      const std::uint64_t sum = product.word[i + j] + low;
      const std::uint64_t total = sum + carry;
      carry = multiply_high(size.word[i], b.word[j]) + static_cast<std::uint64_t>(sum < low) +
              static_cast<std::uint64_t>(total < carry);
      product.word[i + j] = total;
    }
    product.word[a_words + j] = carry;
  }
  integer<N + M> r = integer<N + M>::zero();
  r.add_signed(product, a.sign());
  return r;
}

// 2^exponent, for -1022 <= exponent <= 1023.
ISO_HOST_DEVICE inline double power_of_two(int exponent) {
  const std::uint64_t bits = static_cast<std::uint64_t>(1023 + exponent) << 52;
  double r;
  __builtin_memcpy(&r, &bits, sizeof r);
  return r;
}

// The same of any exponent: where 2^exponent is beyond doubles, the normal number next to it.
ISO_HOST_DEVICE inline double about_power_of_two(int exponent) {
  return power_of_two(exponent < -1022 ? -1022 : exponent > 1023 ? 1023 : exponent);
}

// a * 2^-scale as a double, within 2^-52 of it (absolutely), for |a| <= 2^scale. Up to a scale of 1000 and
// four words it is also within 2^-51 times the result; above, that may be 0 for an a that is not.
template <int N>
ISO_HOST_DEVICE double approximate(const integer<N>& a, int scale) {
  const integer<N> size = a.magnitude();
  double sum = 0;
  for (int i = 0; i < N; ++i) {
    const int exponent = 64 * i - scale;
    if (exponent < -1000) continue;
    // Of a unit above 1 the word is zero.
    sum += power_of_two(exponent > 0 ? 0 : exponent) * static_cast<double>(size.word[i]);
  }
  return a.negative() ? -sum : sum;
}

// A non-negative integer as leading * 2^exponent, its leading bits rounded down: short of it by less than
// 2^-52 of it.
struct leading_bits {
  double leading;
  int exponent;
};

// Of an integer of any kind: integer<N>, or one that the lanes of a warp hold together.
template <class Integer>
ISO_HOST_DEVICE leading_bits leading(const Integer& a) {
  const int dropped = bit_length(a) - 53;
  if (dropped <= 0) return {static_cast<double>(a.bits_from(0)), 0};
  const std::uint64_t low = a.bits_from(dropped) & ((std::uint64_t{1} << 53) - 1);
  return {static_cast<double>(low), dropped};
}

// Whether a * b is certainly greater (1) or less (-1) than c * d; 0 if they are too close to tell.
ISO_HOST_DEVICE inline int compare_products(const leading_bits& a, const leading_bits& b,
                                            const leading_bits& c, const leading_bits& d) {
  double left = a.leading * b.leading, right = c.leading * d.leading;
  int shift = (a.exponent + b.exponent) - (c.exponent + d.exponent);
  // Beyond this the exponents decide, unless a product is zero; products are below 2^106.
  if (shift > 200) shift = 200;
  if (shift < -200) shift = -200;
  left *= power_of_two(shift);
  // Either product is short by less than 2^-50 of it.
  if (left > right * (1 + 0x1p-48)) return 1;
  if (right > left * (1 + 0x1p-48)) return -1;
  return 0;
}

}  // namespace iso::numeric
