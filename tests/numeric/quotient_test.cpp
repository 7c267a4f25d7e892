// Means rounded once, against a rounding of exact integers written on its own.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <iso/numeric/quotient.hpp>

#include "catch.hpp"
#include "numeric/big.hpp"
#include "sanitized.hpp"

using namespace iso::numeric;

// A 16-bit format, known only to this test: bfloat16's digits, with float's exponents.
struct brain {
  std::uint16_t bits;
};
template <>
struct iso::numeric::format<brain> : binary_format<brain, std::uint16_t, 8> {};

namespace {

// |sum| / weight * 2^position in units of the least subnormal number, rounded to nearest, ties to even, to a
// number of `digits` significant bits, by trial: the greatest representable number not above, or its
// successor.
struct rounded {
  big mantissa;
  int position;
};

rounded round_exactly(const big& sum, const big& weight, int position, int digits) {
  big a = sum, b = weight;
  (position >= 0 ? a : b) <<= std::abs(position);
  int last = 0;  // 2^digits > a / b / 2^last
  while ((b << (digits + last)) <= a) ++last;
  const big step = b << last;
  big mantissa = a / step;
  const big twice = 2 * (a - mantissa * step);
  if (twice > step || (twice == step && mantissa % 2 == 1)) ++mantissa;
  return {mantissa, last};
}

template <class T, int N, int M>
T rounded_mean_exactly(const integer<N>& size, bool negative, const integer<M>& w, int position) {
  using f = format<T>;
  const rounded want = round_exactly(value(size), value(w), position, f::digits);
  return f::encode(negative && want.mantissa != 0, static_cast<std::uint64_t>(want.mantissa), want.position);
}

template <class T, int N, int M>
void check(const integer<N>& s, const integer<M>& w, int position) {
  using f = format<T>;
  const T mean = rounded_mean<T>(s, w, position);
  const T expected = rounded_mean_exactly<T>(s.magnitude(), s.negative(), w, position);
  CAPTURE(value(s).str(), value(w).str(), position);
  REQUIRE(f::to_bits(mean) == f::to_bits(expected));
}

template <int M>
integer<M> random_weight(std::mt19937_64& g) {
  for (;;) {
    const auto w = random_integer<M>(g).magnitude();
    if (!w.is_zero() && !w.negative()) return w;
  }
}

// Random sums over random weights, at positions that reach from results that vanish to great ones.
template <class T, int N, int M>
void check_random(std::uint64_t seed) {
  std::mt19937_64 g(seed);
  constexpr int digits = format<T>::digits;
  for (int i = 0; i < tries(8000); ++i) {
    auto s = random_integer<N>(g);
    if (s.magnitude().negative()) continue;
    const auto w = random_weight<M>(g);
    const int size = bit_length(s.magnitude()) - bit_length(w);
    const int lowest = -digits - 4 - size, highest = format<T>::positions - 2 - size;
    const int position = lowest + static_cast<int>(g() % static_cast<unsigned>(highest - lowest));
    check<T>(s, w, position);
    check<T>(s, w, lowest + static_cast<int>(g() % static_cast<unsigned>(2 * digits)));
  }
}

// Sums that lie on a representable number, or halfway between two, or the least bit beside either.
template <class T, int N, int M>
void check_ties(std::uint64_t seed) {
  std::mt19937_64 g(seed);
  constexpr int digits = format<T>::digits;
  for (int i = 0; i < tries(8000); ++i) {
    const std::uint64_t w = (g() >> (g() % 63 + 1)) | 1;
    const std::uint64_t half = (std::uint64_t{1} << digits) + (g() >> (64 - digits));  // digits + 1 bits
    const auto product = multiply(integer<1>{{half}}, integer<1>{{w >> (g() % 2 ? 32 : 0) | 1}});
    if (bit_length(product) > 64 * N - 3) continue;
    auto s = integer<N>::zero();
    for (int k = 0; k < N && k < 2; ++k) s.word[k] = product.word[k];
    const auto beside = static_cast<std::int64_t>(g() % 3) - 1;
    s += integer<N>::from(beside);
    if (g() % 2) s = integer<N>::zero() - s;
    auto weight = integer<M>::from(static_cast<std::int64_t>(w));
    const int position = static_cast<int>(g() % 20) - (g() % 2 ? digits : 0);
    check<T>(s, weight, position);
  }
}

// Whole numbers beside ties or beside what a format holds, with sums and weights of the most bits that
// doubles round rightly, or a few more or fewer, at positions where results are normal or not.
void check_limits(std::uint64_t seed) {
  std::mt19937_64 g(seed);
  for (int i = 0; i < tries(20000); ++i) {
    const int weight_bits = 1 + static_cast<int>(g() % 28), sum_bits = 40 + static_cast<int>(g() % 14);
    const std::uint64_t leading = std::uint64_t{1} << (weight_bits - 1);
    const std::uint64_t w = leading | (g() % 2 ? g() & (leading - 1) : 0);
    // 25 bits, of which the last decides between two floats, or fewer.
    const std::uint64_t half = (std::uint64_t{1} << 24) | (g() >> 40);
    std::uint64_t s = (half >> g() % 2) * w;
    if (bit_length(s) < sum_bits) s <<= sum_bits - bit_length(s);
    if (bit_length(s) > 54) continue;
    s += g() % 3 - 1;
    const auto sum = integer<1>::from(g() % 2 ? static_cast<std::int64_t>(s) : -static_cast<std::int64_t>(s));
    const int position =
        g() % 2 ? static_cast<int>(g() % 200) : 2 - bit_length(s) + weight_bits + static_cast<int>(g() % 26);
    check<float>(sum, integer<1>{{w}}, position);
  }
}

}  // namespace

