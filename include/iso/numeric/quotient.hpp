// A quotient of two integers, correctly rounded once.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/numeric/bits.hpp>
#include <iso/numeric/format.hpp>
#include <iso/numeric/integer.hpp>

namespace iso::numeric {

// Bits of the quotient that one step of the division yields.
inline constexpr int quotient_step = 28;

// One step: the floor of `remainder / divisor`, which is below 2^28, and what then remains.
//
// The leading 32 bits of the divisor, rounded up, give a digit that is at most 2 too small; the loop corrects
// it by the exact remainder. Where the divisor has no more than 32 bits the digit is exact at once.
//
// Integer: integer<R>, or one that the lanes of a warp hold together.
template <class Integer>
ISO_HOST_DEVICE std::uint64_t quotient_digit(Integer& remainder, const Integer& divisor) {
  const int dropped = bit_length(divisor) - 32;
  std::uint64_t digit = dropped > 0
                            ? small_quotient(remainder.bits_from(dropped), divisor.bits_from(dropped) + 1)
                            : small_quotient(remainder.bits_from(0), divisor.bits_from(0));
  remainder -= divisor.times(digit);
  while (!less_unsigned(remainder, divisor)) {
    remainder -= divisor;
    ++digit;
  }
  return digit;
}

// numerator / denominator * 2^(position + min_exponent), rounded to nearest, ties to even; Integer must hold
// either number with 28 bits to spare. Compiled once for all who ask: it is long, and its callers are many.
template <class T, class Integer>
[[gnu::noinline]] ISO_HOST_DEVICE T round_ratio(bool negative, Integer numerator, Integer denominator,
                                                int position) {
  using f = format<T>;
  constexpr int steps = f::digits + 2 <= quotient_step - 1 ? 1 : 2;
  static_assert(quotient_step * steps - 1 >= f::digits + 2, "the quotient must keep two bits below the last");

  // Scaled so that the first digit has 27 or 28 bits.
  const int scale = quotient_step - 1 - bit_length(numerator) + bit_length(denominator);
  if (scale >= 0) {
    numerator <<= scale;
  } else {
    denominator <<= -scale;
  }
  position -= scale;
  std::uint64_t quotient = quotient_digit(numerator, denominator);
  for (int i = 1; i < steps; ++i) {
    numerator <<= quotient_step;
    position -= quotient_step;
    quotient = (quotient << quotient_step) + quotient_digit(numerator, denominator);
  }

  int last = position + bit_length(quotient) - f::digits;  // position of the result's last bit
  if (last < 0) last = 0;
  const int dropped = last - position;
  if (dropped > 62) return f::from_bits(0);  // below half the least number
  const std::uint64_t rest = quotient & ((std::uint64_t{1} << dropped) - 1);
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  std::uint64_t mantissa = quotient >> dropped;
  if (rest > half || (rest == half && (!numerator.is_zero() || (mantissa & 1) != 0))) ++mantissa;
  return f::encode(negative && mantissa != 0, mantissa, last);
}

// Whether the quotient of a sum of so many bits and a weight of so many, formed in double, rounds to the
// float that the exact quotient rounds to.
//
// Proof. Take a midpoint of two floats, or of two subnormal ones: j * 2^g with j < 2^25, in units of the sum.
// The sum's quotient by w is either that midpoint, which a double holds, or away from it by |sum - j * 2^g *
// w| / w. If g >= 0 the numerator is a whole number above 0, so that relative to the quotient they are apart
// by at least 1 / |sum| >= 2^-51; if g < 0 it is at least 2^g, and they are apart by at least 2^-25 / w >=
// 2^-51. The double is nearer to the quotient than 2^-52 of it: it is on the same side of the midpoint. It is
// scaled by a power of two without loss, since doubles reach far below the least float.
ISO_HOST_DEVICE constexpr bool rounds_through_double(int sum_bits, int weight_bits) {
  return sum_bits <= 51 && weight_bits <= 26;
}

// The mean sum / weight * 2^(position + min_exponent) of a pool, rounded once to T: to nearest, ties to even;
// a zero is +0. weight > 0. A mean of finite numbers of T never overflows.
template <class T, int N, int M>
ISO_HOST_DEVICE T rounded_mean(const integer<N>& sum, const integer<M>& weight, int position) {
  if (sum.is_zero()) return format<T>::from_bits(0);
  const bool negative = sum.negative();
  const integer<N> size = sum.magnitude();
  if constexpr (N == 1 && M == 1) {
    if constexpr (format<T>::digits == 24 && format<T>::exponent_bits == 8) {
      if (rounds_through_double(bit_length(size), bit_length(weight))) {
        const double mean = static_cast<double>(size.word[0]) / static_cast<double>(weight.word[0]);
        const T rounded = static_cast<T>(mean * power_of_two(position + format<T>::min_exponent));
        return negative && rounded != T(0) ? -rounded : rounded;
      }
    }
    if (weight.word[0] >> 35 == 0) return round_ratio<T>(negative, size, weight, position);
  }
  constexpr int words = N > M ? N : M + 1;
  integer<words> numerator = integer<words>::zero(), denominator = integer<words>::zero();
  for (int i = 0; i < N; ++i) numerator.word[i] = size.word[i];
  for (int i = 0; i < M; ++i) denominator.word[i] = weight.word[i];
  return round_ratio<T>(negative, numerator, denominator, position);
}

}  // namespace iso::numeric
