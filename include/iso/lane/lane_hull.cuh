// The lower hull of up to 32 consecutive points, by one lane: paper, section 3.1.
//
// The hull is a mask: bit k is set if the point before element k of the lane is a vertex, that is if element
// k starts a pool of the lane's own fit. The monotone chain runs with the mask as its stack: the highest set
// bit is the top, a push sets a bit and a pop clears one. Of the sums only those of the top pool are kept;
// those of a pool that is uncovered by a pop are summed from its elements again, which are at most 31.
//
// Invariant: the pools below the current element have strictly increasing means, and the last of them has the
// sums `top`.
//
// Example, values 1 5 2 3: push 1; push 5; 2 is below 5: popped, {5 2} of mean 3.5, above 1, pushed; 3 is
// below 3.5: {5 2 3} of mean 10/3. The mask is 0b0011.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/numeric/bits.hpp>

namespace iso {

// Position of the highest bit of a mask that is not 0.
ISO_HOST_DEVICE inline int highest_bit(std::uint32_t mask) {
  return numeric::bit_length(mask) - 1;
}

// Position of the lowest bit of a mask that is not 0.
ISO_HOST_DEVICE inline int lowest_bit(std::uint32_t mask) {
  return highest_bit(mask & (0u - mask));
}

ISO_HOST_DEVICE inline int count_bits(std::uint32_t mask) {
#if defined(__CUDA_ARCH__)
  return __popc(mask);
#else
  return std::popcount(mask);
#endif
}

// Bits [begin, end) of a mask, 0 <= begin, end <= 32.
ISO_HOST_DEVICE constexpr std::uint32_t bits_between(int begin, int end) {
  return begin >= end ? 0u : (~std::uint32_t{0} >> (32 - (end - begin))) << begin;
}

// The starts of the pools of the fit of the elements [base, base + 32) that lie before `end`, among the
// candidates: bit k for element base + k. Elements before the first candidate have no weight; a candidate has
// some. One lane calls; N and M words hold all sums.
template <int N, int M, class T, bool Weighted>
ISO_HOST_DEVICE std::uint32_t lane_hull(const elements<T, Weighted>& e, int base, int end,
                                        std::uint32_t candidates, const numeric::grid& on) {
  std::uint32_t hull = 0;
  auto top = numeric::sums<N, M>::zero();
  while (candidates != 0) {
    int start = base + lowest_bit(candidates);
    candidates &= candidates - 1;
    const int next = candidates != 0 ? base + lowest_bit(candidates) : end;
    auto pool = e.template sum<N, M>(start, next, on);
    while (hull != 0 && mean_not_less(top, pool)) {
      pool += top;
      start = base + highest_bit(hull);
      hull &= ~(std::uint32_t{1} << (start - base));
      if (hull != 0) top = e.template sum<N, M>(base + highest_bit(hull), start, on);
    }
    hull |= std::uint32_t{1} << (start - base);
    top = pool;
  }
  return hull;
}

}  // namespace iso
