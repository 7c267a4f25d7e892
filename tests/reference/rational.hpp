// Floating-point numbers as exact integers of one common unit, and the one rounding back. Integers of any
// size are Boost's; nothing here is shared with the library under test.
#pragma once

#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include <boost/multiprecision/cpp_int.hpp>

namespace reference {

// Without expression templates, so that `auto` and comparisons of products mean what they say.
using integer =
    boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;

// Binary digits of x > 0.
inline int bit_length(const integer& x) {
  return static_cast<int>(msb(x)) + 1;
}

inline integer shifted(integer x, int left) {
  if (left >= 0) return x << static_cast<unsigned>(left);
  return x >> static_cast<unsigned>(-left);
}

// A finite nonzero x as mantissa * 2^exponent with an odd mantissa.
struct odd_parts {
  std::int64_t mantissa;
  int exponent;
};

inline odd_parts parts(double x) {
  int exponent = 0;
  const auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  const int zeros = std::countr_zero(static_cast<std::uint64_t>(digits));
  return {digits / (std::int64_t{1} << zeros), exponent - 53 + zeros};
}

// The unit 2^exponent of which all finite values of a row are multiples.
template <class T>
int unit_exponent(std::span<const T> values) {
  int unit = INT_MAX;
  for (const T x : values) {
    if (std::isfinite(x) && x != 0) unit = (std::min)(unit, parts(x).exponent);
  }
  return unit == INT_MAX ? 0 : unit;
}

// x, finite, in units of 2^unit.
inline integer in_units(double x, int unit) {
  if (x == 0) return 0;
  const odd_parts p = parts(x);
  return shifted(integer(p.mantissa), p.exponent - unit);
}

// numerator / denominator * 2^unit rounded once to T, half to even; the denominator is positive. Zero is +0.
template <class T>
T rounded(const integer& numerator, const integer& denominator, int unit) {
  using limits = std::numeric_limits<T>;
  if (numerator == 0) return 0;
  const integer a = abs(numerator);
  const int bits = bit_length(a) - bit_length(denominator);
  const integer limit = shifted(1, limits::digits);
  // The quotient has `bits` binary digits or one more; the last that T keeps is worth 2^last.
  for (int last = (std::max)(unit + bits - limits::digits, limits::min_exponent - limits::digits);; ++last) {
    const integer dividend = shifted(a, (std::max)(unit - last, 0));
    const integer divisor = shifted(denominator, (std::max)(last - unit, 0));
    integer quotient = dividend / divisor;
    if (quotient >= limit) continue;
    const integer twice = 2 * (dividend - quotient * divisor);
    if (twice > divisor || (twice == divisor && bit_test(quotient, 0))) ++quotient;
    if (quotient == 0) return 0;
    const double magnitude = std::ldexp(static_cast<double>(static_cast<std::int64_t>(quotient)), last);
    return static_cast<T>(numerator < 0 ? -magnitude : magnitude);
  }
}

}  // namespace reference
