// Batches of short rows solved by emulated warps, a lane a row, against the CPU solver.
#include <iso/warp/lane_rows.cuh>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <iso/device/rows.hpp>

#include "catch.hpp"
#include "host/check.hpp"
#include "host/exactness.hpp"
#include "reference/families.hpp"
#include "sanitized.hpp"
#include "simt/simt.hpp"

namespace {

using iso::detail::no_weights;
using iso::detail::steps;

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

  explicit solved(const batch<T>& b)
      : memory(b.in_place ? b.y : std::vector<T>(20000, T(-12345))),
        status(static_cast<std::size_t>(b.size.rows), static_cast<iso::row_status>(99)),
        pools(static_cast<std::size_t>(b.size.rows * iso::pool_words(b.size.length)), 0xdeadbeef) {}
};

template <class T>
solved<T> on_host(const batch<T>& b) {
  solved<T> out(b);
  const auto view = [&](auto* data, const place& p) {
    return iso::batch(data + p.first, b.size.rows, b.size.length, p.by.row, p.by.element);
  };
  const T* y = b.in_place ? out.memory.data() : b.y.data();
  const iso::status called = iso::host::solve<T, false>(view(y, b.in), view(out.memory.data(), b.out),
                                                        b.options(out.status, out.pools), 1);
  INFO(called.message());
  REQUIRE(called);
  return out;
}

// 16-byte aligned, as what kernels get is.
template <class T>
T* aligned(std::vector<T>& memory) {
  return reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 15) / 16 * 16);
}

template <class T, int Most, class Rows>
void launch(const Rows& rows, std::uint64_t order) {
  const auto plan = iso::lane_rows_plan::of<Most>(rows);
  std::vector<std::uint64_t> shared(static_cast<std::size_t>(plan.bytes) / 8 + 2, 0x5a5a5a5a5a5a5a5a + order);
  const auto memory = iso::lane_rows_memory<T, Most>::in(aligned(shared), plan);
  for (std::int64_t first = 0; first < rows.size.rows; first += 32) {
    simt::launch(32, order + static_cast<std::uint64_t>(first), [&](const simt::thread_block& block) {
      const auto warp = simt::tiled_partition<32>(block);
      // As the kernel does it.
      unsigned left = iso::solve_lane_rows(warp, memory, rows, plan, first);
      auto& storage = *reinterpret_cast<iso::warp_row_storage<T>*>(aligned(shared));
      for (; left != 0; left &= left - 1) {
        iso::solve_short_row(warp, warp, storage, rows, first + iso::lowest_bit(left));
        warp.sync();
      }
    });
  }
}

// `Y`: the pointer that rows are read through.
template <class Y, class T>
solved<T> emulated(const batch<T>& b, std::uint64_t order) {
  solved<T> out(b);
  std::vector<T> fit_memory(out.memory.size() + 4);
  T* fit = aligned(fit_memory);
  std::copy(out.memory.begin(), out.memory.end(), fit);
  std::vector<std::remove_const_t<std::remove_pointer_t<Y>>> y_memory(b.y.size() + 4);
  auto* y = aligned(y_memory);
  for (std::size_t i = 0; i < b.y.size(); ++i)
    y[i] = static_cast<std::remove_reference_t<decltype(*y)>>(b.y[i]);
  if constexpr (std::is_same_v<Y, const T*>) {
    if (b.in_place) y = fit;
  }
  const iso::device::detail::rows<T, Y, no_weights, T*> rows{
      y + b.in.first, {},      fit + b.out.first, b.in.by,          {},       b.out.by, b.size, b.increasing,
      b.y_min,        b.y_max, out.status.data(), out.pools.data(), &out.wide};
  if (b.size.length <= iso::short_lane_row) {
    launch<T, iso::short_lane_row>(rows, order);
  } else {
    launch<T, iso::long_lane_row>(rows, order);
  }
  std::copy(fit, fit + out.memory.size(), out.memory.begin());
  return out;
}

template <class Y, class T>
solved<T> check(const batch<T>& b, const std::string& what, std::uint64_t order) {
  const solved<T> owed = on_host(b), got = emulated<Y>(b, order);
  INFO(what << ", " << b.size.rows << " x " << b.size.length << ", strides " << b.in.by.row << " "
            << b.in.by.element << " to " << b.out.by.row << " " << b.out.by.element << ", from " << b.in.first
            << " to " << b.out.first << (b.in_place ? ", in place" : ""));
  CHECK(host_test::same(got.memory, owed.memory));
  CHECK(got.status == owed.status);
  CHECK(got.pools == owed.pools);
  return got;
}

