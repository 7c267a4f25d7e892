// Slopes and means in doubles: whatever is said to be certain is what the integers say, near ties too.
#include <cmath>
#include <random>

#include <iso/numeric/likely_mean.hpp>
#include <iso/numeric/quotient.hpp>
#include <iso/numeric/sums.hpp>
#include <iso/numeric/turn.hpp>

#include "catch.hpp"
#include "numeric/big.hpp"
#include "sanitized.hpp"

using namespace iso::numeric;

namespace {

int direction(const big& v) {
  return v > 0 ? 1 : v < 0 ? -1 : 0;
}

template <int N>
integer<N> from_big(const big& v) {
  const big limit = big(1) << (64 * N);
  big rest = v < 0 ? big(v + limit) : v;
  integer<N> r;
  for (int i = 0; i < N; ++i, rest >>= 64) r.word[i] = static_cast<std::uint64_t>(rest & ~std::uint64_t{0});
  return r;
}

template <int N>
void check_as_double(std::mt19937_64& g) {
  const auto a = random_integer<N>(g), b = random_integer<N>(g);
  const big exact = value(a), got(as_double(a));
  CHECK(abs(got - exact) <= (abs(exact) >> 50));
  CHECK(value(difference(a, b)) == value(a - b));
}

// The edge (s, w) against the line whose sums are those of two parts.
struct slopes {
  big s, w, part_s[2], part_w[2];

  int exact() const { return direction(s * (part_w[0] + part_w[1]) - (part_s[0] + part_s[1]) * w); }
  turn told() const {
    const auto d = [](const big& v) { return as_double(from_big<3>(v)); };
    return turn_of(d(s), d(w), d(part_s[0]) + d(part_s[1]), std::fabs(d(part_s[0])) + std::fabs(d(part_s[1])),
                   d(part_w[0]) + d(part_w[1]));
  }
};

big random_big(std::mt19937_64& g, unsigned most_bits) {
  return unsigned_value(random_integer<2>(g)) >> (128 - g() % (most_bits + 1));
}

}  // namespace

TEST_CASE("integers in double are near their values") {
  std::mt19937_64 g(1);
  for (int i = 0; i < tries(3000); ++i) {
    check_as_double<1>(g);
    check_as_double<2>(g);
    check_as_double<3>(g);
    check_as_double<4>(g);
  }
}

TEST_CASE("certain comparisons of slopes are right") {
  std::mt19937_64 g(2);
  int certain = 0;
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i) {
    slopes of{random_big(g, 110), 1 + random_big(g, 50), {random_big(g, 110), random_big(g, 110)}, {}};
    for (big& w : of.part_w) w = 1 + random_big(g, 50);
    if (g() % 2) of.s = -of.s;
    if (g() % 2) of.part_s[1] = -of.part_s[1];
    const turn told = of.told();
    certain += told.certain;
    if (told.certain) CHECK((told.by > 0) - (told.by < 0) == of.exact());
  }
  CHECK(certain > count * 9 / 10);
}

TEST_CASE("ties and differences of one unit are right or uncertain") {
  std::mt19937_64 g(3);
  int small_ties = 0;
  for (int i = 0; i < tries(20000); ++i) {
    // A line k times as long as the edge, in two parts that are steep against each other.
    const unsigned bits = static_cast<unsigned>(g() % 100);
    slopes of{random_big(g, bits), 1 + random_big(g, bits / 4 + 1), {}, {}};
    const big k = 2 + random_big(g, bits / 4 + 1);
    of.part_s[0] = random_big(g, bits + 4);
    of.part_s[1] = of.s * k - of.part_s[0] + static_cast<int>(g() % 3) - 1;
    of.part_w[0] = 1 + random_big(g, bits / 8);
    of.part_w[1] = of.w * k - of.part_w[0];
    if (of.part_w[1] < 0) continue;
    const turn told = of.told();
    if (told.certain) CHECK((told.by > 0) - (told.by < 0) == of.exact());
    small_ties += told.certain && of.exact() == 0;
  }
  CHECK(small_ties > 100);
}

TEST_CASE("certain means are rounded as exact ones") {
  std::mt19937_64 g(4);
  int certain = 0;
  constexpr int count = 20000;
  const auto check = [&](const big& s, const big& w, int position) {
    const auto sum = from_big<2>(s);
    const auto weight = from_big<1>(w);
    const auto told = likely_mean<float>(sum, weight, position);
    certain += told.certain;
    const float owed = rounded_mean<float>(sum, weight, position);
    if (told.certain) CHECK(format<float>::to_bits(told.value) == format<float>::to_bits(owed));
    CHECK_FALSE(likely_mean<double>(sum, weight, position).certain);
  };
  for (int i = 0; i < count; ++i) {
    const big s = 1 + random_big(g, 90);
    check(g() % 2 ? s : big(-s), 1 + random_big(g, 40), static_cast<int>(g() % 150));
  }
  CHECK(certain > count / 2);
  certain = 0;
  for (int i = 0; i < count; ++i) {  // at and beside the midpoints of floats
    const big midpoint = ((big(1) << 24) + 2 * (g() % (1u << 23)) + 1) << (g() % 40),
              w = 1 + random_big(g, 40);
    check(midpoint * w + static_cast<int>(g() % 3) - 1, w, static_cast<int>(g() % 150));
  }
  CHECK(certain < count / 2);
}
