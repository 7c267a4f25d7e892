// All 32 lanes of a warp as a group.
#pragma once

#include <cstring>
#include <type_traits>

namespace iso::device::detail {

// The members of a cooperative_groups::thread_block_tile<32>, of a thread block of one dimension. It has no
// state, so what works on a whole warp need not carry any.
class whole_warp {
 public:
  __device__ static unsigned thread_rank() { return threadIdx.x % 32; }
  static constexpr unsigned num_threads() { return 32; }
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
