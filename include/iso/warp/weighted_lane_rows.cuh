// Up to 32 neighbouring short rows with weights, each solved by one lane of a warp (see
// weighted_isotonic.cuh and twofold_isotonic.cuh).
//
// The warp brings values and weights to shared memory and takes the fits back together, so that neighbouring
// lanes touch neighbouring addresses; in between each lane has a row to itself. In shared memory a row begins
// an odd number of words after the one before it, so that lanes that walk through their rows in step meet no
// bank conflict, with a gap of two or three between them.
//
// Rows that a lane is not certain of, or that are not usual, are left to the caller: nothing of them is
// written.
//
// Example, floats of length 16: rows begin 19 words apart; 64 bytes of values and as many of weights take 76
// each, and the starts of pools 20 more.
#pragma once

#include <cstdint>
#include <type_traits>

#include <iso/block/tile_storage.cuh>
#include <iso/detail/config.hpp>
#include <iso/detail/steps.hpp>
#include <iso/lane/weighted_isotonic.cuh>
#include <iso/options.hpp>
#include <iso/warp/begin_copy.cuh>
#include <iso/warp/lane_rows.cuh>
#include <iso/warp/lane_rows_memory.cuh>

namespace iso {

// What a warp needs of the same shared memory to solve rows that their lanes leave.
template <class T>
using weighted_row_storage = tile_storage<T, true, 32, long_lane_row / 32>;

// Shared memory of a warp, 16-byte aligned, `bytes` of it.
template <class T>
struct weighted_rows_memory {
  using value_type = T;
  static constexpr bool dense = false;

  T* values;
  T* weights;
  std::uint8_t* starts;
  int length, stride;

  static constexpr int stride_of(int length) { return (length + 2) | 1; }
  // Bytes of a lane's starts: an odd number of words of 4 bytes.
  ISO_HOST_DEVICE static constexpr int start_stride(int length) {
    return ((start_bytes(length) + 3) / 4 | 1) * 4;
  }
  static constexpr int usual_bytes = 40 * 1024;
  static constexpr int bytes_of(int length, int warp_rows) {
    const int rows =
        16 + warp_rows * (2 * stride_of(length) * static_cast<int>(sizeof(T)) + start_stride(length));
    const int others = (static_cast<int>(sizeof(weighted_row_storage<T>)) + 15) / 16 * 16;
    return rows > others ? rows : others;
  }
  template <class Rows>
  static lane_rows_plan plan(const Rows& rows) {
    const int length = static_cast<int>(rows.size.length);
    return lane_rows_plan::of(rows, stride_of(length), usual_bytes,
                              [=](int warp_rows) { return bytes_of(length, warp_rows); });
  }

  ISO_HOST_DEVICE static weighted_rows_memory in(void* memory, const lane_rows_plan& plan) {
    T* const values = static_cast<T*>(memory) + 16 / sizeof(T);
    T* const weights = values + plan.rows * plan.stride;
    const auto starts = reinterpret_cast<std::uint8_t*>(weights + plan.rows * plan.stride);
    return {values, weights, starts, plan.length, plan.stride};
  }

