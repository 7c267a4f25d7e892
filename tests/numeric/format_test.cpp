// Floating-point formats taken apart and put together.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include <iso/numeric/format.hpp>

#include "catch.hpp"
#include "sanitized.hpp"

using namespace iso::numeric;

namespace {

template <class T>
void check(T value) {
  using f = format<T>;
  constexpr int least = std::numeric_limits<T>::min_exponent - f::digits;  // exponent of position 0
  const decoded d = f::decode(value);
  CAPTURE(value);
  REQUIRE(d.sign == (std::signbit(value) ? ~std::uint64_t{0} : 0));
  REQUIRE(d.mantissa < std::uint64_t{1} << f::digits);
  REQUIRE(d.position >= 0);
  REQUIRE(d.position + f::digits <= f::positions);
  REQUIRE(std::ldexp(static_cast<T>(d.mantissa), d.position + least) == std::abs(value));
  const T again = f::encode(d.sign != 0, d.mantissa, d.position);
  REQUIRE(std::memcmp(&again, &value, sizeof(T)) == 0);
  REQUIRE(f::negate(value) == -value);
}

}  // namespace

TEMPLATE_TEST_CASE("every finite number is its mantissa at its position", "[format]", float, double) {
  using limits = std::numeric_limits<TestType>;
  using bits = typename format<TestType>::bits_type;
  for (TestType v : {TestType(0), limits::denorm_min(), (limits::min)(), TestType(1), (limits::max)(),
                     std::nextafter((limits::min)(), TestType(0)), TestType(1) / 3}) {
    check<TestType>(v);
    check<TestType>(-v);
  }
  std::mt19937_64 g(1);
  for (int i = 0; i < tries(30000); ++i) {
    const TestType v = format<TestType>::from_bits(static_cast<bits>(g()));
    if (std::isfinite(v)) check<TestType>(v);
  }
}

TEMPLATE_TEST_CASE("positions run from the least subnormal number to the greatest number", "[format]", float,
                   double) {
  using limits = std::numeric_limits<TestType>;
  using f = format<TestType>;
  CHECK(f::digits == limits::digits);
  CHECK(f::decode(limits::denorm_min()).position == 0);
  CHECK(f::decode((limits::max)()).position + f::digits == f::positions);
  CHECK(f::positions == limits::max_exponent - limits::min_exponent + limits::digits);
}

TEMPLATE_TEST_CASE("a mantissa rounded up to a power of two carries into the exponent", "[format]", float,
                   double) {
  using f = format<TestType>;
  const std::uint64_t carried = std::uint64_t{1} << f::digits;
  CHECK(f::encode(false, carried, 7) == f::encode(false, carried / 2, 8));
  CHECK(f::encode(false, carried / 2, 0) == (std::numeric_limits<TestType>::min)());
}

TEMPLATE_TEST_CASE("infinities and NaN are told from numbers by their size bits", "[format]", float, double) {
  using limits = std::numeric_limits<TestType>;
  using f = format<TestType>;
  CHECK(f::infinity(false) == limits::infinity());
  CHECK(f::infinity(true) == -limits::infinity());
  CHECK(std::isnan(f::nan()));
  CHECK(f::size_bits(-limits::infinity()) == f::infinity_bits);
  CHECK(f::size_bits((limits::max)()) < f::infinity_bits);
  for (TestType nan : {limits::quiet_NaN(), limits::signaling_NaN(), -limits::quiet_NaN()}) {
    CHECK(f::size_bits(nan) > f::infinity_bits);
  }
}
