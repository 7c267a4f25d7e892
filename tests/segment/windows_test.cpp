// Merges of long hulls from windows: a window's bridge is that of the hulls or is refused, records are those
// that the search writes, and most merges of noise with a trend need no search.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <iso/segment/window.cuh>

#include "both_ways.hpp"
#include "catch.hpp"
#include "random_chains.hpp"
#include "reference/families.hpp"
#include "sanitized.hpp"
#include "simt/simt.hpp"

namespace {

using segment_test::add_infinities, segment_test::steps, segment_test::tally, segment_test::trend;
using segment_test::chain_from, segment_test::random_edges;
using sums = segment_test::chain_sums;
using vertex = segment_test::chain_vertex;
using warp_type = simt::tile<32>;

// The ends of the bridge of two chains that share a point, by the monotone chain over both; of a chain that
// is convex there, of the edge that ends in it.
iso::bridge_positions bridge_of_chains(const std::vector<vertex>& l, const std::vector<vertex>& r) {
  const int shared = static_cast<int>(l.size()) - 1;
  std::vector<vertex> all = l;
  all.insert(all.end(), r.begin() + 1, r.end());
  const auto at = [&](int i) -> const vertex& { return all[static_cast<std::size_t>(i)]; };
  std::vector<int> hull;
  for (int k = 0; k < static_cast<int>(all.size()); ++k) {
    while (hull.size() > 1) {
      const auto before = iso::between(at(hull[hull.size() - 2]), at(hull.back()));
      if (!iso::mean_not_less(before, iso::between(at(hull.back()), at(k)))) break;
      hull.pop_back();
    }
    hull.push_back(k);
  }
  const auto end = std::lower_bound(hull.begin(), hull.end(), shared);
  return {*(end - 1), *end - shared, true};
}

// Windows of `l_kept` and `r_kept` vertices.
template <bool Weighted>
iso::bridge_positions bridge_of_windows(const std::vector<vertex>& l, int l_kept,
                                        const std::vector<vertex>& r, int r_kept, std::uint64_t order) {
  iso::bridge_positions found{};
  const auto vertex_at = [](const std::vector<vertex>& of, int i) {
    return of[static_cast<std::size_t>((std::min)(i, static_cast<int>(of.size()) - 1))];
  };
  const int l_size = static_cast<int>(l.size()), r_size = static_cast<int>(r.size());
  simt::launch(32, order, [&](const simt::thread_block& block) {
    const auto warp = simt::tiled_partition<32>(block);
    const int lane = static_cast<int>(warp.thread_rank());
    iso::hull_window<sums> left{{l_kept, vertex_at(l, l_size - l_kept + lane)}, l_kept == l_size};
    iso::hull_window<sums> right{{r_kept, vertex_at(r, lane)}, r_kept == r_size};
    const auto bridge = iso::window_bridge<Weighted>(warp, left, right, 0);
    if (lane == static_cast<int>(order % 32)) found = bridge;
  });
  return found;
}

template <bool Weighted, class T>
void check_row(const reference::problem<T>& p, const std::string& what, std::uint64_t order, tally& seen) {
  segment_test::check_merges<Weighted>(p, what, order, seen, [](const auto& reader, std::int64_t c) {
    return iso::merge_windows(reader, c, iso::spines_of(reader, c));
  });
}

}  // namespace

TEST_CASE("the bridge of two windows is that of the hulls, or is refused") {
  int accepted = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= (sanitized ? 60 : 2000); ++seed) {
    std::mt19937_64 g(seed);
    std::vector<segment_test::edge> seen;
    const int bits = seed % 3 == 0 ? 4 : seed % 3 == 1 ? 50 : 110;
    const auto l_edges = random_edges(g, 1 + static_cast<int>(g() % (bits == 4 ? 30 : 80)), bits, seen);
    const auto r_edges = random_edges(g, 1 + static_cast<int>(g() % (bits == 4 ? 30 : 80)), bits, seen);
    const auto l = chain_from({0, sums::zero()}, l_edges), r = chain_from(l.back(), r_edges);
    const auto kept = [&](const std::vector<vertex>& of) {
      return 2 + static_cast<int>(g() % ((std::min)(of.size(), std::size_t{32}) - 1));
    };
    const int l_kept = kept(l), r_kept = kept(r), l_cut = static_cast<int>(l.size()) - l_kept;
    const bool l_whole = l_cut == 0, r_whole = r_kept == static_cast<int>(r.size());
    const auto owed = bridge_of_chains(l, r);
    const bool inside = owed.b == 0 || ((l_whole || owed.a > l_cut) && (r_whole || owed.b < r_kept - 1));
    for (const auto& got : {bridge_of_windows<false>(l, l_kept, r, r_kept, seed),
                            bridge_of_windows<true>(l, l_kept, r, r_kept, seed)}) {
      CHECK(got.certain == inside);
      CHECK((!got.certain || (got.a + l_cut == owed.a && got.b == owed.b)));
      (got.certain ? accepted : refused) += 1;
    }
  }
  CHECK((accepted > 100 && refused > 100) == !sanitized);
}

