// Rows in shared memory, solved by lanes, warps and blocks of every size, against the exact oracle.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "block/wide.hpp"
#include "catch.hpp"
#include "emulated_row.hpp"
#include "host/rows.hpp"
#include "reference/families.hpp"
#include "sanitized.hpp"

namespace {

using host_test::seeded_row;

struct tally {
  int rows = 0, wide = 0;
};

template <bool Weighted, int Lanes, int P, class T>
void check(const reference::problem<T>& p, const std::string& what, std::uint64_t order, tally& seen) {
  // Wide rows take long, and have tests of their own.
  const auto expected = block_test::wide_sums<Weighted>(p);
  if (expected.possible && p.y.size() > 100 && order % 8 != 0) return;
  bool wide = false;
  const auto got = block_test::solve_emulated<Weighted, Lanes, P>(p, order, wide);
  ++seen.rows;
  seen.wide += wide;
  CHECK((wide ? expected.possible : !expected.sure));
  const std::string fault = host_test::difference(got, reference::solve(p));
  if (!fault.empty()) FAIL_CHECK(what << ", " << Lanes << " lanes of " << P << ": " << fault);
}

template <class T, bool Weighted, int Lanes, int P>
void check_families(tally& seen) {
  constexpr std::size_t room = Lanes * P;
  std::uint64_t seed = 0;
  for (const std::string_view values : reference::value_families) {
    for (const std::string_view weights : reference::weight_families) {
      for (const std::size_t n : {std::size_t{1}, std::size_t{2}, room / 2 + 1, room - 1, room}) {
        if (n == 0 || n > room) continue;
        if (!Weighted && weights != reference::weight_families[0]) continue;
        if (left_out(++seed)) continue;
        const auto p = seeded_row<T>(values, Weighted ? weights : std::string_view(), n, seed);
        check<Weighted, Lanes, P>(p, host_test::label(values, Weighted ? weights : "", n, seed), seed, seen);
      }
    }
  }
}

// Whether the filter and rounds find the hull of a row without infinities, so that no lanes are merged.
bool is_hulled_by_rounds(const std::vector<float>& y, std::uint64_t order) {
  const auto shared = std::make_unique<iso::tile_storage<float, false, 32, 32>>();
  simt::fill(*shared, order);
  const auto memory = shared->part(0, 32);
  const int count = static_cast<int>(y.size());
  int hulled = 0;
  simt::launch(32, order, [&](const simt::thread_block& block) {
    const auto warp = simt::tiled_partition<32>(block);
    const auto found = iso::load_tile<float, false>(
        warp, memory, count, [&](int i) { return y[static_cast<std::size_t>(i)]; }, [](int) { return 1.0f; });
    const auto facts = iso::examine_tile<float, false>(warp, memory, count, found, true);
    iso::with_hull<float, false>(warp, memory, facts, true, [&](const auto&, int points) {
      if (warp.thread_rank() == 0) hulled = points;
    });
  });
  return hulled > 0;
}

}  // namespace

TEST_CASE("noise is hulled by rounds, whatever its length and the least bit of its values") {
  for (const std::size_t n : {50u, 100u, 128u, 300u, 1000u}) {
    for (int bits = 24; bits < 80; ++bits) {
      if (left_out(static_cast<std::uint64_t>(bits))) continue;
      auto y = seeded_row<float>("noise", "", n, static_cast<std::uint64_t>(bits)).y;
      y[n / 2] = std::ldexp(1.0f, -bits);
      INFO("n = " << n << ", 2^-" << bits);
      CHECK(is_hulled_by_rounds(y, static_cast<std::uint64_t>(bits)));
    }
  }
}

TEMPLATE_TEST_CASE("rows of one warp or less are solved exactly", "", float, double) {
  tally seen;
  check_families<TestType, false, 32, 32>(seen);
  check_families<TestType, false, 4, 32>(seen);
  check_families<TestType, false, 1, 32>(seen);
  check_families<TestType, false, 2, 8>(seen);
  check_families<TestType, true, 32, 16>(seen);
  check_families<TestType, true, 8, 8>(seen);
  check_families<TestType, true, 1, 16>(seen);
  INFO(seen.wide << " of " << seen.rows << " rows are wide");
  CHECK(seen.wide * 4 < seen.rows);
}

TEMPLATE_TEST_CASE("rows of a thread block are solved exactly", "", float, double) {
  tally seen;
  check_families<TestType, false, 64, 32>(seen);
  check_families<TestType, false, 128, 8>(seen);
  check_families<TestType, true, 96, 8>(seen);
  CHECK(seen.wide * 4 < seen.rows);
}
