// Chunks whose list of vertices stays until the fit are fitted from it: their elements may as well be gone.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "both_ways.hpp"
#include "catch.hpp"
#include "emulated_long_row.hpp"
#include "host/exactness.hpp"
#include "host/rows.hpp"
#include "reference/families.hpp"
#include "sanitized.hpp"

namespace {

using segment_test::add_infinities, segment_test::trend;

// Chunks with a pool of their own that starts within: those that keep their list, of them those with an even
// number, and those of which bridges span a part; and those whose list a node's has taken the room of.
struct tally {
  int kept = 0, even = 0, partial = 0, lost = 0;
};

// What has become of a chunk's list: no node's reaches into it, or one's does.
enum class list { none, kept, lost };

template <class State>
list list_of_chunk(const State& state, std::int64_t c) {
  const int points = state.chunk[c].points;
  if (points == 0) return list::none;
  for (std::int64_t boundary = 1; boundary < state.chunks; ++boundary) {
    const bool shares = iso::hull_tree::first_chunk(boundary) == c;
    if (shares && points + state.node[boundary].points > 32) return list::lost;
  }
  return list::kept;
}

bool starts_pool(const std::vector<std::uint32_t>& pools, std::size_t i) {
  return (pools[i / 32] >> i % 32 & 1u) != 0;
}

void count(const std::vector<std::uint32_t>& pools, std::size_t n, std::size_t c, list is, tally& seen) {
  const std::size_t begin = 1024 * c, end = (std::min)(n, begin + 1024);
  int inside = 0;
  for (std::size_t i = begin + 1; i < end; ++i) inside += starts_pool(pools, i);
  if (inside < 2) return;
  const bool kept = is == list::kept;
  seen.kept += kept;
  seen.lost += is == list::lost;
  seen.even += kept && c % 2 == 0;
  seen.partial += kept && (!starts_pool(pools, begin) || (end < n && !starts_pool(pools, end)));
}

// Solves a row whose elements are lost before the fit, where lists are kept.
template <bool Weighted, class T>
void check_row(reference::problem<T> p, const std::string& what, std::uint64_t order, tally& seen) {
  const auto expected = reference::solve(p);
  std::vector<list> lists;
  bool wide = false;
  const auto got = segment_test::solve_emulated_by<Weighted>(
      p, order, wide, [&](const auto& rows, const auto& at, const auto& facts) {
        using rows_type = std::remove_cvref_t<decltype(rows)>;
        segment_test::merge_emulated<iso::row_reader<simt::tile<32>, rows_type>>(rows, at, facts, order);
        const auto state = at.of_row(0);
        for (std::int64_t c = 0; c < at.chunks; ++c) {
          lists.push_back(facts.wide ? list::none : list_of_chunk(state, c));
          if (lists.back() != list::kept) continue;
          for (std::int64_t i = state.chunk_begin(c); i < state.chunk_end(c); ++i) {
            p.y[static_cast<std::size_t>(i)] = std::numeric_limits<T>::quiet_NaN();
            if (Weighted) p.w[static_cast<std::size_t>(i)] = std::numeric_limits<T>::quiet_NaN();
          }
        }
      });
  const std::string fault = host_test::difference(got, expected);
  if (!fault.empty()) FAIL_CHECK(what << ": " << fault);
  for (std::size_t c = 0; c < lists.size(); ++c) count(got.pools, p.y.size(), c, lists[c], seen);
}

// The row without weights, or with each family of them.
template <class T>
void check_weights(reference::problem<T> p, bool weighted, const std::string& what, std::uint64_t order,
                   tally& seen) {
  if (!weighted) return check_row<false>(p, what, order, seen);
  p.weighted = true;
  for (const char* weights : {"uniform", "counts", "zeros", "zero runs", "zero chunks", "leading zeros"}) {
    p.w = reference::weights<T>(weights, p.y.size(), order);
    check_row<true>(p, what + ", weights " + weights, order, seen);
  }
}

// Levels that rise, each `length` elements long at most, of which one is a single zero.
template <class T>
std::vector<T> levels(std::size_t n, std::size_t length, T zero, std::uint64_t seed) {
  std::mt19937_64 g(seed);
  std::vector<T> y(n);
  const std::size_t at = g() % n;
  T value = 0;
  for (std::size_t i = at + 1, end = at + 1; i < n; ++i) {
    if (i == end) {
      value += T(1);
      end += 1 + g() % length;
    }
    y[i] = value;
  }
  value = 0;
  for (std::size_t i = at, end = at; i > 0; --i) {
    if (i == end) {
      value -= T(1);
      end -= (std::min)(end, std::size_t{1} + static_cast<std::size_t>(g() % length));
    }
    y[i - 1] = value;
  }
  y[at] = zero;
  return y;
}

std::string label(const char* family, std::size_t n, std::uint64_t seed) {
  return std::string(family) + ", n = " + std::to_string(n) + ", seed " + std::to_string(seed);
}

}  // namespace

