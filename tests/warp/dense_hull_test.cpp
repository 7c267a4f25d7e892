// Hulls of tiles that keep many points: lanes thinned by a chain of their own, and merged at all boundaries
// at once, or by levels.
#include <iso/warp/warp_hull.cuh>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <iso/block/row_tile.cuh>

#include "catch.hpp"
#include "host/check.hpp"
#include "reference/families.hpp"
#include "reference/problem.hpp"
#include "reference/random.hpp"
#include "sanitized.hpp"
#include "simt/simt.hpp"

namespace {

// How many tiles were merged at once, and how many by levels, since a pool needs more than two lanes; and of
// rows as a whole, how many were hulled by lists, were told by their values, or were merged, which of these
// had a list, and rounds in vain.
struct tally {
  int at_once = 0, by_levels = 0;
  int listed = 0, rising = 0, merged = 0, in_vain = 0;
};

using masks = std::vector<std::uint32_t>;

// The starts of pools of a row of finite values, as the masks of lanes of P elements.
template <int P, class T>
masks owed_masks(const reference::problem<T>& p, int lanes) {
  masks mask(static_cast<std::size_t>(lanes));
  const auto owed = host_test::run(p);
  if (owed.status != iso::row_status::ok) return mask;  // no weight: no pools
  for (std::size_t i = 0; i < p.y.size(); ++i) mask[i / P] |= (owed.pools[i / 32] >> i % 32 & 1u) << i % P;
  return mask;
}

// The same before elements without weight at the beginning are made part of the first pool.
template <int P, class T>
masks unextended(const reference::problem<T>& p, masks mask) {
  if (!p.weighted || p.w[0] > 0) return mask;
  std::size_t first = 0;
  while (first < p.w.size() && !(p.w[first] > 0)) ++first;
  mask[0] &= ~1u;
  if (first < p.w.size()) mask[first / P] |= 1u << first % P;
  return mask;
}

// The elements of one lane as a row.
template <int P, class T>
reference::problem<T> row_of_lane(const reference::problem<T>& p, int lane) {
  const auto begin = static_cast<std::size_t>(lane * P), count = p.y.size();
  const auto part = [&](const std::vector<T>& of) {
    return std::vector<T>(of.begin() + static_cast<std::ptrdiff_t>(std::min(begin, of.size())),
                          of.begin() + static_cast<std::ptrdiff_t>(std::min(begin + P, of.size())));
  };
  return begin < count && p.weighted ? reference::row(part(p.y), part(p.w)) : reference::row(part(p.y));
}

template <class View>
std::uint32_t points_of_weight(const View& v, int lane) {
  std::uint32_t points = 0;
  for (int i = v.begin(lane); i < v.end(lane); ++i) {
    points |= static_cast<std::uint32_t>(v.e.counts(i)) << i % View::lane_elements;
  }
  return points;
}

// A tile of Lanes lanes of one warp.
template <class T, bool Weighted, int Lanes, int P>
struct emulated_tile {
  using storage = iso::tile_storage<T, Weighted, Lanes, P>;

  const reference::problem<T>& p;
  std::uint64_t order;
  std::unique_ptr<storage> shared = std::make_unique<storage>();

  int count() const { return static_cast<int>(p.y.size()); }
  masks found() const { return masks(shared->mask, shared->mask + Lanes); }

  // Calls f(tile, memory, facts) by every lane of a tile that is loaded with the row; returns the masks.
  template <class F>
  masks after(const F& f) const {
    simt::fill(*shared, order);
    const auto memory = shared->part(0, Lanes);
    simt::launch(32, order, [&](const simt::thread_block& block) {
      const auto tile = simt::tiled_partition<Lanes>(block);
      if (block.thread_rank() >= Lanes) return;
      const auto at = [](const std::vector<T>& of, int i) { return of[static_cast<std::size_t>(i)]; };
      const auto look = iso::load_tile<T, Weighted>(
          tile, memory, count(), [&](int i) { return at(p.y, i); }, [&](int i) { return at(p.w, i); });
      f(tile, memory, iso::examine_tile<T, Weighted>(tile, memory, count(), look, true));
    });
    return found();
  }

