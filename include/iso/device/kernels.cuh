// The kernels: who works on what. What is done is in block/ and segment/.
#pragma once

#include <cstdint>

#include <iso/block/row_tile.cuh>
#include <iso/block/wide_tile.cuh>
#include <iso/device/rows.hpp>
#include <iso/device/tuning.cuh>
#include <iso/device/whole_block.cuh>
#include <iso/device/whole_warp.cuh>
#include <iso/device/workspace.cuh>
#include <iso/segment/chunk.cuh>
#include <iso/segment/chunk_look.cuh>
#include <iso/segment/clear_chunks.cuh>
#include <iso/segment/merge.cuh>
#include <iso/segment/reconstruct.cuh>
#include <iso/segment/starts.cuh>
#include <iso/warp/lane_rows.cuh>
#include <iso/warp/weighted_lane_rows.cuh>

namespace iso::device::detail {

__device__ inline std::int64_t global_warp() {
  return static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
}

// The kernels of a long row follow each other closely: one may be launched while the one before it ends, and
// then waits until that has ended and what it wrote is to be seen (programmatic dependent launch). All
// threads call this before they read or write anything, so each kernel ends after all before it. Devices
// before compute capability 9.0 have no such wait, and kernels compiled for them must not be launched so.
inline constexpr int follows_closely_from = 90;
__device__ inline void follow_previous_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// The dynamic shared memory of a warp, `bytes` of it.
__device__ inline unsigned char* memory_of_warp(int bytes) {
  extern __shared__ uint4 shared[];  // of any type of 16 bytes
  return reinterpret_cast<unsigned char*>(shared) + static_cast<int>(threadIdx.x / 32) * bytes;
}

// The warp's rows from `first` on, without weights, each by one lane, if all are usual: returns whether they
// are.
template <int Most, class Rows>
__device__ bool solve_by_lanes(const Rows& rows, const lane_rows_plan& plan, std::int64_t first) {
  using memory = lane_rows_memory<typename Rows::value_type, Most>;
  return solve_usual_rows(whole_warp(), memory::in(memory_of_warp(plan.bytes), plan), rows, plan, first);
}

// The warp's rows if they are not; out of the way of usual ones.
template <class Rows>
[[gnu::noinline]] __device__ void solve_other_rows(const Rows& rows, const lane_rows_plan& plan) {
  solve_unusual_rows<typename Rows::value_type>(whole_warp(), memory_of_warp(plan.bytes), rows, plan,
                                                global_warp() * plan.rows);
}

// Solves those of the rows from `first` on that are left to the warp, a bit a row.
template <class Storage, class Rows>
__device__ void solve_rows_left(Storage& storage, const Rows& rows, std::int64_t first, unsigned left) {
  for (; left != 0; left &= left - 1) {
    const std::int64_t r = first + lowest_bit(left);
    if (r < rows.size.rows) solve_short_row(whole_warp(), whole_warp(), storage, rows, r);
    whole_warp::sync();
  }
}

// Rows without weights of up to long_lane_row elements, each by one lane; those that a lane cannot fit by the
// warp. A thread block has the shared memory of its warps.
template <int Threads, class Rows>
static __global__ void __launch_bounds__(Threads, at_least_blocks(tuning.lane_row_threads / Threads))
    fit_lane_rows(const __grid_constant__ Rows rows, const __grid_constant__ lane_rows_plan plan) {
  const std::int64_t first = global_warp() * plan.rows;
  if (first >= rows.size.rows) return;
  const bool usual = plan.length <= short_lane_row ? solve_by_lanes<short_lane_row>(rows, plan, first)
                                                   : solve_by_lanes<long_lane_row>(rows, plan, first);
  if (!usual) solve_other_rows(rows, plan);
}

// Rows with weights of up to long_lane_row elements, each by one lane; those that a lane cannot fit by the
// warp.
template <int Threads, class Rows>
static __global__ void __launch_bounds__(Threads,
                                         at_least_blocks(weighted_lane_threads<typename Rows::value_type> /
                                                         Threads))
    fit_weighted_lane_rows(const __grid_constant__ Rows rows, const __grid_constant__ lane_rows_plan plan) {
  using T = typename Rows::value_type;
  const std::int64_t first = global_warp() * plan.rows;
  if (first >= rows.size.rows) return;
  void* const memory = memory_of_warp(plan.bytes);
  const unsigned left =
      solve_weighted_lane_rows<T>(whole_warp(), weighted_rows_memory<T>::in(memory, plan), rows, plan, first);
  solve_rows_left(*static_cast<weighted_row_storage<T>*>(memory), rows, first, left);
}

// The shared memory of a warp that hulls a chunk.
template <class Rows>
struct alignas(16) chunk_memory {
  chunk_storage<typename Rows::value_type, Rows::weighted> storage;
  tile_facts facts;  // of a chunk that is a whole row
};

template <class Rows>
__device__ chunk_memory<Rows>& memory_of_chunk() {
  return *reinterpret_cast<chunk_memory<Rows>*>(memory_of_warp(sizeof(chunk_memory<Rows>)));
}

// The fit of a row of one chunk, out of the way of longer rows, whose registers it would take.
template <class Rows>
[[gnu::noinline]] __device__ void fit_only_chunk_of_warp(const Rows& rows, int points) {
  auto& memory = memory_of_chunk<Rows>();
  fit_only_chunk(whole_warp(), memory.storage, rows, global_warp(), memory.facts, points);
}

// A chunk a warp: its hull, and if it is a whole row, the fit.
template <int Threads, class Rows, class Workspace>
static __global__ void __launch_bounds__(
    Threads,
    blocks_of_storage<chunk_storage<typename Rows::value_type, Rows::weighted>, Threads, tuning.hull_threads>)
    hull_chunks(const __grid_constant__ Rows rows, const __grid_constant__ Workspace at) {
  auto& memory = memory_of_chunk<Rows>();
  std::int64_t g = global_warp();
  if (g >= rows.size.rows * at.chunks) return;
  if (at.chosen != nullptr) {
    if (g >= *at.chosen_count) return;
    g = at.chosen[g];
  }
  const int points = hull_chunk(whole_warp(), memory.storage, rows, at, g, memory.facts);
  if (at.chunks == 1) fit_only_chunk_of_warp(rows, points);
}

template <class Rows>
using look_storage_of = look_storage<typename Rows::value_type, Rows::weighted>;

// Looks at a chunk a warp, before hulls.
template <int Threads, class Rows, class Workspace>
static __global__ void __launch_bounds__(
    Threads, blocks_of_storage<look_storage_of<Rows>, Threads, tuning.look_threads>)
    look_at_chunks(const __grid_constant__ Rows rows, const __grid_constant__ Workspace at) {
  __shared__ look_storage_of<Rows> storage[Threads / 32];
  const std::int64_t g = global_warp();
  if (g < rows.size.rows * at.chunks) look_at_chunk(whole_warp(), storage[threadIdx.x / 32], rows, at, g);
}

// Chooses the chunks that are to be hulled, a thread each.
template <class Rows, class Workspace>
static __global__ void __launch_bounds__(group_chunks)
    choose_chunks(const __grid_constant__ Rows rows, const __grid_constant__ Workspace at) {
  using T = typename Rows::value_type;
  const whole_warp warp;
  const int lane = static_cast<int>(warp.thread_rank());
  follow_previous_kernel();
  const std::int64_t r = blockIdx.x / at.groups,
                     c = (blockIdx.x - r * at.groups) * group_chunks + threadIdx.x;
  const auto facts = row_facts::of<T, Rows::weighted>(at.row[r], at.length);
  const std::uint32_t those = choose_of_word(warp, at, r, facts, c);
  std::uint32_t first = 0;
  if (lane == 0 && those != 0)
    first = atomicAdd(at.chosen_count, static_cast<std::uint32_t>(count_bits(those)));
  first = warp.shfl(first, 0) + static_cast<std::uint32_t>(count_bits(those & bits_between(0, lane)));
  if ((those >> lane & 1u) != 0) at.chosen[first] = static_cast<std::uint32_t>(r * at.chunks + c);
}

// Adds to a counter and returns what it was before. What the caller has written or seen before, other callers
// see who find the counter raised.
__device__ inline std::uint32_t arrive(std::uint32_t* counter, std::uint32_t adds) {
  std::uint32_t before;
  asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(counter)), "r"(adds)
               : "memory");
  return before;
}

