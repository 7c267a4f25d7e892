// Sums of few floats as two 32-bit integers, at the cost of four additions in floating point and two of
// integers an element: for values on a grid of at most 44 bits, which usual data of a thousand elements are.
//
// A float y, added to 1.5 * 2^e where |y| < 2^(e - 1), is rounded to a multiple of the unit 2^(e - 23) there,
// and the bits of the result are those of 1.5 * 2^e and the number of units, added. What rounding has left of
// y is a float again, at most half a unit; added to 1.5 * 2^(e - 22) in the same way it leaves nothing if y
// is on the grid of 2^(e - 45). Both numbers of units are summed as integers, of fewer than 2^9 elements, and
// compared as such: the lower units of all elements of a pool are 2^31 at most.
//
// Example, e = 3, so the units are 2^-20 and 2^-42: 1 + 2^-22 is 2^20 units and leaves 2^-22, which is 2^20
// of the lower ones.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
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
  std::int32_t upper, lower;

  ISO_HOST_DEVICE static split_sums zero() { return {0, 0}; }

  ISO_HOST_DEVICE void add(float y, const split_grid& on) {
    const float rounded = y + on.upper;
    const float rest = y - (rounded - on.upper);
    upper += units(rounded, on.upper);
    lower += units(rest + on.lower, on.lower);
  }
  ISO_HOST_DEVICE split_sums& operator+=(const split_sums& b) {
    upper += b.upper;
    lower += b.lower;
    return *this;
  }

  // Both numbers in one word, and back.
  ISO_HOST_DEVICE std::uint64_t word() const {
    return std::uint64_t{static_cast<std::uint32_t>(upper)} << 32 | static_cast<std::uint32_t>(lower);
  }
  ISO_HOST_DEVICE static split_sums of(std::uint64_t word) {
    return {static_cast<std::int32_t>(word >> 32), static_cast<std::int32_t>(word & UINT32_MAX)};
  }

  // The sum times a number below 2^9, in lower units.
  ISO_HOST_DEVICE std::int64_t times(int factor) const {
    return std::int64_t{upper} * (factor << 22) + std::int64_t{lower} * factor;
  }
  // The sum in units of the grid.
  ISO_HOST_DEVICE std::int64_t value(const split_grid& on) const { return times(1) >> on.shift; }

 private:
  ISO_HOST_DEVICE static std::int32_t units(float sum, float constant) {
    using f = numeric::format<float>;
    return static_cast<std::int32_t>(f::to_bits(sum) - f::to_bits(constant));
  }
};

// Split sums of so many elements.
struct counted_split_sums {
  split_sums s;
  int count;

  ISO_HOST_DEVICE counted_split_sums& operator+=(const counted_split_sums& b) {
    s += b.s;
    count += b.count;
    return *this;
  }
};

// Whether the mean of `a` is not less than that of `b`.
ISO_HOST_DEVICE inline bool mean_not_less(const counted_split_sums& a, const counted_split_sums& b) {
  return a.s.times(b.count) >= b.s.times(a.count);
}

// Adds up elements so: see exact_adder.
template <bool Gaps = true>
struct split_adder {
  using sums = counted_split_sums;
  using kept = numeric::integer<1>;

  elements<float, false, Gaps> e;
  split_grid on;

  ISO_HOST_DEVICE static sums zero() { return {split_sums::zero(), 0}; }
  ISO_HOST_DEVICE void add(sums& to, int i) const {
    to.s.add(e.y[e.at(i)], on);
    ++to.count;
  }
  ISO_HOST_DEVICE static kept keep(const sums& sum) { return {{sum.s.word()}}; }
  ISO_HOST_DEVICE static sums whole(const kept& of, int count) { return {split_sums::of(of.word[0]), count}; }
  ISO_HOST_DEVICE numeric::sums<1, 1> exact(const sums& sum) const {
    return {numeric::integer<1>::from(sum.s.value(on)), numeric::integer<1>::from(sum.count)};
  }
};

}  // namespace iso
