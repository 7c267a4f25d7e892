// Integers of words against arbitrary precision.
#include <cmath>
#include <type_traits>

#include "catch.hpp"
#include "numeric/big.hpp"
#include "sanitized.hpp"

using namespace iso::numeric;

static_assert(std::is_trivially_default_constructible_v<integer<3>> &&
              std::is_trivially_copyable_v<integer<3>>);
static_assert(sizeof(integer<3>) == 24);

namespace {

template <int N>
big wrapped(const big& v) {
  const big modulus = big(1) << (64 * N);
  big r = ((v % modulus) + modulus) % modulus;
  return r >= modulus / 2 ? big(r - modulus) : r;
}

template <int N>
void check_arithmetic(std::uint64_t seed) {
  std::mt19937_64 g(seed);
  for (int i = 0; i < tries(5000); ++i) {
    const auto a = random_integer<N>(g), b = random_integer<N>(g);
    REQUIRE(value(a + b) == wrapped<N>(value(a) + value(b)));
    REQUIRE(value(a - b) == wrapped<N>(value(a) - value(b)));
    REQUIRE(less(a, b) == (value(a) < value(b)));
    REQUIRE(less_unsigned(a, b) == (unsigned_value(a) < unsigned_value(b)));
    REQUIRE_FALSE(less(a, a));
    REQUIRE(a.is_zero() == (value(a) == 0));
    REQUIRE(unsigned_value(a.magnitude()) == abs(value(a)));
    REQUIRE(value(widen<N + 2>(a)) == value(a));

    const int shift = static_cast<int>(g() % (64 * N));
    auto shifted = a;
    shifted <<= shift;
    REQUIRE(value(shifted) == wrapped<N>(value(a) << shift));
    const big size = unsigned_value(a);
    REQUIRE(bit_length(a) == (size == 0 ? 0 : static_cast<int>(msb(size)) + 1));
    REQUIRE(a.bits_from(shift) == static_cast<std::uint64_t>((size >> shift) & ~std::uint64_t{0}));
  }
}

template <int N, int M>
void check_products(std::uint64_t seed) {
  std::mt19937_64 g(seed);
  for (int i = 0; i < tries(5000); ++i) {
    const auto a = random_integer<N>(g);
    auto b = random_integer<M>(g);
    if (b.negative()) b = integer<M>::zero() - b;
    if (b.negative()) continue;  // the least number has no positive counterpart
    REQUIRE(value(multiply(a, b)) == value(a) * value(b));
  }
}

template <int N, int K>
void check_place(std::uint64_t seed) {
  std::mt19937_64 g(seed);
  for (int i = 0; i < tries(5000); ++i) {
    const auto a = random_integer<K>(g);
    const int shift = static_cast<int>(g() % (64 * N));
    const int down = static_cast<int>(g() % 64);
    REQUIRE(unsigned_value(place<N>(a, -down)) == ((unsigned_value(a) >> down) & ((big(1) << (64 * N)) - 1)));
    REQUIRE(unsigned_value(place<N>(a, shift)) ==
            ((unsigned_value(a) << shift) & ((big(1) << (64 * N)) - 1)));
  }
}

template <int N, int K>
void check_raise(std::uint64_t seed) {
  std::mt19937_64 g(seed);
  for (int i = 0; i < tries(5000); ++i) {
    auto a = random_integer<K>(g);
    a.word[K - 1] >>= 1 + g() % 63;
    const int room = 64 * N - bit_length(a), shift = static_cast<int>(g() % static_cast<unsigned>(room + 1));
    REQUIRE(unsigned_value(raise<N>(a, shift % (64 * N))) == unsigned_value(a) << shift % (64 * N));
    const int any = static_cast<int>(g() % 8000) - 4000;
    REQUIRE(raise<N>(integer<K>::zero(), any).is_zero());
  }
}

template <int N>
void check_approximation(std::uint64_t seed) {
  std::mt19937_64 g(seed);
  for (int i = 0; i < tries(5000); ++i) {
    const auto a = random_integer<N>(g);
    const int scale = bit_length(a.magnitude()) + static_cast<int>(g() % 3) * static_cast<int>(g() % 300);
    const double near = approximate(a, scale);
    REQUIRE(std::abs(near) <= 1);
    // In units of 2^-1200, of which every double not below 2^-1148 is a multiple.
    const big exact = scale <= 1200 ? big(value(a) << (1200 - scale)) : big(value(a) >> (scale - 1200));
    const big found = std::abs(near) < 0x1p-1000 ? big(0) : big(std::ldexp(near, 1000)) << 200;
    REQUIRE(abs(big(exact - found)) <= (big(1) << (1200 - 52)));
  }
}

}  // namespace

TEST_CASE("sums, order, shifts and lengths of integers are those of the integers", "[integer]") {
  check_arithmetic<1>(1);
  check_arithmetic<2>(2);
  check_arithmetic<3>(3);
  check_arithmetic<7>(4);
}

TEST_CASE("products of integers are exact", "[integer]") {
  check_products<1, 1>(1);
  check_products<2, 1>(2);
  check_products<4, 2>(3);
  check_products<6, 3>(4);
}

TEST_CASE("a mantissa placed at a position keeps its bits", "[integer]") {
  check_raise<3, 1>(11);
  check_raise<4, 2>(12);
  check_raise<2, 2>(13);
  check_place<1, 1>(1);
  check_place<2, 1>(2);
  check_place<2, 2>(3);
  check_place<5, 2>(4);
}

TEST_CASE("the double beside an exact sum is within 2^-52 of it", "[integer]") {
  check_approximation<1>(1);
  check_approximation<2>(2);
  check_approximation<4>(3);
  check_approximation<18>(4);
}

TEST_CASE("the upper half of a product and the bit length are those of 64-bit numbers", "[integer]") {
  std::mt19937_64 g(1);
  for (int i = 0; i < tries(30000); ++i) {
    const std::uint64_t a = g() >> (g() % 64), b = g() >> (g() % 64);
    REQUIRE(multiply_high(a, b) == static_cast<std::uint64_t>((big(a) * b) >> 64));
    REQUIRE(bit_length(a) == (a == 0 ? 0 : static_cast<int>(msb(big(a))) + 1));
  }
}
