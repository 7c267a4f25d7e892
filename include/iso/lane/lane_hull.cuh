// The lower hull of up to 32 consecutive points, by one lane: paper, section 3.1.
//
// The hull is a mask: bit k is set if the point before element k of the lane is a vertex, that is if element
// k starts a pool of the lane's own fit. The monotone chain runs with the mask as its stack: the highest set
// bit is the top, a push sets a bit and a pop clears one. Every iteration takes one element and does one of
// the two at most, so that lanes stay in step. The sums of the topmost pools are kept in a ring of a few
// entries; those of a pool below them are summed from its elements again, which are at most 31.
//
// Invariant: the pools of the mask have strictly increasing means, and the sums of those from number
// `ring_low` on are in the ring.
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

// What a lane knows of its pools: their starts, how many they are, and from which on their sums are in the
// ring.
struct lane_pools {
  std::uint32_t starts;
  int count, ring_low;
};

// The sums of the last of such pools, of which `start` is the end.
template <class Adder>
ISO_HOST_DEVICE typename Adder::sums last_sums(const Adder& adder, const lane_pools& pools, int base,
                                               int start, const sums_ring<typename Adder::kept>& ring) {
  const int last = highest_bit(pools.starts);
  if (pools.count > pools.ring_low) return adder.whole(ring[pools.count - 1], start - last);
  return sum_of(adder, base + last, base + start);
}

// The pools of the fit of the elements [base, base + end), end <= 32, with their starts among the candidates:
// bit k for element base + k. Elements before the first candidate have no weight; a candidate has some. One
// lane calls; for adders see exact_adder.
template <class Adder>
ISO_HOST_DEVICE lane_pools lane_hull(const Adder& adder, int base, int end, std::uint32_t candidates,
                                     const sums_ring<typename Adder::kept>& ring) {
  lane_pools pools{0, 0, 0};
  auto pool = adder.zero();
  // The pool at hand is [start, next), after the others; `ahead` has the candidates from `next` on, and its
  // bit 0 says that the pool is whole.
  int start = candidates != 0 ? lowest_bit(candidates) : end, next = start;
  std::uint32_t ahead = start < end ? candidates >> start & ~std::uint32_t{1} : 0;
  while (start < end) {
    if (next < end && (ahead & 1u) == 0) {
      adder.add(pool, base + next++);
      ahead >>= 1;
    }
    if (next < end && (ahead & 1u) == 0) continue;
    if (pools.starts != 0) {
      const auto last = last_sums(adder, pools, base, start, ring);
      if (mean_not_less(last, pool)) {
        pool += last;
        start = highest_bit(pools.starts);
        pools.starts ^= std::uint32_t{1} << start;
        --pools.count;
        continue;
      }
    }
    if (ring.capacity > 0) ring[pools.count] = adder.keep(pool);
    if (pools.ring_low > pools.count) pools.ring_low = pools.count;
    pools.starts |= std::uint32_t{1} << start;
    ++pools.count;
    if (pools.ring_low < pools.count - ring.capacity) pools.ring_low = pools.count - ring.capacity;
    pool = adder.zero();
    start = next;
    ahead &= ~std::uint32_t{1};
  }
  return pools;
}

}  // namespace iso
