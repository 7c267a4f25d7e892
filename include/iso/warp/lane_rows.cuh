// Up to 32 neighbouring short rows without weights, each solved by one lane of a warp.
//
// The warp brings the rows to shared memory and takes their fits back together, so that neighbouring lanes
// touch neighbouring addresses (see lane_rows_memory.cuh); in between each lane has a row to itself.
//
// Usual are rows whose elements are all finite and fit packed pools (see lane_isotonic.cuh); their lanes take
// the same steps. If one of a warp's rows is not, all its lanes go another way: they fit their rows in
// numbers of twice the digits, which may be infinite, too (see counted_isotonic.cuh). What a lane is not
// certain of then is not written: the warp solves such rows one at a time, in exact sums that are spread over
// its lanes (see wide_tile.cuh).
#pragma once

#include <cstdint>

#include <iso/block/wide_tile.cuh>
#include <iso/detail/config.hpp>
#include <iso/lane/counted_isotonic.cuh>
#include <iso/lane/lane_isotonic.cuh>
#include <iso/options.hpp>
#include <iso/warp/lane_rows_memory.cuh>

namespace iso {

// Turns the fit of a lane's row into what is written, and writes its status if it is solved.
template <class T, class Rows>
ISO_DEVICE void finish_lane_row(T* y, const Rows& rows, const lane_rows_plan& plan, std::int64_t r,
                                row_status status, bool solved) {
  if (!plan.plain) {
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
    for (int i = 0; i < plan.length; ++i) {
      const T value = y[i];
      y[i] = rows.finished(value);
    }
  }
  if (rows.status != nullptr && solved) rows.status[r] = status;
}

// Copies a lane's row within shared memory, unless it is there.
template <class T>
ISO_DEVICE void move_lane_row(const T* from, T* to, int length) {
  if (from == to) return;
#if defined(__CUDA_ARCH__)
#pragma unroll 4
#endif
  for (int i = 0; i < length; ++i) to[i] = from[i];
}

// Solves rows that are not all usual and have been loaded; returns which it has not, a bit a row. All lanes
// of the warp call.
template <class Warp, class T, class Rows>
ISO_DEVICE unsigned fit_unusual_rows(const Warp& warp, const counted_rows_memory<T>& s, const Rows& rows,
                                     const lane_rows_plan& plan, std::int64_t first) {
  const int lane = static_cast<int>(warp.thread_rank()), present = lane_rows_from(rows, first, plan.rows);
  bool left = false;
  if (lane < present) {
    std::uint32_t* const pools =
        rows.pools == nullptr ? nullptr : rows.pools + (first + lane) * pool_words(plan.length);
    T *const y = s.values + lane * plan.stride, *const fitted = s.fitted + lane * s.fitted_stride;
    std::uint8_t* const starts = s.starts + lane * plan.stride * static_cast<int>(sizeof(T));
    move_lane_row(y, fitted, plan.length);
    const counted_result result = solve_counted_row(fitted, starts, plan.length, pools);
    move_lane_row(fitted, y, plan.length);
    finish_lane_row(y, rows, plan, first + lane, result.status, result.solved);
    left = !result.solved;
  }
  const unsigned all_left = warp.ballot(static_cast<int>(left));
  warp.sync();
  store_apart(warp, s.values, rows, plan, first, ~all_left);
  return all_left;
}

// Loads the warp's rows from `first` on, as many of them as there are, but at least one, and solves them if
// all are usual; else returns false. All lanes of the warp call.
template <class T, int Most, class Warp, class Rows>
ISO_DEVICE bool solve_usual_rows(const Warp& warp, const lane_rows_memory<T, Most>& s, const Rows& rows,
                                 const lane_rows_plan& plan, std::int64_t first) {
  const int lane = static_cast<int>(warp.thread_rank()), present = lane_rows_from(rows, first, plan.rows);
  load_lane_rows(warp, s, rows, plan, first, present);
  quick_look<T, false> look;
  if (lane < present) look = look_at_values(s.row(lane), plan.length);
  const lane_grid grid = grid_of(look);
  const bool usual = !look.odd() && grid.template packed<packed_pool<T, Most>>();
  if (warp.all(static_cast<int>(usual)) == 0) return false;
  if (lane < present) {
    const auto last =
        fit_pools(s.row(lane), plan.length, packing<T, Most>(grid.low, grid.bits), s.pools(lane));
    if (rows.pools != nullptr) {
      write_starts(rows.pools + (first + lane) * pool_words(plan.length), plan.length, last);
    }
    spread_pools(s.row(lane), plan.length, last);
    finish_lane_row(s.row(lane), rows, plan, first + lane, row_status::ok, true);
  }
  store_lane_rows(warp, s, rows, plan, first, present, bits_between(0, present));
  return true;
}

// Writes the fit of a row that has been fitted in such memory, its status and its pools. All lanes of the
// warp call.
template <class Warp, class T, class Rows>
ISO_DEVICE void end_wide_row(const Warp& warp, const wide_row_storage<T>& s, const Rows& rows, std::int64_t r,
                             const tile_facts& facts) {
  using f = numeric::format<T>;
  const int lane = static_cast<int>(warp.thread_rank()), words = static_cast<int>(pool_words(facts.count));
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int i = lane; i < facts.count; i += 32) {
    const bool finite = i >= facts.low && i < facts.high;
    const T value = finite ? s.y[elements<T, false>::at(i)] : f::infinity(i < facts.low);
    rows.store(r, i, 1, 0, 1, [&](int) { return rows.finished(value); });
  }
  if (lane == 0 && rows.status != nullptr) rows.status[r] = facts.status;
  if (lane >= words || rows.pools == nullptr) return;
  std::uint32_t starts = s.mask[lane];
  if (facts.low > 0 && lane == 0) starts |= 1u;
  if (facts.high < facts.count && facts.high / 32 == lane) starts |= 1u << facts.high % 32;
  rows.pools[r * words + lane] = starts;
}

