// The kernels: who works on what. What is done is in block/ and segment/.
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <cstdint>

#include <iso/block/row_tile.cuh>
#include <iso/block/wide_tile.cuh>
#include <iso/device/lanes.cuh>
#include <iso/device/rows.hpp>
#include <iso/device/whole_warp.cuh>
#include <iso/device/workspace.cuh>
#include <iso/segment/chunk.cuh>
#include <iso/segment/merge.cuh>
#include <iso/segment/reconstruct.cuh>
#include <iso/segment/starts.cuh>

namespace iso::device::detail {

// Warps of a thread block whose storage fits the 48 KB that every device has.
template <class Storage>
inline constexpr int warps_a_block = sizeof(Storage) * 4 <= 48 * 1024 ? 4 : 2;

// Thread blocks of 64 Ki registers that a multiprocessor is to hold at once: the compiler would else trade
// the registers of usual rows for those that wide rows take. With separate compilation it cannot see what
// functions take, and no number is given.
constexpr int at_least_blocks([[maybe_unused]] int blocks) {
#if defined(__CUDACC_RDC__)
  return 1;
#else
  return blocks;
#endif
}

template <class Storage, int Threads>
inline constexpr int blocks_of_storage =
    at_least_blocks((std::min)(6, static_cast<int>(227 * 1024 / (sizeof(Storage) * (Threads / 32) + 1024))));

__device__ inline std::int64_t global_warp() {
  return static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
}

// Rows of up to 32 * row_lanes elements, each by `row_lanes` lanes of a warp.
template <int Threads, class Rows>
static __global__ void __launch_bounds__(
    Threads, blocks_of_storage<chunk_storage<typename Rows::value_type, Rows::weighted>, Threads>)
    solve_short_rows(const __grid_constant__ Rows rows, int row_lanes) {
  __shared__ chunk_storage<typename Rows::value_type, Rows::weighted> storage[Threads / 32];
  const std::int64_t first = global_warp() * (32 / row_lanes);
  if (first >= rows.size.rows) return;
  solve_short_row(lanes(static_cast<unsigned>(row_lanes)), whole_warp(), storage[threadIdx.x / 32], rows,
                  first + threadIdx.x % 32 / row_lanes);
}

template <int Threads, class Rows, class Workspace>
static __global__ void __launch_bounds__(Threads)
    hull_chunks(const __grid_constant__ Rows rows, const __grid_constant__ Workspace at) {
  __shared__ chunk_storage<typename Rows::value_type, Rows::weighted> storage[Threads / 32];
  const std::int64_t g = global_warp(), r = g / at.chunks;
  if (r < rows.size.rows) {
    hull_chunk(lanes(32), whole_warp(), storage[threadIdx.x / 32], rows, at.of_row(r), r, g - r * at.chunks);
  }
}

// Whether this is the last of `expected` callers; what the others wrote before is then to be seen, and so is
// what this one wrote by the others' successors. All threads of the group call.
template <class Group>
__device__ bool is_last(const Group& group, std::uint32_t* arrived, std::uint32_t expected) {
  __threadfence();
  group.sync();
  if constexpr (warp_tile<Group>) {
    std::uint32_t before = 0;
    if (group.thread_rank() == 0) before = atomicAdd(arrived, 1u);
    before = group.shfl(before, 0);
    __threadfence();
    return before + 1 == expected;
  } else {
    __shared__ std::uint32_t before;
    if (group.thread_rank() == 0) before = atomicAdd(arrived, 1u);
    group.sync();
    __threadfence();
    return before + 1 == expected;
  }
}

template <class Rows, class Workspace>
static __global__ void __launch_bounds__(group_chunks)
    sum_chunks(const __grid_constant__ Rows rows, const __grid_constant__ Workspace at) {
  using T = typename Rows::value_type;
  using sums = typename Workspace::sums;
  __shared__ std::uint64_t scratch[group_chunks / 32 * sizeof(sums) / 8];
  const std::int64_t r = blockIdx.x / at.groups, group = blockIdx.x - r * at.groups;
  const auto block = cooperative_groups::this_thread_block();
  const auto state = at.of_row(r);
  const auto facts = row_facts::of<T, Rows::weighted>(*state.row, at.length);
  if (facts.status != row_status::ok) return;
  if (facts.wide) {
    sum_wide_group(block, whole_warp(), rows, at, r, group);
  } else {
    sum_group(block, state, facts, group, reinterpret_cast<sums*>(scratch));
  }
  if (!is_last(block, &state.row->arrived, static_cast<std::uint32_t>(at.groups))) return;
  if (!facts.wide) {
    sum_groups(block, state, reinterpret_cast<sums*>(scratch));
  } else if (threadIdx.x < 32) {
    sum_wide_groups(whole_warp(), rows, at, r);
  }
}

// The whole tree of every row: of the two warps that finish a node's children the later one goes on with the
// node.
template <int Threads, class Rows, class Workspace>
static __global__ void __launch_bounds__(Threads, at_least_blocks(4))
    merge_chunks(const __grid_constant__ Rows rows, const __grid_constant__ Workspace at) {
  using T = typename Rows::value_type;
  const std::int64_t pairs = at.chunks / 2, g = global_warp(), r = g / pairs;
  if (r >= rows.size.rows) return;
  const lanes warp(32);
  const auto state = at.of_row(r);
  const auto facts = row_facts::of<T, Rows::weighted>(*state.row, at.length);
  if (facts.status != row_status::ok) return;
  const row_reader<lanes, Rows> reader{warp, rows, r, state, facts};
  const hull_tree tree{at.chunks};
  std::int64_t c = 2 * (g - r * pairs) + 1;
  for (;;) {
    if (facts.wide) {
      write_wide_node(whole_warp(), rows, at, r, c);
    } else {
      write_node(reader, c);
    }
    const std::int64_t up = tree.parent(c);
    if (up == 0 || !is_last(warp, state.arrived + up, tree.inner_children(up))) return;
    c = up;
  }
}

template <int Threads, class Rows, class Workspace>
static __global__ void __launch_bounds__(Threads)
    fit_chunks(const __grid_constant__ Rows rows, const __grid_constant__ Workspace at) {
  using T = typename Rows::value_type;
  __shared__ chunk_storage<T, Rows::weighted> storage[Threads / 32];
  const std::int64_t g = global_warp(), r = g / at.chunks, c = g - r * at.chunks;
  if (r >= rows.size.rows) return;
  const lanes warp(32);
  const auto state = at.of_row(r);
  const auto facts = row_facts::of<T, Rows::weighted>(*state.row, at.length);
  const row_reader<lanes, Rows> reader{warp, rows, r, state, facts};
  if (c == 0 && warp.thread_rank() == 0) {
    if (rows.status != nullptr) rows.status[r] = facts.status;
    if (facts.wide) add_wide_rows(rows.wide_rows, 1);
  }
  if (facts.status != row_status::ok) {
    blank_chunk(reader, c);
  } else {
    fit_chunk(reader, whole_warp(), at, storage[threadIdx.x / 32], c);
  }
}

}  // namespace iso::device::detail
