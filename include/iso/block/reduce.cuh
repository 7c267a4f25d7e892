// Reductions over a warp's tile or a thread block.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/findings.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// Combines the values of all threads of the group by a commutative, associative operation; every thread gets
// the result. `scratch` holds one value a thread, in shared memory; a tile does not use it. All threads call.
template <class Group, class Op>
ISO_DEVICE std::int32_t reduce(const Group& group, std::int32_t value, std::int32_t* scratch, Op op) {
  if constexpr (warp_tile<Group>) {
    for (unsigned mask = group.num_threads() / 2; mask > 0; mask /= 2) {
      value = op(value, group.shfl_xor(value, mask));
    }
    return value;
  } else {
    const unsigned rank = group.thread_rank(), size = group.num_threads();
    scratch[rank] = value;
    group.sync();
    for (unsigned step = 1; step < size; step *= 2) {
      if (rank % (2 * step) == 0 && rank + step < size) {
        scratch[rank] = op(scratch[rank], scratch[rank + step]);
      }
      group.sync();
    }
    value = scratch[0];
    group.sync();
    return value;
  }
}

template <class Group>
ISO_DEVICE std::int32_t reduce_min(const Group& group, std::int32_t value, std::int32_t* scratch) {
  if constexpr (requires { group.reduce_min(value); }) return group.reduce_min(value);
  return reduce(group, value, scratch, [](std::int32_t a, std::int32_t b) { return a < b ? a : b; });
}
template <class Group>
ISO_DEVICE std::int32_t reduce_max(const Group& group, std::int32_t value, std::int32_t* scratch) {
  if constexpr (requires { group.reduce_max(value); }) return group.reduce_max(value);
  return reduce(group, value, scratch, [](std::int32_t a, std::int32_t b) { return a > b ? a : b; });
}

template <bool Weighted, class Group>
ISO_DEVICE findings reduce(const Group& group, const findings& own, std::int32_t* scratch) {
  findings all = own;
  all.low = reduce_min(group, own.low, scratch);
  all.high = reduce_max(group, own.high, scratch);
  if constexpr (Weighted) {
    all.low_w = reduce_min(group, own.low_w, scratch);
    all.high_w = reduce_max(group, own.high_w, scratch);
  }
  all.flags = static_cast<std::uint32_t>(reduce(group, static_cast<std::int32_t>(own.flags), scratch,
                                                [](std::int32_t a, std::int32_t b) { return a | b; }));
  return all;
}

}  // namespace iso