  ISO_HOST_DEVICE T* row(int lane) const { return values + lane * stride; }
  ISO_HOST_DEVICE weighted_row<T> of_lane(int lane) const {
    return {row(lane), weights + lane * stride, starts + lane * start_stride(length) + 1, length};
  }
};

// Whether rows follow each other in memory.
ISO_HOST_DEVICE inline bool follow_each_other(const detail::steps& by, int length) {
  return by.row == length && by.element == 1;
}

// Begins to bring `present` rows to shared memory that follow each other: of values, of weights, or of both.
template <class Warp, class T, int Arrays>
ISO_DEVICE void begin_run(const Warp& warp, T* const (&to)[Arrays], const lane_rows_plan& plan,
                          const T* const (&from)[Arrays], int present) {
  const int elements = present * plan.length;
  const auto place = [&](int e) { return e + plan.row(e) * (plan.stride - plan.length); };
  constexpr int batch = 4;
  int e = static_cast<int>(warp.thread_rank());
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (; e + 32 * (batch - 1) < elements; e += 32 * batch) {
    int at[batch];
    for (int k = 0; k < batch; ++k) at[k] = place(e + 32 * k);
    for (int a = 0; a < Arrays; ++a) begin_copies(to[a], at, from[a] + e);
  }
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (; e < elements; e += 32) {
    for (int a = 0; a < Arrays; ++a) begin_copy(to[a] + place(e), from[a] + e);
  }
}

// Brings `present` rows to shared memory that lie otherwise; value(row, element) is one. Out of the way of
// the usual ones.
template <class T, class Warp, class Value>
[[gnu::noinline]] ISO_DEVICE void load_rows_apart(const Warp& warp, T* to, const lane_rows_plan& plan,
                                                  const detail::steps& by, int present, const Value& value) {
  move_apart<T>(warp, plan, by, present, value,
                [&](int row, int i, const T& element) { to[row * plan.stride + i] = element; });
}

// Begins to bring `present` rows to shared memory, of values or of weights. Returns whether they come as they
// are in memory, else as value(row, element) has them.
template <class Warp, class T, class It, class Value>
ISO_DEVICE bool begin_rows(const Warp& warp, T* to, const lane_rows_plan& plan, const It& it,
                           const detail::steps& by, std::int64_t first, int present, const Value& value) {
  if constexpr (std::is_convertible_v<It, const T*>) {
    if (follow_each_other(by, plan.length)) {
      begin_run(warp, {to}, plan, {static_cast<const T*>(it) + first * plan.length}, present);
      return true;
    }
  }
  load_rows_apart(warp, to, plan, by, present, value);
  return false;
}

// Loads `present` rows from `first` on, turned around for a non-increasing fit.
template <class Warp, class T, class Rows>
ISO_DEVICE void load_weighted_rows(const Warp& warp, const weighted_rows_memory<T>& s, const Rows& rows,
                                   const lane_rows_plan& plan, std::int64_t first, int present) {
  const int lane = static_cast<int>(warp.thread_rank());
  bool begun = false, turned = false;
  if constexpr (std::is_convertible_v<decltype(rows.y), const T*> &&
                std::is_convertible_v<decltype(rows.w), const T*>) {
    begun = follow_each_other(rows.y_steps, plan.length) && follow_each_other(rows.w_steps, plan.length);
    if (begun) {
      const T *const y = rows.y, *const w = rows.w;
      const std::int64_t offset = first * plan.length;
      begin_run(warp, {s.values, s.weights}, plan, {y + offset, w + offset}, present);
    }
  }
  if (!begun) {
    turned = !begin_rows(warp, s.values, plan, rows.y, rows.y_steps, first, present,
                         [&](int row, int i) { return rows.value(first + row, i); });
    begin_rows(warp, s.weights, plan, rows.w, rows.w_steps, first, present,
               [&](int row, int i) { return rows.weight(first + row, i); });
  }
  end_copies(warp);
  if (!rows.increasing && !turned && lane < present) negate_lane_row(s.row(lane), plan.length);
}

// Solves the warp's rows from `first` on, as many of them as there are, but at least one; returns which it
// has not, a bit a row. All lanes of the warp call.
template <class T, class Warp, class Rows>
ISO_DEVICE unsigned solve_weighted_lane_rows(const Warp& warp, const weighted_rows_memory<T>& s,
                                             const Rows& rows, const lane_rows_plan& plan,
                                             std::int64_t first) {
  const int lane = static_cast<int>(warp.thread_rank()), present = lane_rows_from(rows, first, plan.rows);
  load_weighted_rows(warp, s, rows, plan, first, present);
  const auto row = s.of_lane(lane);
  const int pools = lane < present ? fit_weighted_pools(row) : 0;
  const bool done = pools > 0;
  const unsigned solved = warp.ballot(static_cast<int>(done));
  if (done) {
    if (rows.pools != nullptr) {
      write_twofold_starts(rows.pools + (first + lane) * pool_words(plan.length), row.start, pools,
                           plan.length);
    }
    spread_twofold_pools(row);
  }
  if (lane < present) finish_lane_row(s.row(lane), rows, plan, first + lane, row_status::ok, done);
  store_lane_rows(warp, s, rows, plan, first, present, solved);
  warp.sync();
  return bits_between(0, present) & ~solved;
}

}  // namespace iso