// Whether this is the last of `expected` thread blocks; what the others wrote before is then to be seen. All
// threads of the block call.
template <class Block>
__device__ bool is_last_block(const Block& block, std::uint32_t* arrived, std::uint32_t expected) {
  __shared__ std::uint32_t before;
  block.sync();
  if (block.thread_rank() == 0) before = arrive(arrived, 1);
  block.sync();
  return before + 1 == expected;
}

// arrivals::others of a node's child with a list of `points` vertices, which is done; what the other one's
// warp wrote before is then to be seen, and so is what this one wrote by the others' successors. All lanes of
// the warp call.
template <class Warp>
__device__ int arrive_child(const Warp& warp, std::uint32_t* arrived, std::uint32_t expected, int points) {
  warp.sync();
  std::uint32_t before = 0;
  if (warp.thread_rank() == 0) before = arrive(arrived, arrivals::of_child(points));
  before = warp.shfl(before, 0);
  warp.sync();
  return arrivals::others(before, expected);
}

// Sums up the chunks of a row as far as that has not been done. `looks`: they have been looked at alone.
template <class Rows, class Workspace>
static __global__ void __launch_bounds__(group_chunks)
    sum_chunks(const __grid_constant__ Rows rows, const __grid_constant__ Workspace at, bool looks) {
  using T = typename Rows::value_type;
  using sums = typename Workspace::sums;
  __shared__ std::uint64_t scratch[group_chunks / 32 * sizeof(sums) / 8];
  __shared__ shared_bounds<Rows::weighted> bounds;
  follow_previous_kernel();
  const std::int64_t r = blockIdx.x / at.groups, group = blockIdx.x - r * at.groups;
  const whole_block block;
  const auto state = at.of_row(r);
  const auto facts = row_facts::of<T, Rows::weighted>(*state.row, at.length);
  if (!sums_wanted(*state.row, facts, at.length, looks)) return;
  if (facts.wide) {
    sum_wide_group(block, whole_warp(), rows, at, r, group);
  } else {
    sum_group(block, state, facts, group, reinterpret_cast<sums*>(scratch));
    if (looks) clear_group(block, at, r, facts, group, bounds);
  }
  if (!is_last_block(block, &state.row->arrived, static_cast<std::uint32_t>(at.groups))) return;
  if (!facts.wide) {
    sum_groups(block, state, reinterpret_cast<sums*>(scratch));
    if (looks) {
      bound_groups(block, at, r, facts, bounds);
      if (threadIdx.x == 0) state.row->summed = 1;
    }
  } else if (threadIdx.x < 32) {
    sum_wide_groups(whole_warp(), rows, at, r);
  }
}

