// Sums in doubles: exact where 53 bits hold them, and then much faster than in integers.
//
// Numbers on a grid of b bits, c of them: if b + log2(c) <= 53, every sum of some of them, in any order, is a
// double without rounding. Numbers of up to twice as many bits are split in two by adding and subtracting 1.5
// * 2^k, which rounds them to a multiple of 2^(k - 52); the parts are summed apart. (Hence no -ffast-math.)
#pragma once

#if defined(__FAST_MATH__)
#error "iso: results are exact by the rules of IEEE arithmetic; compile without -ffast-math"
#endif

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <iso/numeric/quotient.hpp>
#include <iso/numeric/sums.hpp>

namespace iso::host::detail {

// The element's product as a double: exact without weights, and for weighted floats.
template <class T, bool Weighted>
double product(const T* y, const T* w, std::int64_t k) {
  if constexpr (Weighted) {
    const double weight = static_cast<double>(w[k]);
    return weight != 0 ? static_cast<double>(y[k]) * weight : 0;
  } else {
    return static_cast<double>(y[k]);
  }
}

// The exponents of the numbers of a range in units of which position 0 is 2^exponent: the numbers are
// multiples of 2^unit, and sums of `count` of them are below 2^top.
struct exponents {
  int unit;
  int top;

  exponents(const numeric::range& r, int exponent, int carry)
      : unit(r.empty() ? 0 : r.low + exponent), top((r.empty() ? 0 : r.high + exponent) + carry) {}

  int bits() const { return top - unit; }
  bool within(int limit) const { return unit > -limit && top < limit; }
};

// The same of the products and of the weights of a grid.
template <class T, bool Weighted>
struct grid_exponents {
  static constexpr int unit = numeric::format<T>::min_exponent;

  int carry;
  exponents products, weights;

  grid_exponents(const numeric::grid& on, std::int64_t count)
      : carry(numeric::bit_length(static_cast<std::uint64_t>(count))),
        products(on.products, Weighted ? 2 * unit : unit, carry),
        weights(on.weights, Weighted ? unit : 0, carry) {}

  // Whether doubles neither overflow nor vanish in products of two sums.
  bool moderate() const {
    return Weighted ? products.within(450) && weights.within(450) : products.within(900);
  }
  // Whether doubles hold all sums exactly.
  bool exact() const { return moderate() && products.bits() <= 53 && (!Weighted || weights.bits() <= 53); }
};

// Sums of terms over [a, b) in four chains, so that additions overlap.
template <class Term>
double sum_in_chains(std::int64_t a, std::int64_t b, Term term) {
  double sum[4] = {0, 0, 0, 0};
  for (; a + 4 <= b; a += 4) {
    for (int i = 0; i < 4; ++i) sum[i] += term(a + i);
  }
  for (; a < b; ++a) sum[0] += term(a);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// A double that is a multiple of 2^unit, in units of 2^unit.
template <int N>
numeric::integer<N> in_units(double value, int unit) {
  return numeric::integer<N>::from(static_cast<std::int64_t>(value * numeric::power_of_two(-unit)));
}

// numeric::sum_elements, by doubles where they hold the sums.
template <class T, bool Weighted, int N, int M>
numeric::sums<N, M> sum_in_doubles(const T* y, const T* w, std::int64_t a, std::int64_t b,
                                   const numeric::grid& on) {
  const grid_exponents<T, Weighted> e(on, b - a);
  constexpr bool exact_products = !Weighted || std::is_same_v<T, float>;
  const int half = 52 - e.carry;  // bits of the lower part
  const bool in_one = e.products.bits() <= 53;
  const bool in_two = exact_products && e.products.bits() - e.carry <= 2 * half;
  if (!e.moderate() || !(in_one || in_two) || (Weighted && e.weights.bits() > 53)) {
    return numeric::sum_elements<T, Weighted, N, M>(y, w, a, b, on);
  }
  numeric::sums<N, M> total;
  if (in_one) {
    total.s = in_units<N>(sum_in_chains(a, b, [&](std::int64_t k) { return product<T, Weighted>(y, w, k); }),
                          e.products.unit);
  } else {
    const int split = e.products.unit + half;
    const double shifter = 0x1.8p52 * numeric::power_of_two(split);
    const auto upper = [&](std::int64_t k) { return (product<T, Weighted>(y, w, k) + shifter) - shifter; };
    total.s = in_units<N>(sum_in_chains(a, b, upper), split);
    total.s <<= half;
    total.s += in_units<N>(
        sum_in_chains(a, b, [&](std::int64_t k) { return product<T, Weighted>(y, w, k) - upper(k); }),
        e.products.unit);
  }
  if constexpr (Weighted) {
    total.w = in_units<M>(sum_in_chains(a, b, [&](std::int64_t k) { return static_cast<double>(w[k]); }),
                          e.weights.unit);
  } else {
    total.w = numeric::integer<M>::from(b - a);
  }
  return total;
}

// The quotient of two doubles rounded once to T, if that can be told from it in double; otherwise NaN.
template <class T>
T rounded_once(double s, double w) {
  const double q = s / w;
  if constexpr (std::is_same_v<T, double>) {
    return q;
  } else {
    // Rounding keeps order, so the quotient and the double next to it have the same nearest float, unless the
    // double is halfway between two. Halfway is 29 bits of 100...0, where floats are normal.
    static_assert(std::is_same_v<T, float>);
    constexpr std::uint64_t half = std::uint64_t{1} << 28;
    const bool halfway = (numeric::format<double>::to_bits(q) & (2 * half - 1)) == half;
    const bool normal = std::abs(q) >= 0x1p-126 || q == 0;
    return halfway || !normal ? numeric::format<float>::nan() : static_cast<float>(q);
  }
}

// The mean of the elements [a, b), rounded once.
template <class T, bool Weighted>
T mean_of_elements(const T* y, const T* w, std::int64_t a, std::int64_t b, const numeric::grid& on) {
  if (grid_exponents<T, Weighted>(on, b - a).exact()) {
    const double s = sum_in_chains(a, b, [&](std::int64_t k) { return product<T, Weighted>(y, w, k); });
    const double weight = Weighted
                              ? sum_in_chains(a, b, [&](std::int64_t k) { return static_cast<double>(w[k]); })
                              : static_cast<double>(b - a);
    const T mean = rounded_once<T>(s, weight);
    if (mean == mean) return mean;
  }
  return numeric::with_words<T, Weighted>(on, b - a, [&]<int N, int M>() {
    const auto sum = sum_in_doubles<T, Weighted, N, M>(y, w, a, b, on);
    return numeric::rounded_mean<T>(sum.s, sum.w, on.mean_position());
  });
}

// Sums of the first k terms, for k = 0 to count. Every fourth sum waits for the one before, not every sum.
template <class Term>
void prefix_sums(double* out, int count, Term term) {
  double sum = 0;
  int k = 0;
  out[0] = 0;
  for (; k + 4 <= count; k += 4) {
    const double a = term(k), ab = a + term(k + 1), c = term(k + 2), cd = c + term(k + 3);
    out[k + 1] = sum + a;
    out[k + 2] = sum + ab;
    out[k + 3] = sum + (ab + c);
    sum += ab + cd;
    out[k + 4] = sum;
  }
  for (; k < count; ++k) out[k + 1] = sum += term(k);
}

}  // namespace iso::host::detail
