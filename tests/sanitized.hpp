// Fewer seeds under sanitizers, which make solvers and emulated lanes some ten times slower. The full number
// runs without them; what they are to see is memory and undefined behaviour, by some rows of every kind.
#pragma once

#include <cstdint>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// How many times a test tries random data that takes `usual` tries otherwise.
constexpr int tries(int usual) {
  return sanitized ? usual / 7 : usual;
}

// Whether a test leaves a seed out. One of seven stays, which divides no number of families or sizes: all of
// them have their turn.
constexpr bool left_out(std::uint64_t seed) {
  return sanitized && seed % 7 != 0;
}
