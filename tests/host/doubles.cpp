// Sums and means in doubles against those in integers.
#include <iso/host/doubles.hpp>
#include <iso/host/scan.hpp>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "catch.hpp"

namespace {

using namespace iso;

template <class T>
struct elements {
  std::vector<T> y, w;
  numeric::grid grid;
};

// `count` values and weights whose exponents spread over `spread` binades, some of them zero.
template <class T, bool Weighted>
elements<T> draw(std::mt19937_64& g, int count, int spread) {
  using f = numeric::format<T>;
  elements<T> e;
  std::uniform_int_distribution<int> exponent(-spread / 2, spread - spread / 2);
  std::uniform_real_distribution<double> mantissa(1, 2);
  for (int k = 0; k < count; ++k) {
    const auto draw_one = [&] {
      return g() % 20 == 0 ? T(0) : static_cast<T>(std::ldexp(mantissa(g), exponent(g)));
    };
    e.y.push_back(g() % 2 ? draw_one() : -draw_one());
    e.w.push_back(draw_one());
    const numeric::decoded y = f::decode(e.y[k]), w = f::decode(e.w[k]);
    if constexpr (Weighted) {
      if (w.mantissa != 0) e.grid.weights.include(w.position, w.position + f::digits);
      if (w.mantissa != 0 && y.mantissa != 0) {
        e.grid.products.include(y.position + w.position, y.position + w.position + 2 * f::digits);
      }
    } else {
      e.grid.weights.include(0, 1);
      if (y.mantissa != 0) e.grid.products.include(y.position, y.position + f::digits);
    }
  }
  return e;
}

// Whether there are inputs whose sums one double holds, or two.
template <class T, bool Weighted>
void check_sums(bool exactly, bool in_two) {
  std::mt19937_64 g(1);
  int exact = 0, split = 0, beyond = 0;
  for (int i = 0; i < 4000; ++i) {
    const int count = 1 + static_cast<int>(g() % (i % 4 == 0 ? 8 : 1024)),
              spread = static_cast<int>(g() % 70);
    const auto e = draw<T, Weighted>(g, count, spread);
    const host::detail::grid_exponents<T, Weighted> exponents(e.grid, count);
    const int bits = exponents.products.bits();
    const bool fits_two = in_two && bits - exponents.carry <= 2 * (52 - exponents.carry);
    ++(exponents.exact() ? exact : fits_two ? split : beyond);
    numeric::with_words<T, Weighted>(e.grid, count, [&]<int N, int M>() {
      const auto quick =
          host::detail::sum_in_doubles<T, Weighted, N, M>(e.y.data(), e.w.data(), 0, count, e.grid);
      const auto sure = numeric::sum_elements<T, Weighted, N, M>(e.y.data(), e.w.data(), 0, count, e.grid);
      REQUIRE((quick.s - sure.s).is_zero());
      REQUIRE((quick.w - sure.w).is_zero());
      if (!sure.w.is_zero()) {
        const T mean = host::detail::mean_of_elements<T, Weighted>(e.y.data(), e.w.data(), 0, count, e.grid);
        const T want = numeric::rounded_mean<T>(sure.s, sure.w, e.grid.mean_position());
        REQUIRE(mean == want);
      }
    });
  }
  CHECK((exact > 20) == exactly);
  CHECK((split > 20) == in_two);
  CHECK(beyond > 20);
}

}  // namespace

TEST_CASE("sums and means in doubles are those in integers", "[doubles]") {
  check_sums<float, false>(true, true);
  check_sums<float, true>(true, true);
  check_sums<double, false>(false, true);
  check_sums<double, true>(false, false);
}