template <class T>
void fill(batch<T>& b, std::string_view family, std::uint64_t seed) {
  b.y.assign(20000, T(777));
  for (std::int64_t r = 0; r < b.size.rows; ++r) {
    const auto row = reference::values<T>(family, static_cast<std::size_t>(b.size.length),
                                          seed + static_cast<std::uint64_t>(r));
    for (std::int64_t i = 0; i < b.size.length; ++i) {
      b.y[static_cast<std::size_t>(b.in.at(r, i))] = row[static_cast<std::size_t>(i)];
    }
  }
}

// The layouts of rows that begin so many elements into memory.
std::vector<place> places(std::int64_t rows, std::int64_t n, std::int64_t first) {
  return {{{n, 1}, first},     {{n + 3, 1}, first},    {{1, rows}, first},
          {{2 * n, 2}, first}, {{2, 2 * rows}, first}, {{-n, 1}, first + (rows - 1) * n}};
}

}  // namespace

TEMPLATE_TEST_CASE("rows of every length, one after the other, are solved by lanes exactly", "", float,
                   double) {
  std::uint64_t seed = 0;
  for (std::int64_t n = 1; n <= 128; ++n) {
    for (const std::int64_t rows : {1, 31, 32, 45}) {
      for (const std::int64_t first : {0, 1, 2}) {
        if (left_out(++seed)) continue;
        batch<TestType> b{{rows, n}, {{n, 1}, first}, {{n, 1}, 2 * first % 3}};
        b.in_place = seed % 3 == 0;
        if (b.in_place) b.out = b.in;
        b.increasing = seed % 2 == 0;
        fill(b, "noise", seed);
        check<const TestType*>(b, "noise", seed);
      }
    }
  }
}

TEMPLATE_TEST_CASE("rows that lie apart are solved by lanes exactly", "", float, double) {
  std::uint64_t seed = 0;
  for (const std::int64_t n : {1, 2, 5, 16, 32, 33, 60, 128}) {
    const std::int64_t rows = 37;
    for (const place& in : places(rows, n, 1)) {
      for (const place& out : places(rows, n, 0)) {
        if (left_out(++seed)) continue;
        batch<TestType> b{{rows, n}, in, out};
        fill(b, "noise", seed);
        check<const TestType*>(b, "apart", seed);
      }
      batch<TestType> b{{rows, n}, in, in, true};
      fill(b, "uniform", ++seed);
      check<const TestType*>(b, "apart", seed);
      b.in_place = false;
      for (auto& v : b.y) v = std::floor(v * 100);
      check<const std::int16_t*>(b, "converted", seed);
    }
  }
}

TEMPLATE_TEST_CASE("rows of every family, direction and bounds are solved by lanes exactly", "", float,
                   double) {
  std::uint64_t seed = 0, wide = 0;
  for (const std::string_view family : reference::value_families) {
    for (const std::int64_t n : {2, 5, 13, 32, 33, 47, 96, 128}) {
      if (left_out(++seed)) continue;
      batch<TestType> b{{33, n}, {{n, 1}, 0}, {{n, 1}, 0}};
      b.increasing = seed % 2 == 0;
      if (seed % 3 == 1) b.y_min = TestType(-0.5);
      if (seed % 5 == 1) b.y_max = TestType(0.75);
      fill(b, family, seed);
      wide += check<const TestType*>(b, std::string(family), seed).wide;
    }
  }
  CHECK(wide > 0);
}

TEMPLATE_TEST_CASE("rows that are packed, large, wide, infinite and bad share a warp", "", float, double) {
  reference::random_source random(5);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    if (left_out(seed)) continue;
    const auto n = static_cast<std::int64_t>(2 + random.below(seed % 2 == 0 ? 31 : 127));
    batch<TestType> b{{64, n}, {{n, 1}, 0}, {{n, 1}, 0}};
    b.increasing = seed % 2 == 0;
    if (seed % 3 == 1) b.y_max = TestType(0.75);
    fill(b, "noise", seed);
    const auto any = [&](std::int64_t r) -> TestType& {
      return b.y[static_cast<std::size_t>(r * n) + random.below(static_cast<std::uint64_t>(n))];
    };
    for (std::int64_t r = 0; r < b.size.rows; ++r) {
      const auto kind = random.below(8);
      if (kind == 0) any(r) = std::ldexp(TestType(1), sizeof(TestType) == 4 ? -40 : -90);
      if (kind == 1) any(r) = std::numeric_limits<TestType>::max();
      if (kind == 1) any(r) = std::numeric_limits<TestType>::denorm_min();
      if (kind == 2) any(r) = host_test::not_a_number<TestType>;
      if (kind >= 3 && kind <= 5)
        any(r) = kind == 3 ? -reference::infinity<TestType> : reference::infinity<TestType>;
      if (kind == 5) any(r) = std::numeric_limits<TestType>::denorm_min();
      if (kind == 6 && r % 7 == 0) any(r) = -reference::infinity<TestType>;
    }
    check<const TestType*>(b, "all kinds", seed);
  }
}
