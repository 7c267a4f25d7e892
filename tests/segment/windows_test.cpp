// Merges of long hulls from windows: a window's bridge is that of the hulls or is refused, records are those
// that the search writes, and most merges of noise with a trend need no search.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <iso/segment/window.cuh>

#include "catch.hpp"
#include "emulated_long_row.hpp"
#include "random_chains.hpp"
#include "reference/families.hpp"
#include "sanitized.hpp"
#include "simt/simt.hpp"

namespace {

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

struct tally {
  int accepted = 0, refused = 0, listed = 0, without = 0;
  bool wide = false;
};

template <class Point>
bool same_point(const Point& a, const Point& b) {
  return a.element == b.element && std::memcmp(a.at.s.word, b.at.s.word, sizeof a.at.s.word) == 0 &&
         std::memcmp(a.at.w.word, b.at.w.word, sizeof a.at.w.word) == 0;
}

// What nodes say that is read of them.
template <class Node, class List>
bool same_node(const Node& a, const List& a_list, const Node& b, const List& b_list) {
  if (a.is != b.is || a.points != b.points) return false;
  if (!same_point(a.bridge_left, b.bridge_left) || !same_point(a.bridge_right, b.bridge_right)) return false;
  if (a.points == 0) {
    return a.begin == b.begin && a.end == b.end && same_point(a.second, b.second) &&
           same_point(a.last_but_one, b.last_but_one);
  }
  for (int i = 0; i < a.points; ++i) {
    using point = decltype(a.second);
    if (!same_point(point{a_list.element[i], a_list.at[i]}, point{b_list.element[i], b_list.at[i]}))
      return false;
  }
  return true;
}

// Whether the children of a boundary have what a window is made of, lists at the boundary.
template <class State, class Facts>
bool has_lists(const State& state, const Facts& facts, std::int64_t c) {
  const auto listed = [&](std::int64_t chunk) {
    return state.chunk[chunk].live && state.chunk[chunk].points > 0 && state.chunk_begin(chunk) < facts.end &&
           state.chunk_begin(chunk) + iso::chunk_elements > facts.begin;
  };
  return listed(c - 1) && listed(c);
}

// Merges every node by its windows, and then anew in integers by the search, and compares the two.
template <class Rows, class Space, class Facts>
void merge_both_ways(const Rows& rows, const Space& at, const Facts& facts, std::uint64_t order,
                     const std::string& what, tally& seen) {
  using reader_type = iso::row_reader<warp_type, Rows>;
  seen.wide = facts.wide;
  if (facts.wide) return;
  const auto state = at.of_row(0);
  const auto in_a_warp = [&](const auto& body) {
    simt::launch(32, order, [&](const simt::thread_block& block) {
      const auto warp = simt::tiled_partition<32>(block);
      body(reader_type{warp, rows, 0, state, facts});
    });
  };
  for (std::int64_t width = 1; width < at.chunks; width *= 2) {
    for (std::int64_t c = width; c < at.chunks; c += 2 * width) {
      auto& node = state.node[c];
      auto& list = state.points[iso::hull_tree::first_chunk(c)];
      const auto list_before = list;
      int points = -2;
      in_a_warp([&](const reader_type& reader) {
        const int found = iso::merge_windows(reader, c);
        if (reader.tile.thread_rank() == 0) points = found;
      });
      const auto node_found = node;
      const auto list_found = list;
      list = list_before;
      in_a_warp([&](const reader_type& reader) { iso::write_node(reader, c); });
      seen.accepted += points == 0;
      seen.listed += points > 0;
      seen.refused += points < 0 && has_lists(state, facts, c);
      seen.without += points < 0 && !has_lists(state, facts, c);
      const bool right =
          points < 0 || (points == node.points && same_node(node_found, list_found, node, list));
      if (!right) FAIL_CHECK(what << ": node " << c << " of " << at.chunks << " chunks");
    }
  }
}

template <bool Weighted, class T>
void check_row(const reference::problem<T>& p, const std::string& what, std::uint64_t order, tally& seen) {
  bool wide = false;
  segment_test::solve_emulated_by<Weighted>(p, order, wide,
                                            [&](const auto& rows, const auto& at, const auto& facts) {
                                              merge_both_ways(rows, at, facts, order, what, seen);
                                            });
}

// Noise on a slope that rises by `rise` a chunk.
template <class T>
std::vector<T> trend(std::size_t n, double rise, std::uint64_t seed) {
  std::mt19937_64 g(seed);
  std::normal_distribution<double> noise;
  std::vector<T> y(n);
  for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<T>(static_cast<double>(i) * rise / 1024 + noise(g));
  return y;
}

// The same in steps, with runs of equal slopes: bridges that touch at several vertices.
template <class T>
std::vector<T> steps(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 g(seed);
  std::vector<T> y(n);
  const std::size_t length = 16 + g() % 512;
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = static_cast<T>(static_cast<double>(i / length) + static_cast<double>(g() % 3) - 1);
  }
  return y;
}

template <class T>
void add_infinities(std::vector<T>& y, std::uint64_t seed) {
  std::mt19937_64 g(seed);
  const auto some = [&] { return static_cast<std::ptrdiff_t>(g() % (y.size() / 2)); };
  if (seed % 3 != 0) std::fill(y.begin(), y.begin() + some(), -reference::infinity<T>);
  if (seed % 3 != 1) std::fill(y.end() - some(), y.end(), reference::infinity<T>);
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
