// Sums of up to 32 floats as two 32-bit integers, at the cost of four additions in floating point and two of
// integers an element: for values on a grid of at most 44 bits, which usual data of a thousand elements are.
//
// A float y, added to 1.5 * 2^e where |y| < 2^(e - 1), is rounded to a multiple of the unit 2^(e - 23) there,
// and the bits of the result are those of 1.5 * 2^e and the number of units, added. What rounding has left of
// y is a float again, at most half a unit; added to 1.5 * 2^(e - 22) in the same way it leaves nothing if y
// is on the grid of 2^(e - 45). Both numbers of units are summed as integers, the constants with them, and
// the constants are taken off at the end.
//
// Example, e = 3, so the units are 2^-20 and 2^-42: 1 + 2^-22 is 2^20 units and leaves 2^-22, which is 2^20
// of the lower ones.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/numeric/format.hpp>
#include <iso/numeric/sums.hpp>

namespace iso {

// The two constants for the values of a grid, and by how many bits the lower unit is below the grid's.
struct split_grid {
  float upper, lower;
  int shift;  // negative if the values do not fit

  ISO_HOST_DEVICE bool fits() const { return shift >= 0; }

  ISO_HOST_DEVICE static split_grid of(const numeric::grid& on) {
    using f = numeric::format<float>;
    // All values are below 2^top. No unit may be subnormal, and no sum with
    // the upper constant infinite.
    const int bottom = on.products.unit() + f::min_exponent;
    int top = (on.products.empty() ? 0 : on.products.high) + f::min_exponent;
    constexpr int least = -126 + 44, most = 125;
    if (top < least) top = least;
    if (top > most) return {0, 0, -1};
    return {constant(top + 1), constant(top - 21), on.products.empty() ? 0 : bottom - (top - 44)};
  }

 private:
  // 1.5 * 2^e.
  ISO_HOST_DEVICE static float constant(int e) {
    return numeric::format<float>::from_bits((static_cast<std::uint32_t>(e + 127) << 23) | 1u << 22);
  }
};

struct split_sums {
  std::uint32_t upper, lower;  // with as many constants as elements

  ISO_HOST_DEVICE static split_sums zero() { return {0, 0}; }

  ISO_HOST_DEVICE void add(float y, const split_grid& on) {
    using f = numeric::format<float>;
    const float rounded = y + on.upper;
    const float rest = y - (rounded - on.upper);
    upper += f::to_bits(rounded);
    lower += f::to_bits(rest + on.lower);
  }

  ISO_HOST_DEVICE std::uint64_t word() const { return std::uint64_t{upper} << 32 | lower; }

  // The sum of `count` elements in units of the grid, from the word that held it.
  ISO_HOST_DEVICE static std::int64_t value(std::uint64_t word, int count, const split_grid& on) {
    using f = numeric::format<float>;
    const auto elements = static_cast<std::uint32_t>(count);
    const auto high =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(word >> 32) - elements * f::to_bits(on.upper));
    const auto low =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(word) - elements * f::to_bits(on.lower));
    return (std::int64_t{high} * (1 << 22) + low) >> on.shift;
  }
};

}  // namespace iso
