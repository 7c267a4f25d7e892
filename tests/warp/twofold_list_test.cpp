// Rows of weighted doubles in numbers of twice the digits: what is certain of them is exact, and usual rows
// are certain.
#include <iso/warp/twofold_list.cuh>

#include <algorithm>
#include <cmath>
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
#include "reference/families.hpp"
#include "sanitized.hpp"
#include "simt/simt.hpp"

namespace {

using row = reference::problem<double>;

struct tally {
  int rows = 0, certain = 0;
};

// Finds the pools of a row of at most Lanes * P elements, without bounds, and says what is wrong with them.
template <int Lanes, int P>
std::string fault(row p, std::uint64_t order, tally& seen) {
  p.y_min = -reference::infinity<double>;
  p.y_max = reference::infinity<double>;
  const auto owed = host_test::run(p);
  const int count = static_cast<int>(p.y.size());
  if (owed.status != iso::row_status::ok) return {};
  const auto shared = std::make_unique<iso::tile_storage<double, true, Lanes, P>>();
  simt::fill(*shared, order);
  const auto memory = shared->part(0, Lanes);
  const auto starts = [&](int i) {
    const auto k = static_cast<std::size_t>(i);
    return (owed.pools[k / 32] >> i % 32 & 1u) != 0;
  };
  std::vector<std::uint32_t> thinned(Lanes);
  int pools = 0;
  bool usual = true, certain = false;
  simt::launch(32, order, [&](const simt::thread_block& block) {
    const auto tile = simt::tiled_partition<Lanes>(block);
    if (block.thread_rank() >= Lanes) return;
    const int lane = static_cast<int>(tile.thread_rank());
    const auto at = [](const std::vector<double>& of, int i) { return of[static_cast<std::size_t>(i)]; };
    const auto found = iso::load_tile<double, true>(
        tile, memory, count, [&](int i) { return p.increasing ? at(p.y, i) : -at(p.y, i); },
        [&](int i) { return at(p.w, i); });
    const auto facts = iso::examine_tile<double, true>(tile, memory, count, found, true);
    const bool is_usual = facts.status == iso::row_status::ok && facts.low == 0 && facts.high == count;
    if (lane == 0) usual = is_usual;
    if (!is_usual) return;
    iso::filter_tile<double, true>(tile, memory, facts);
    tile.sync();
    const auto v = iso::marks_of<double, true>(memory, facts);
    const auto list = iso::twofold_list_of<double, true>(memory, facts);
    iso::thin_certainly(tile, v, lane, list);
    tile.sync();
    thinned[static_cast<std::size_t>(lane)] = v.mask[lane];
    // The means of the pools that are owed.
    v.mask[lane] = 0;
    for (int k = 0; k < P && lane * P + k < count; ++k) {
      v.mask[lane] |= static_cast<std::uint32_t>(starts(lane * P + k)) << k;
    }
    tile.sync();
    const int points = iso::list_points(tile, v, lane, v.mask[lane], list);
    const bool told = points > 0 && iso::list_means<double>(tile, v, list, points) != nullptr;
    if (lane != 0) return;
    certain = told;
    pools = points - 1;
  });
  if (!usual) return {};
  ++seen.rows;
  const auto* const means = reinterpret_cast<const double*>(memory.list);
  bool weight = false, hull = true;
  for (int i = 0, pool = -1; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool kept = (thinned[k / P] >> i % P & 1u) != 0;
    const std::string place = " at element " + std::to_string(i);
    // Leading elements without weight do not start a pool as yet.
    if (starts(i) && !kept && (weight || p.w[k] > 0)) return "a lost vertex" + place;
    weight = weight || p.w[k] > 0;
    hull = hull && kept == starts(i);
    if (!certain || !starts(i)) continue;
    if (++pool >= pools) return "a pool too many" + place;
    const double mean = p.increasing ? means[pool + 1] : -means[pool + 1];
    if (!host_test::same(mean == 0 ? 0.0 : mean, owed.fit[k])) return "a wrong mean" + place;
  }
  seen.certain += certain && hull;
  return {};
}

template <int Lanes, int P>
void check(const row& p, const std::string& what, std::uint64_t order, tally& seen) {
  const std::string found = fault<Lanes, P>(p, order, seen);
  if (!found.empty()) FAIL_CHECK(what << ", " << Lanes << " lanes of " << P << ": " << found);
}

template <int Lanes, int P>
void check_families(tally& seen) {
  std::uint64_t seed = 0;
  for (const std::string_view values : reference::value_families) {
    for (const std::string_view weights : reference::weight_families) {
      for (const int n : {1, 2, Lanes * P / 2 + 1, Lanes * P}) {
        if (left_out(++seed)) continue;
        const auto p = host_test::seeded_row<double>(values, weights, static_cast<std::size_t>(n), seed);
        check<Lanes, P>(p, host_test::label(values, weights, static_cast<std::size_t>(n), seed), seed, seen);
      }
    }
  }
}

// Two pools, each of decreasing values, of the same values and weights but for an ulp or two of one of them,
// behind a value that is large beside them.
row near_tie(std::uint64_t seed) {
  reference::random_source random(seed);
  const auto half = 2 + static_cast<std::size_t>(random.below(200));
  row p;
  p.weighted = true;
  p.y.push_back(-std::ldexp(1.0, static_cast<int>(random.below(90)) - 10));
  p.w.push_back(std::ldexp(1.0, static_cast<int>(random.below(60)) - 30));
  std::vector<double> y(half), w(half);
  for (double& of : y) of = random.uniform() + (seed % 2 == 0 ? 1e3 : 0);
  for (double& of : w) of = 0.1 + random.uniform();
  std::sort(y.rbegin(), y.rend());
  for (int pool = 0; pool < 2; ++pool) {
    p.y.insert(p.y.end(), y.begin(), y.end());
    p.w.insert(p.w.end(), w.begin(), w.end());
  }
  double& changed = p.y[1 + half + static_cast<std::size_t>(random.below(half))];
  for (auto steps = random.below(3); steps > 0; --steps) {
    changed = std::nextafter(changed, seed % 3 == 0 ? 1e9 : -1e9);
  }
  return p;
}

}  // namespace

TEST_CASE("what is certain in numbers of twice the digits is exact") {
  tally seen;
  check_families<32, 32>(seen);
  check_families<8, 16>(seen);
  check_families<2, 8>(seen);
  CHECK(seen.rows > (sanitized ? 80 : 2000));
  CHECK(seen.certain * 4 > seen.rows);
}

TEST_CASE("usual rows of weighted doubles are certain") {
  for (const std::string_view values : {"noise", "uniform", "offset 1e6"}) {
    for (const std::string_view weights : {"uniform", "exponential", "zeros", "trailing zeros"}) {
      tally seen;
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        if (left_out(seed)) continue;
        const auto n = 1000 + static_cast<std::size_t>(seed);
        check<32, 32>(host_test::seeded_row<double>(values, weights, n, seed), std::string(values), seed,
                      seen);
      }
      INFO(values << " with weights: " << weights);
      CHECK(seen.certain == seen.rows);
    }
  }
}

TEST_CASE("pools of nearly the same mean are told apart exactly, or left to integers") {
  tally seen;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    if (left_out(seed)) continue;
    check<32, 32>(near_tie(seed), "near tie " + std::to_string(seed), seed, seen);
  }
  CHECK(seen.rows > 0);
  CHECK(seen.certain < seen.rows);
}
