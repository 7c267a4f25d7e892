// All threads of a thread block of one dimension as a group.
#pragma once

#include <iso/device/whole_warp.cuh>

namespace iso::device::detail {

// The members of a cooperative_groups::thread_block that the algorithms use. That header costs every
// translation unit two seconds to compile.
class whole_block {
 public:
  __device__ static unsigned thread_rank() { return threadIdx.x; }
  __device__ static unsigned num_threads() { return blockDim.x; }
  __device__ static void sync() { __syncthreads(); }
};

// The warp that the calling thread is of.
template <unsigned Size>
__device__ whole_warp tiled_partition(const whole_block&) {
  static_assert(Size == 32);
  return {};
}

}  // namespace iso::device::detail
