// Sums of floats in two 32-bit integers, against sums of integers.
#include <iso/lane/split_sums.cuh>

#include <cmath>
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "reference/random.hpp"

namespace {

using iso::split_grid;
using iso::split_sums;

// A grid of `bits` bits from the unit 2^low on.
iso::numeric::grid grid_of(int low, int bits) {
  iso::numeric::grid on;
  const int position = low - iso::numeric::format<float>::min_exponent;
  on.products.include(position, position + bits);
  return on;
}

// A number of the grid: a random mantissa of at most 24 bits, anywhere on it, its least and greatest often.
float draw(reference::random_source& random, int low, int bits) {
  const int digits = bits < 24 ? bits : 24;
  auto mantissa = static_cast<double>(random.below(std::uint64_t{1} << digits));
  if (random.chance(0.2)) mantissa = std::ldexp(1.0, digits) - 1;
  if (random.chance(0.1)) mantissa = 1;
  if (random.chance(0.1)) mantissa = 0;
  const int at =
      bits == digits ? 0 : static_cast<int>(random.below(static_cast<std::uint64_t>(bits - digits) + 1));
  return static_cast<float>(std::ldexp(random.chance(0.5) ? -mantissa : mantissa, low + at));
}

// A float in units of 2^low.
std::int64_t units(float y, int low) {
  return static_cast<std::int64_t>(std::ldexp(static_cast<double>(y), -low));
}

}  // namespace

TEST_CASE("split sums are exact on every grid that fits") {
  reference::random_source random(1);
  int summed = 0, refused = 0;
  for (int low = -149; low <= 104; ++low) {
    for (const int bits : {1, 2, 23, 24, 25, 40, 43, 44, 45, 60}) {
      if (low + bits > 128) continue;
      const split_grid on = split_grid::of(grid_of(low, bits));
      // All units are normal, and sums with the upper constant are finite.
      const int top = low + bits < -82 ? -82 : low + bits;
      CHECK(on.fits() == (top - 44 <= low && top <= 125));
      if (!on.fits()) {
        ++refused;
        continue;
      }
      for (int repeat = 0; repeat < 3; ++repeat) {
        split_sums sum = split_sums::zero();
        std::int64_t owed = 0;
        for (int count = 1; count <= 32; ++count) {
          const float y = repeat == 0 ? static_cast<float>(std::ldexp(1.0, low + bits) -
                                                           std::ldexp(1.0, low + (bits > 24 ? bits - 24 : 0)))
                                      : draw(random, low, bits);
          sum.add(repeat == 1 && count % 2 == 0 ? -y : y, on);
          owed += units(repeat == 1 && count % 2 == 0 ? -y : y, low);
          REQUIRE(split_sums::of(sum.word()).value(on) == owed);
          ++summed;
        }
      }
    }
  }
  CHECK(summed > 50000);
  CHECK(refused > 100);
}

TEST_CASE("split sums of zeros need no grid") {
  const split_grid on = split_grid::of(iso::numeric::grid{});
  REQUIRE(on.fits());
  split_sums sum = split_sums::zero();
  for (int count = 1; count <= 32; ++count) {
    sum.add(count % 2 == 0 ? 0.0f : -0.0f, on);
    CHECK(split_sums::of(sum.word()).value(on) == 0);
  }
}
