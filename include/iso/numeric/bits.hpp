// The two machine operations that the exact arithmetic rests on, for the host and for the device.
#pragma once

#include <bit>
#include <cstdint>

#include <iso/detail/config.hpp>

namespace iso::numeric {

// Position of the highest set bit plus one; 0 for 0.
ISO_HOST_DEVICE inline int bit_length(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return 64 - __clzll(static_cast<long long>(x));
#else
  return static_cast<int>(std::bit_width(x));
#endif
}

// The upper 64 bits of a * b.
ISO_HOST_DEVICE inline std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#elif defined(__SIZEOF_INT128__)
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<wide>(a) * b) >> 64);
#else
  const std::uint64_t low = 0xffffffffu;
  const std::uint64_t ah = a >> 32, al = a & low, bh = b >> 32, bl = b & low;
  const std::uint64_t middle = ah * bl + ((al * bl) >> 32);
  return ah * bh + (middle >> 32) + ((al * bh + (middle & low)) >> 32);
#endif
}

// The floor of n / d, which is below 2^30, for 0 < d <= 2^32.
//
// A device divides 64-bit integers in a long loop; two estimates in float leave a remainder of at most a few
// d.
ISO_HOST_DEVICE inline std::uint64_t small_quotient(std::uint64_t n, std::uint64_t d) {
#if defined(__CUDA_ARCH__)
  const float inverse = 1.0f / static_cast<float>(d);
  const auto first = static_cast<std::int64_t>(static_cast<float>(n) * inverse);
  auto rest = static_cast<std::int64_t>(n - static_cast<std::uint64_t>(first) * d);
  const auto second = static_cast<std::int64_t>(static_cast<float>(rest) * inverse);
  std::int64_t quotient = first + second;
  rest -= second * static_cast<std::int64_t>(d);
  while (rest < 0) {
    rest += static_cast<std::int64_t>(d);
    --quotient;
  }
  while (rest >= static_cast<std::int64_t>(d)) {
    rest -= static_cast<std::int64_t>(d);
    ++quotient;
  }
  return static_cast<std::uint64_t>(quotient);
#else
  return n / d;
#endif
}

}  // namespace iso::numeric
