// The lower hull of up to 32 consecutive points, by one lane: paper, section 3.1.
//
// The hull is a mask: bit k is set if the point before element k of the lane is a vertex, that is if element
// k starts a pool of the lane's own fit. The monotone chain runs with the mask as its stack: the highest set
// bit is the top, a push sets a bit and a pop clears one. Every iteration takes one element and does one of
// the two at most, so that lanes stay in step. The sums of the topmost pools are kept in a ring of a few
// entries; those of a pool below them are summed from its elements again, which are at most 31.
//
// Invariant: the pools of the mask have strictly increasing means, and the last of them has the sums `top`.
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

// Memory of one lane for what an adder keeps of a few pools, by the pools' numbers: of those that share a
// place the last.
template <class Kept>
struct sums_ring {
  Kept* at;
  int stride, capacity;  // a power of two, or 0

  // With room for up to `entries`, `stride` apart.
  ISO_HOST_DEVICE static sums_ring of(Kept* at, int stride, int entries) {
    return {at, stride,
            entries > 0 ? 1 << (numeric::bit_length(static_cast<std::uint64_t>(entries)) - 1) : 0};
  }
  ISO_HOST_DEVICE Kept& operator[](int pool) const { return at[(pool & (capacity - 1)) * stride]; }
};

// What a lane knows of its pools: their starts, the sums of the last, how many they are, and the lowest one
// that is in the ring.
template <class Sums>
struct lane_pools {
  std::uint32_t starts;
  Sums top;
  int count, ring_low;
};

// The pools of the fit of the elements [base, base + end), end <= 32, with their starts among the candidates:
// bit k for element base + k. Elements before the first candidate have no weight; a candidate has some. One
// lane calls; for adders see exact_adder.
template <class Adder>
ISO_HOST_DEVICE lane_pools<typename Adder::sums> lane_hull(const Adder& adder, int base, int end,
                                                           std::uint32_t candidates,
                                                           const sums_ring<typename Adder::kept>& ring) {
  const auto first_of = [end](std::uint32_t starts) { return starts != 0 ? lowest_bit(starts) : end; };
  std::uint32_t hull = 0;
  auto top = adder.zero(), pool = top;
  int depth = 0, ring_low = 0;  // pools in the mask; of those below the top, the lowest in the ring
  // The pool at hand is [start, next), and whole when that is [start, stop); the top is [top_start, start).
  int start = first_of(candidates), next = start, top_start = start;
  candidates &= candidates - 1;
  int stop = first_of(candidates);
  while (start < end) {
    if (next < stop) adder.add(pool, base + next++);
    if (next < stop) continue;
    if (hull == 0 || !mean_not_less(top, pool)) {
      if (hull != 0 && ring.capacity > 0) {
        ring[depth - 1] = adder.keep(top);
        ring_low = ring_low < depth - ring.capacity ? depth - ring.capacity : ring_low;
      }
      hull |= std::uint32_t{1} << start;
      ++depth;
      top = pool;
      top_start = start;
      pool = adder.zero();
      start = next;
      candidates &= candidates - 1;
      stop = first_of(candidates);
    } else {
      pool += top;
      start = top_start;
      hull &= ~(std::uint32_t{1} << start);
      --depth;
      if (hull == 0) continue;
      top_start = highest_bit(hull);
      if (depth > ring_low) {
        top = adder.whole(ring[depth - 1], start - top_start);
      } else {
        top = sum_of(adder, base + top_start, base + start);
        ring_low = depth - 1;
      }
    }
  }
  return {hull, top, depth, ring_low};
}

}  // namespace iso
