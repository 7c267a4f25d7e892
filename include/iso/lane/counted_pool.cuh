// A pool of a row without weights, as a lane has it: S = sum of y in a number of twice the digits (see
// twofold.cuh), and the count of its elements.
//
// The last bit of S is a mark: it is 0 if S is exact. Every addition tells whether it has rounded, and sets
// the mark if it has, or if a term had it; an exact sum that happens to end in a 1 passes for a rounded one.
// So pools of elements that are not far apart in size are exact, whatever others there are in the row. Every
// finite float, and every double, is exact.
//
// Two exact pools are compared exactly. Otherwise, with weighted_pool.cuh's reasons, let u' be what an
// addition and its mark move a sum by, relatively, at most 4 times twofold::rounding; Y the greatest size of
// a value, and n the row's elements. S is then off by less than n u' Y times the pool's count, and
//
//   - d = S1 n2 - S2 n1, formed in double, by less than (2 n u' + 2^-50) Y n1 n2: 8 n u' + 2^-49 is taken;
//   - the mean S / n1 by less than 2 n u' Y: 8 n u' Y is taken.
//
// Where all values are of one sign, |S1 n2| + |S2 n1| and |S / n1| take the place of Y n1 n2 and of Y.
//
// What is not certain is not guessed: the row is then left to others.
//
// Example: in 1 2 1.5 1e30 the pools {1}, {2 1.5} and {1e30} are exact, and are told apart exactly; {1e30 0}
// has the exact sum 1e30, and {1e30 1} a marked one.
#pragma once

#include <cmath>
#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/findings.cuh>
#include <iso/lane/twofold.cuh>
#include <iso/lane/weighted_pool.cuh>
#include <iso/numeric/format.hpp>

namespace iso {

// The mark of a double, and the double with it if `mark` is 1.
ISO_HOST_DEVICE inline std::uint32_t mark_of(double x) {
  return static_cast<std::uint32_t>(numeric::format<double>::to_bits(x)) & 1u;
}
ISO_HOST_DEVICE inline double with_mark(double x, std::uint32_t mark) {
  using f = numeric::format<double>;
  return f::from_bits(f::to_bits(x) | mark);
}

ISO_HOST_DEVICE inline std::uint32_t mark_of(const twofold<float>& x) {
  return mark_of(x.value);
}
ISO_HOST_DEVICE inline std::uint32_t mark_of(const twofold<double>& x) {
  return mark_of(x.low);
}

// a + b, marked. If what is left of the sum without either term is the other one then it is exact: the larger
// one is taken off it without rounding.
ISO_HOST_DEVICE inline twofold<float> marked_sum(const twofold<float>& a, const twofold<float>& b) {
  const double sum = a.value + b.value;
  const bool rounded = sum - a.value != b.value || sum - b.value != a.value;
  return {with_mark(sum, mark_of(a) | mark_of(b) | static_cast<std::uint32_t>(rounded))};
}
ISO_HOST_DEVICE inline twofold<double> marked_sum(const twofold<double>& a, const twofold<double>& b) {
  double lost, lower_lost, lost_again, low;
  const double sum = exact_sum(a.high, b.high, lost), lower = exact_sum(a.low, b.low, lower_lost);
  const double rest = exact_sum(lost, lower, lost_again), high = exact_sum(sum, rest, low);
  const bool rounded = lower_lost != 0 || lost_again != 0;
  return {high, with_mark(low, mark_of(a) | mark_of(b) | static_cast<std::uint32_t>(rounded))};
}

// A count as a double, without the instruction that converts it, which is slow: it becomes the last digits of
// 2^52.
ISO_HOST_DEVICE inline double double_of_count(int count) {
  return numeric::format<double>::from_bits(std::uint64_t{0x43300000} << 32 |
                                            static_cast<std::uint32_t>(count)) -
         0x1p52;
}

template <class T>
struct counted_pool {
  twofold<T> s;
  int count;

