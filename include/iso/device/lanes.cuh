// Some lanes of a warp as a group whose size is known at run time.
#pragma once

#include <cstdint>

namespace iso::device::detail {

// The members of a cooperative_groups::thread_block_tile that the algorithms use, for 2^k neighbouring lanes.
// One type for all sizes, so that what works on a row is compiled once and not for every length of row.
class lanes {
 public:
  // Of `size` lanes the ones that the calling lane is among.
  __device__ explicit lanes(unsigned size)
      : size_(size), first_(threadIdx.x % 32 / size * size), mask_((~0u >> (32 - size)) << first_) {}

  __device__ unsigned thread_rank() const { return threadIdx.x % 32 - first_; }
  __device__ unsigned num_threads() const { return size_; }
  __device__ void sync() const { __syncwarp(mask_); }

  template <class Value>
  __device__ Value shfl(Value value, int source) const {
    return __shfl_sync(mask_, value, source, static_cast<int>(size_));
  }
  template <class Value>
  __device__ Value shfl_up(Value value, unsigned delta) const {
    return __shfl_up_sync(mask_, value, delta, static_cast<int>(size_));
  }
  template <class Value>
  __device__ Value shfl_xor(Value value, unsigned lane_mask) const {
    return __shfl_xor_sync(mask_, value, static_cast<int>(lane_mask), static_cast<int>(size_));
  }
  // 64 bits, of which CUDA knows other names.
  __device__ std::uint64_t shfl(std::uint64_t value, int source) const {
    return shfl(static_cast<unsigned long long>(value), source);
  }
  __device__ std::int64_t shfl(std::int64_t value, int source) const {
    return shfl(static_cast<long long>(value), source);
  }
  __device__ std::uint64_t shfl_up(std::uint64_t value, unsigned delta) const {
    return shfl_up(static_cast<unsigned long long>(value), delta);
  }
  __device__ std::uint64_t shfl_xor(std::uint64_t value, unsigned lane_mask) const {
    return shfl_xor(static_cast<unsigned long long>(value), lane_mask);
  }

  __device__ unsigned ballot(int predicate) const { return __ballot_sync(mask_, predicate) >> first_; }
  __device__ int any(int predicate) const { return ballot(predicate) != 0; }
  __device__ int all(int predicate) const { return ballot(!predicate) == 0; }

 private:
  unsigned size_, first_, mask_;
};

}  // namespace iso::device::detail
