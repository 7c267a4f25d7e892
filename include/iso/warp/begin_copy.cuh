// Elements on their way from global to shared memory, while the lane that has asked for them goes on: as many
// at a time as there are, and without registers.
//
// Where the device cannot, and on emulated lanes, they are there at once.
#pragma once

#include <iso/detail/config.hpp>

namespace iso {

// Begins to bring an element of 4 or 8 bytes.
template <class T>
ISO_DEVICE void begin_copy(T* to, const T* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(__cvta_generic_to_global(from)), "n"(sizeof(T))
      : "memory");
#else
  *to = *from;
#endif
}

// Begins to bring `Count` elements that are 32 apart: element k to to[at[k]].
template <int Count, class T>
ISO_DEVICE void begin_copies(T* to, const int (&at)[Count], const T* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  for (int k = 0; k < Count; ++k) begin_copy(to + at[k], from + 32 * k);
#else
  T element[Count];  // all of them under way at a time
  for (int k = 0; k < Count; ++k) element[k] = from[32 * k];
  for (int k = 0; k < Count; ++k) to[at[k]] = element[k];
#endif
}

// Waits for all that the lanes of a warp have asked for. All of them call.
template <class Warp>
ISO_DEVICE void end_copies(const Warp& warp) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  warp.sync();
}

}  // namespace iso
