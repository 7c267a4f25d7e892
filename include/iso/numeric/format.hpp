// Binary floating-point formats taken apart into integers and put together again.
//
// A finite number is (+ or -) mantissa * 2^(position + min_exponent), where `position` >= 0 counts from the
// least bit a subnormal number of the format has. So positions are what grids are made of: the product of two
// numbers has the sum of their positions, in units of 2^(2 * min_exponent).
#pragma once

#include <cstdint>
#include <type_traits>

#include <iso/detail/config.hpp>

namespace iso::numeric {

struct decoded {
  std::uint64_t sign;  // 0, or all ones if negative
  std::uint64_t mantissa;
  int position;
};

// `Digits`: bits of the mantissa, the hidden one included.
template <class T, class Bits, int Digits>
struct binary_format {
  using bits_type = Bits;
  static constexpr int digits = Digits;
  static constexpr int exponent_bits = static_cast<int>(8 * sizeof(Bits)) - Digits;
  // Position 0 is 2^min_exponent.
  static constexpr int min_exponent = 3 - (1 << (exponent_bits - 1)) - Digits;
  // One past the highest position that a bit of a finite number can have.
  static constexpr int positions = (1 << exponent_bits) - 3 + Digits;

  static constexpr Bits sign_bit = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  static constexpr Bits infinity_bits = static_cast<Bits>(((Bits{1} << exponent_bits) - 1) << (Digits - 1));
  static constexpr Bits nan_bits = static_cast<Bits>(infinity_bits | (Bits{1} << (Digits - 2)));

  static_assert(sizeof(T) == sizeof(Bits) && std::is_trivially_copyable_v<T>);

  ISO_HOST_DEVICE static Bits to_bits(const T& value) { return __builtin_bit_cast(Bits, value); }
  ISO_HOST_DEVICE static T from_bits(Bits bits) { return __builtin_bit_cast(T, bits); }

  // The bits without the sign: ordered as the absolute values are, infinity and then NaN above all numbers.
  ISO_HOST_DEVICE static Bits size_bits(const T& value) {
    return static_cast<Bits>(to_bits(value) & static_cast<Bits>(~sign_bit));
  }
  ISO_HOST_DEVICE static bool is_negative(const T& value) { return (to_bits(value) & sign_bit) != 0; }
  ISO_HOST_DEVICE static T negate(const T& value) {
    return from_bits(static_cast<Bits>(to_bits(value) ^ sign_bit));
  }
  ISO_HOST_DEVICE static T infinity(bool negative) {
    return from_bits(static_cast<Bits>(negative ? infinity_bits | sign_bit : infinity_bits));
  }
  ISO_HOST_DEVICE static T nan() { return from_bits(nan_bits); }

  // Where the least bit of a number of these size bits stands.
  ISO_HOST_DEVICE static int position(Bits size) {
    const int exponent = static_cast<int>(size >> (Digits - 1));
    return exponent > 0 ? exponent - 1 : 0;
  }

  ISO_HOST_DEVICE static decoded decode(const T& value) {
    const Bits size = size_bits(value);
    const std::uint64_t hidden = std::uint64_t{1} << (Digits - 1);
    const std::uint64_t fraction = size & (hidden - 1);
    const auto bits = static_cast<std::int64_t>(std::uint64_t{to_bits(value)} << (64 - 8 * sizeof(Bits)));
    return {static_cast<std::uint64_t>(bits >> 63), size >> (Digits - 1) != 0 ? fraction | hidden : fraction,
            position(size)};
  }

  // The number (+ or -) mantissa * 2^(position + min_exponent), for mantissa <= 2^digits, and mantissa >=
  // 2^(digits - 1) or position == 0.
  ISO_HOST_DEVICE static T encode(bool negative, std::uint64_t mantissa, int position) {
    const std::uint64_t size = (static_cast<std::uint64_t>(position) << (Digits - 1)) + mantissa;
    return from_bits(static_cast<Bits>(negative ? size | sign_bit : size));
  }
};

// The formats there are. Specialise for another type by deriving from binary_format.
template <class T>
struct format;

template <>
struct format<float> : binary_format<float, std::uint32_t, 24> {};
template <>
struct format<double> : binary_format<double, std::uint64_t, 53> {};

// A type that the solvers take.
template <class T>
concept floating = requires {
  format<T>::digits;
};

}  // namespace iso::numeric
