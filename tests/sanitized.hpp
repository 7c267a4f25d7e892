// Fewer seeds under sanitizers, which make emulated lanes some ten times slower.
#pragma once

#include <cstdint>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// Whether a test leaves a seed out. One of seven stays, which divides no number of families or sizes: all of
// them have their turn.
constexpr bool left_out(std::uint64_t seed) {
  return sanitized && seed % 7 != 0;
}
