// Batches of short rows solved by emulated warps, a lane a row, beside what the CPU solver makes of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <iso/device/rows.hpp>
#include <iso/warp/lane_rows.cuh>
#include <iso/warp/weighted_lane_rows.cuh>

#include "catch.hpp"
#include "host/check.hpp"
#include "reference/families.hpp"
#include "sanitized.hpp"
#include "simt/simt.hpp"

namespace lane_rows_test {

using iso::detail::no_weights;
using iso::detail::steps;

// Elements of a batch's memory.
inline constexpr std::size_t room = 40000;

// The lengths of rows: all small ones, of longer ones some, with those about which something changes.
inline std::vector<std::int64_t> lengths() {
  std::vector<std::int64_t> all{63, 64, 96, 127, 128, 129, 160, 255, 256};
  for (std::int64_t n = 1; n <= 256; n += n < 40 ? 1 : n < 128 ? 5 : 16) all.push_back(n);
  return all;
}

// Where rows lie in memory, from an element on.
struct place {
  steps by;
  std::int64_t first;

  std::int64_t at(std::int64_t r, std::int64_t i) const { return first + r * by.row + i * by.element; }
};

template <class T>
struct batch {
  iso::shape size;
  place in, out;
  bool in_place = false;
  bool increasing = true;
  T y_min = -reference::infinity<T>, y_max = reference::infinity<T>;
  std::vector<T> y = {};  // all memory of the rows
  std::vector<T> w = {};  // and of their weights, where there are any
  place weights = {{0, 0}, 0};

  iso::options<T> options(std::vector<iso::row_status>& status, std::vector<std::uint32_t>& pools) const {
    return {increasing, y_min, y_max, {}, status, pools};
  }
};

template <class T>
struct solved {
  std::vector<T> memory;
  std::vector<iso::row_status> status;
  std::vector<std::uint32_t> pools;
  std::uint64_t wide = 0;
  int left = 0;  // rows that lanes have left to the warp

  explicit solved(const batch<T>& b)
      : memory(b.in_place ? b.y : std::vector<T>(room, T(-12345))),
        status(static_cast<std::size_t>(b.size.rows), static_cast<iso::row_status>(99)),
        pools(static_cast<std::size_t>(b.size.rows * iso::pool_words(b.size.length)), 0xdeadbeef) {}
};

template <class T>
solved<T> on_host(const batch<T>& b) {
  solved<T> out(b);
  const auto view = [&](auto* data, const place& p) {
    return iso::batch(data + p.first, b.size.rows, b.size.length, p.by.row, p.by.element);
  };
  const auto y = view(b.in_place ? static_cast<const T*>(out.memory.data()) : b.y.data(), b.in);
  const auto fit = view(out.memory.data(), b.out);
  const auto options = b.options(out.status, out.pools);
  const iso::status called = b.w.empty()
                                 ? iso::host::solve<T, false>(y, fit, options, 1)
                                 : iso::host::solve<T, true>(y, view(b.w.data(), b.weights), fit, options, 1);
  INFO(called.message());
  REQUIRE(called);
  return out;
}

// 16-byte aligned, as what kernels get is.
template <class T>
T* aligned(std::vector<T>& memory) {
  return reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 15) / 16 * 16);
}

// As the kernels do it: solve(warp, memory, first) solves the rows from `first` on, and returns how many
// lanes have left to the warp. Returns how many there were.
template <class Rows, class Solve>
int launch(const Rows& rows, const iso::lane_rows_plan& plan, std::uint64_t order, const Solve& solve) {
  std::vector<std::uint64_t> shared(static_cast<std::size_t>(plan.bytes) / 8 + 2, 0x5a5a5a5a5a5a5a5a + order);
  int all_left = 0;
  for (std::int64_t first = 0; first < rows.size.rows; first += plan.rows) {
    simt::launch(32, order + static_cast<std::uint64_t>(first), [&](const simt::thread_block& block) {
      const auto warp = simt::tiled_partition<32>(block);
      const int left = solve(warp, aligned(shared), first);
      if (warp.thread_rank() == 0) all_left += left;
    });
  }
  return all_left;
}