// Solves row r, whose values are not all infinite and none NaN. All lanes of the warp call.
template <class Warp, class T, class Rows>
ISO_DEVICE void solve_wide_row(const Warp& warp, wide_row_storage<T>& s, const Rows& rows, std::int64_t r) {
  const int count = static_cast<int>(rows.size.length), lanes = static_cast<int>(pool_words(count));
  const elements<T, false> e{s.y, nullptr};
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int i = static_cast<int>(warp.thread_rank()); i < count; i += 32) e.y[e.at(i)] = rows.value(r, i);
  warp.sync();
  const finite_bounds part = find_finite_bounds<T>(count, [&](int i) { return e.y[e.at(i)]; });
  quick_look<T, false> look;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int i = part.low; i < part.high; ++i) look.include(e.y[e.at(i)], T(1));
  const auto grid = look.found(true).template grid<false>();
  const tile_facts facts{part.status, true, count, part.low, part.high, grid};
  if (warp.thread_rank() == 0) add_wide_rows(rows.wide_rows, 1);
  fit_wide_row<T, false>(warp, s, 0, lanes, facts);
  end_wide_row(warp, s, rows, r, facts);
}

// Solves the rows that solve_usual_rows has loaded, but not solved, by lanes, and those by the warp that
// lanes leave: returns how many. `memory`: what solve_usual_rows had. All lanes of the warp call.
template <class T, class Warp, class Rows>
ISO_DEVICE int solve_unusual_rows(const Warp& warp, void* memory, const Rows& rows,
                                  const lane_rows_plan& plan, std::int64_t first) {
  const auto s = plan.length <= short_lane_row
                     ? lane_rows_memory<T, short_lane_row>::in(memory, plan).counted()
                     : lane_rows_memory<T, long_lane_row>::in(memory, plan).counted();
  const unsigned left = fit_unusual_rows(warp, s, rows, plan, first);
  for (unsigned rest = left; rest != 0; rest &= rest - 1) {
    warp.sync();
    solve_wide_row(warp, *static_cast<wide_row_storage<T>*>(memory), rows, first + lowest_bit(rest));
  }
  return count_bits(left);
}

}  // namespace iso
