// Exact sums of weights and of weighted values, and the exact comparison of the means they stand for.
//
// A set of elements is summed on a *grid*: all their bits lie between two positions (see format.hpp), so each
// element is an integer in units of the lowest one, and so is every sum. The grid is read off the exponents
// that are present; it tells how many words the sums take.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/numeric/bits.hpp>
#include <iso/numeric/format.hpp>
#include <iso/numeric/integer.hpp>

namespace iso::numeric {

// Positions low <= p < high, of all bits of some numbers; none if high is 0.
struct range {
  std::int16_t low = INT16_MAX;
  std::int16_t high = 0;

  ISO_HOST_DEVICE bool empty() const { return high == 0; }
  ISO_HOST_DEVICE int bits() const { return empty() ? 0 : high - low; }
  ISO_HOST_DEVICE int unit() const { return empty() ? 0 : low; }
  ISO_HOST_DEVICE void include(int first, int last) {
    if (first < low) low = static_cast<std::int16_t>(first);
    if (last > high) high = static_cast<std::int16_t>(last);
  }
  ISO_HOST_DEVICE void include(const range& other) { include(other.low, other.high); }
};

// Where the bits of the products w * y and of the weights lie. Without weights, products are the values
// themselves, and the weights are the elements' count.
struct grid {
  range products;
  range weights;

  ISO_HOST_DEVICE void include(const grid& other) {
    products.include(other.products);
    weights.include(other.weights);
  }
  // The position that a quotient of a sum of products and a sum of weights is in units of.
  ISO_HOST_DEVICE int mean_position() const { return products.unit() - weights.unit(); }
};

// Sums of the products and of the weights of a pool.
template <int N, int M>
struct sums {
  integer<N> s;
  integer<M> w;

  ISO_HOST_DEVICE static sums zero() { return {integer<N>::zero(), integer<M>::zero()}; }
  ISO_HOST_DEVICE sums& operator+=(const sums& b) {
    s += b.s;
    w += b.w;
    return *this;
  }
  ISO_HOST_DEVICE sums& operator-=(const sums& b) {
    s -= b.s;
    w -= b.w;
    return *this;
  }
};

// Whether s1 / w1 >= s2 / w2, exactly, for weights >= 0: true if a weight is 0 and the sum beside it.
//
// S and W: integer<N> and integer<M>, or integers that the lanes of a warp hold together.
template <class S, class W>
ISO_HOST_DEVICE bool mean_not_less(const S& s1, const W& w1, const S& s2, const W& w2) {
  if constexpr (S::words > 2) {  // where products are dear
    const bool negative = s1.negative();
    if (negative == s2.negative()) {
      const int order =
          compare_products(leading(s1.magnitude()), leading(w2), leading(s2.magnitude()), leading(w1));
      if (order != 0) return (order > 0) != negative;
    }
  }
  return !less(multiply(s1, w2), multiply(s2, w1));
}

// The product of two mantissas of T, as an integer of one or two words.
template <class T>
ISO_HOST_DEVICE auto mantissa_product(std::uint64_t a, std::uint64_t b) {
  if constexpr (2 * format<T>::digits <= 64) {
    return integer<1>{{a * b}};
  } else {
    return integer<2>{{a * b, multiply_high(a, b)}};
  }
}

// Adds the element of weight w and value y to sums on a grid that holds the mantissas, trailing zeros
// included, of all elements of positive weight. Nothing depends on y if w is 0.
template <class T, int N, int M>
ISO_HOST_DEVICE inline void add_weighted_element(sums<N, M>& to, const T& y, const T& w, const grid& on) {
  const decoded weight = format<T>::decode(w), value = format<T>::decode(y);
  to.w += raise<M>(integer<1>{{weight.mantissa}}, weight.position - on.weights.low);
  to.s.add_signed(raise<N>(mantissa_product<T>(value.mantissa, weight.mantissa),
                           value.position + weight.position - on.products.low),
                  value.sign);
}

// Adds the element of value y, and of weight w if there are weights, to sums on a grid that holds their bits.
// Without weights the sum of weights is the elements' count and left to the caller. Nothing of y is read if w
// is 0.
template <class T, bool Weighted, int N, int M>
ISO_HOST_DEVICE inline void add_element(sums<N, M>& to, const T* y, const T* w, std::int64_t k,
                                        const grid& on) {
  if constexpr (Weighted) {
    const decoded weight = format<T>::decode(w[k]);
    if (weight.mantissa == 0) return;
    to.w += place<M>(integer<1>{{weight.mantissa}}, weight.position - on.weights.low);
    const decoded value = format<T>::decode(y[k]);
    if (value.mantissa == 0) return;
    to.s.add_signed(place<N>(mantissa_product<T>(value.mantissa, weight.mantissa),
                             value.position + weight.position - on.products.low),
                    value.sign);
  } else {
    const decoded value = format<T>::decode(y[k]);
    const int shift = value.mantissa != 0 ? value.position - on.products.low : 0;
    to.s.add_signed(place<N>(integer<1>{{value.mantissa}}, shift), value.sign);
  }
}

// Sums of the elements [a, b).
template <class T, bool Weighted, int N, int M>
ISO_HOST_DEVICE inline sums<N, M> sum_elements(const T* y, const T* w, std::int64_t a, std::int64_t b,
                                               const grid& on) {
  auto total = sums<N, M>::zero();
  for (std::int64_t k = a; k < b; ++k) add_element<T, Weighted>(total, y, w, k, on);
  if constexpr (!Weighted) total.w = integer<M>::from(b - a);
  return total;
}

// The words that sums of products and sums of weights of finite elements of T take at most.
template <class T, bool Weighted>
inline constexpr int most_product_words = ((Weighted ? 2 : 1) * format<T>::positions + 64 + 63) / 64;
template <class T, bool Weighted>
inline constexpr int most_weight_words = Weighted ? (format<T>::positions + 64 + 63) / 64 : 1;

// Calls f.template operator()<N, M>() with the words that sums of up to `count` elements on a grid take, N
// for the products and M for the weights: one of three sizes, the last of which holds every finite input.
//
// Of the smallest size without weights it also holds that a sum times a count fits one word.
//
// f may be for the host alone or for the device alone, of which nvcc would warn.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <class T, bool Weighted, class F>
ISO_HOST_DEVICE decltype(auto) with_words(const grid& on, std::int64_t count, F&& f) {
  const int carry = bit_length(static_cast<std::uint64_t>(count));
  const int s = on.products.bits() + carry + 1;  // and a sign
  if constexpr (Weighted) {
    const int w = on.weights.bits() + carry + 1;
    if (s <= 128 && w <= 64) return f.template operator()<2, 1>();
    if (s <= 256 && w <= 192) return f.template operator()<4, 3>();
  } else {
    if (s + carry <= 64) return f.template operator()<1, 1>();
    if (s <= 128) return f.template operator()<2, 1>();
  }
  return f.template operator()<most_product_words<T, Weighted>, most_weight_words<T, Weighted>>();
}

}  // namespace iso::numeric