template <class T, int Most, class Rows>
int launch_plain(const Rows& rows, std::uint64_t order) {
  using memory = iso::lane_rows_memory<T, Most>;
  const auto plan = iso::lane_rows_plan::of<Most>(rows);
  return launch(rows, plan, order, [&](const auto& warp, void* shared, std::int64_t first) {
    if (iso::solve_usual_rows(warp, memory::in(shared, plan), rows, plan, first)) return 0;
    return iso::solve_unusual_rows<T>(warp, shared, rows, plan, first);
  });
}
template <class T, class Rows>
int launch_weighted(const Rows& rows, std::uint64_t order) {
  using memory = iso::weighted_rows_memory<T>;
  const auto plan = memory::plan(rows);
  return launch(rows, plan, order, [&](const auto& warp, void* shared, std::int64_t first) {
    const unsigned all_left =
        iso::solve_weighted_lane_rows(warp, memory::in(shared, plan), rows, plan, first);
    auto& storage = *static_cast<iso::weighted_row_storage<T>*>(shared);
    for (unsigned left = all_left; left != 0; left &= left - 1) {
      iso::solve_short_row(warp, warp, storage, rows, first + iso::lowest_bit(left));
      warp.sync();
    }
    return iso::count_bits(all_left);
  });
}

// `Y`: the pointer that rows, and weights if there are any, are read through.
template <class Y, bool Weighted, class T>
solved<T> emulated(const batch<T>& b, std::uint64_t order) {
  solved<T> out(b);
  std::vector<T> fit_memory(out.memory.size() + 4);
  T* fit = aligned(fit_memory);
  std::copy(out.memory.begin(), out.memory.end(), fit);
  using value = std::remove_const_t<std::remove_pointer_t<Y>>;
  std::vector<value> y_memory(b.y.size() + 4), w(b.w.size());
  auto* y = aligned(y_memory);
  const auto converted = [](T v) { return static_cast<value>(v); };
  std::transform(b.y.begin(), b.y.end(), y, converted);
  std::transform(b.w.begin(), b.w.end(), w.begin(), converted);
  if constexpr (std::is_same_v<Y, const T*>) {
    if (b.in_place) y = fit;
  }
  using weights = std::conditional_t<Weighted, Y, no_weights>;
  weights w_at{};
  if constexpr (Weighted) w_at = w.data() + b.weights.first;
  const iso::device::detail::rows<T, Y, weights, T*> rows{
      y + b.in.first, w_at,    fit + b.out.first, b.in.by,           b.weights.by,     b.out.by, b.size,
      b.increasing,   b.y_min, b.y_max,           out.status.data(), out.pools.data(), &out.wide};
  if constexpr (Weighted) {
    out.left = launch_weighted<T>(rows, order);
  } else if (b.size.length <= iso::short_lane_row) {
    out.left = launch_plain<T, iso::short_lane_row>(rows, order);
  } else {
    out.left = launch_plain<T, iso::long_lane_row>(rows, order);
  }
  std::copy(fit, fit + out.memory.size(), out.memory.begin());
  return out;
}

template <class Y, bool Weighted = false, class T>
solved<T> check(const batch<T>& b, const std::string& what, std::uint64_t order) {
  const solved<T> owed = on_host(b), got = emulated<Y, Weighted>(b, order);
  INFO(what << ", " << b.size.rows << " x " << b.size.length << ", strides " << b.in.by.row << " "
            << b.in.by.element << " to " << b.out.by.row << " " << b.out.by.element << ", from " << b.in.first
            << " to " << b.out.first << (b.in_place ? ", in place" : ""));
  CHECK(host_test::same(got.memory, owed.memory));
  CHECK(got.status == owed.status);
  CHECK(got.pools == owed.pools);
  return got;
}

template <class T>
void put_row(std::vector<T>& memory, const place& at, std::int64_t r, const std::vector<T>& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    memory[static_cast<std::size_t>(at.at(r, static_cast<std::int64_t>(i)))] = row[i];
  }
}

template <class T>
void fill(batch<T>& b, std::string_view family, std::uint64_t seed) {
  b.y.assign(room, T(777));
  for (std::int64_t r = 0; r < b.size.rows; ++r) {
    put_row(b.y, b.in, r,
            reference::values<T>(family, static_cast<std::size_t>(b.size.length),
                                 seed + static_cast<std::uint64_t>(r)));
  }
}
template <class T>
void fill_weights(batch<T>& b, const place& at, std::string_view family, std::uint64_t seed) {
  b.w.assign(room, T(-777));
  b.weights = at;
  for (std::int64_t r = 0; r < b.size.rows; ++r) {
    put_row(b.w, at, r,
            reference::weights<T>(family, static_cast<std::size_t>(b.size.length),
                                  seed + static_cast<std::uint64_t>(r)));
  }
}

// The layouts of rows that begin so many elements into memory.
inline std::vector<place> places(std::int64_t rows, std::int64_t n, std::int64_t first) {
  return {{{n, 1}, first},     {{n + 3, 1}, first},    {{1, rows}, first},
          {{2 * n, 2}, first}, {{2, 2 * rows}, first}, {{-n, 1}, first + (rows - 1) * n}};
}

}  // namespace lane_rows_test
