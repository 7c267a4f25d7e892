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

}  // namespace iso::numeric