  ISO_HOST_DEVICE static counted_pool none() { return {twofold<T>::of(T(0)), 0}; }
  ISO_HOST_DEVICE static counted_pool of(const T& y, const T& /* its weight, 1 */) {
    return {twofold<T>::of(y), 1};
  }
  ISO_HOST_DEVICE counted_pool& operator+=(const counted_pool& b) {
    s = marked_sum(s, b.s);
    count += b.count;
    return *this;
  }
  ISO_HOST_DEVICE bool exact() const { return mark_of(s) == 0; }
  ISO_HOST_DEVICE weighted_pool<T> weighted() const { return {s, twofold<T>::of(static_cast<T>(count))}; }
};

// What a row's sums that are not exact are certain to.
struct counted_margins {
  double difference;          // of a difference of products: as much of the product of the counts
  double product;             // of the same: as much of the products' sizes
  double absolute, relative;  // of a mean: the first, and the second times the mean
};

// A look at finite elements, as quick_look has it, and at their signs.
template <class T>
struct counted_look {
  using f = numeric::format<T>;
  using bits = typename f::bits_type;

  quick_look<T, false> sizes;
  bits some = 0, all = static_cast<bits>(~bits{0});

  ISO_HOST_DEVICE void include(const T& y, const T& w) {
    sizes.include(y, w);
    some |= f::to_bits(y);
    all &= f::to_bits(y);
  }

  // Whether the row can be tried: no sizes but 0 from which a sum, a product by counts or what a quotient
  // leaves may leave the normal numbers.
  ISO_HOST_DEVICE bool usual() const {
    constexpr bits one_up = bits{1} << (f::digits - 1);
    constexpr int bias = (1 << (f::exponent_bits - 1)) - 1;
    constexpr bits lowest = static_cast<bits>(f::digits == 24 ? 1 : bias - 900) * one_up;
    constexpr bits highest = f::digits == 24 ? f::infinity_bits : static_cast<bits>((bias + 1000) * one_up);
    return sizes.most < highest && sizes.least >= lowest - 1;
  }

  // The margins of such a row of `count` elements.
  ISO_HOST_DEVICE counted_margins margins(int count) const {
    const auto greatest = static_cast<double>(f::from_bits(sizes.most));
    const bool one_sign = !f::is_negative(f::from_bits(some)) || f::is_negative(f::from_bits(all));
    const double mean = 8 * 4 * twofold<T>::rounding * count;
    return {(mean + 0x1p-49) * greatest, one_sign ? 0x1p-48 * count : 1, one_sign ? 0 : mean * greatest,
            mean};
  }
};

// As for weighted pools. Products of exact pools are off by 2^-52 of their size, and their difference, formed
// in double, by 2^-53 of itself.
template <class T>
ISO_HOST_DEVICE std::int32_t turn_of_means(const counted_pool<T>& a, const counted_pool<T>& b,
                                           const counted_margins& margins, int& doubts, int mark) {
  const double a_count = double_of_count(a.count), b_count = double_of_count(b.count);
  const double p = a.s.leading() * b_count, q = b.s.leading() * a_count, d = p - q;
  const bool exact = a.exact() && b.exact();
  bool less = d < 0;
  if (!(std::fabs(d) > (std::fabs(p) + std::fabs(q)) * (exact ? 0x1p-50 : margins.product))) {
    bool certain = true;
    if (exact) {
      less = !exact_mean_not_less(a.weighted(), b.weighted(), certain);
    } else if (!(std::fabs(d) > margins.difference * (a_count * b_count))) {
      doubts |= mark;
    }
  }
  return less ? -1 : 0;
}

template <class T>
ISO_HOST_DEVICE T mean_of_pool(const counted_pool<T>& pool, const counted_margins& margins, bool& certain) {
  const bool exact = pool.exact();
  return rounded_quotient(pool.weighted(), exact, exact ? 0 : margins.absolute,
                          exact ? 4 * twofold<T>::rounding : margins.relative, certain);
}

}  // namespace iso
