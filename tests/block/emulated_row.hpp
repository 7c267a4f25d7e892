// A row solved on emulated threads by the text that the GPU runs, as the tests of the host solver want it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include <iso/block/row_tile.cuh>
#include <iso/block/wide_tile.cuh>

#include "host/check.hpp"
#include "simt/simt.hpp"

namespace block_test {

// What a sink does to a solved value.
template <class T>
T finished(const reference::problem<T>& p, T value) {
  if (!(value == value)) return value;
  if (!p.increasing) value = -value;
  if (value < p.y_min) value = p.y_min;
  if (p.y_max < value) value = p.y_max;
  return value == T(0) ? T(0) : value;
}

// Solves a row of at most Lanes * P elements with a tile of Lanes lanes of one warp, or, if Lanes is above
// 32, with a thread block. `wide` tells whether the row's sums were too wide for a thread's registers.
template <bool Weighted, int Lanes, int P, class T>
host_test::outcome<T> solve_emulated(const reference::problem<T>& p, std::uint64_t order, bool& wide) {
  using storage = iso::tile_storage<T, Weighted, Lanes, P>;
  const auto shared = std::make_unique<storage>();
  simt::fill(*shared, order);
  const int count = static_cast<int>(p.y.size());
  host_test::outcome<T> out;
  out.fit.assign(p.y.size(), T(-12345));
  const auto element = [](const std::vector<T>& of, int i) { return of[static_cast<std::size_t>(i)]; };
  const auto memory = shared->part(0, Lanes);
  const auto begin = [&](const auto& group) {
    const auto y = [&](int i) { return p.increasing ? element(p.y, i) : -element(p.y, i); };
    const auto w = [&](int i) { return element(p.w, i); };
    const iso::tile_facts facts = iso::examine_row<T, Weighted>(
        group, memory, count, iso::load_tile<T, Weighted>(group, memory, count, y, w));
    if (facts.status == iso::row_status::ok && !facts.wide) iso::fit_row<T, Weighted>(group, memory, facts);
    return facts;
  };
  const auto help = [&](const auto& warp, const iso::tile_facts& facts) {
    warp.sync();
    const iso::tile_facts of_row = warp.shfl(facts, 0);
    if (!of_row.wide) return;
    if (warp.thread_rank() == 0) wide = true;
    iso::fit_wide_row<T, Weighted>(warp, *shared, 0, Lanes, of_row);
  };
  const auto end = [&](const auto& group, const iso::tile_facts& facts) {
    group.sync();
    iso::finish_row<T>(group, memory, facts);
    for (int i = static_cast<int>(group.thread_rank()); i < count; i += Lanes) {
      out.fit[static_cast<std::size_t>(i)] = finished(p, shared->y[i + i / 32]);
    }
    if (group.thread_rank() == 0) out.status = facts.status;
  };
  simt::launch(Lanes < 32 ? 32 : Lanes, order, [&](const simt::thread_block& block) {
    const auto warp = simt::tiled_partition<32>(block);
    if constexpr (Lanes <= 32) {
      const auto tile = simt::tiled_partition<Lanes>(block);
      iso::tile_facts facts{};
      if (block.thread_rank() < Lanes) facts = begin(tile);
      help(warp, facts);
      if (block.thread_rank() < Lanes) end(tile, facts);
    } else {
      const iso::tile_facts facts = begin(block);
      if (block.thread_rank() < 32) help(warp, facts);
      end(block, facts);
    }
  });
  out.pools.assign((p.y.size() + 31) / 32, 0);
  for (std::size_t i = 0; i < p.y.size(); ++i) {
    if (shared->mask[i / P] >> i % P & 1u) out.pools[i / 32] |= 1u << i % 32;
  }
  return out;
}

}  // namespace block_test