TEST_CASE("a mean that doubles round is right up to the limits, and beyond them", "[quotient]") {
  check_limits(1);
}

TEMPLATE_TEST_CASE("a mean is rounded once, to nearest, ties to even", "[quotient]", float, double, brain) {
  check_random<TestType, 1, 1>(1);
  check_random<TestType, 2, 1>(2);
  check_random<TestType, 4, 2>(3);
  check_random<TestType, 3, 3>(4);
  check_random<TestType, 1, 4>(5);
}

TEMPLATE_TEST_CASE("a mean on or beside a tie is rounded to the right side", "[quotient]", float, double,
                   brain) {
  check_ties<TestType, 1, 1>(1);
  check_ties<TestType, 2, 1>(2);
  check_ties<TestType, 3, 2>(3);
}

TEMPLATE_TEST_CASE("a mean of zero is +0, and so is one that rounds to zero", "[quotient]", float, double) {
  const auto bits = [](TestType v) { return format<TestType>::to_bits(v); };
  const auto zero = integer<2>::zero();
  const auto one = integer<1>::from(1), four = integer<1>::from(4);
  CHECK(bits(rounded_mean<TestType>(zero, one, 5)) == 0);
  CHECK(bits(rounded_mean<TestType>(integer<2>::from(-1), four, 0)) == 0);
  CHECK(bits(rounded_mean<TestType>(integer<2>::from(-2), four, 0)) == 0);
  CHECK(rounded_mean<TestType>(integer<2>::from(-3), four, 0) ==
        -std::numeric_limits<TestType>::denorm_min());
}

TEMPLATE_TEST_CASE("the mean of the greatest number with itself is that number", "[quotient]", float,
                   double) {
  using f = format<TestType>;
  const TestType most = (std::numeric_limits<TestType>::max)();
  const decoded d = f::decode(most);
  const auto sum = multiply(integer<1>{{d.mantissa}}, integer<1>::from(1000003));
  CHECK(rounded_mean<TestType>(sum, integer<1>::from(1000003), d.position) == most);
}
