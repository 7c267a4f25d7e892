// The mean of a pool in double, where that certainly rounds to what the exact mean rounds to.
//
// The quotient in double is within 2^-48 of the mean. Rounded to float it can go wrong only if a float's
// midpoint is as near as that, which the bits that the float has no room for tell. Example: of 29 such bits
// 0x10000000 is a midpoint itself: uncertain; 0x0fffff00 is 256 units below it, and the mean too.
#pragma once

#include <cmath>
#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/numeric/format.hpp>
#include <iso/numeric/integer.hpp>
#include <iso/numeric/turn.hpp>

namespace iso::numeric {

template <class T>
struct likely {
  T value;
  bool certain;
};

// The mean sum / weight * 2^(position + min_exponent), weight > 0, as rounded_mean rounds it, if it is
// certain: never for double, nor for a mean that is no normal number.
template <class T, int N, int M>
ISO_HOST_DEVICE likely<T> likely_mean(const integer<N>& sum, const integer<M>& weight, int position) {
  using f = format<T>;
  if constexpr (f::digits == 24 && f::exponent_bits == 8) {
    const double mean = as_double(sum) / as_double(weight) * power_of_two(position + f::min_exponent);
    const std::uint64_t bits = format<double>::to_bits(mean);
    constexpr std::uint32_t room = std::uint32_t{1} << 29, midpoint = room / 2, margin = 64;
    const std::uint32_t above = (static_cast<std::uint32_t>(bits) & (room - 1)) - (midpoint - margin);
    return {static_cast<T>(mean), above > 2 * margin && std::fabs(mean) >= 0x1p-126};
  } else {
    return {T(0), false};
  }
}

}  // namespace iso::numeric
