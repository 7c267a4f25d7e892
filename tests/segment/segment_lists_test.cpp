// Segment lists: every search finds the bridge that brute force finds, every merge the hull, and the fit read
// off the row's list is the oracle's.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "listed_row.hpp"
#include "reference/families.hpp"
#include "sanitized.hpp"
#include "simt/simt.hpp"

namespace {

using namespace segment_test;
using iso::bridge_search;
using reference::random_source;

// Rows that bridges are hard to find in, beside those of the oracle.
constexpr std::string_view hard_families[] = {"dense convex", "long cliff",  "first high", "long sawtooth",
                                              "collinear",    "single edge", "small ties", "arcs"};

template <class T>
std::vector<T> hard_values(std::string_view family, std::size_t n, std::uint64_t seed) {
  random_source random(seed);
  std::vector<T> y(n);
  const std::size_t period = 2 + random.below(n + 1), run = 1 + random.below(9);
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<T>(i);
    if (family == "dense convex" || family == "long cliff" || family == "first high") y[i] = at;
    if (family == "long sawtooth") y[i] = static_cast<T>(i % period) + at / 64;
    if (family == "collinear") y[i] = static_cast<T>(i / run);
    if (family == "single edge") y[i] = -at;
    if (family == "small ties") y[i] = static_cast<T>(random.below(3));
    if (family == "arcs") y[i] = static_cast<T>(i % period) - static_cast<T>(i / period % 3);
  }
  if (family == "long cliff") y[n - 1] = static_cast<T>(-1.0 * static_cast<double>(n * n));
  if (family == "first high") y[0] = static_cast<T>(static_cast<double>(n * n));
  return y;
}

// A row by its seed: of any family, of a few elements to some hundred.
template <class T, bool Weighted>
reference::problem<T> drawn_row(std::uint64_t seed, std::size_t most, std::string& what) {
  random_source random(seed * 2 + 1);
  const std::size_t n = 1 + random.below(random.chance(0.5) ? 20 : most);
  const std::size_t oracles = reference::value_families.size();
  const std::size_t family = random.below(oracles + std::size(hard_families));
  what = std::string(family < oracles ? reference::value_families[family] : hard_families[family - oracles]);
  auto p =
      reference::row(family < oracles ? reference::values<T>(what, n, seed) : hard_values<T>(what, n, seed));
  if constexpr (Weighted) {
    const auto weights = reference::weight_families[random.below(reference::weight_families.size())];
    p.weighted = true;
    p.w = reference::weights<T>(weights, n, seed);
    what += " / " + std::string(weights);
  }
  what += ", n = " + std::to_string(n) + ", seed " + std::to_string(seed);
  return p;
}

// What a warp, or some lanes of it, finds; all lanes must find the same.
template <unsigned Lanes, class Source>
list_bridge bridge_by_lanes(const Source& source, const segment_list& l, const segment_list& r,
                            std::uint64_t order) {
  std::vector<list_bridge> found(Lanes);
  simt::launch(Lanes, order, [&](const simt::thread_block& block) {
    found[block.thread_rank()] = bridge_of_lists(simt::tiled_partition<Lanes>(block), source, l, r);
  });
  for (const list_bridge& one : found) REQUIRE(one == found[0]);
  return found[0];
}

// The bridge of two lists that are not empty, by brute force: the edge of the hull of both from one to the
// other.
template <class Row>
list_bridge brute_bridge(const Row& row, const segment_list& l, const segment_list& r,
                         const std::vector<std::int64_t>& hull) {
  const std::int64_t s = row.element(r, r.first());
  std::size_t i = 0;
  while (hull[i + 1] < s) ++i;
  list_bridge b{l.first(), r.first()};
  while (row.element(l, b.left) != hull[i]) b.left = l.after(b.left);
  while (row.element(r, b.right) != hull[i + 1]) b.right = r.after(b.right);
  return b;
}

template <class Row>
void check_searches(const Row& row, const segment_list& l, const segment_list& r, const list_bridge& owed,
                    std::uint64_t seed) {
  const auto source = row.source();
  random_source random(seed);
  const auto cap = static_cast<std::int64_t>(random.below(4));
  CHECK(bridge_of_lists(source, l, r) == owed);
  CHECK(bridge_of_lists(source, l, r, cap) == owed);
  CHECK(bridge_of_lists<bridge_search::three_cases>(source, l, r, cap) == owed);
  CHECK(bridge_by_lanes<32>(source, l, r, seed) == owed);
  if (seed % 4 == 0) CHECK(bridge_by_lanes<4>(source, l, r, seed + 1) == owed);
  if (seed % 8 == 0) CHECK(bridge_by_lanes<1>(source, l, r, seed + 2) == owed);
  const bool convex = owed.right == r.first();
  CHECK(convex_at_joint(source, l, r) == convex);
  if (convex) return;
  list_bridge walked;
  std::int64_t moves = 0;
  for (auto p = l.before(l.last()); !(p == owed.left); p = l.before(p)) ++moves;
  for (auto p = r.after(r.first()); !(p == owed.right); p = r.after(p)) ++moves;
  CHECK(walk_to_bridge(source, l, r, moves, walked));
  CHECK(walked == owed);
  if (moves > 0) CHECK_FALSE(walk_to_bridge(source, l, r, moves - 1, walked));
  CHECK(nested_search(iso::halving{}, source, l, r) == owed);
  CHECK(three_case_search(source, l, r) == owed);
}

