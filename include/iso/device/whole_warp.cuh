// All 32 lanes of a warp as a group.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace iso::device::detail {

// The members of a cooperative_groups::thread_block_tile<32>, of a thread block of one dimension. It has no
// state, so what works on a whole warp need not carry any.
class whole_warp {
 public:
  __device__ static unsigned thread_rank() { return threadIdx.x % 32; }
  __device__ static constexpr unsigned num_threads() { return 32; }
  __device__ static void sync() { __syncwarp(); }

  // Of any type of whole words of 32 bits.
  template <class Value>
  __device__ static Value shfl(const Value& value, int source) {
    static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) % 4 == 0);
    unsigned words[sizeof(Value) / 4];
    memcpy(words, &value, sizeof(Value));
#pragma unroll
    for (unsigned& word : words) word = __shfl_sync(~0u, word, source);
    Value r = value;
    memcpy(static_cast<void*>(&r), words, sizeof(Value));
    return r;
  }

  template <class Value>
  __device__ static Value shfl_up(Value value, unsigned delta) {
    return __shfl_up_sync(~0u, value, delta);
  }
  template <class Value>
  __device__ static Value shfl_xor(Value value, unsigned lane_mask) {
    return __shfl_xor_sync(~0u, value, static_cast<int>(lane_mask));
  }
  // 64 bits, of which CUDA knows another name.
  __device__ static std::uint64_t shfl_up(std::uint64_t value, unsigned delta) {
    return shfl_up(static_cast<unsigned long long>(value), delta);
  }
  __device__ static std::uint64_t shfl_xor(std::uint64_t value, unsigned lane_mask) {
    return shfl_xor(static_cast<unsigned long long>(value), lane_mask);
  }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  // One instruction each, where the device has it.
  __device__ static std::int32_t reduce_min(std::int32_t value) {
    return __reduce_min_sync(~0u, value);
  }
  __device__ static std::int32_t reduce_max(std::int32_t value) {
    return __reduce_max_sync(~0u, value);
  }
#endif

  __device__ static unsigned ballot(int predicate) {
    return __ballot_sync(~0u, predicate);
  }
  __device__ static int any(int predicate) {
    return __any_sync(~0u, predicate);
  }
  __device__ static int all(int predicate) {
    return __all_sync(~0u, predicate);
  }
};

}  // namespace iso::device::detail
