// Merges at chunks that have too many vertices for a list: records are those of the search, and rising data
// need no search.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <iso/segment/word_bridge.cuh>

#include "both_ways.hpp"
#include "catch.hpp"
#include "host/exactness.hpp"
#include "reference/families.hpp"
#include "sanitized.hpp"

namespace {

using segment_test::add_infinities, segment_test::tally, segment_test::trend;

// How many merges at dense chunks found the chain convex or straight at the boundary, and of these, straight;
// found their bridge by the elements next to it; by what else there is of the chunks next to it; went down
// the tree alone, as where a chunk is not dense; found it by words somewhere else; searched on in vain of
// these; or started at the wrong stretches, and then anew.
struct ways {
  int straight = 0, collinear = 0, close = 0, near = 0, tree = 0, words = 0, searched = 0, anew = 0;
};

// Which of these finds a boundary's bridge; and the node is written.
template <class Reader>
int merge_dense(const Reader& reader, std::int64_t c, ways& seen) {
  const iso::spine_pair spines = iso::spines_of(reader, c);
  const int points = iso::merge_windows(reader, c, spines);
  if (points >= 0) return points;
  bool asked = false, found = false, anew = false;
  const bool straight = iso::merge_straight(reader, c);
  auto merged = iso::dense_merge::none;
  if (!straight) merged = iso::merge_dense(reader, c, spines);
  const bool searches = !straight && merged == iso::dense_merge::none;
  if (searches) {
    iso::search_node(reader, c, [&](auto& a, const auto&, auto& b) {
      asked = true;
      anew |= found;
      return found = iso::bridge_in_words(reader, c, a, b);
    });
  }
  if (reader.tile.thread_rank() == 0) {
    seen.straight += straight;
    seen.close += merged == iso::dense_merge::close;
    seen.near += merged == iso::dense_merge::words;
    seen.tree += searches && !asked;
    seen.words += found;
    seen.searched += asked && !found;
    seen.anew += anew;
  }
  if (!Reader::weighted && reader.tile.thread_rank() == 1) {  // which has written that end of the bridge
    seen.collinear += straight && reader.state.node[c].bridge_right.element != reader.state.chunk_begin(c);
  }
  return 0;
}

template <bool Weighted, class T>
void check_row(const reference::problem<T>& p, const std::string& what, std::uint64_t order, tally& seen,
               ways& by) {
  segment_test::check_merges<Weighted>(
      p, what, order, seen, [&](const auto& reader, std::int64_t c) { return merge_dense(reader, c, by); });
}

// Rows of n elements whose chunks have many vertices. Those of "ties" are floats about 2^24 and 2^25, where
// every other integer is none.
template <class T>
std::vector<T> dense(std::string_view family, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 g(seed);
  const double from = 16700000 + static_cast<double>(seed % 3) * 17000000,
               drop = 1 + static_cast<double>(g() % 900);
  const std::size_t period = 200 + g() % 3000, cliff = g() % n;
  std::normal_distribution<double> noise;
  const double slow = static_cast<double>(g() % 4) * 1e-3;
  std::vector<T> y(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<double>(i);
    double v = at;
    if (family == "ties") v = static_cast<double>(static_cast<float>(from + at));
    if (family == "stairs") v = static_cast<double>(i / (2 + seed % 7));
    if (family == "sawtooth") v = static_cast<double>(i % period) + slow * at;
    if (family == "teeth of 1000") v = static_cast<double>(i % 1000) + 1e-3 * at;
    if (family == "long teeth") v = static_cast<double>(i % (4 * period)) + 100 * slow * at;
    if (family == "cliff") v = i == cliff ? -1000 * at : at;
    if (family == "drops") v = at - (i > cliff ? drop : 0);
    if (family == "curve") v = at * at / static_cast<double>(n);
    if (family == "rough") v = at + static_cast<double>(g() % (1 + seed % 12));
    // Chunks of one pool, and ends of the next chunk's or the last one's pools of the same value.
    if (family == "plateaus") {
      const double in_pair = std::fmod(at, 2048);
      v = at - in_pair + (seed % 2 == 0 ? std::fmin(in_pair, 1019) : std::fmax(in_pair, 1029));
    }
    // Nodes with lists beside dense ones.
    if (family == "noise and ramps") v = i / (2048 + seed % 3 * 1024) % 2 == 0 ? at + 1000 * noise(g) : at;
    // All exponents are nearly the same, so that values have few bits.
    if (family == "rising noise") v = 40000 + at + static_cast<double>(1 + seed % 3) * noise(g);
    if (family == "fine ties") v = static_cast<double>(static_cast<float>(std::floor(at / 5) / 3));
    if (family == "powers") {  // about the first boundary
      const double j = at - 1024, size = std::ldexp(1, static_cast<int>(std::fmin(std::fabs(j), 31)));
      v = j < 0 ? -size : size - std::ldexp(1, static_cast<int>(seed * 7 % 31));
      if (std::fabs(j) > 31) v += 2048 * j;
    }
    if (family == "ties of many bits") v = i == 0 ? 1e-12 : std::floor((at + 2) / 5) / 3;
    y[i] = static_cast<T>(v);
  }
  return y;
}

constexpr std::string_view families[] = {
    "ramp",  "ties",  "stairs",    "sawtooth",          "teeth of 1000", "cliff",    "drops",
    "curve", "rough", "fine ties", "ties of many bits", "powers",        "plateaus", "noise and ramps"};

std::string label(std::string_view family, std::size_t n, std::uint64_t seed) {
  return std::string(family) + ", seed " + std::to_string(seed) + ", n = " + std::to_string(n);
}

}  // namespace

