// Up to 32 neighbouring short rows without weights, each solved by one lane of a warp.
//
// The warp brings the rows to shared memory and takes their fits back together, so that neighbouring lanes
// touch neighbouring addresses (see lane_rows_memory.cuh); in between each lane has a row to itself (see
// lane_isotonic.cuh).
//
// Usual are 32 rows whose elements are all finite and fit packed pools; their lanes take the same steps. If
// one of them is not, or there are fewer, the warp goes another way: it takes a closer look, and those rows
// that packed pools do not fit
//   - of up to 32 elements wait until the others are done: they are then fitted by their lanes with sums of
//     more words, and the widest by the warp, one at a time;
//   - of more elements are left to the caller, to be solved as longer rows are: nothing of them is written.
#pragma once

#include <cstdint>
#include <type_traits>

#include <iso/block/row_tile.cuh>
#include <iso/block/wide_tile.cuh>
#include <iso/detail/config.hpp>
#include <iso/lane/lane_isotonic.cuh>
#include <iso/options.hpp>
#include <iso/warp/lane_rows_memory.cuh>

namespace iso {

// Writes the rows that the lanes have solved, a bit a row. All lanes of the warp call.
template <class Warp, class Memory, class Rows>
ISO_DEVICE void end_lane_rows(const Warp& warp, const Memory& s, const Rows& rows, const lane_rows_plan& plan,
                              std::int64_t first, row_status status, unsigned solved) {
  using T = typename Memory::value_type;
  const int lane = static_cast<int>(warp.thread_rank());
  if (!plan.plain) {
    T* y = s.row(lane);
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
    for (int i = 0; i < plan.length; ++i) {
      const T value = y[i];
      y[i] = rows.finished(value);
    }
  }
  if (rows.status != nullptr && (solved >> lane & 1u) != 0) rows.status[first + lane] = status;
  store_lane_rows(warp, s, rows, plan, first, solved);
}

// Writes the pools of a lane's row, given the place of the last of them that is finite.
template <class T, int Most, class Rows>
ISO_DEVICE void write_lane_pools(const Rows& rows, std::int64_t r, const lane_facts& facts,
                                 const pool_place<T, Most>& last) {
  const auto length = static_cast<int>(rows.size.length);
  if (rows.pools != nullptr) write_starts(rows.pools + r * pool_words(length), length, facts, last);
}

// Fits those rows of up to 32 elements that are not packed; each lane brings what it knows of its own, and
// whether it is to be fitted so. All lanes of the warp call.
template <class Warp, class T, int Most, class Rows>
ISO_DEVICE void fit_large_lane_rows(const Warp& warp, lane_rows_memory<T, Most>& s, const Rows& rows,
                                    std::int64_t first, const lane_facts& facts, bool large) {
  const int lane = static_cast<int>(warp.thread_rank());
  tile_facts whole = facts.of_tile(s.length);
  whole.wide = large && is_wide<T, false>(whole);
  s.mask[lane] = 0;
  warp.sync();
  if (large && !whole.wide) {
    const auto memory = s.part(lane, 1);
    with_view<T, false>(memory, whole, [&](const auto& v) {
      using sums = typename std::remove_cvref_t<decltype(v)>::sums;
      fit_lane<T>(v, list_of<sums>(memory, 0));
    });
  }
  if (warp.any(static_cast<int>(whole.wide)) != 0) {
    fit_wide_rows<T, false>(warp, s, 1, whole, rows.wide_rows);
  }
  warp.sync();
  if (large && rows.pools != nullptr) {
    // Of the infinite pools, as write_starts has it of others.
    std::uint32_t starts = s.mask[lane];
    if (facts.low > 0) starts |= 1u;
    if (facts.high < s.length) starts |= std::uint32_t{1} << facts.high;
    rows.pools[first + lane] = starts;
  }
}

// Solves rows that are not the usual ones; returns which it has not, a bit a row. All lanes of the warp call.
template <class Warp, class T, int Most, class Rows>
[[gnu::noinline]] ISO_DEVICE unsigned solve_unusual_lane_rows(const Warp& warp, lane_rows_memory<T, Most> s,
                                                              const Rows& rows, const lane_rows_plan& plan,
                                                              std::int64_t first) {
  const int lane = static_cast<int>(warp.thread_rank());
  const bool present = lane < lane_rows_from(rows, first);
  lane_facts facts = lane_facts::none();
  if (present) facts = look_at_row(s.row(lane), plan.length);
  const bool large = facts.live() && !facts.template packed<packed_pool<T, Most>>();
  const unsigned all_large = warp.ballot(static_cast<int>(large));
  auto last = s.pools(lane);
  T* const y = s.row(lane) + facts.low;
  if (facts.live() && !large) {
    last = fit_pools(y, facts.high - facts.low, packing<T, Most>(facts.grid, facts.bits), s.pools(lane));
  }
  if (present && !large) write_lane_pools(rows, first + lane, facts, last);
  if (facts.live() && !large) spread_pools(y, facts.high - facts.low, last);
  if constexpr (Most == short_lane_row) {
    if (all_large != 0) fit_large_lane_rows(warp, s, rows, first, facts, large);
  }
  if (present) finish_lane_row(s.row(lane), plan.length, facts);
  const unsigned left = Most > short_lane_row ? all_large : 0u;
  end_lane_rows(warp, s, rows, plan, first, facts.status,
                bits_between(0, lane_rows_from(rows, first)) & ~left);
  warp.sync();
  return left;
}

// Solves the rows [first, first + 32), as many of them as there are, but at least one; returns which it has
// not, a bit a row, of which there are none if Most is short_lane_row. All lanes of the warp call.
template <class T, int Most, class Warp, class Rows>
ISO_DEVICE unsigned solve_lane_rows(const Warp& warp, const lane_rows_memory<T, Most>& s, const Rows& rows,
                                    const lane_rows_plan& plan, std::int64_t first) {
  const int lane = static_cast<int>(warp.thread_rank());
  const bool full = rows.size.rows - first >= 32;
  load_lane_rows(warp, s, rows, plan, first, full);
  bool usual = full;
  lane_facts facts = lane_facts::none();
  if (usual) {
    const auto look = look_at_values(s.row(lane), plan.length);
    facts = finite_row(look, plan.length);
    usual = !look.odd() && facts.template packed<packed_pool<T, Most>>();
  }
  if (warp.all(static_cast<int>(usual)) == 0) {
    return solve_unusual_lane_rows(warp, s, rows, plan, first);
  }
  const auto last =
      fit_pools(s.row(lane), plan.length, packing<T, Most>(facts.grid, facts.bits), s.pools(lane));
  write_lane_pools(rows, first + lane, facts, last);
  spread_pools(s.row(lane), plan.length, last);
  end_lane_rows(warp, s, rows, plan, first, row_status::ok, ~0u);
  return 0;
}

}  // namespace iso