  // The same for f(tile, view, list), after the lanes have been thinned, of all their points or of those that
  // the filter keeps.
  template <class F>
  masks after_lanes(bool filtered, const F& f) const {
    return after([&](const auto& tile, const auto& memory, const iso::tile_facts& facts) {
      const int lane = static_cast<int>(tile.thread_rank());
      bool rising = false;
      if (filtered) rising = iso::filter_tile<T, Weighted>(tile, memory, facts);
      iso::with_view<T, Weighted>(memory, facts, [&](const auto& v) {
        using sums = typename std::remove_cvref_t<decltype(v)>::sums;
        const auto list = iso::list_of<sums>(memory, 0);
        using list_type = std::remove_const_t<decltype(list)>;
        if (!filtered) v.mask[lane] = points_of_weight(v, lane);
        v.total[lane] = v.lane_sum(lane);
        tile.sync();
        const iso::lane_order by_value = iso::order_of_lane(v, lane);
        if (rising) {
          v.mask[lane] = iso::starts_of_rising(v, lane, by_value);
        } else {
          iso::thin_lane(
              v, lane, by_value,
              iso::sums_ring<typename list_type::entry>::of(list.at + lane, Lanes, list.capacity / Lanes));
        }
        tile.sync();
        if (!rising) f(tile, v, list);
      });
    });
  }
};

// What is wrong with the hulls of a row that fits the tile, step by step; empty if nothing is.
template <bool Weighted, int Lanes, int P, class T>
std::string fault(const reference::problem<T>& p, std::uint64_t order, tally& seen) {
  const emulated_tile<T, Weighted, Lanes, P> tile{p, order};
  const auto owed = owed_masks<P>(p, Lanes), hull = unextended<P>(p, owed);

  const auto thinned = tile.after_lanes(false, [](const auto&...) {});
  for (int lane = 0; lane < Lanes; ++lane) {
    const auto own = row_of_lane<P>(p, lane);
    if (own.y.empty()) continue;
    if (thinned[static_cast<std::size_t>(lane)] != unextended<P>(own, owed_masks<P>(own, 1))[0])
      return "lane " + std::to_string(lane);
  }
  const bool filtered = order % 2 == 0;
  bool at_once = true;  // or told by the values
  masks before;
  const auto neighbours = tile.after_lanes(filtered, [&](const auto& group, const auto& v, const auto&) {
    if (group.thread_rank() == 0) before = tile.found();
    group.sync();
    const bool done = iso::merge_neighbours(group, v, 0);
    if (group.thread_rank() != 0) return;
    at_once = done;
    ++(done ? seen.at_once : seen.by_levels);
  });
  if (neighbours != (at_once ? hull : before)) return "all boundaries at once";
  const auto merged = tile.after_lanes(
      filtered, [](const auto& group, const auto& v, const auto&) { iso::merge_warp(group, v, 0); });
  if (merged != hull) return "merges";

  tile.after_lanes(true, [&](const auto& group, const auto& v, const auto& list) {
    const int lane = static_cast<int>(group.thread_rank());
    const int points = iso::list_points(group, v, lane, v.mask[lane], list);
    const bool in_vain = points > 0 && iso::convex_rounds(group, v, lane, list, points) == 0;
    if (lane == 0) seen.in_vain += in_vain;
  });
  const auto whole = tile.after([&](const auto& group, const auto& memory, const iso::tile_facts& facts) {
    const bool rising = iso::filter_tile<T, Weighted>(group, memory, facts);
    iso::with_hull<T, Weighted>(group, memory, facts, true, [&](const auto&, int points) {
      if (group.thread_rank() != 0) return;
      seen.rising += rising;
      seen.listed += !rising && points > 0;
      seen.merged += !rising && points == 0;
    });
  });
  return whole == owed ? "" : "the whole";
}

// Rows of noise on a line, with ties, or with a drop; and of steps between ends so far off that the filter
// cannot tell them from a line, with a drop that takes rounds a step or two at a time.
template <class T>
std::vector<T> dense(std::string_view family, double slope, std::size_t n, std::uint64_t seed) {
  reference::random_source random(seed);
  const std::size_t drop = random.below(n);
  std::vector<T> y(n);
  for (std::size_t i = 0; i < n; ++i) {
    double v = slope * static_cast<double>(i) + random.normal();
    if (family == "ties") v = std::floor(v);
    if (family == "drop" && i >= drop) v -= slope * static_cast<double>(1 + seed % 90);
    if (family == "teeth") v -= slope * 0.9 * static_cast<double>(i / 50 * 50);
    if (family == "fine steps") {
      v = static_cast<double>(1024 + i / (6 + seed % 5)) -
          (i == drop ? static_cast<double>(seed % 50 * 150) : 0);
      if (i == 0 || i + 1 == n) v = std::copysign(sizeof(T) == 4 ? 0x1p26 : 0x1p56, i == 0 ? -1 : 1);
    }
    y[i] = static_cast<T>(v);
  }
  return y;
}

template <class T, bool Weighted, int Lanes, int P>
void check_slopes(std::uint64_t seeds, tally& seen) {
  std::uint64_t seed = 0;
  for (const std::string_view family : {"line", "ties", "drop", "teeth", "fine steps"}) {
    for (const double slope : {10.0, 3.0, 1.0, 0.5, 0.2, 0.1, 0.03}) {
      for (std::uint64_t k = 0; k < seeds; ++k) {
        if (left_out(++seed)) continue;
        const std::size_t room = Lanes * P, n = k % 2 == 0 ? room : 1 + seed * 7919 % room;
        auto p = reference::row(dense<T>(family, slope, n, seed));
        const std::string_view weights[] = {"uniform", "zeros", "counts", "zero runs", "leading zeros"};
        if (Weighted) p = reference::row(p.y, reference::weights<T>(weights[seed % 5], n, seed));
        if (host_test::run(p).status != iso::row_status::ok) continue;
        const std::string found = fault<Weighted, Lanes, P>(p, seed, seen);
        if (!found.empty())
          FAIL_CHECK(found << ": " << family << " of slope " << slope << (Weighted ? ", weighted" : "")
                           << ", n = " << n << ", seed " << seed << ", " << Lanes << " lanes of " << P);
      }
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("lanes of dense tiles are merged into the hull at once, or by levels", "", float, double) {
  tally seen;
  check_slopes<TestType, false, 32, 32>(8, seen);
  check_slopes<TestType, false, 32, 16>(4, seen);
  check_slopes<TestType, false, 8, 8>(8, seen);
  check_slopes<TestType, true, 32, 32>(5, seen);
  check_slopes<TestType, true, 32, 8>(5, seen);
  check_slopes<TestType, true, 8, 16>(5, seen);
  INFO(seen.at_once << " at once, " << seen.by_levels << " by levels; " << seen.listed << " listed, "
                    << seen.rising << " rising, " << seen.merged << " merged, of these " << seen.in_vain
                    << " after rounds in vain");
  CHECK((sanitized || (seen.at_once > 100 && seen.by_levels > 100)));
  CHECK((sanitized || (seen.listed > 100 && seen.rising > 0 && seen.merged > 100 && seen.in_vain > 10)));
}
