// Where the chunks of a row begin in its diagram: the sums of all elements before them.
//
// Two levels: a thread block sums a group of chunks, and the last block of a row to be done sums the groups.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/segment/records.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// Sums of all threads before this one; `scratch` holds one sum a warp. `all` becomes the sum of all. All
// threads of the block call, whole warps.
template <class Block, class Sums>
ISO_DEVICE Sums block_sums_before(const Block& block, const Sums& own, Sums* scratch, Sums& all) {
  const auto warp = tiled_partition<32>(block);
  const int number = static_cast<int>(block.thread_rank()) / 32;
  const int warps = static_cast<int>(block.num_threads()) / 32;
  Sums before = sums_before(warp, own);
  if (warp.thread_rank() == 31) {
    scratch[number] = before;
    scratch[number] += own;
  }
  block.sync();
  all = Sums::zero();
  for (int i = 0; i < warps; ++i) {
    if (i == number) before += all;
    all += scratch[i];
  }
  block.sync();
  return before;
}

// Sums the chunks of one group of a row. All threads of the block call, group_chunks of them.
template <class Block, class T, bool Weighted>
ISO_DEVICE void sum_group(const Block& block, const row_state<T, Weighted>& state, const row_facts& facts,
                          std::int64_t group, large_sums<T, Weighted>* scratch) {
  using sums = large_sums<T, Weighted>;
  const std::int64_t c = group * group_chunks + static_cast<std::int64_t>(block.thread_rank());
  auto own = sums::zero(), all = sums::zero();
  if (c < state.chunks) {
    // Chunks beyond an infinity play no part.
    const bool inside = state.chunk_end(c) > facts.begin && state.chunk_begin(c) < facts.end;
    if (inside) own = on_grid<sums>(state.chunk[c].total, state.chunk[c].on, facts.on);
  }
  const sums before = block_sums_before(block, own, scratch, all);
  if (c < state.chunks) state.start[c] = before;
  if (block.thread_rank() == 0) state.group_start[group] = all;
}

// Turns the sums of a row's groups into the sums of all groups before each. All threads of the block call.
template <class Block, class T, bool Weighted>
ISO_DEVICE void sum_groups(const Block& block, const row_state<T, Weighted>& state,
                           large_sums<T, Weighted>* scratch) {
  using sums = large_sums<T, Weighted>;
  const std::int64_t groups = (state.chunks + group_chunks - 1) / group_chunks;
  const auto threads = static_cast<std::int64_t>(block.num_threads());
  auto carry = sums::zero();
  for (std::int64_t base = 0; base < groups; base += threads) {
    const std::int64_t g = base + static_cast<std::int64_t>(block.thread_rank());
    sums own = sums::zero(), all = sums::zero();
    if (g < groups) own = state.group_start[g];
    sums before = block_sums_before(block, own, scratch, all);
    before += carry;
    if (g < groups) state.group_start[g] = before;
    carry += all;
  }
  if (block.thread_rank() == 0) state.group_start[groups] = carry;
}

}  // namespace iso
