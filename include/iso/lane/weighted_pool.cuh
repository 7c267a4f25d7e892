// A pool of a row with weights, as a lane has it: S = sum of w * y and W = sum of w, in numbers of twice the
// digits (see twofold.cuh), which are rounded, and what can be told of the exact ones.
//
// Let u be what an addition rounds by, relatively, Y the greatest size of a value, and n the row's elements.
// However a pool of positive weights came to be added up, S is off by less than n u Y W, and W by n u W. So
//
//   - d = S1 W2 - S2 W1, formed in double, is off by less than (4 n + 4) u Y W1 W2: two products of two
//     factors that are off by n u each, and two roundings. Where |d| > 8 n u Y W1 W2 its sign is certain.
//     That is told from exponents: the upper word of a double's bits, as an integer in units of 2^-20, less
//     1023, is the logarithm of a positive double, or less by up to 0.0861. The three such errors of the
//     right side make less than 0.27, a factor of 1.21, and (4 n + 4) * 1.21 < 8 n for n >= 2. (For double
//     the leading halves are off by 2 u at most, with u = 2^-53, and 16 takes the place of 8 n.)
//   - the mean S / W is off by less than (2 n + 3) u Y, the division included. If the float below and the one
//     above by 8 n u Y is the same after rounding, so is the exact mean's. Where all values are of one sign
//     nothing cancels, S is off by n u |S|, and |S / W| takes the place of Y: then a sum of 0 is exact too.
//     So are the greater ones of means that are small beside Y told apart.
//   - if y and w have so few digits that all sums are exact, products are compared exactly, and a quotient
//     that leaves no remainder is exact.
//
// What is not certain is not guessed: the row is then left to others.
//
// Example: labels 1 0 1 1 0 of weights 3 1 2 2 1 have one digit and two: all is exact. The pools {1 0} and
// {1 1 0} have S = 3 and 4, W = 4 and 5: 3 * 5 - 4 * 4 = -1, the means increase. Of means 0.75 and
// 0.75 + 2^-48 with Y = 1 and n = 5 nothing would be certain if the sums were rounded, for 8 n u is 2^-47.7.
#pragma once

#include <cmath>
#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/findings.cuh>
#include <iso/lane/twofold.cuh>
#include <iso/numeric/bits.hpp>
#include <iso/numeric/format.hpp>
#include <iso/numeric/integer.hpp>
#include <iso/numeric/likely_mean.hpp>

namespace iso {

template <class T>
struct weighted_pool {
  twofold<T> s, w;

  ISO_HOST_DEVICE static weighted_pool none() { return {twofold<T>::of(T(0)), twofold<T>::of(T(0))}; }
  ISO_HOST_DEVICE static weighted_pool of(const T& y, const T& w) {
    return {twofold<T>::product(y, w), twofold<T>::of(w)};
  }
  ISO_HOST_DEVICE weighted_pool& operator+=(const weighted_pool& b) {
    s += b.s;
    w += b.w;
    return *this;
  }
  ISO_HOST_DEVICE weighted_pool& operator-=(const weighted_pool& b) {
    s -= b.s;
    w -= b.w;
    return *this;
  }
};

// An integer as a number of twice the digits: within 2^-96 of it, relatively; for up to four words.
//
// Its digits of 64 bits are signed ones, as in numeric::as_double, and each is two doubles exactly.
template <int N>
ISO_HOST_DEVICE twofold<double> twofold_of(const numeric::integer<N>& a) {
  static_assert(N <= 4);
  twofold<double> digit[N];
  std::uint64_t carry = 0;
  for (int i = 0; i < N; ++i) {
    const std::uint64_t word = a.word[i] + carry, low = word & 0xfff;
    digit[i] = twofold<double>::normal(static_cast<double>(static_cast<std::int64_t>(word - low)),
                                       static_cast<double>(low));
    carry = (word >> 63) + static_cast<std::uint64_t>(word < carry);
  }
  auto r = digit[N - 1];
  for (int i = N - 2; i >= 0; --i) {
    r = {r.high * 0x1p64, r.low * 0x1p64};
    r += digit[i];
  }
  return r;
}

// What a row's sums are certain to.
struct weighted_margins {
  bool exact;                 // they are not rounded at all
  std::uint32_t turn;         // of a difference of products: upper words are added up to it, modulo 2^32
  double product;             // of a difference of products: as much of their sizes
  double absolute, relative;  // of a mean: the first, and the second times the mean