TEMPLATE_TEST_CASE("merges at dense chunks give the records of the search", "", float, double) {
  std::uint64_t seed = 0;
  ways by;
  for (const std::string_view family : families) {
    for (int k = 0; k < 8; ++k) {
      if (left_out(++seed)) continue;
      tally seen;
      const std::size_t n = 2000 + (seed * 7919) % 30000;
      auto p = reference::row(dense<TestType>(family, n, seed));
      if (k == 6) add_infinities(p.y, seed);
      const std::string what = label(family, n, seed);
      check_row<false>(p, what, seed, seen, by);
      if (k % 3 != 0) continue;
      p.weighted = true;
      for (const char* weights : {"uniform", "zero runs", "zero chunks", "leading zeros"}) {
        p.w = reference::weights<TestType>(weights, n, seed);
        check_row<true>(p, what + ", weights " + weights, seed, seen, by);
      }
    }
  }
  INFO(by.straight << " straight, " << by.collinear << " of them collinear, " << by.close << " close, "
                   << by.near << " near, " << by.tree << " tree, " << by.words << " words, " << by.searched
                   << " searched");
  CHECK((sanitized || (by.straight > 100 && by.collinear > 100 && by.near > 100 && by.tree > 100)));
  CHECK((sanitized || by.words > 100));
  CHECK(by.searched * 50 <= by.near + by.words);
}

TEMPLATE_TEST_CASE("elements next to boundaries tell the bridges of rows that rise roughly", "", float,
                   double) {
  ways by;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    if (left_out(seed)) continue;
    tally seen;
    const std::size_t n = 8000 + (seed * 7919) % 12000;
    const auto y = dense<TestType>(seed % 5 == 0 ? "rough" : "rising noise", n, seed);
    check_row<false>(reference::row(y), label("rising roughly", n, seed), seed, seen, by);
  }
  INFO(by.straight << " straight, " << by.close << " close, " << by.tree << " tree, " << by.words
                   << " words");
  CHECK((sanitized || (by.straight > 50 && by.close > 100)));
}

TEMPLATE_TEST_CASE("merges of random dense chunks give the records of the search", "", float, double) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    if (left_out(seed)) continue;
    tally seen;
    ways by;
    const std::size_t n = 2000 + (seed * 7919) % 12000;
    // Noise that a trend, steep or not, leaves with a few to hundreds of vertices a chunk, and drops.
    auto y = trend<TestType>(n, static_cast<double>(1 << seed % 12), seed);
    for (std::size_t i = n / 3; i < n && seed % 5 == 0; ++i) y[i] -= TestType(1 << seed % 12);
    auto p = reference::row(y);
    check_row<false>(p, label("trend", n, seed), seed, seen, by);
    if (seed % 4 != 0) continue;
    p.weighted = true;
    p.w = reference::weights<TestType>(seed % 8 == 0 ? "uniform" : "zero runs", n, seed);
    check_row<true>(p, label("trend, weighted", n, seed), seed, seen, by);
  }
}

