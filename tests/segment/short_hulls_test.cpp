// Hulls of few vertices, one a lane: doubles find the bridge that integers find, or say that they cannot
// tell; and rows of such hulls, merged up trees of every shape.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <iso/segment/packed_hulls.cuh>
#include <iso/segment/short_hull.cuh>

#include "catch.hpp"
#include "emulated_long_row.hpp"
#include "host/rows.hpp"
#include "random_chains.hpp"
#include "sanitized.hpp"
#include "simt/simt.hpp"

namespace {

using segment_test::chain_from, segment_test::random_edges;
using sums = segment_test::chain_sums;
using vertex = segment_test::chain_vertex;
using segment_test::edge;
using warp_type = simt::tile<32>;

struct found_bridges {
  iso::bridge_positions exact, likely, packed;
};

template <bool Weighted>
found_bridges bridges_of(const std::vector<vertex>& l, const std::vector<vertex>& r, std::uint64_t order) {
  found_bridges found{};
  const auto l_count = static_cast<int>(l.size()), r_count = static_cast<int>(r.size());
  simt::launch(32, order, [&](const simt::thread_block& block) {
    const auto warp = simt::tiled_partition<32>(block);
    const int lane = static_cast<int>(warp.thread_rank());
    const auto own = [&](const std::vector<vertex>& of, int i) {
      return of[static_cast<std::size_t>((std::min)(i, static_cast<int>(of.size()) - 1))];
    };
    const iso::short_hull<sums> left{l_count, own(l, lane)}, right{r_count, own(r, lane)};
    const auto exact = iso::exact_bridge(warp, left, right);
    const auto likely = iso::likely_bridge<Weighted>(warp, left, right);
    auto packed = exact;
    if (l_count + r_count <= 32) {
      const vertex packed_own = lane < l_count ? own(l, lane) : own(r, lane - l_count);
      packed = iso::packed_bridge<Weighted>(warp, iso::packed_hulls<sums>{l_count, r_count, packed_own});
    }
    if (lane == static_cast<int>(order % 32)) found = {exact, likely, packed};
  });
  return found;
}

template <bool Weighted>
void check_bridges(std::uint64_t seeds) {
  int certain = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    std::mt19937_64 g(seed);
    const int bits = seed % 3 == 0 ? 4 : seed % 3 == 1 ? 50 : 110;
    const int most = seed % 2 ? 15 : 31;
    std::vector<edge> seen;
    const auto l_edges = random_edges(g, 1 + static_cast<int>(g() % static_cast<unsigned>(most)), bits, seen);
    const auto r_edges = random_edges(g, 1 + static_cast<int>(g() % static_cast<unsigned>(most)), bits, seen);
    const auto l = chain_from({0, sums::zero()}, l_edges), r = chain_from(l.back(), r_edges);
    const auto found = bridges_of<Weighted>(l, r, seed);
    const auto agrees = [&](const iso::bridge_positions& told) {
      ++all;
      certain += told.certain;
      CHECK((!told.certain || (told.a == found.exact.a && told.b == found.exact.b)));
    };
    agrees(found.likely);
    agrees(found.packed);
  }
  CHECK(certain * 2 > all);
}

// Stairs of some height in every chunk, which make hulls of as many vertices, on a slope that comes and goes.
template <class T>
std::vector<T> stairs(std::size_t n, std::size_t steps, std::uint64_t seed) {
  std::mt19937_64 g(seed);
  std::vector<T> y(n);
  double slope = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 1024 == 0) slope += static_cast<double>(g() % 64) - 40;
    y[i] = static_cast<T>(static_cast<double>(i % 1024 * steps / 1024) + slope +
                          static_cast<double>(g() % 1024) / 4096);
  }
  return y;
}

template <bool Weighted, class T>
void check_row(reference::problem<T> p, const std::string& what, std::uint64_t order) {
  if constexpr (Weighted) {
    p.weighted = true;
    p.w = reference::weights<T>("uniform", p.y.size(), order);
  }
  bool wide = false;
  const auto got = segment_test::solve_emulated<Weighted>(p, order, wide);
  CHECK_FALSE(wide);
  const std::string fault = host_test::difference(got, reference::solve(p));
  if (!fault.empty()) FAIL_CHECK(what << ": " << fault);
}

}  // namespace

TEST_CASE("parents and children agree in trees of every shape") {
  for (std::int64_t chunks = 2; chunks <= 130; ++chunks) {
    const iso::hull_tree tree{chunks};
    CHECK(tree.parent(tree.root().at) == 0);
    for (std::int64_t c = 1; c < chunks; ++c) {
      const auto l = tree.left(c), r = tree.right(c);
      const auto first = [&](const iso::tree_node& n) {
        return n.leaf ? n.at : iso::hull_tree::first_chunk(n.at);
      };
      const auto end = [&](const iso::tree_node& n) { return n.leaf ? n.at + 1 : tree.end_chunk(n.at); };
      const bool joined = first(l) == iso::hull_tree::first_chunk(c) && end(l) == c && first(r) == c &&
                          end(r) == tree.end_chunk(c);
      const bool known = (l.leaf || tree.parent(l.at) == c) && (r.leaf || tree.parent(r.at) == c);
      CHECK((joined && known));
      CHECK(tree.inner_children(c) == (l.leaf ? 0u : 1u) + (r.leaf ? 0u : 1u));
      const auto narrow = static_cast<std::int32_t>(c);
      CHECK((tree.parent(narrow) == tree.parent(c) && tree.right(narrow).at == r.at &&
             tree.right(narrow).leaf == r.leaf && tree.inner_children(narrow) == tree.inner_children(c)));
    }
  }
}

TEST_CASE("doubles find the bridges of short hulls, or say that they cannot tell") {
  check_bridges<false>(sanitized ? 60 : 1500);
  check_bridges<true>(sanitized ? 60 : 1500);
}

TEMPLATE_TEST_CASE("rows of up to 20 chunks are solved exactly", "", float, double) {
  for (std::uint64_t chunks = 2; chunks <= 20; ++chunks) {
    if (left_out(chunks)) continue;
    const std::size_t n = 1024 * chunks - (chunks * 331) % 1024;
    const std::string what = std::to_string(n) + " elements";
    for (std::uint64_t order = chunks; order < chunks + 2; ++order) {
      check_row<false>(host_test::seeded_row<TestType>("noise", "", n, order), what, order);
      check_row<false>(reference::row(stairs<TestType>(n, 1 + 3 * order % 40, order)), what, order);
    }
    check_row<true>(reference::row(stairs<TestType>(n, 1 + 7 * chunks % 40, chunks)), what, chunks);
  }
}

TEMPLATE_TEST_CASE("rows are stored in packets where they can be", "", float, double) {
  for (const int threads : {1, 3, 32}) {
    for (int begin = 0; begin < 9; ++begin) {
      for (const int count : {0, 1, 5, 31, 128, 133, 700}) {
        alignas(16) TestType memory[720];
        std::fill(std::begin(memory), std::end(memory), TestType(-1));
        using iso::device::detail::no_weights;
        iso::device::detail::rows<TestType, const TestType*, no_weights, TestType*> rows{};
        rows.fit = memory;
        rows.fit_steps = {1000, 1};
        for (int rank = 0; rank < threads; ++rank) {
          rows.store(0, begin, count, rank, threads, [](int i) { return TestType(i); });
        }
        bool right = true;
        for (int i = 0; i < 720; ++i) {
          const bool inside = i >= begin && i < begin + count;
          right = right && memory[i] == (inside ? TestType(i - begin) : TestType(-1));
        }
        CHECK(right);
      }
    }
  }
}