TEMPLATE_TEST_CASE("the grid of short numbers lets a double hold their sums", "[doubles]", float, double) {
  std::mt19937_64 g(1);
  for (int i = 0; i < 2000; ++i) {
    const int count = 1 + static_cast<int>(g() % 1024), shift = static_cast<int>(g() % 40) - 20;
    std::vector<TestType> y, w;
    std::int64_t sum = 0, weight = 0;
    for (int k = 0; k < count; ++k) {
      const auto value = static_cast<std::int64_t>(g() % 100) - 50,
                 times = static_cast<std::int64_t>(g() % 8);
      y.push_back(std::ldexp(static_cast<TestType>(value), shift));
      w.push_back(static_cast<TestType>(times));
      sum += value * times;
      weight += times;
    }
    if (weight == 0 || sum == 0) continue;
    const numeric::grid grid = host::detail::scan(y.data(), w.data(), count).grid;
    REQUIRE(host::detail::grid_exponents<TestType, true>(grid, count).exact());
    const auto want =
        numeric::rounded_mean<TestType>(numeric::integer<1>::from(sum), numeric::integer<1>::from(weight),
                                        shift - numeric::format<TestType>::min_exponent);
    REQUIRE(host::detail::mean_of_elements<TestType, true>(y.data(), w.data(), 0, count, grid) == want);
    numeric::with_words<TestType, true>(grid, count, [&]<int N, int M>() {
      const auto sums = numeric::sum_elements<TestType, true, N, M>(y.data(), w.data(), 0, count, grid);
      REQUIRE(numeric::rounded_mean<TestType>(sums.s, sums.w, grid.mean_position()) == want);
    });
  }
}

TEST_CASE("sums in doubles hold at the edges of what 53 bits take", "[doubles]") {
  // All bits set, all of one sign, as many as the grid allows.
  for (int spread = 0; spread <= 60; ++spread) {
    for (const int count : {1, 2, 3, 4, 5, 511, 512, 1023, 1024}) {
      const float most = std::nextafter(2.0f, 0.0f);
      std::vector<float> y(static_cast<std::size_t>(count), std::ldexp(most, spread));
      y.back() = std::ldexp(most, 0);
      numeric::grid grid;
      grid.weights.include(0, 1);
      for (const float v : y) {
        const auto d = numeric::format<float>::decode(v);
        grid.products.include(d.position, d.position + 24);
      }
      numeric::with_words<float, false>(grid, count, [&]<int N, int M>() {
        const auto quick =
            host::detail::sum_in_doubles<float, false, N, M>(y.data(), nullptr, 0, count, grid);
        const auto sure = numeric::sum_elements<float, false, N, M>(y.data(), nullptr, 0, count, grid);
        REQUIRE((quick.s - sure.s).is_zero());
      });
    }
  }
}

TEST_CASE("prefix sums in blocks are the sums of what comes before", "[doubles]") {
  std::mt19937_64 g(1);
  for (int count = 0; count < 40; ++count) {
    std::vector<double> terms(static_cast<std::size_t>(count) + 1), sums(terms.size(), -1);
    for (double& term : terms) term = static_cast<double>(g() % 1000) - 500;
    host::detail::prefix_sums(sums.data(), count, [&](int k) { return terms[static_cast<std::size_t>(k)]; });
    double sum = 0;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      REQUIRE(sums[k] == sum);
      sum += terms[k];
    }
  }
}

TEST_CASE("a quotient in double is rounded to float where that is certain, and only there", "[doubles]") {
  std::mt19937_64 g(1);
  int sure = 0, unsure = 0;
  for (int i = 0; i < 200000; ++i) {
    // Sums beside a tie of the mean: an odd multiple of half a unit, times the count, and at most one more or
    // less.
    const auto count = static_cast<std::int64_t>(g() % 1000 + 1);
    const auto half = static_cast<std::int64_t>((std::uint64_t{1} << 24) | (g() >> 40));
    const std::int64_t sum = half * count + static_cast<std::int64_t>(g() % 3) - 1;
    const float quick =
        host::detail::rounded_once<float>(static_cast<double>(sum), static_cast<double>(count));
    const auto one = numeric::format<float>::decode(1.0f);
    const float want = numeric::rounded_mean<float>(numeric::integer<1>::from(sum),
                                                    numeric::integer<1>::from(count), one.position + 23);
    ++(std::isnan(quick) ? unsure : sure);
    if (!std::isnan(quick)) REQUIRE(quick == want);
  }
  CHECK(sure > 1000);
  CHECK(unsure > 1000);
  CHECK(std::isnan(host::detail::rounded_once<float>(0x1p-149, 3)));  // where floats are subnormal
  CHECK(host::detail::rounded_once<float>(0, 3) == 0);
  CHECK(host::detail::rounded_once<double>(1, 3) == 1.0 / 3);
}