TEMPLATE_TEST_CASE("searches start at the right stretches of long teeth and drops, but for a few", "", float,
                   double) {
  ways by;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    if (left_out(seed)) continue;
    tally seen;
    const std::size_t n = 60000 + (seed * 7919) % 60000;
    auto p = reference::row(dense<TestType>(seed % 3 != 0 ? "long teeth" : "drops", n, seed));
    p.weighted = seed % 4 == 0;
    if (p.weighted) {
      p.w = reference::weights<TestType>(seed % 8 == 0 ? "uniform" : "zero runs", n, seed);
      check_row<true>(p, label("long teeth, weighted", n, seed), seed, seen, by);
    } else {
      check_row<false>(p, label("long teeth", n, seed), seed, seen, by);
    }
  }
  INFO(by.words << " words, " << by.anew << " anew");
  CHECK((sanitized || by.anew > 0));
  CHECK(by.anew * 20 <= by.words);
}

TEMPLATE_TEST_CASE("words find the bridges of rising rows, with and without ties, and of teeth", "", float,
                   double) {
  std::uint64_t seed = 0;
  for (const char* family :
       {"ramp", "ties", "stairs", "curve", "fine ties", "ties of many bits", "teeth of 1000"}) {
    for (int k = 0; k < 3; ++k) {
      if (left_out(++seed)) continue;
      tally seen;
      ways by;
      const std::size_t n = 2000 + (seed * 7919) % 40000;
      auto p = reference::row(dense<TestType>(family, n, seed));
      check_row<false>(p, label(family, n, seed), seed, seen, by);
      p.weighted = true;
      p.w = reference::weights<TestType>("uniform", n, seed);
      check_row<true>(p, label(family, n, seed) + ", weighted", seed, seen, by);
      INFO(label(family, n, seed));
      CHECK(by.searched == 0);
    }
  }
}

TEMPLATE_TEST_CASE("bridges of teeth, and of rising rows, are found in the chunks next to the boundary", "",
                   float, double) {
  std::uint64_t seed = 0;
  for (const std::string_view family : {"ramp", "ties", "curve", "teeth of 1000"}) {
    for (const bool weighted : {false, true}) {
      // With uneven weights, bridges of teeth next to each other may be replaced by one.
      if (left_out(++seed) || (weighted && family == "teeth of 1000")) continue;
      tally seen;
      ways by;
      const std::size_t n = 60000;
      const std::string what = label(family, n, seed);
      auto p = reference::row(dense<TestType>(family, n, seed));
      if (weighted) {
        p.weighted = true;
        p.w = reference::weights<TestType>("uniform", n, seed);
        check_row<true>(p, what, seed, seen, by);
      } else {
        check_row<false>(p, what, seed, seen, by);
      }
      INFO(what << ": " << by.straight << " straight, " << by.close << " close, " << by.near << " near, "
                << by.tree << " tree, " << by.words << " words");
      CHECK((by.tree + by.words) * 10 <= by.straight + by.close + by.near);
    }
  }
}

TEMPLATE_TEST_CASE("rows of dense chunks are solved exactly whichever child arrives first", "", float,
                   double) {
  std::uint64_t seed = 0;
  for (const std::string_view family : families) {
    for (int k = 0; k < 4; ++k) {
      if (left_out(++seed)) continue;
      const std::size_t n = 3000 + (seed * 7919) % 9000;
      auto p = reference::row(dense<TestType>(family, n, seed));
      const std::uint64_t order = 3 * seed + 1 + static_cast<std::uint64_t>(k % 2);
      bool wide = false;
      if (k == 3) p.w = reference::weights<TestType>("zero runs", n, seed);
      p.weighted = k == 3;
      const auto got = p.weighted ? segment_test::solve_emulated<true>(p, order, wide)
                                  : segment_test::solve_emulated<false>(p, order, wide);
      const std::string fault = host_test::difference(got, reference::solve(p));
      if (!fault.empty()) FAIL_CHECK(label(family, n, seed) << ": " << fault);
    }
  }
}
