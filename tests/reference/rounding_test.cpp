// The oracle's rounding: against the processor's division, which IEEE 754 says is rounded once, and against
// the definition of the nearest number.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "catch.hpp"
#include "reference/certificate.hpp"
#include "reference/families.hpp"
#include "reference/rational.hpp"

using reference::integer;
using reference::is_rounding_of;
using reference::random_source;
using reference::rounded;

TEMPLATE_TEST_CASE("a quotient of representable integers rounds as the processor divides", "", float,
                   double) {
  using T = TestType;
  random_source random(1);
  int wrong = 0;
  for (int k = 0; k < 100000; ++k) {
    const auto a = static_cast<T>(random.bits() >> (65 - std::numeric_limits<T>::digits + random.below(20)));
    const auto b =
        static_cast<T>(1 + (random.bits() >> (65 - std::numeric_limits<T>::digits + random.below(20))));
    const T sign = random.chance(0.5) ? T(1) : T(-1);
    const T owed = sign * a / b + T(0);
    const T got =
        rounded<T>(integer(static_cast<std::int64_t>(sign * a)), integer(static_cast<std::int64_t>(b)), 0);
    wrong += owed != got || std::signbit(got) != (got < 0);
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("quotients in and below the subnormal numbers round as the processor divides", "", float,
                   double) {
  using T = TestType;
  constexpr int lowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  random_source random(2);
  int wrong = 0;
  for (int k = 0; k < 100000; ++k) {
    const auto a = static_cast<std::int64_t>(random.below(1u << random.below(20)));
    const auto b = static_cast<std::int64_t>(1 + random.below(1u << random.below(20)));
    const T owed = std::ldexp(static_cast<T>(a), lowest) / static_cast<T>(b);
    wrong += owed != rounded<T>(integer(a), integer(b), lowest);
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("exactly half a unit rounds to even", "", float, double) {
  using T = TestType;
  constexpr int digits = std::numeric_limits<T>::digits;
  const integer one = integer(1) << digits;  // in units of half the spacing of numbers from 1 to 2
  const T ulp = std::numeric_limits<T>::epsilon();
  CHECK(rounded<T>(one + 1, 1, -digits) == 1);
  CHECK(rounded<T>(one + 3, 1, -digits) == 1 + 2 * ulp);
  CHECK(rounded<T>(-one - 1, 1, -digits) == -1);
  CHECK(rounded<T>((one + 1) * 1000 + 1, 1000, -digits) == 1 + ulp);
  CHECK(rounded<T>((one + 1) * 1000 - 1, 1000, -digits) == 1);
  CHECK(rounded<T>(2 * one - 1, 1, -digits) == 2);
  constexpr int lowest = std::numeric_limits<T>::min_exponent - digits;
  const T least = std::numeric_limits<T>::denorm_min();
  CHECK(rounded<T>(1, 2, lowest) == 0);
  CHECK(rounded<T>(3, 2, lowest) == 2 * least);
  CHECK(rounded<T>(3, 4, lowest) == least);
}

TEMPLATE_TEST_CASE("what rounds to zero is +0", "", float, double) {
  for (const int numerator : {-1, 0, 1}) {
    const auto zero = rounded<TestType>(numerator, 3, -5000);
    CHECK(zero == 0);
    CHECK_FALSE(std::signbit(zero));
  }
}

TEMPLATE_TEST_CASE("a rounding is told from its neighbours", "", float, double) {
  using T = TestType;
  random_source random(3);
  int wrong = 0;
  for (int k = 0; k < 20000; ++k) {
    const integer a = reference::in_units(reference::any_finite<T>(random), -1200) + 1;
    const integer b = 3 + random.below(1000);
    const auto got = rounded<T>(a, b, -1200);
    wrong += !is_rounding_of(got, a, b, -1200);
    wrong += is_rounding_of(std::nextafter(got, std::numeric_limits<T>::infinity()), a, b, -1200);
    wrong += is_rounding_of(std::nextafter(got, -std::numeric_limits<T>::infinity()), a, b, -1200);
  }
  CHECK(wrong == 0);
  CHECK_FALSE(is_rounding_of(-T(0), integer(0), integer(1), 0));
}

TEMPLATE_TEST_CASE("every finite number is a whole number of its row's units", "", float, double) {
  using T = TestType;
  random_source random(4);
  for (int k = 0; k < 1000; ++k) {
    const T row[] = {reference::any_finite<T>(random), reference::any_finite<T>(random)};
    const int unit = reference::unit_exponent<T>(row);
    const bool back = rounded<T>(reference::in_units(row[0], unit), 1, unit) == row[0] &&
                      rounded<T>(reference::in_units(row[1], unit), 1, unit) == row[1];
    if (!back) FAIL("lost " << row[0] << " or " << row[1]);
  }
  SUCCEED();
}
