// A pool of a row without weights in one integer: its exact sum on the row's grid, times 2^b, plus its count
// of elements, which has at most b bits. The integer has one word for float and two for double.
//
// Packed pools are joined by one addition, and they compare without being unpacked: for x = 2^b s + m and
// y = 2^b t + n,
//
//   x * n >= y * m   is   2^b s n + m n >= 2^b t m + m n,   is   s / m >= t / n.
//
// Example with b = 6: the sum 7 of {5 2} is 64 * 7 + 2 = 450, and 3 is 64 * 3 + 1 = 193. 450 * 1 >= 193 * 2:
// the means 7 / 2 and 3 are in this order. Joined they are 643: 10, of 3 elements.
//
// Rows whose elements lie so far apart in size that the sums do not fit, or so low that a scaling by a power
// of two may leave the normal numbers, are fitted by others.
#pragma once

#include <cmath>
#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/numeric/format.hpp>
#include <iso/numeric/integer.hpp>

namespace iso {

// `Most`: elements that a pool can have, a power of two up to 256.
template <class T, int Most>
struct packed_pool {
  static constexpr int words = numeric::format<T>::digits <= 24 ? 1 : 2;
  static constexpr int sum_bits = Most <= 32 ? 5 : 8;  // that a sum has and its greatest element has not
  static constexpr int count_bits = sum_bits + 1;
  static_assert(Most >> sum_bits <= 1);
  // Whether a product by a count takes more bits than the pool.
  static constexpr bool long_products = words == 1 && Most > 32;
  // The most bits that an element may have on the row's grid. They leave room for the count, for a factor
  // that is a count unless products are long, and for a sign; and means are rounded by way of doubles, one of
  // them of what is above the lowest 53 bits.
  static constexpr int element_bits = words == 2      ? (Most <= 32 ? 90 : 106 - sum_bits - count_bits)
                                      : long_products ? 52 - sum_bits
                                                      : 64 - 1 - sum_bits - 2 * count_bits;
  // The grid's lowest position is at least this: numbers and means are then normal, and the scale is one of
  // T.
  static constexpr int lowest = words == 1 ? 22 + count_bits : 160;

  static_assert(words == 1 || element_bits + sum_bits + count_bits <= 2 * 53);

  numeric::integer<words> bits;

  ISO_HOST_DEVICE std::uint32_t count() const {
    return static_cast<std::uint32_t>(bits.word[0]) & ((1u << count_bits) - 1);
  }
  ISO_HOST_DEVICE packed_pool& operator+=(const packed_pool& b) {
    bits.word[0] += b.bits.word[0];
    if constexpr (words == 2) {
      bits.word[1] += b.bits.word[1] + static_cast<std::uint64_t>(bits.word[0] < b.bits.word[0]);
    }
    return *this;
  }

  ISO_HOST_DEVICE static packed_pool none() { return {numeric::integer<words>::zero()}; }
  // One whose mean no other is below.
  ISO_HOST_DEVICE static packed_pool lowest_mean() {
    packed_pool r = none();
    r.bits.word[words - 1] = std::uint64_t{0} - (std::uint64_t{1} << (long_products ? 62 : 63 - count_bits));
    r.bits.word[0] |= 1;
    return r;
  }
};

// Whether the mean of a is not less than that of b, exactly.
//
// Long products are taken by halves: with x = 2^32 g + h and y = 2^32 i + j the difference x n - y m is 2^32
// times g n - i m + floor((h n - j m) / 2^32), and what the floor has dropped is not negative.
//
// Of two words the upper ones hold the leading bits (see packing), and mostly decide: what the lower ones add
// to the difference is less than Most of the upper words' units.
template <class T, int Most>
ISO_HOST_DEVICE bool mean_not_less(const packed_pool<T, Most>& a, const packed_pool<T, Most>& b) {
  constexpr int words = packed_pool<T, Most>::words;
  const std::uint32_t n = b.count(), m = a.count();
  const std::uint64_t x = a.bits.word[words - 1], y = b.bits.word[words - 1];
  if constexpr (packed_pool<T, Most>::long_products) {
    const auto high = [](std::uint64_t v) { return std::int64_t{static_cast<std::int32_t>(v >> 32)}; };
    const auto low = [](std::uint64_t v) { return std::uint64_t{static_cast<std::uint32_t>(v)}; };
    const auto rest = static_cast<std::int64_t>(low(x) * n - low(y) * m);
    return high(x) * std::int64_t{n} - high(y) * std::int64_t{m} + (rest >> 32) >= 0;
  } else if constexpr (words == 1) {
    return static_cast<std::int64_t>(x * n) >= static_cast<std::int64_t>(y * m);
  } else {
    const auto difference = static_cast<std::int64_t>(x * n - y * m);
    if (difference >= Most || difference <= -Most) return difference > 0;
    return !numeric::less(a.bits.times(n), b.bits.times(m));
  }
}

// 1 / n to within 2^-30 of itself, for a positive n whose inverse is a normal number: a rough inverse,
// refined once.
ISO_HOST_DEVICE inline double near_inverse(double n) {
  double rough;
#if defined(__CUDA_ARCH__)
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(rough) : "d"(n));
#else
  using f = numeric::format<double>;
  rough = f::from_bits(f::to_bits(1 / n) >> 32 << 32);
#endif
  return std::fma(rough, std::fma(-n, rough, 1.0), rough);
}

