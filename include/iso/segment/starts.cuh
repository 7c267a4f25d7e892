// Where the chunks of a row begin in its diagram: the sums of all elements before them.
//
// Two levels: a thread block sums a group of chunks, and the last block of a row to be done sums the groups.
// Of wide rows a warp sums up each chunk, and one warp adds up the chunks of a group, and one the groups.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/segment/records.cuh>
#include <iso/segment/wide_reader.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// The threads that sum up a group of a row of so many chunks, one each: whole warps.
ISO_HOST_DEVICE constexpr int summing_threads(std::int64_t chunks) {
  return chunks < group_chunks ? static_cast<int>(chunks + 31) / 32 * 32 : group_chunks;
}

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

// Sums the chunks of one group of a row. All threads of the block call, as many as summing_threads says.
template <class Block, class T, bool Weighted>
ISO_DEVICE void sum_group(const Block& block, const row_state<T, Weighted>& state, const row_facts& facts,
                          std::int64_t group, recorded_sums<T, Weighted>* scratch) {
  using sums = recorded_sums<T, Weighted>;
  const std::int64_t c = group * group_chunks + static_cast<std::int64_t>(block.thread_rank());
  auto own = sums::zero(), all = sums::zero();
  if (c < state.chunks) {
    // Chunks beyond an infinity play no part.
    const bool inside = state.chunk_end(c) > facts.begin && state.chunk_begin(c) < facts.end;
    if (inside) own = on_grid(state.chunk[c].total, state.chunk[c].on, facts.on);
  }
  const sums before = block_sums_before(block, own, scratch, all);
  if (c < state.chunks) state.start[c] = before;
  if (block.thread_rank() == 0) state.group_start[group] = all;
}

// Turns the sums of a row's groups into the sums of all groups before each. All threads of the block call.
template <class Block, class T, bool Weighted>
ISO_DEVICE void sum_groups(const Block& block, const row_state<T, Weighted>& state,
                           recorded_sums<T, Weighted>* scratch) {
  using sums = recorded_sums<T, Weighted>;
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

// Stores the sums up to the end of each chunk of one group of a wide row, as wide_reader wants them, but for
// the groups before it. All threads of the block call, whole warps; `warp` is the caller's.
template <class Block, class Warp, class Rows, class Space>
[[gnu::noinline]] ISO_DEVICE void sum_wide_group(const Block& block, const Warp& warp, const Rows& rows,
                                                 const Space& at, std::int64_t r, std::int64_t group) {
  using reader_type = wide_reader<Warp, Rows, Space>;
  using sums = typename reader_type::sums;
  const auto reader = reader_type::of(warp, rows, at, r);
  const int number = static_cast<int>(block.thread_rank()) / 32;
  const int warps = static_cast<int>(block.num_threads()) / 32;
  const std::int64_t first = group * group_chunks, last = reader.last_of_group(group);
  for (std::int64_t c = first + number; c <= last; c += warps) {
    reader.sum(reader.state.chunk_begin(c), reader.state.chunk_end(c)).store(reader.end_words(c));
  }
  block.sync();
  if (number != 0) return;
  auto all = sums::zero(warp);
  for (std::int64_t c = first; c <= last; ++c) {
    all += sums::load(warp, reader.end_words(c));
    all.store(reader.end_words(c));
  }
}

// Adds the groups before to the sums up to the end of each group of a wide row. All lanes of one warp call.
template <class Warp, class Rows, class Space>
[[gnu::noinline]] ISO_DEVICE void sum_wide_groups(const Warp& warp, const Rows& rows, const Space& at,
                                                  std::int64_t r) {
  using reader_type = wide_reader<Warp, Rows, Space>;
  using sums = typename reader_type::sums;
  const auto reader = reader_type::of(warp, rows, at, r);
  auto all = sums::zero(warp);
  for (std::int64_t group = 0; group * group_chunks < reader.state.chunks; ++group) {
    std::uint64_t* const words = reader.end_words(reader.last_of_group(group));
    all += sums::load(warp, words);
    all.store(words);
  }
}

}  // namespace iso
