// A long row solved on emulated threads, kernel by kernel, by the text that the GPU runs.
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

#include "host/check.hpp"
#include "simt/simt.hpp"

namespace segment_test {

using namespace iso;
using namespace iso::device::detail;

template <class T, bool Weighted>
auto rows_of(const reference::problem<T>& p, host_test::outcome<T>& out) {
  using weights = std::conditional_t<Weighted, const T*, no_weights>;
  weights w{};
  if constexpr (Weighted) w = p.w.data();
  return rows<T, const T*, weights, T*>{p.y.data(),
                                        w,
                                        out.fit.data(),
                                        {0, 1},
                                        {0, 1},
                                        {0, 1},
                                        {1, static_cast<std::int64_t>(p.y.size())},
                                        p.increasing,
                                        p.y_min,
                                        p.y_max,
                                        &out.status,
                                        out.pools.data()};
}

// `order`: of the lanes, and of the memory's pattern. `wide` tells whether the row's sums were too wide for a
// thread's registers.
template <bool Weighted, class T>
host_test::outcome<T> solve_emulated(const reference::problem<T>& p, std::uint64_t order, bool& wide) {
  using sums = large_sums<T, Weighted>;
  using warp_type = simt::tile<32>;
  host_test::outcome<T> out;
  out.fit.assign(p.y.size(), T(-12345));
  out.pools.assign((p.y.size() + 31) / 32, 0xdeadbeef);
  const auto rows = rows_of<T, Weighted>(p, out);
  using reader_type = row_reader<warp_type, std::remove_const_t<decltype(rows)>>;
  const std::size_t bytes = workspace<T, Weighted>(rows.size, nullptr).bytes;
  std::vector<std::uint64_t> memory(bytes / 8, order * 0x9e3779b97f4a7c15u + 0x1234567);
  const workspace<T, Weighted> at(rows.size, reinterpret_cast<std::byte*>(memory.data()));
  std::memset(at.row, 0, at.zeroed_bytes);
  const auto state = at.of_row(0);
  const auto shared = std::make_unique<chunk_storage<T, Weighted>>();
  const auto in_a_warp = [&](const auto& body) {
    simt::launch(32, order, [&](const simt::thread_block& block) { body(simt::tiled_partition<32>(block)); });
  };

  for (std::int64_t c = 0; c < at.chunks; ++c) {
    simt::fill(*shared, order + static_cast<std::uint64_t>(c));
    in_a_warp([&](const warp_type& warp) { hull_chunk(warp, warp, *shared, rows, state, 0, c); });
  }
  const auto facts = row_facts::of<T, Weighted>(*state.row, at.length);
  out.status = facts.status;
  wide = facts.wide;
  if (facts.status == row_status::ok) {
    std::vector<sums> scratch(group_chunks / 32);
    for (std::int64_t g = 0; g < at.groups; ++g) {
      simt::launch(group_chunks, order, [&](const simt::thread_block& block) {
        if (wide) {
          sum_wide_group(block, simt::tiled_partition<32>(block), rows, at, 0, g);
        } else {
          sum_group(block, state, facts, g, scratch.data());
        }
      });
    }
    simt::launch(group_chunks, order, [&](const simt::thread_block& block) {
      if (!wide) {
        sum_groups(block, state, scratch.data());
      } else if (block.thread_rank() < 32) {
        sum_wide_groups(simt::tiled_partition<32>(block), rows, at, 0);
      }
    });
    for (std::int64_t width = 1; width < at.chunks; width *= 2) {
      for (std::int64_t c = width; c < at.chunks; c += 2 * width) {
        in_a_warp([&](const warp_type& warp) {
          if (wide) {
            write_wide_node(warp, rows, at, 0, c);
          } else {
            write_node(reader_type{warp, rows, 0, state, facts}, c);
          }
        });
      }
    }
  }
  for (std::int64_t c = 0; c < at.chunks; ++c) {
    simt::fill(*shared, order + static_cast<std::uint64_t>(c));
    in_a_warp([&](const warp_type& warp) {
      const reader_type reader{warp, rows, 0, state, facts};
      if (facts.status != row_status::ok) {
        blank_chunk(reader, c);
      } else {
        fit_chunk(reader, warp, at, *shared, c);
      }
    });
  }
  return out;
}

}  // namespace segment_test