  static constexpr int bias = 1023, shift = 20;  // of the upper word of a double

  ISO_HOST_DEVICE static std::uint32_t upper_word(double x) {
    return static_cast<std::uint32_t>(numeric::format<double>::to_bits(x) >> 32);
  }
};

// A look at elements, as quick_look has it, and which digits there are.
template <class T>
struct weighted_look {
  using f = numeric::format<T>;
  using bits = typename f::bits_type;

  quick_look<T, true> sizes;
  bits some_y = 0, some_w = 0, all_y = static_cast<bits>(~bits{0});

  ISO_HOST_DEVICE void include(const T& y, const T& w) {
    sizes.include(y, w);
    some_y |= f::to_bits(y);
    some_w |= f::to_bits(w);
    all_y &= f::to_bits(y);
  }

  // Whether the row can be tried: sound weights, not all of them 0, and no sizes but 0 from which a product
  // or a quotient may leave the normal numbers.
  ISO_HOST_DEVICE bool usual() const {
    constexpr bits one_up = bits{1} << (f::digits - 1);
    constexpr int reach = f::digits == 24 ? 126 : 200, bias = (1 << (f::exponent_bits - 1)) - 1;
    constexpr bits lowest = static_cast<bits>((bias - reach) * one_up);
    constexpr bits highest = f::digits == 24 ? f::infinity_bits : static_cast<bits>((bias + reach) * one_up);
    return sizes.most < highest && sizes.most_w < highest && sizes.most_w > 0 && sizes.least >= lowest - 1 &&
           sizes.least_w >= lowest - 1;
  }

  // The margins of such a row of `count` elements.
  ISO_HOST_DEVICE weighted_margins margins(int count) const {
    using m = weighted_margins;
    constexpr double unit = twofold<T>::rounding;
    const int carry = numeric::bit_length(static_cast<std::uint64_t>(count - 1));
    const int digits =
        carry + span(sizes.most, sizes.least, some_y) + span(sizes.most_w, sizes.least_w, some_w);
    const auto greatest = static_cast<double>(f::from_bits(sizes.most));
    const int turn = (f::digits == 24 ? carry + 3 : 4) - 53 - 2 * m::bias;
    const bool one_sign = !f::is_negative(f::from_bits(some_y)) || f::is_negative(f::from_bits(all_y));
    const double mean = 8 * unit * count;
    const bool exact = digits <= twofold<T>::sum_digits;
    return {exact, m::upper_word(greatest) + (static_cast<std::uint32_t>(turn) << m::shift),
            one_sign ? 0x1p-50 * count : 1, exact || one_sign ? 0 : mean * greatest, exact ? 4 * unit : mean};
  }