template <class Row>
void merge_by_warp(const Row& row, segment_lists lists, int level, std::int64_t merge, std::uint64_t order) {
  simt::launch(32, order, [&](const simt::thread_block& block) {
    merge_lists(simt::tiled_partition<32>(block), row.source(), lists, level, merge);
  });
}

// All merges of a row, each of them in every way.
template <class Row>
void check_tree(const Row& row, std::uint64_t seed) {
  owned_lists nested(row), three_cases(row), by_warp(row);
  const segment_lists lists = nested.get();
  for (int level = 0; level < lists.levels(); ++level) {
    for (std::int64_t k = lists.merges(level) - 1; k >= 0; --k) {
      const std::int64_t left = segment_lists::left_node(level, k);
      const std::int64_t right = segment_lists::right_node(level, k);
      const auto hull = row.hull(left, (std::min)(right + (right - left), row.chunks));
      const segment_list l = lists.list(left), r = lists.list(right);
      if (!l.empty() && !r.empty()) check_searches(row, l, r, brute_bridge(row, l, r, hull), ++seed);
      merge_lists(row.source(), lists, level, k, static_cast<std::int64_t>(seed % 3));
      merge_lists<bridge_search::three_cases>(row.source(), three_cases.get(), level, k, 0);
      merge_by_warp(row, by_warp.get(), level, k, seed);
      CHECK(row.elements(lists.list(left)) == hull);
      CHECK(row.elements(three_cases.get().list(left)) == hull);
      CHECK(row.elements(by_warp.get().list(left)) == hull);
    }
  }
  CHECK(row.elements(lists.root()) == row.hull(0, row.chunks));
}

// Calls f with some hundred rows, as words of the smallest size that holds their sums.
template <class T, bool Weighted, class F>
int for_drawn_rows(int seeds, std::size_t most, const F& f) {
  using words = iso::sum_words<T, Weighted>;
  using little = iso::numeric::sums<words::small_n, words::small_m>;
  using large = iso::large_sums<T, Weighted>;
  int rows = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    std::string what;
    const auto p = drawn_row<T, Weighted>(number, most, what);
    const auto chunk_elements = static_cast<std::int64_t>(1 + random_source(number).below(12));
    INFO(what << ", chunks of " << chunk_elements);
    if (listed_row<T, Weighted, little>::fits(p)) {
      f(listed_row<T, Weighted, little>(p, chunk_elements), number);
    } else if (listed_row<T, Weighted, large>::fits(p)) {
      f(listed_row<T, Weighted, large>(p, chunk_elements), number);
    } else {
      continue;
    }
    ++rows;
  }
  return rows;
}

constexpr int seeds = sanitized ? 100 : 700;

}  // namespace

TEMPLATE_TEST_CASE("all searches find the bridge and all merges the hull", "", float, double) {
  const auto check = [](const auto& row, std::uint64_t seed) { check_tree(row, seed); };
  CHECK(for_drawn_rows<TestType, false>(seeds, 200, check) > seeds / 2);
  CHECK(for_drawn_rows<TestType, true>(seeds, 200, check) > seeds / 2);
}

TEMPLATE_TEST_CASE("the fit read off a list is exact", "", float, double) {
  const auto check = [](const auto& row, std::uint64_t) {
    owned_lists lists(row);
    const segment_list root = merged(row.source(), lists);
    if (!root.empty()) check_fit<TestType>(row, row.source(), root);
  };
  CHECK(for_drawn_rows<TestType, false>(seeds, 300, check) > seeds / 2);
  CHECK(for_drawn_rows<TestType, true>(seeds, 300, check) > seeds / 2);
}

TEST_CASE("trees of hundreds of chunks give the hull") {
  using sums = iso::large_sums<double, false>;
  std::uint64_t seed = 0;
  for (const std::string_view family : hard_families) {
    const std::size_t n = 1500 + 300 * seed;
    INFO(family << ", n = " << n);
    const auto p = reference::row(hard_values<double>(family, n, ++seed));
    check_tree(listed_row<double, false, sums>(p, 4), seed);
  }
}