TEMPLATE_TEST_CASE("windows find most bridges of noise with a trend, and the records of the search", "",
                   float, double) {
  for (const double rise : {0.0, 0.125, 0.5, 1.0, 2.0, 4.0, 16.0}) {
    tally seen;
    for (std::uint64_t chunks = 2; chunks <= 40; chunks += 1 + chunks / 8) {
      if (left_out(chunks)) continue;
      const std::size_t n = 1024 * chunks - (chunks * 331) % 1024;
      auto p = reference::row(trend<TestType>(n, rise, chunks));
      const std::string what = "rise " + std::to_string(rise) + ", n = " + std::to_string(n);
      check_row<false>(p, what, chunks, seen);
      p.weighted = true;
      for (const char* weights : {"uniform", "zero runs", "zero chunks"}) {
        if (chunks % 3 != 0) continue;
        p.w = reference::weights<TestType>(weights, n, chunks);
        tally others;
        check_row<true>(p, what + ", weights " + weights, chunks, others);
      }
    }
    INFO("rise " << rise << ": " << seen.accepted << " accepted, " << seen.listed << " short, "
                 << seen.refused << " refused, " << seen.without << " without lists");
    CHECK(seen.refused * 10 <= seen.accepted + seen.listed);
  }
}

TEMPLATE_TEST_CASE("bridges that go beyond the windows are refused", "", float, double) {
  tally seen;
  for (std::uint64_t seed = 1; seed <= 14; ++seed) {
    if (left_out(seed)) continue;
    const std::size_t n = 1024 * (4 + seed);
    auto y = trend<TestType>(n, 1, seed);
    // A drop that pools several chunks on either side.
    for (std::size_t i = n / 2; i < n; ++i) y[i] -= TestType(seed);
    check_row<false>(reference::row(y), "seed " + std::to_string(seed), seed, seen);
  }
  CHECK((seen.refused > 10 || sanitized));
  CHECK(seen.accepted > 0);
}

TEST_CASE("of bridges that reach equally near the topmost cuts a window") {
  for (const bool left : {true, false}) {
    for (const bool usual : {true, false}) {
      iso::spine_facts found{};
      simt::launch(32, 1, [&](const simt::thread_block& block) {
        const auto warp = simt::tiled_partition<32>(block);
        const int lane = static_cast<int>(warp.thread_rank());
        // The two lowest of five nodes are listed; those above reach up to 100, 40 and 40 elements.
        iso::spine_node own{lane < 5, lane < 5 && (usual || lane != 3), lane < 2 ? 7 + lane : 0, 0};
        if (own.exists) own.distance = lane < 2 ? 5 : lane == 2 ? 100 : 40;
        const auto facts = iso::facts_of_spine(warp, own, 64, left, 3);
        if (lane == 7) found = facts;
      });
      CHECK(found.count == (usual ? 8 : 0));
      CHECK(found.listed.at == (left ? 62 : 66));
      CHECK((!found.listed.leaf && !found.whole && found.distance == 40));
      CHECK(found.cut_by == (left ? 48 : 80));
      CHECK(found.child == (left ? 48 : 80));
    }
  }
}

TEMPLATE_TEST_CASE("windows of rows with ties and infinities give the records of the search", "", float,
                   double) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    if (left_out(seed)) continue;
    tally seen;
    const std::size_t n = 2000 + (seed * 7919) % 38000;
    auto p = reference::row(seed % 2 ? steps<TestType>(n, seed)
                                     : trend<TestType>(n, static_cast<double>(seed % 8), seed));
    if (seed % 4 < 2) add_infinities(p.y, seed);
    const std::string what = "seed " + std::to_string(seed) + ", n = " + std::to_string(n);
    check_row<false>(p, what, seed, seen);
    if (seed % 3 != 0) continue;
    p.weighted = true;
    p.w = reference::weights<TestType>(seed % 2 ? "zero runs" : "leading zeros", n, seed);
    check_row<true>(p, what + ", weighted", seed, seen);
  }
}