 private:
  // Digits from the highest to the lowest that there is.
  ISO_HOST_DEVICE static int span(bits most, bits least_less, bits some) {
    const bits digits = static_cast<bits>(some | bits{1} << (f::digits - 1));
    const int zeros = numeric::bit_length(digits & (~std::uint64_t{digits} + 1)) - 1;
    return f::position(most) - f::position(static_cast<bits>(least_less + 1)) + f::digits - zeros;
  }
};

// Whether the mean of a is not less than that of b, where their sums are not rounded.
ISO_HOST_DEVICE inline bool exact_mean_not_less(const weighted_pool<float>& a, const weighted_pool<float>& b,
                                                bool&) {
  const double p = a.s.value * b.w.value, q = b.s.value * a.w.value;
  if (p != q) return p > q;
  return std::fma(a.s.value, b.w.value, -p) >= std::fma(b.s.value, a.w.value, -q);
}
// Whether (s + s_low) w >= (t + t_low) v, exactly. It takes its numbers one by one, which registers then
// hold.
//
// The four products are eight doubles, whole numbers below 2^154 of some unit. Four times each is added to
// the next, and what rounding has taken off takes its place. The last is then off by less than its last bit
// and by 2^157 * (14 * 2^-53)^4 units (Ogita, Rump and Oishi, "Accurate sum and dot product", 2005), which is
// less than one: it has the sign of the sum, or is 0 as that.
[[gnu::noinline]] ISO_HOST_DEVICE inline bool products_not_less(double s, double s_low, double w, double t,
                                                                double t_low, double v) {
  using pair = twofold<double>;
  const pair product[] = {pair::product(s_low, w), pair::product(-t_low, v), pair::product(s, w),
                          pair::product(-t, v)};
  double term[8];
  for (int i = 0; i < 8; ++i) term[i] = i % 2 == 0 ? product[i / 2].low : product[i / 2].high;
  for (int pass = 0; pass < 4; ++pass) {
    for (int i = 1; i < 8; ++i) term[i] = exact_sum(term[i], term[i - 1], term[i - 1]);
  }
  return term[7] >= 0;
}
ISO_HOST_DEVICE inline bool exact_mean_not_less(const weighted_pool<double>& a,
                                                const weighted_pool<double>& b, bool& certain) {
  certain = certain && a.w.low == 0 && b.w.low == 0;
  return products_not_less(a.s.high, a.s.low, b.w.high, b.s.high, b.s.low, a.w.high);
}

// That, as well as it is known where the difference of products is small.
template <class T>
ISO_HOST_DEVICE bool near_mean_not_less(const weighted_pool<T>& a, const weighted_pool<T>& b,
                                        const weighted_margins& margins, bool& certain) {
  if (margins.exact) return exact_mean_not_less(a, b, certain);
  const double p = a.s.leading() * b.w.leading(), q = b.s.leading() * a.w.leading();
  certain = certain && std::fabs(p - q) > (std::fabs(p) + std::fabs(q)) * margins.product;
  return p > q;
}

// A negative number if the mean of a is less than that of b, else one that is not negative; if that is not
// certain, `mark` is put into `doubts`.
template <class T>
ISO_HOST_DEVICE std::int32_t turn_of_means(const weighted_pool<T>& a, const weighted_pool<T>& b,
                                           const weighted_margins& margins, int& doubts, int mark) {
  using m = weighted_margins;
  const double a_w = a.w.leading(), b_w = b.w.leading();
  const double d = std::fma(a.s.leading(), b_w, -(b.s.leading() * a_w));
  auto turn = static_cast<std::int32_t>(m::upper_word(d));
  if ((m::upper_word(d) & 0x7fffffffu) <= m::upper_word(a_w) + m::upper_word(b_w) + margins.turn) {
    bool certain = true;
    turn = near_mean_not_less(a, b, margins, certain) ? 0 : -1;
    if (!certain) doubts |= mark;
  }
  return turn;
}

// S / W, rounded once to T, every zero +0, if that is certain, else `certain` is cleared. The quotient is off
// by no more than `absolute` and `relative` times itself, or, if the sums are `exact` and there is no
// remainder, by nothing.
template <class T>
ISO_HOST_DEVICE T rounded_quotient(const weighted_pool<T>& pool, bool exact, double absolute, double relative,
                                   bool& certain) {
  const auto q = quotient(pool.s, pool.w);
  const double size = std::fabs(q.value.leading());
  double margin = std::fma(size, relative, absolute);
  if (exact && q.exact) margin = 0;
  const T below = q.value.rounded_with(-margin), above = q.value.rounded_with(margin);
  // A mean that is neither 0 nor normal may be flushed to 0.
  constexpr double least = numeric::format<T>::digits == 24 ? 0x1p-126 : 0x1p-1000;
  certain = certain && below == above && (size >= least || size + margin == 0);
  return above == T(0) ? T(0) : above;
}

// The mean of a pool of at least two elements, rounded once, every zero +0; if that is not certain, `certain`
// is cleared.
template <class T>
ISO_HOST_DEVICE T mean_of_pool(const weighted_pool<T>& pool, const weighted_margins& margins, bool& certain) {
  return rounded_quotient(pool, margins.exact, margins.absolute, margins.relative, certain);
}

// The mean sum / weight * 2^(position + min_exponent) in doubles of twice the digits, weight > 0, as
// numeric::rounded_mean rounds it, if that is certain. The two numbers are within 2^-96 of the integers, and
// their quotient within 2^-94.
template <int N, int M>
ISO_HOST_DEVICE numeric::likely<double> twofold_mean(const numeric::integer<N>& sum,
                                                     const numeric::integer<M>& weight, int position) {
  constexpr int reach = 1000;
  const int exponent = position + numeric::format<double>::min_exponent;
  bool certain = exponent > -reach && exponent < reach;
  const double mean = mean_of_pool(weighted_pool<double>{twofold_of(sum), twofold_of(weight)},
                                   weighted_margins{false, 0, 0, 0, 0x1p-93}, certain);
  const double scaled = mean * numeric::power_of_two(certain ? exponent : 0);
  return {scaled, certain && (std::fabs(scaled) >= 0x1p-1000 || mean == 0)};
}

}  // namespace iso