TEMPLATE_TEST_CASE("chunks of noise with a trend are fitted from their lists", "", float, double) {
  tally seen, others;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    if (left_out(seed)) continue;
    const std::size_t n = 2000 + (seed * 7919) % 16000;
    const double rise = std::ldexp(1, static_cast<int>(seed % 8)) / 16;
    auto p = reference::row(trend<TestType>(n, rise, seed));
    p.increasing = seed % 5 != 0;
    if (!p.increasing) std::transform(p.y.begin(), p.y.end(), p.y.begin(), [](TestType y) { return -y; });
    check_weights(p, false, label("trend", n, seed), seed, seen);
    if (seed % 4 == 0) check_weights(p, true, label("trend", n, seed), seed, others);
  }
  INFO(seen.kept << " kept, " << seen.even << " of them even, " << seen.partial << " in part; " << seen.lost
                 << " lost");
  CHECK(seen.lost * 2 <= seen.kept);
  CHECK((sanitized || (seen.even > 50 && seen.partial > 100 && others.kept > 100)));
}

TEMPLATE_TEST_CASE("chunks of rows with infinities are fitted from their lists", "", float, double) {
  tally seen;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    if (left_out(seed)) continue;
    const std::size_t n = 2000 + (seed * 7919) % 9000;
    auto p = reference::row(trend<TestType>(n, static_cast<double>(seed % 4) / 2, seed));
    add_infinities(p.y, seed);
    check_weights(p, seed % 3 == 0, label("infinities", n, seed), seed, seen);
  }
  CHECK((sanitized || (seen.kept > 50 && seen.partial > 20)));
}

TEMPLATE_TEST_CASE("zeros of either sign and runs of equal values come out of lists as they are owed", "",
                   float, double) {
  tally seen;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    if (left_out(seed)) continue;
    const std::size_t n = 1500 + (seed * 7919) % 6000;
    const TestType zero = seed % 2 == 0 ? TestType(0) : -TestType(0);
    auto p = reference::row(levels<TestType>(n, 60 + seed % 3 * 60, zero, seed));
    p.increasing = seed % 4 < 2;
    if (!p.increasing) std::transform(p.y.begin(), p.y.end(), p.y.begin(), [](TestType y) { return -y; });
    check_weights(p, seed % 5 == 0, label("levels", n, seed), seed, seen);
    check_weights(host_test::seeded_row<TestType>("signed zeros", "", n, seed), false,
                  label("signed zeros", n, seed), seed, seen);
  }
  CHECK((sanitized || (seen.kept > 50 && seen.even > 20)));
}

TEMPLATE_TEST_CASE("chunks of every family are fitted from their lists, where they have any", "", float,
                   double) {
  tally seen;
  std::uint64_t seed = 0;
  for (const std::string_view values : reference::value_families) {
    for (const std::size_t n : {1025u, 3000u, 5000u}) {
      if (left_out(++seed)) continue;
      // Sums of these are wide, and lists are not kept.
      if (values == "exponents" || values == "sorted exponents" || values == "huge") continue;
      check_weights(host_test::seeded_row<TestType>(values, "", n, seed), false,
                    host_test::label(values, "", n, seed), seed, seen);
    }
  }
  CHECK((sanitized || seen.kept > 20));
}

// Chunks of so many vertices that a list of two of them has no room beside one's, on slopes that leave most
// of them in place.
TEMPLATE_TEST_CASE("lists that nodes have taken the room of are not read", "", float, double) {
  tally seen;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    if (left_out(seed)) continue;
    const std::size_t n = 2100 + (seed * 7919) % 9000;
    std::mt19937_64 g(seed);
    std::vector<TestType> y(n);
    const std::size_t steps = 12 + seed % 8;
    double from = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 1024 == 0) from += static_cast<double>(steps) - static_cast<double>(g() % 12);
      y[i] = static_cast<TestType>(from + static_cast<double>(i % 1024 * steps / 1024));
    }
    check_weights(reference::row(y), seed % 4 == 0, label("stairs", n, seed), seed, seen);
  }
  INFO(seen.lost << " lost");
  CHECK((sanitized || seen.lost > 50));
}
