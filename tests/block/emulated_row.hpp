// A row solved on emulated threads by the text that the GPU runs, as the tests of the host solver want it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include <iso/block/row_tile.cuh>
#include <iso/block/wide_tile.cuh>
#include <iso/device/rows.hpp>

#include "host/check.hpp"
#include "simt/simt.hpp"

namespace block_test {

// A problem as the one row of a batch, whose results go to `out`.
template <class T, bool Weighted>
auto rows_of(const reference::problem<T>& p, host_test::outcome<T>& out) {
  using weights = std::conditional_t<Weighted, const T*, iso::device::detail::no_weights>;
  weights w{};
  if constexpr (Weighted) w = p.w.data();
  return iso::device::detail::rows<T, const T*, weights, T*>{p.y.data(),
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

// Solves a row of at most Lanes * P elements with a tile of Lanes lanes of one warp, or, if Lanes is above
// 32, with a thread block. `wide` tells whether the row's sums were too wide for a thread's registers.
template <bool Weighted, int Lanes, int P, class T>
host_test::outcome<T> solve_emulated(const reference::problem<T>& p, std::uint64_t order, bool& wide) {
  using storage = iso::tile_storage<T, Weighted, Lanes, P>;
  const auto shared = std::make_unique<storage>();
  simt::fill(*shared, order);
  host_test::outcome<T> out;
  out.fit.assign(p.y.size(), T(-12345));
  out.pools.assign((p.y.size() + 31) / 32, 0xdeadbeef);
  const auto rows = rows_of<T, Weighted>(p, out);
  const auto memory = shared->part(0, Lanes);
  const auto help = [&](const auto& warp, const iso::tile_facts& facts) {
    warp.sync();
    const iso::tile_facts of_row = warp.shfl(facts, 0);
    if (!of_row.wide) return;
    if (warp.thread_rank() == 0) wide = true;
    iso::fit_wide_row<T, Weighted>(warp, *shared, 0, Lanes, of_row);
  };
  simt::launch(Lanes < 32 ? 32 : Lanes, order, [&](const simt::thread_block& block) {
    const auto warp = simt::tiled_partition<32>(block);
    if constexpr (Lanes <= 32) {
      const auto tile = simt::tiled_partition<Lanes>(block);
      iso::tile_facts facts{};
      if (block.thread_rank() < Lanes) facts = iso::begin_row(tile, memory, rows, 0);
      help(warp, facts);
      if (block.thread_rank() < Lanes) iso::end_row(tile, memory, facts, rows, 0);
    } else {
      const iso::tile_facts facts = iso::begin_row(block, memory, rows, 0);
      if (block.thread_rank() < 32) help(warp, facts);
      block.sync();
      iso::end_row(block, memory, facts, rows, 0);
    }
  });
  return out;
}

}  // namespace block_test
