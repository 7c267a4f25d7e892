// A quotient of two integers, correctly rounded once.
#pragma once

#include <cmath>
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
// either number with 28 bits to spare.
template <class T, class Integer>
ISO_HOST_DEVICE T round_ratio(bool negative, Integer numerator, Integer denominator, int position) {
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

// 1 / count, rounded to nearest, for 1 <= count <= 32.
ISO_HOST_DEVICE inline double inverse_of_few(int count) {
  static constexpr double inverse[] = {0,        1.0,      1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,
                                       1.0 / 7,  1.0 / 8,  1.0 / 9,  1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13,
                                       1.0 / 14, 1.0 / 15, 1.0 / 16, 1.0 / 17, 1.0 / 18, 1.0 / 19, 1.0 / 20,
                                       1.0 / 21, 1.0 / 22, 1.0 / 23, 1.0 / 24, 1.0 / 25, 1.0 / 26, 1.0 / 27,
                                       1.0 / 28, 1.0 / 29, 1.0 / 30, 1.0 / 31, 1.0 / 32};
  return inverse[count];
}

// The mean sum / count * unit of up to 32 elements, as rounded_mean rounds it, in a few operations on
// doubles. |sum|, but for factors of two, is below 2^51 for float, and below 2^95 for double; unit is a power
// of two. The mean is 0 or a normal number of T.
//
// One step of refinement takes the quotient by the rounded inverse to within 2^-52 of itself, and makes it
// exact if a double holds it: what a float asks for, see rounds_through_double.
//
// For double the sum is given by two doubles, high + low, and the mean by q + c, where q is near the quotient
// of `high`, and c is that of the rest, which is `high - q * count + low`: within 2^-50 of itself, and c is
// at most two units in the last place of q. So the rounding of q + c goes the right way unless the quotient
// is nearer than 2^-49 of such a unit to a midpoint m. But by the argument above it is m, or away from it by
// at least 2^-6 of a unit or, where the unit is 2^e with e > 0, and e <= 95 - 53, by 2^-(6 + e). And if it is
// m then the rest, and c, have few bits and are exact.
template <class T>
ISO_HOST_DEVICE T mean_of_few(const integer<1>& sum, int count, double unit) {
  static_assert(format<T>::digits <= 24);
  const double s = static_cast<double>(static_cast<std::int64_t>(sum.word[0])), n = count;
  const double inverse = inverse_of_few(count);
  const double q = s * inverse;
  return static_cast<T>(std::fma(std::fma(-q, n, s), inverse, q) * unit);
}
template <class T>
ISO_HOST_DEVICE T mean_of_few(const integer<2>& sum, int count, double unit) {
  constexpr std::uint64_t low_bits = (std::uint64_t{1} << 53) - 1;
  const double n = count, inverse = inverse_of_few(count);
  const auto upper = static_cast<std::int64_t>(sum.word[1] << 11 | sum.word[0] >> 53);
  const double above = static_cast<double>(upper) * 0x1p53;
  const double below = static_cast<double>(static_cast<std::int64_t>(sum.word[0] & low_bits));
  const double high = above + below, low = below - (high - above);
  double q = high * inverse;
  q = std::fma(std::fma(-q, n, high), inverse, q);
  const double rest = std::fma(-q, n, high) + low;
  double c = rest * inverse;
  c = std::fma(std::fma(-c, n, rest), inverse, c);
  return static_cast<T>((q + c) * unit);
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