TEST_CASE("one pair of vertices of two lists is a common tangent, and it is the bridge") {
  using sums = iso::numeric::sums<1, 1>;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    INFO("seed " << seed);
    random_source random(seed);
    std::vector<float> y(2 + random.below(14));
    for (float& v : y) v = static_cast<float>(random.below(2 + seed % 5)) - static_cast<float>(seed % 3);
    const auto p = reference::row(y);
    const auto half = static_cast<std::int64_t>((y.size() + 1) / 2);
    const listed_row<float, false, sums> row(p, half);
    owned_lists lists(row);
    const segment_list l = lists.get().list(0), r = lists.get().list(1);
    if (convex_at_joint(row.source(), l, r)) continue;
    const auto left = row.elements(l), right = row.elements(r);
    std::vector<std::int64_t> tangents;
    for (const std::int64_t a : left) {
      for (const std::int64_t b : right) {
        bool supports = a < half && b > half;
        for (const std::int64_t k : left) supports = supports && row.points.turn(a, b, k) >= (k < a ? 1 : 0);
        for (const std::int64_t k : right) supports = supports && row.points.turn(a, b, k) >= (k > b ? 1 : 0);
        if (supports) tangents.insert(tangents.end(), {a, b});
      }
    }
    const list_bridge found = bridge_of_lists(row.source(), l, r);
    CHECK(tangents == std::vector{row.element(l, found.left), row.element(r, found.right)});
  }
}

TEST_CASE("searches read few vertices however far the bridge reaches") {
  using sums = iso::large_sums<double, false>;
  // Two dense hulls of 256 chunks, the right one below the left: the bridge spans both.
  auto values = hard_values<double>("dense convex", 2048, 1);
  for (std::size_t i = 1024; i < values.size(); ++i) values[i] -= 1e6;
  const auto p = reference::row(values);
  const listed_row<double, false, sums> row(p, 4);
  owned_lists lists(row);
  const segment_lists at = lists.get();
  for (int level = 0; level + 1 < at.levels(); ++level) {
    for (std::int64_t k = 0; k < at.merges(level); ++k) merge_lists(row.source(), at, level, k);
  }
  const segment_list l = at.list(0), r = at.list(256);
  std::int64_t asked = 0;
  auto source = row.source();
  source.asked = &asked;
  list_bridge found;
  CHECK_FALSE(walk_to_bridge(source, l, r, 64, found));
  CHECK(asked <= 2 + 64 + 2);
  const auto reads = [&](const auto& search) {
    asked = 0;
    found = search();
    CHECK(found == list_bridge{l.first(), r.last()});
    return asked;
  };
  // A list is halved 8 times to a segment and 3 times to a vertex. A tangent reads two vertices a step.
  const int steps = 11;
  CHECK(reads([&] { return nested_search(iso::halving{}, source, l, r); }) <= (steps + 1) * (2 * steps + 3));
  CHECK(reads([&] { return three_case_search(source, l, r); }) <= 2 * steps * 2 + 3);
}

TEST_CASE("the merges of a level run at once, by threads and by warps") {
  using sums = iso::large_sums<float, false>;
  for (std::uint64_t seed = 0; seed < (sanitized ? 16 : 60); ++seed) {
    const std::string_view family = hard_families[seed % std::size(hard_families)];
    INFO(family << ", seed " << seed);
    const auto p = reference::row(hard_values<float>(family, 100 + 11 * seed, seed + 1));
    const listed_row<float, false, sums> row(p, 3);
    owned_lists threads(row), warps(row);
    for (int level = 0; level < threads.get().levels(); ++level) {
      simt::launch(128, seed, [&](const simt::thread_block& block) {
        const auto warp = simt::tiled_partition<32>(block);
        const auto merges = threads.get().merges(level);
        const auto rank = static_cast<std::int64_t>(block.thread_rank());
        for (std::int64_t k = rank; k < merges; k += 128) {
          merge_lists<bridge_search::three_cases>(row.source(), threads.get(), level, k, 1);
        }
        for (std::int64_t k = rank / 32; k < merges; k += 4) {
          merge_lists(warp, row.source(), warps.get(), level, k);
        }
        // What a warp has merged, each of its lanes sees.
        for (std::int64_t k = rank / 32; k < merges; k += 4) {
          const auto list = warps.get().list(segment_lists::left_node(level, k));
          if (list.empty() || list.at[list.size - 1].chunk >= row.chunks) FAIL("a list has no end");
        }
      });
    }
    CHECK(row.elements(threads.get().root()) == row.hull(0, row.chunks));
    CHECK(row.elements(warps.get().root()) == row.hull(0, row.chunks));
  }
}