// value / count, given near_inverse(count). If a double holds the quotient it is exact, else within half a
// unit in the last place and 2^-60 of itself: the first estimate is within 2^-30, what remains of the value
// is exact, and the correction is within 2^-30 again.
ISO_HOST_DEVICE inline double near_quotient(double value, double count, double inverse) {
  const double q = value * inverse;
  return std::fma(std::fma(-q, count, value), inverse, q);
}

// What turns elements of a grid, `bits` positions from `low` on, into packed pools, and these into means: of
// the pool's sum, rounded once to T, to nearest, ties to even; a zero is +0. The mean is 0 or a normal number
// of T.
template <class T, int Most>
struct packing;

// The sum has at most 52 bits, so that a double holds it, and the mean is near a double q. A midpoint of two
// floats is j * 2^g with j < 2^25, in units of the sum. If g >= 0 the mean is that midpoint or, relative to
// it, away by more than 2^-52, for the numerators of the two differ by at least 1; if g < 0 by 2^g, and they
// are away by at least 2^-25 / Most. So q is on the same side of the midpoint, and rounds as the mean does.
template <int Most>
struct packing<float, Most> {
  using pool_type = packed_pool<float, Most>;

  float scale;  // from a value to 2^count_bits units of the grid
  double unit;  // and back

  ISO_HOST_DEVICE packing(int low, int)
      : scale(numeric::format<float>::from_bits(
            static_cast<std::uint32_t>(127 + pool_type::count_bits - numeric::format<float>::min_exponent -
                                       low)
            << 23)),
        unit(numeric::power_of_two(low + numeric::format<float>::min_exponent - pool_type::count_bits)) {}

  ISO_HOST_DEVICE pool_type pool(float y) const {
    return {{static_cast<std::uint64_t>(static_cast<std::int64_t>(y * scale) | 1)}};
  }
  ISO_HOST_DEVICE float mean(const pool_type& p) const {
    const auto count = static_cast<int>(p.count());
    const auto sum = static_cast<double>(static_cast<std::int64_t>(p.bits.word[0] - p.count()));
    return static_cast<float>(near_quotient(sum, count, near_inverse(count)) * unit);
  }
};

// The sum is given by two doubles, high + low, and the mean by q + c, where q is near the quotient of `high`,
// and c is that of the rest, which is `high - q * count + low`: within 2^-50 of itself, and c is at most two
// units in the last place of q. So the rounding of q + c goes the right way unless the mean is nearer than
// 2^-49 of such a unit to a midpoint. But it is that midpoint, or away from it by at least 2^-9 of a unit or,
// where the unit is 2^e units of the sum with e > 0, by 2^-(8 + e); and e <= 90 - 53, since the mean is no
// greater than the greatest element. If it is that midpoint then the rest, and c, have few bits and are
// exact.
template <int Most>
struct packing<double, Most> {
  using pool_type = packed_pool<double, Most>;

  double
      scale;    // from a value to units of a packed pool's upper word, which the greatest elements reach into
  double unit;  // of a packed pool's lowest bit

  ISO_HOST_DEVICE packing(int low, int bits)
      : packing(low + bits - pool_type::element_bits - pool_type::count_bits +
                numeric::format<double>::min_exponent) {}

  // What is less than a unit of the upper word has the sign of the value, so that a double holds it; the
  // lowest count_bits are 0.
  ISO_HOST_DEVICE pool_type pool(double y) const {
    const double scaled = y * scale, upper = std::trunc(scaled);
    const auto rest = static_cast<std::int64_t>((scaled - upper) * 0x1p63);
    return {{{static_cast<std::uint64_t>(rest) << 1 | 1,
              static_cast<std::uint64_t>(static_cast<std::int64_t>(upper) + (rest >> 63))}}};
  }
  ISO_HOST_DEVICE double mean(const pool_type& p) const {
    constexpr std::uint64_t low_bits = (std::uint64_t{1} << 53) - 1;
    const auto count = static_cast<int>(p.count());
    const double n = count, inverse = near_inverse(count);
    const auto upper = static_cast<std::int64_t>(p.bits.word[1] << 11 | p.bits.word[0] >> 53);
    const double above = static_cast<double>(upper) * 0x1p53;
    const double below =
        static_cast<double>(static_cast<std::int64_t>((p.bits.word[0] - p.count()) & low_bits));
    const double sum = above + below, rest = below - (sum - above);
    const double q = near_quotient(sum, n, inverse);
    return (q + near_quotient(std::fma(-q, n, sum) + rest, n, inverse)) * unit;
  }

 private:
  // `lowest`: the exponent of the lowest bit.
  ISO_HOST_DEVICE explicit packing(int lowest)
      : scale(numeric::power_of_two(-64 - lowest)), unit(numeric::power_of_two(lowest)) {}
};

}  // namespace iso
