// Rows whose sums are too wide for a thread's registers, alone and beside others that share their warp.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <iso/device/rows.hpp>

#include "block/wide.hpp"
#include "catch.hpp"
#include "emulated_row.hpp"
#include "host/rows.hpp"
#include "reference/families.hpp"
#include "sanitized.hpp"

namespace {

using block_test::wide_sums;
using block_test::wide_values;
using block_test::wide_weights;
using host_test::label;
using host_test::seeded_row;
using reference::problem;

// Rows of one length one after another, as a batch lays them out.
template <class T>
struct batch_data {
  std::vector<problem<T>> problems;
  std::vector<T> y, w, fit;
  std::vector<std::uint32_t> pools;
  std::vector<iso::row_status> status;
  std::uint64_t wide = 0, least_wide = 0, most_wide = 0;

  template <bool Weighted>
  void add(const problem<T>& p) {
    problems.push_back(p);
    y.insert(y.end(), p.y.begin(), p.y.end());
    w.insert(w.end(), p.w.begin(), p.w.end());
    fit.resize(y.size(), T(-12345));
    pools.resize(pools.size() + (p.y.size() + 31) / 32, 0xdeadbeef);
    status.push_back(static_cast<iso::row_status>(99));
    const auto expected = wide_sums<Weighted>(p);
    least_wide += expected.sure;
    most_wide += expected.possible;
  }

  template <bool Weighted>
  auto rows(std::int64_t n) {
    using namespace iso::device::detail;
    std::conditional_t<Weighted, const T*, no_weights> weights{};
    if constexpr (Weighted) weights = w.data();
    const steps by{n, 1};
    const auto count = static_cast<std::int64_t>(problems.size());
    return iso::device::detail::rows<T, const T*, decltype(weights), T*>{y.data(),
                                                                         weights,
                                                                         fit.data(),
                                                                         by,
                                                                         by,
                                                                         by,
                                                                         {count, n},
                                                                         true,
                                                                         -host_test::infinity<T>,
                                                                         host_test::infinity<T>,
                                                                         status.data(),
                                                                         pools.data(),
                                                                         &wide};
  }

  // What came back for row r.
  host_test::outcome<T> outcome(std::size_t r) const {
    const std::size_t n = problems[r].y.size(), words = (n + 31) / 32;
    const auto part = [](const auto& of, std::size_t first, std::size_t count) {
      const auto at = of.begin() + static_cast<std::ptrdiff_t>(first);
      return std::remove_cvref_t<decltype(of)>(at, at + static_cast<std::ptrdiff_t>(count));
    };
    return {{}, status[r], part(fit, r * n, n), part(pools, r * words, words)};
  }
};

template <bool Weighted, unsigned RowLanes, class T>
void check_warp(std::size_t n, std::uint64_t seed) {
  constexpr std::size_t tiles = 32 / RowLanes;
  const std::size_t count = tiles + seed % (tiles + 1);  // a full warp, and one that lacks some
  batch_data<T> data;
  for (std::size_t r = 0; r < count; ++r) {
    const auto values = (r + seed) % 3 == 0 ? "noise" : wide_values[(r + seed) % wide_values.size()];
    const auto weights = (r + seed) % 5 == 0 ? "uniform" : wide_weights[(r + seed) % wide_weights.size()];
    problem<T> p = seeded_row<T>(values, Weighted ? weights : "", n, seed + r);
    p.increasing = true;
    p.y_min = -host_test::infinity<T>;
    p.y_max = host_test::infinity<T>;
    data.template add<Weighted>(p);
  }
  const auto rows = data.template rows<Weighted>(static_cast<std::int64_t>(n));
  const auto shared = std::make_unique<iso::tile_storage<T, Weighted, 32, 32>>();
  for (std::size_t first = 0; first < count; first += tiles) {
    simt::fill(*shared, seed + first);
    simt::launch(32, seed, [&](const simt::thread_block& block) {
      const auto r = static_cast<std::int64_t>(first + block.thread_rank() / RowLanes);
      iso::solve_short_row(simt::tiled_partition<RowLanes>(block), simt::tiled_partition<32>(block), *shared,
                           rows, r);
    });
  }
  for (std::size_t r = 0; r < count; ++r) {
    const std::string fault = host_test::difference(data.outcome(r), reference::solve(data.problems[r]));
    if (!fault.empty()) FAIL_CHECK("row " << r << " of " << count << ", n = " << n << ": " << fault);
  }
  CHECK(data.wide >= data.least_wide);
  CHECK(data.wide <= data.most_wide);
  if (!Weighted) CHECK(data.least_wide == data.most_wide);
}

template <class T, bool Weighted>
void check_warps() {
  for (std::uint64_t seed = sanitized ? 4 : 0; seed < 6; ++seed) {
    check_warp<Weighted, 1, T>(32 - seed % 3, seed);
    check_warp<Weighted, 2, T>(64 - seed % 3, seed);
    check_warp<Weighted, 4, T>(80 + seed, seed);
    check_warp<Weighted, 16, T>(300 + seed, seed);
  }
  check_warp<Weighted, 32, T>(1024, 5);
}

template <bool Weighted, int Lanes, class T>
void check_alone(const problem<T>& p, const std::string& what, std::uint64_t order) {
  bool wide = false;
  const auto got = block_test::solve_emulated<Weighted, Lanes, 32>(p, order, wide);
  const std::string fault = host_test::difference(got, reference::solve(p));
  if (!fault.empty()) FAIL_CHECK(what << ": " << fault);
  const auto expected = wide_sums<Weighted>(p);
  CHECK((wide ? expected.possible : !expected.sure));
}

}  // namespace

TEMPLATE_TEST_CASE("wide rows are solved exactly in every order of the lanes", "", float, double) {
  std::uint64_t seed = 0;
  for (const std::string_view values : wide_values) {
    for (const std::size_t n : {1u, 2u, 3u, 31u, 33u, 200u}) {
      for (int repeat = 0; repeat < 4; ++repeat) {
        if (left_out(++seed)) continue;
        check_alone<false, 8>(seeded_row<TestType>(values, "", n, seed), label(values, "", n, seed), seed);
        const std::string_view weights = wide_weights[seed % wide_weights.size()];
        check_alone<true, 8>(seeded_row<TestType>(values, weights, n, seed), label(values, weights, n, seed),
                             seed);
      }
    }
    ++seed;
    check_alone<true, 32>(seeded_row<TestType>(values, "exponents", 1024, seed),
                          label(values, "exponents", 1024, seed), seed);
  }
}

TEMPLATE_TEST_CASE("rows that share a warp are solved exactly where some are wide, and those are counted", "",
                   float, double) {
  check_warps<TestType, false>();
  check_warps<TestType, true>();
}

// Data on which walks are long: an increasing run and then a drop, a falling row, and one that falls to every
// second element.
TEMPLATE_TEST_CASE("wide rows of many pools at a boundary are solved exactly", "", float, double) {
  using limits = std::numeric_limits<TestType>;
  for (const int shape : {0, 1, 2}) {
    std::vector<TestType> y;
    for (int i = 0; i < 1000; ++i) y.push_back(static_cast<TestType>(shape == 1 ? -i : i % 2 * shape + i));
    y[0] = limits::denorm_min();
    y[999] = shape == 0 ? -limits::max() : limits::max();
    const auto p = reference::row(y);
    check_alone<false, 32>(p, "shape " + std::to_string(shape), 3);
  }
}
