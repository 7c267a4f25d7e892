// A row solved on emulated threads, kernel by kernel, by the text that the GPU runs: of one chunk, or a long
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include <iso/device/rows.hpp>
#include <iso/device/workspace.cuh>
#include <iso/segment/chunk.cuh>
#include <iso/segment/clear_chunks.cuh>
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
        const clear_block clear = clear_block_around(at, 0, c);
        if (clear.exists() && c != clear.node()) continue;
        in_a_warp([&](const warp_type& warp) {
          const Reader reader{warp, rows, 0, state, facts};
          if (clear.exists()) return write_short(reader, c, 0, 2, chord_of_block(reader, clear).own);
          facts.wide ? write_wide_node(warp, rows, at, 0, c) : write_node(reader, c);
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
      const clear_block clear = clear_block_around(at, 0, c);
      if (clear.exists()) hide_nodes(warp, state, clear, c);
      if (clear.exists() && clear.first + 1 != c) return;
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
      facts.wide ? merge_wide_upwards(warp, rows, at, 0, c, arrive)
                 : merge_upwards(Reader{warp, rows, 0, state, facts}, *memory, static_cast<std::int32_t>(c),
                                 clear, arrive);
    });
  }
}

// How a row is solved: chunks are looked at before they are hulled; the fit takes the place of y; values have
// gaps between them in memory.
struct row_way {
  bool look = false, in_place = false, apart = false;
};

// `order`: of the lanes, and of the memory's pattern. `wide` tells whether the row's sums were too wide for a
// thread's registers. merge(rows, workspace, facts) merges the tree.
template <bool Weighted, class T, class Merge>
host_test::outcome<T> solve_emulated_by(const reference::problem<T>& p, std::uint64_t order, bool& wide,
                                        const Merge& merge, const row_way& way = {}) {
  using sums = recorded_sums<T, Weighted>;
  using warp_type = simt::tile<32>;
  host_test::outcome<T> out;
  out.fit.assign(p.y.size(), T(-12345));
  out.pools.assign((p.y.size() + 31) / 32, 0xdeadbeef);
  auto rows = rows_of<T, Weighted>(p, out);
  if (way.in_place) {
    out.fit = p.y;
    rows.y = out.fit.data();
  }
  std::vector<T> apart;
  if (way.apart) {
    apart.assign(2 * p.y.size(), std::numeric_limits<T>::quiet_NaN());
    for (std::size_t i = 0; i < p.y.size(); ++i) apart[2 * i] = p.y[i];
    rows.y = apart.data();
    rows.y_steps.element = 2;
  }
  using reader_type = row_reader<warp_type, decltype(rows)>;
  const std::int64_t looked_chunks = way.look ? 2 : INT64_MAX;
  const std::size_t bytes = workspace<T, Weighted>(rows.size, nullptr, looked_chunks).bytes;
  std::vector<std::uint64_t> memory(bytes / 8);
  std::uint64_t pattern = order;
  const std::uint64_t factor = order % 4 == 3 ? 0 : 0x9e3779b97f4a7c15u;  // zeros are what new memory has
  for (std::uint64_t& word : memory) word = ++pattern * factor;
  const workspace<T, Weighted> at(rows.size, reinterpret_cast<std::byte*>(memory.data()), looked_chunks);
  std::memset(at.row, 0, at.zeroed_bytes);
  const auto state = at.of_row(0);
  const auto shared = std::make_unique<chunk_storage<T, Weighted>>();
  const auto in_a_warp = [&](const auto& body) {
    simt::launch(32, order, [&](const simt::thread_block& block) { body(simt::tiled_partition<32>(block)); });
  };

  std::vector<sums> scratch(group_chunks / 32);
  shared_bounds<Weighted> bounds{};
  const auto sum = [&](bool looks) {
    const auto facts = row_facts::of<T, Weighted>(*state.row, at.length);
    if (!sums_wanted(*state.row, facts, at.length, looks)) return;
    for (std::int64_t g = 0; g < at.groups; ++g) {
      simt::launch(summing_threads(at.chunks), order, [&](const simt::thread_block& block) {
        if (facts.wide) return sum_wide_group(block, simt::tiled_partition<32>(block), rows, at, 0, g);
        sum_group(block, state, facts, g, scratch.data());
        if (looks) clear_group(block, at, 0, facts, g, bounds);
      });
    }
    simt::launch(summing_threads(at.chunks), order, [&](const simt::thread_block& block) {
      if (!facts.wide) {
        sum_groups(block, state, scratch.data());
        if (looks) bound_groups(block, at, 0, facts, bounds);
      } else if (block.thread_rank() < 32) {
        sum_wide_groups(simt::tiled_partition<32>(block), rows, at, 0);
      }
    });
    state.row->summed = looks;
  };

  row_facts looked{};
  if (at.chosen != nullptr) {
    for (std::int64_t c = 0; c < at.chunks; ++c) {
      look_storage<T, Weighted> look_memory;
      simt::fill(look_memory, order + static_cast<std::uint64_t>(c));
      in_a_warp([&](const warp_type& warp) { look_at_chunk(warp, look_memory, rows, at, c); });
    }
    sum(true);
    looked = row_facts::of<T, Weighted>(*state.row, at.length);
    for (std::int64_t c = 0; c < at.chunks; c += word_chunks) {
      in_a_warp([&](const warp_type& warp) { choose_of_word(warp, at, 0, looked, c + warp.thread_rank()); });
    }
  }
  for (std::int64_t c = 0; c < at.chunks; ++c) {
    if (at.chosen != nullptr && (at.chosen_bits[at.word_place(0, c)] >> c % word_chunks & 1u) == 0) continue;
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
  // The sums before chunks are on the grid that looks have told.
  const bool same_grid =
      facts.on.products.low == looked.on.products.low && facts.on.weights.low == looked.on.weights.low;
  if (state.row->summed != 0 && !same_grid) throw std::logic_error("hulls tell of a wider grid than looks");
  out.status = facts.status;
  wide = facts.wide;
  sum(false);
  if (facts.status == row_status::ok) merge(rows, at, facts);
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
  return solve_emulated_by<Weighted>(p, order, wide,
                                     [&](const auto& rows, const auto& at, const auto& facts) {
                                       using rows_type = std::remove_cvref_t<decltype(rows)>;
                                       merge_emulated<row_reader<simt::tile<32>, rows_type>>(rows, at, facts,
                                                                                             order);
                                     },
                                     {.in_place = order % 2 == 0});
}

}  // namespace segment_test
