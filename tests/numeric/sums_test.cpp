// Sums on a grid and the comparison of means.
#include <cmath>
#include <random>

#include <iso/numeric/sums.hpp>

#include "catch.hpp"
#include "numeric/big.hpp"
#include "sanitized.hpp"

using namespace iso::numeric;

namespace {

template <class T>
big scaled(const T& v) {  // in units of the least subnormal number
  const decoded d = format<T>::decode(v);
  const big size = big(d.mantissa) << d.position;
  return d.sign != 0 ? big(-size) : size;
}

template <class T>
T random_finite(std::mt19937_64& g, int exponents) {
  using f = format<T>;
  using bits = typename f::bits_type;
  for (;;) {
    const auto v = static_cast<bits>(g());
    const auto exponent =
        static_cast<bits>(g() % static_cast<unsigned>(exponents) + (f::positions - exponents) / 2);
    const auto mask = static_cast<bits>((bits{1} << (f::digits - 1)) - 1);
    const T value =
        f::from_bits(static_cast<bits>((v & (mask | f::sign_bit)) | (exponent << (f::digits - 1))));
    if (f::size_bits(value) < f::infinity_bits) return g() % 16 == 0 ? T(0) : value;
  }
}

template <class T>
void include(grid& on, const T& y, const T& w) {
  using f = format<T>;
  const decoded dy = f::decode(y), dw = f::decode(w);
  if (dw.mantissa == 0) return;
  on.weights.include(dw.position, dw.position + f::digits);
  if (dy.mantissa == 0) return;
  on.products.include(dy.position + dw.position, dy.position + dw.position + 2 * f::digits);
}

// Elements of a spread of exponents, summed in the words that their grid asks for.
template <class T, bool Weighted>
void check_sums(int exponents, std::uint64_t seed, int (&widths)[128]) {
  std::mt19937_64 g(seed);
  const int count = 1 + static_cast<int>(g() % 300);
  std::vector<T> y, w;
  grid on;
  big s = 0, weight = 0;
  for (int k = 0; k < count; ++k) {
    y.push_back(random_finite<T>(g, exponents));
    w.push_back(std::abs(random_finite<T>(g, exponents)));
    if constexpr (Weighted) {
      include(on, y[k], w[k]);
      s += scaled(y[k]) * scaled(w[k]);
      weight += scaled(w[k]);
    } else {
      const decoded d = format<T>::decode(y[k]);
      if (d.mantissa != 0) on.products.include(d.position, d.position + format<T>::digits);
      on.weights.include(0, 1);
      s += scaled(y[k]);
      weight += 1;
    }
  }
  with_words<T, Weighted>(on, count, [&]<int N, int M>() {
    ++widths[N];
    auto total = sums<N, M>::zero();
    for (int k = 0; k < count; ++k) add_element<T, Weighted>(total, y.data(), w.data(), k, on);
    REQUIRE((value(total.s) << on.products.unit()) == s);
    if constexpr (Weighted) REQUIRE((value(total.w) << on.weights.unit()) == weight);
    if constexpr (!Weighted && N == 1) REQUIRE(abs(big(value(total.s) * count)) < (big(1) << 63));
  });
}

template <class T, bool Weighted>
void check_all_widths() {
  int widths[128] = {};
  for (int exponents : {1, 4, 16, 24, 40, 64, 90, 150, 250}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) check_sums<T, Weighted>(exponents, seed, widths);
  }
  if (format<T>::positions > 1000) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) check_sums<T, Weighted>(2000, seed, widths);
  }
  int used = 0;
  for (int n : widths) used += n > 0;
  CHECK(used == 3);
}

}  // namespace

TEMPLATE_TEST_CASE("sums are exact in each of the three sizes they take", "[sums]", float, double) {
  check_all_widths<TestType, false>();
  check_all_widths<TestType, true>();
}

TEST_CASE("means are compared exactly, and a pool without weight as one beside any other", "[sums]") {
  std::mt19937_64 g(1);
  int equal = 0;
  for (int i = 0; i < tries(20000); ++i) {
    auto s1 = random_integer<2>(g), s2 = random_integer<2>(g);
    auto w1 = integer<1>::from(static_cast<std::int64_t>(g() >> (g() % 63 + 1)));
    auto w2 = integer<1>::from(static_cast<std::int64_t>(g() >> (g() % 63 + 1)));
    if (i % 4 == 0) {  // the same mean, or the least bit beside it
      const auto factor = static_cast<std::int64_t>(g() % 1000 + 1);
      s1 = integer<2>::from(static_cast<std::int64_t>(g() >> 20));
      w1 = integer<1>::from(static_cast<std::int64_t>(g() >> 20) | 1);
      s2 = integer<2>::from(static_cast<std::int64_t>(s1.word[0]) * factor);
      w2 = integer<1>::from(static_cast<std::int64_t>(w1.word[0]) * factor);
      s2 += integer<2>::from(static_cast<std::int64_t>(g() % 3) - 1);
    }
    const big left = value(s1) * value(w2), right = value(s2) * value(w1);
    equal += left == right;
    REQUIRE(mean_not_less(s1, w1, s2, w2) == (left >= right));
  }
  CHECK(equal > 100);
  const auto zero2 = integer<2>::zero();
  const auto zero1 = integer<1>::zero();
  CHECK(mean_not_less(zero2, zero1, integer<2>::from(5), integer<1>::from(3)));
  CHECK(mean_not_less(integer<2>::from(5), integer<1>::from(3), zero2, zero1));
}

TEST_CASE("a range that includes nothing has no bits", "[sums]") {
  range r;
  CHECK(r.empty());
  CHECK(r.bits() == 0);
  CHECK(r.unit() == 0);
  r.include(range{});
  CHECK(r.empty());
  r.include(3, 10);
  r.include(range{});
  CHECK(r.bits() == 7);
  CHECK(r.unit() == 3);
}
