// Elements in shared memory, and the sizes their exact sums take.
#pragma once

#include <cstdint>
#include <type_traits>

#include <iso/detail/config.hpp>
#include <iso/numeric/sums.hpp>

namespace iso {

// The words that the sums of a tile of elements take, by value type: the small size holds usual data of a
// thousand elements, the large one nearly all data of any length. What fits neither is summed in integers
// spread over a warp.
template <class T, bool Weighted>
struct sum_words;
template <>
struct sum_words<float, false> {
  static constexpr int small_n = 1, small_m = 1, large_n = 2, large_m = 1;
};
template <>
struct sum_words<float, true> {
  static constexpr int small_n = 2, small_m = 1, large_n = 4, large_m = 3;
};
template <>
struct sum_words<double, false> {
  static constexpr int small_n = 2, small_m = 1, large_n = 4, large_m = 1;
};
template <>
struct sum_words<double, true> {
  static constexpr int small_n = 4, small_m = 3, large_n = 4, large_m = 3;
};

template <class T, bool Weighted>
using large_sums = numeric::sums<sum_words<T, Weighted>::large_n, sum_words<T, Weighted>::large_m>;

// Sums as memory keeps them beside the element that they are given for. Without weights elements are their
// own count: s alone is kept, and the count comes back with the element.
//
// Example, values 3 1 2: before element 2 the sums are s = 4, w = 2. Kept are the element and 4.
template <class Sums, bool Weighted>
struct kept_sums {
  using type = std::conditional_t<Weighted, Sums, decltype(Sums::s)>;

  ISO_HOST_DEVICE static type of(const Sums& sum) {
    if constexpr (Weighted) {
      return sum;
    } else {
      return sum.s;
    }
  }
  // Sums over `elements` elements.
  template <class Count>
  ISO_HOST_DEVICE static Sums whole(const type& kept, [[maybe_unused]] Count elements) {
    if constexpr (Weighted) {
      return kept;
    } else {
      auto r = Sums::zero();
      r.s = kept;
      r.w.word[0] = static_cast<std::make_unsigned_t<Count>>(elements);
      return r;
    }
  }
};

// Whether N and M words hold the sums of up to `count` elements on a grid; if N is 1, also that one word
// holds a sum times a count.
template <int N, int M>
ISO_HOST_DEVICE bool sums_fit(const numeric::grid& on, std::int64_t count) {
  const int carry = numeric::bit_length(static_cast<std::uint64_t>(count));
  const int s = on.products.bits() + carry + 1;  // and a sign
  const int w = on.weights.bits() + carry + 1;
  return (N == 1 ? s + carry : s) <= 64 * N && w <= 64 * M;
}

// Whether the mean of `a` is not less than that of `b`, exactly; weights are positive.
template <int N, int M>
ISO_HOST_DEVICE bool mean_not_less(const numeric::sums<N, M>& a, const numeric::sums<N, M>& b) {
  if constexpr (N == 1 && M == 1) {  // see sums_fit
    return static_cast<std::int64_t>(a.s.word[0]) * static_cast<std::int64_t>(b.w.word[0]) >=
           static_cast<std::int64_t>(b.s.word[0]) * static_cast<std::int64_t>(a.w.word[0]);
  } else {
    return numeric::mean_not_less(a.s, a.w, b.s, b.w);
  }
}

// The value y on a grid whose lowest position is `low`, in one word; y is finite, and if it is not 0 the grid
// holds it.
template <class T>
ISO_HOST_DEVICE std::int64_t value_on_grid(const T& y, int low) {
  using f = numeric::format<T>;
  using bits = typename f::bits_type;
  using value = std::make_signed_t<bits>;
  const bits size = f::size_bits(y), hidden = static_cast<bits>(bits{1} << (f::digits - 1));
  const auto fraction = static_cast<value>(size & (hidden - 1));
  const value mantissa =
      size >= hidden ? static_cast<value>(fraction | static_cast<value>(hidden)) : fraction;
  const int shift = f::position(size) - low;
  const std::int64_t signed_mantissa = f::is_negative(y) ? -mantissa : mantissa;
  return signed_mantissa << (shift > 0 ? shift : 0);
}

// A tile of elements, with a gap after every 32, so that lanes that each walk through 32, 16, 8, ... elements
// of their own, and lanes that together walk through adjacent ones, meet no bank conflict. w is null without
// weights. Without `Gaps`: of one lane, whose elements are next to each other.
template <class T, bool Weighted, bool Gaps = true>
struct elements {
  T* y;
  T* w;

  // i >= 0: a shift divides it.
  ISO_HOST_DEVICE static constexpr int at(int i) {
    return Gaps ? i + static_cast<int>(static_cast<unsigned>(i) / 32) : i;
  }
  // Those of the lane whose first one is element `base`, under the same numbers.
  ISO_HOST_DEVICE elements<T, Weighted, false> of_lane(int base) const {
    const int gaps = at(base) - base;
    return {y + gaps, Weighted ? w + gaps : nullptr};
  }
  // The length of the arrays for `count` elements.
  static constexpr int room(int count) { return count + (count + 31) / 32; }

  // Whether element i has any say.
  ISO_HOST_DEVICE bool counts(int i) const {
    if constexpr (Weighted) return numeric::format<T>::size_bits(w[at(i)]) != 0;
    return true;
  }

  template <int N, int M>
  ISO_HOST_DEVICE void add(numeric::sums<N, M>& to, int i, const numeric::grid& on) const {
    if constexpr (!Weighted && N == 1) {
      to.s.word[0] += static_cast<std::uint64_t>(value_on_grid(y[at(i)], on.products.low));
    } else if constexpr (Weighted && sizeof(T) == 8) {
      numeric::add_weighted_element(to, y[at(i)], w[at(i)], on);
    } else {
      numeric::add_element<T, Weighted>(to, y, w, at(i), on);
    }
    if constexpr (!Weighted) to.w.word[0] += 1;
  }
};

// Adds up elements of a tile, exactly and in N and M words. Who adds up in another way offers the same:
// `sums` of elements, which mean_not_less compares, what is `kept` of them beside the number of elements, and
// their exact value.
template <class T, bool Weighted, int N, int M, bool Gaps = true>
struct exact_adder {
  using sums = numeric::sums<N, M>;
  using kept = typename kept_sums<sums, Weighted>::type;

  elements<T, Weighted, Gaps> e;
  numeric::grid on;

  ISO_HOST_DEVICE static sums zero() { return sums::zero(); }
  ISO_HOST_DEVICE void add(sums& to, int i) const { e.add(to, i, on); }
  ISO_HOST_DEVICE static kept keep(const sums& sum) { return kept_sums<sums, Weighted>::of(sum); }
  ISO_HOST_DEVICE static sums whole(const kept& of, int count) {
    return kept_sums<sums, Weighted>::whole(of, count);
  }
  ISO_HOST_DEVICE sums exact(const sums& sum) const { return sum; }
};

// Sums of the elements [begin, end), as an adder takes them.
template <class Adder>
ISO_HOST_DEVICE typename Adder::sums sum_of(const Adder& adder, int begin, int end) {
  auto total = adder.zero();
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int i = begin; i < end; ++i) adder.add(total, i);
  return total;
}

}  // namespace iso
