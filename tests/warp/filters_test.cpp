// The filter in floating point drops no vertex, and on noise little else stays.
#include <iso/warp/filters.cuh>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <iso/block/row_tile.cuh>

#include "catch.hpp"
#include "host/check.hpp"
#include "host/rows.hpp"
#include "sanitized.hpp"
#include "simt/simt.hpp"

namespace {

// The points that the filter keeps of a row without infinities, one bit an element, and how many.
struct kept_points {
  std::vector<std::uint32_t> mask;
  int count = 0;
};

template <bool Weighted, int Lanes, int P, class T>
kept_points filter(const reference::problem<T>& p, std::uint64_t order) {
  using storage = iso::tile_storage<T, Weighted, Lanes, P>;
  const auto shared = std::make_unique<storage>();
  simt::fill(*shared, order);
  const auto memory = shared->part(0, Lanes);
  const int count = static_cast<int>(p.y.size());
  kept_points kept{std::vector<std::uint32_t>((p.y.size() + 31) / 32), 0};
  simt::launch(32, order, [&](const simt::thread_block& block) {
    const auto tile = simt::tiled_partition<Lanes>(block);
    if (block.thread_rank() >= Lanes) return;
    const auto at = [&](const std::vector<T>& of, int i) { return of[static_cast<std::size_t>(i)]; };
    const auto found = iso::load_tile<T, Weighted>(
        tile, memory, count, [&](int i) { return p.increasing ? at(p.y, i) : -at(p.y, i); },
        [&](int i) { return at(p.w, i); });
    iso::filter_tile<T, Weighted>(tile, memory,
                                  iso::examine_tile<T, Weighted>(tile, memory, count, found, true));
  });
  for (int i = 0; i < count; ++i) {
    if ((shared->mask[i / P] >> i % P & 1u) == 0) continue;
    kept.mask[static_cast<std::size_t>(i / 32)] |= 1u << i % 32;
    ++kept.count;
  }
  return kept;
}

// Whether all pools of the fit start at points that are kept. Leading elements without weight go with the
// first pool, which the filter does not know yet.
template <class T>
bool keeps_all(const reference::problem<T>& p, const kept_points& kept) {
  const auto solved = host_test::run(p);
  bool weight = !p.weighted, all = true;
  std::size_t first = 0;
  while (!weight && first < p.w.size()) {
    if (p.w[first] > T(0)) break;
    ++first;
  }
  for (std::size_t i = 0; i < p.y.size(); ++i) {
    const std::size_t point = i < first ? first : i;
    if ((solved.pools[i / 32] >> i % 32 & 1u) != 0)
      all = all && (kept.mask[point / 32] >> point % 32 & 1u) != 0;
  }
  return all;
}

template <class T, bool Weighted, int Lanes, int P>
void check_families(int& rows) {
  std::uint64_t seed = 0;
  for (const std::string_view values : reference::value_families) {
    for (const std::string_view weights : reference::weight_families) {
      if (!Weighted && weights != reference::weight_families[0]) continue;
      for (const std::size_t n : {std::size_t{1}, std::size_t{Lanes * P / 2 + 1},
                                  std::size_t{Lanes * P - P / 2}, std::size_t{Lanes * P}}) {
        if (left_out(++seed)) continue;
        const auto p = host_test::seeded_row<T>(values, Weighted ? weights : std::string_view(), n, seed);
        if (host_test::run(p).status != iso::row_status::ok) continue;
        ++rows;
        INFO(host_test::label(values, Weighted ? weights : "", n, seed)
             << ", " << Lanes << " lanes of " << P);
        CHECK(keeps_all(p, filter<Weighted, Lanes, P>(p, seed)));
      }
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("the filter drops no vertex", "", float, double) {
  int rows = 0;
  check_families<TestType, false, 32, 32>(rows);
  check_families<TestType, false, 4, 32>(rows);
  check_families<TestType, false, 16, 8>(rows);
  check_families<TestType, true, 32, 32>(rows);
  check_families<TestType, true, 8, 16>(rows);
  CHECK(rows > (sanitized ? 80 : 800));
}

// A point barely below a chord is a vertex: values of a pool of many equal steps, one of them an ulp less.
TEMPLATE_TEST_CASE("the filter keeps vertices an ulp below a chord", "", float, double) {
  using limits = std::numeric_limits<TestType>;
  reference::random_source random(3);
  for (int repeat = 0; repeat < 300; ++repeat) {
    if (left_out(static_cast<std::uint64_t>(repeat))) continue;
    std::vector<TestType> y(1024, TestType(1));
    for (int k = 0; k < 1 + repeat % 5; ++k) {
      const std::size_t at = random.below(1023);
      y[at] = TestType(1) - limits::epsilon();
      y[at + 1] = TestType(1) + limits::epsilon();
    }
    const auto p = reference::row(y);
    CHECK(keeps_all(p, filter<false, 32, 32>(p, static_cast<std::uint64_t>(repeat))));
  }
}

// Noise on a slow ramp, with weights about 1.
TEMPLATE_TEST_CASE("of noise the filter keeps a few points", "", float, double) {
  reference::random_source random(4);
  int kept = 0, kept_weighted = 0, rows = 0;
  for (int repeat = 0; repeat < 20; ++repeat, ++rows) {
    std::vector<TestType> y(1024), w(1024);
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = static_cast<TestType>(random.normal() + 1e-3 * static_cast<double>(i));
      w[i] = static_cast<TestType>(0.1 + random.uniform());
    }
    kept += filter<false, 32, 32>(reference::row(y), static_cast<std::uint64_t>(repeat)).count;
    kept_weighted += filter<true, 32, 32>(reference::row(y, w), static_cast<std::uint64_t>(repeat)).count;
  }
  CHECK(kept < 64 * rows);
  CHECK(kept_weighted < 64 * rows);
}

// Two runs that increase, with a drop between them: what is under their common chord goes, wherever the drop
// is.
TEMPLATE_TEST_CASE("of increasing runs the filter keeps little but vertices", "", float, double) {
  for (int drop = 31; drop < 1024; drop += 32) {
    if (left_out(static_cast<std::uint64_t>(drop))) continue;
    std::vector<TestType> y(1024);
    for (int i = 0; i < 1024; ++i) {
      y[static_cast<std::size_t>(i)] = static_cast<TestType>(i < drop ? i : i - 1000);
    }
    const auto p = reference::row(y);
    int vertices = 0;
    for (const std::uint32_t word : host_test::run(p).pools) vertices += std::popcount(word);
    INFO("a drop before element " << drop << ", " << vertices << " vertices");
    CHECK(filter<false, 32, 32>(p, static_cast<std::uint64_t>(drop)).count <= vertices + 64);
  }
}
