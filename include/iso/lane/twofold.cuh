// Numbers of twice the digits that T has, in two words of T: what weighted rows are summed up in by their
// lanes.
//
// For float such a number is a double, which holds every product of two floats. For double it is a pair, high
// + low, where `high` is the sum rounded: the product of two doubles is a pair exactly, by one fused
// operation, and pairs are added by an exact addition of the upper halves, to which the lower ones are added.
//
// Each addition moves the sum by at most `rounding` of the two sizes, added: for double that is the last bit;
// for pairs the lower halves are below 2^-52 of their number's size, and three roundings of numbers of that
// size make less than 2^-102. Sums of up to 100 digits are not rounded: the lower halves then have no more
// than 48, in units of the last digit.
//
// Example, with pairs of 2 digits: 3 * 3 = 9 is 8 + 1, and (8 + 1) + (6 + 0) is 16 - 2, and 1 more: 16 - 1.
#pragma once

#include <cmath>
#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/packed_pool.cuh>
#include <iso/numeric/format.hpp>

namespace iso {

// `sum_digits`: sums of no more digits are not rounded.
template <class T>
struct twofold;

// a + b, and in `lost` what rounding has taken off it.
ISO_HOST_DEVICE inline double exact_sum(double a, double b, double& lost) {
  const double sum = a + b, added = sum - a;
  lost = (a - (sum - added)) + (b - added);
  return sum;
}

// A quotient, and whether no remainder is left.
template <class T>
struct twofold_quotient {
  twofold<T> value;
  bool exact;
};

template <>
struct twofold<float> {
  static constexpr double rounding = 0x1p-53;
  static constexpr int sum_digits = 53;

  double value;

  ISO_HOST_DEVICE static twofold of(float x) { return {static_cast<double>(x)}; }
  ISO_HOST_DEVICE static twofold product(float a, float b) {
    return {static_cast<double>(a) * static_cast<double>(b)};
  }
  ISO_HOST_DEVICE static twofold from_words(float first, float second) {
    using f = numeric::format<float>;
    return {numeric::format<double>::from_bits(std::uint64_t{f::to_bits(second)} << 32 | f::to_bits(first))};
  }
  ISO_HOST_DEVICE void to_words(float& first, float& second) const {
    using f = numeric::format<float>;
    const std::uint64_t bits = numeric::format<double>::to_bits(value);
    first = f::from_bits(static_cast<std::uint32_t>(bits));
    second = f::from_bits(static_cast<std::uint32_t>(bits >> 32));
  }
  ISO_HOST_DEVICE twofold& operator+=(const twofold& b) {
    value += b.value;
    return *this;
  }
  // Near the number to within the last bit.
  ISO_HOST_DEVICE double leading() const { return value; }
  // The number and a smaller one, rounded.
  ISO_HOST_DEVICE float rounded_with(double more) const { return static_cast<float>(value + more); }
};

template <>
struct twofold<double> {
  static constexpr double rounding = 0x1p-102;
  static constexpr int sum_digits = 100;

  double high, low;

  ISO_HOST_DEVICE static twofold of(double x) { return {x, 0}; }
  ISO_HOST_DEVICE static twofold product(double a, double b) {
    const double p = multiplied(a, b);
    return {p, std::fma(a, b, -p)};
  }
  ISO_HOST_DEVICE static twofold from_words(double first, double second) { return {second, first}; }
  ISO_HOST_DEVICE void to_words(double& first, double& second) const {
    first = low;
    second = high;
  }
  ISO_HOST_DEVICE twofold& operator+=(const twofold& b) {
    double lost;
    const double sum = exact_sum(high, b.high, lost);
    *this = normal(sum, lost + (low + b.low));
    return *this;
  }
  ISO_HOST_DEVICE twofold& operator-=(const twofold& b) { return *this += twofold{-b.high, -b.low}; }
  ISO_HOST_DEVICE double leading() const { return high; }
  ISO_HOST_DEVICE double rounded_with(double more) const { return high + (low + more); }

  // `less` is not the larger one, but where what is lost is beyond all digits of the terms.
  ISO_HOST_DEVICE static twofold normal(double more, double less) {
    const double sum = more + less;
    return {sum, less - (sum - more)};
  }

 private:
  // A product that no addition is fused with.
  ISO_HOST_DEVICE static double multiplied(double a, double b) {
#if defined(__CUDA_ARCH__)
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
  }
};

// a / b, for b > 0: to within twice the rounding of an addition; and whether it is exactly that.
ISO_HOST_DEVICE inline twofold_quotient<float> quotient(const twofold<float>& a, const twofold<float>& b) {
  const double q = near_quotient(a.value, b.value, near_inverse(b.value));
  return {{q}, std::fma(-q, b.value, a.value) == 0};
}
ISO_HOST_DEVICE inline twofold_quotient<double> quotient(const twofold<double>& a, const twofold<double>& b) {
  const double inverse = near_inverse(b.high), q = near_quotient(a.high, b.high, inverse);
  const double left = std::fma(-q, b.high, a.high), low = std::fma(-q, b.low, a.low), rest = left + low;
  const double more = near_quotient(rest, b.high, inverse);
  const bool exact =
      b.low == 0 && rest - left == low && rest - low == left && std::fma(-more, b.high, rest) == 0;
  return {twofold<double>::normal(q, more), exact};
}

}  // namespace iso
