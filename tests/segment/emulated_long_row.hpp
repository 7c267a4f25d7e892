// A row solved on emulated threads, kernel by kernel, by the text that the GPU runs: of one chunk, or a long
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <iso/device/rows.hpp>
#include <iso/device/workspace.cuh>
#include <iso/segment/chunk.cuh>
#include <iso/segment/merge.cuh>
#include <iso/segment/reconstruct.cuh>
#include <iso/segment/starts.cuh>

#include "block/emulated_row.hpp"
#include "host/check.hpp"
#include "simt/simt.hpp"

namespace segment_test {

using namespace iso;
using namespace iso::device::detail;
using block_test::rows_of;

// Merges the tree of row 0. By `order`, warps come one after the other as they start, or from the last to the
// first, or each node is merged in integers by a warp of its own.
template <class Reader, class Rows, class Space>
void merge_emulated(const Rows& rows, const Space& at, const row_facts& facts, std::uint64_t order) {
  using warp_type = simt::tile<32>;
  const auto state = at.of_row(0);
  const auto in_a_warp = [&](const auto& body) {
    simt::launch(32, order, [&](const simt::thread_block& block) { body(simt::tiled_partition<32>(block)); });
  };
  if (order % 3 == 0) {
    for (std::int64_t width = 1; width < at.chunks; width *= 2) {
      for (std::int64_t c = width; c < at.chunks; c += 2 * width) {
        in_a_warp([&](const warp_type& warp) {
          facts.wide ? write_wide_node(warp, rows, at, 0, c)
                     : write_node(Reader{warp, rows, 0, state, facts}, c);
        });
      }
    }
    return;
  }
  const std::int64_t pairs = at.chunks / 2;
  const auto memory = std::make_unique<row_memory<typename Rows::value_type, Rows::weighted>>();
  for (std::int64_t i = 0; i < pairs; ++i) {
    const std::int64_t c = 2 * (order % 3 == 1 ? i : pairs - 1 - i) + 1;
    in_a_warp([&](const warp_type& warp) {
      const auto arrive = [&](auto up, int points) {
        std::uint32_t before = 0;
        warp.sync();
        if (warp.thread_rank() == 0) {
          before = state.arrived[up];
          state.arrived[up] += arrivals::of_child(points);
        }
        before = warp.shfl(before, 0);
        warp.sync();
        return arrivals::others(before, hull_tree{at.chunks}.inner_children(up));
      };
      facts.wide
          ? merge_wide_upwards(warp, rows, at, 0, c, arrive)
          : merge_upwards(Reader{warp, rows, 0, state, facts}, *memory, static_cast<std::int32_t>(c), arrive);
    });
  }
}

// `order`: of the lanes, and of the memory's pattern. `wide` tells whether the row's sums were too wide for a
// thread's registers. merge(rows, workspace, facts) merges the tree.
template <bool Weighted, class T, class Merge>
host_test::outcome<T> solve_emulated_by(const reference::problem<T>& p, std::uint64_t order, bool& wide,
                                        const Merge& merge) {
  using sums = recorded_sums<T, Weighted>;
  using warp_type = simt::tile<32>;
  host_test::outcome<T> out;
  out.fit.assign(p.y.size(), T(-12345));
  out.pools.assign((p.y.size() + 31) / 32, 0xdeadbeef);
  const auto rows = rows_of<T, Weighted>(p, out);
  using reader_type = row_reader<warp_type, std::remove_const_t<decltype(rows)>>;
  const std::size_t bytes = workspace<T, Weighted>(rows.size, nullptr).bytes;
  std::vector<std::uint64_t> memory(bytes / 8);
  std::uint64_t pattern = order;
  for (std::uint64_t& word : memory) word = ++pattern * 0x9e3779b97f4a7c15u;
  const workspace<T, Weighted> at(rows.size, reinterpret_cast<std::byte*>(memory.data()));
  std::memset(at.row, 0, at.zeroed_bytes);
  const auto state = at.of_row(0);
  const auto shared = std::make_unique<chunk_storage<T, Weighted>>();
  const auto in_a_warp = [&](const auto& body) {
    simt::launch(32, order, [&](const simt::thread_block& block) { body(simt::tiled_partition<32>(block)); });
  };

  for (std::int64_t c = 0; c < at.chunks; ++c) {
    simt::fill(*shared, order + static_cast<std::uint64_t>(c));
    tile_facts whole{};
    in_a_warp([&](const warp_type& warp) {
      const int points = hull_chunk(warp, *shared, rows, at, c, whole);
      warp.sync();
      if (at.chunks == 1) fit_only_chunk(warp, *shared, rows, 0, whole, points);
    });
    if (at.chunks == 1) {
      wide = whole.wide;
      return out;
    }
  }
  const auto facts = row_facts::of<T, Weighted>(*state.row, at.length);
  out.status = facts.status;
  wide = facts.wide;
  if (facts.status == row_status::ok) {
    std::vector<sums> scratch(group_chunks / 32);
    for (std::int64_t g = 0; g < at.groups; ++g) {
      simt::launch(summing_threads(at.chunks), order, [&](const simt::thread_block& block) {
        if (wide) {
          sum_wide_group(block, simt::tiled_partition<32>(block), rows, at, 0, g);
        } else {
          sum_group(block, state, facts, g, scratch.data());
        }
      });
    }
    simt::launch(summing_threads(at.chunks), order, [&](const simt::thread_block& block) {
      if (!wide) {
        sum_groups(block, state, scratch.data());
      } else if (block.thread_rank() < 32) {
        sum_wide_groups(simt::tiled_partition<32>(block), rows, at, 0);
      }
    });
    merge(rows, at, facts);
  }
  for (std::int64_t c = 0; c < at.chunks; ++c) {
    simt::fill(*shared, order + static_cast<std::uint64_t>(c));
    in_a_warp([&](const warp_type& warp) {
      const reader_type reader{warp, rows, 0, state, facts};
      if (facts.status != row_status::ok) {
        blank_chunk(reader, c);
      } else {
        fit_chunk(reader, at, *shared, c, ancestor_of_lane(state, static_cast<int>(warp.thread_rank()), c));
      }
    });
  }
  return out;
}

template <bool Weighted, class T>
host_test::outcome<T> solve_emulated(const reference::problem<T>& p, std::uint64_t order, bool& wide) {
  return solve_emulated_by<Weighted>(
      p, order, wide, [&](const auto& rows, const auto& at, const auto& facts) {
        using rows_type = std::remove_cvref_t<decltype(rows)>;
        merge_emulated<row_reader<simt::tile<32>, rows_type>>(rows, at, facts, order);
      });
}

}  // namespace segment_test