// The whole tree of every row, a pair of chunks a block of one warp: of the two warps that finish a node's
// children the later one goes on with the node, and one that has ended leaves its place to the next.
template <class Rows, class Workspace>
static __global__ void __launch_bounds__(
    32, merging_blocks<large_sums<typename Rows::value_type, Rows::weighted>>)
    merge_chunks(const __grid_constant__ Rows rows, const __grid_constant__ Workspace at) {
  using T = typename Rows::value_type;
  __shared__ row_memory<T, Rows::weighted> memory;
  follow_previous_kernel();
  const auto pairs = static_cast<std::uint32_t>(at.chunks / 2);
  const std::uint32_t r = blockIdx.x / pairs;
  const auto c = static_cast<std::int32_t>(2 * (blockIdx.x - r * pairs) + 1);
  const whole_warp warp;
  const auto state = at.of_row(r);
  const clear_block clear = clear_block_around(at, r, c);
  if (clear.exists()) hide_nodes(warp, state, clear, c);
  if (clear.exists() && clear.first + 1 != c) return;
  const auto facts = row_facts::of<T, Rows::weighted>(*state.row, at.length);
  if (facts.status != row_status::ok) return;
  const auto arrive_at = [&](auto up, int points) {
    return arrive_child(warp, state.arrived + up, hull_tree{at.chunks}.inner_children(up), points);
  };
  if (facts.wide) {
    merge_wide_upwards(whole_warp(), rows, at, r, std::int64_t{c}, arrive_at);
  } else {
    merge_upwards(row_reader<whole_warp, Rows>{warp, rows, r, state, facts}, memory, c, clear, arrive_at);
  }
}

template <int Threads, class Rows, class Workspace>
static __global__ void __launch_bounds__(Threads)
    fit_chunks(const __grid_constant__ Rows rows, const __grid_constant__ Workspace at) {
  using T = typename Rows::value_type;
  __shared__ chunk_storage<T, Rows::weighted> storage[Threads / 32];
  follow_previous_kernel();
  const std::int64_t g = global_warp(), r = quotient(g, at.chunks), c = g - r * at.chunks;
  if (r >= rows.size.rows) return;
  const whole_warp warp;
  const auto state = at.of_row(r);
  const auto ancestor = ancestor_of_lane(state, static_cast<int>(warp.thread_rank()), c);
  const auto facts = row_facts::of<T, Rows::weighted>(*state.row, at.length);
  const row_reader<whole_warp, Rows> reader{warp, rows, r, state, facts};
  if (c == 0 && warp.thread_rank() == 0) {
    if (rows.status != nullptr) rows.status[r] = facts.status;
    if (facts.wide) add_wide_rows(rows.wide_rows, 1);
  }
  if (facts.status != row_status::ok) {
    blank_chunk(reader, c);
  } else {
    fit_chunk(reader, at, storage[threadIdx.x / 32], c, ancestor);
  }
}

}  // namespace iso::device::detail
