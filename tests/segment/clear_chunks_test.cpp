// Rows whose chunks are looked at before they are hulled: sums and sags of chunks, bounds of hulls, and the
// rows solved so.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <iso/segment/chunk_look.cuh>
#include <iso/segment/clear_chunks.cuh>

#include "block/wide.hpp"
#include "both_ways.hpp"
#include "catch.hpp"
#include "emulated_long_row.hpp"
#include "host/exactness.hpp"
#include "host/rows.hpp"
#include "reference/families.hpp"
#include "reference/oracle.hpp"
#include "reference/rational.hpp"
#include "sanitized.hpp"

namespace {

// Exact sums of elements in units of a grid.
reference::integer sum_in_units(const std::vector<double>& y, int unit) {
  reference::integer sum = 0;
  for (const double value : y) sum += reference::in_units(value, unit);
  return sum;
}

template <int N>
reference::integer big(const iso::numeric::integer<N>& a) {
  reference::integer r = 0;
  const auto size = a.magnitude();
  for (int i = N - 1; i >= 0; --i) r = (r << 64) + size.word[i];
  return a.negative() ? reference::integer(-r) : r;
}

// A chunk of values whose exponents are spread over some bits about a middle one.
template <class T>
std::vector<T> spread_chunk(int middle, int spread, std::uint64_t seed) {
  std::mt19937_64 g(seed);
  std::normal_distribution<double> normal;
  std::vector<T> y(iso::chunk_elements);
  const double trend = seed % 3 == 0 ? 4.0 / 1024 : 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const int exponent = middle + (spread > 0 ? static_cast<int>(g() % static_cast<unsigned>(spread)) : 0);
    y[i] = static_cast<T>(std::ldexp(normal(g) + trend * static_cast<double>(i), exponent));
    if (seed % 5 == 0 && g() % 4 == 0) y[i] = 0;
  }
  return y;
}

// What a warp finds of a chunk.
template <class T>
struct looked_chunk {
  iso::tile_facts facts;
  reference::integer sum;
  iso::chunk_sag sag;
};

template <class T>
looked_chunk<T> look_at(const std::vector<T>& y, std::uint64_t order) {
  iso::look_storage<T> storage;
  simt::fill(storage, order);
  looked_chunk<T> found{};
  simt::launch(32, order, [&](const simt::thread_block& block) {
    const auto warp = simt::tiled_partition<32>(block);
    const auto s = storage.memory();
    const auto all = iso::load_tile<T, false>(
        warp, s, iso::chunk_elements, [&](int i) { return y[static_cast<std::size_t>(i)]; },
        [](int) { return T(1); });
    const auto facts = iso::examine_tile<T, false>(warp, s, iso::chunk_elements, all, false);
    const bool first = warp.thread_rank() == 0;
    if (first) found.facts = facts;
    if (facts.wide) return;
    iso::with_view<T, false>(s, facts, [&](const auto& v) {
      const auto sum = iso::sum_of_chunk(warp, v);
      iso::chunk_sag sag{0, 0};
      if (iso::has_sag<T>(facts.on.products)) sag = iso::sag_of(warp, v, sum);
      if (!first) return;
      found.sum = big(sum);
      found.sag = sag;
    });
  });
  return found;
}

// Chunks of rows that have been looked at, of them those that were not hulled, and words of chunks that were
// merged at once.
struct tally {
  int rows = 0, given_up = 0, chunks = 0, clear = 0, words = 0;
};

template <class T>
void check_row(const reference::problem<T>& p, const std::string& what, std::uint64_t order, tally& seen) {
  bool wide = false;
  const auto got = segment_test::solve_emulated_by<false>(
      p, order, wide,
      [&](const auto& rows, const auto& at, const auto& facts) {
        using rows_type = std::remove_cvref_t<decltype(rows)>;
        seen.given_up += at.row->unseen != 0;
        for (std::int64_t c = 0; c < at.chunks; ++c) {
          const std::uint32_t word = at.chosen_bits[at.word_place(0, c)];
          ++seen.chunks;
          seen.clear += (word >> c % 32 & 1u) == 0;
          seen.words += word == 0 && c % 32 == 0;
        }
        segment_test::merge_emulated<iso::row_reader<simt::tile<32>, rows_type>>(rows, at, facts, order);
      },
      true);
  ++seen.rows;
  const std::string fault = host_test::difference(got, reference::solve(p));
  if (!fault.empty()) FAIL_CHECK(what << ": " << fault);
}

// Curves below noise, from one that all but stands to one that rises at every element.
double curve(std::uint64_t kind, double x, double n) {
  switch (kind) {
    case 0:
      return 0;
    case 1:
      return 3 * x / n;
    case 2:
      return std::pow(x / n, 3);
    case 3:
      return -x / n;
    case 4:
      return 1e-3 * x;
    case 5:
      return x;
    default:
      return x < n / 3 ? 5 : 0;
  }
}

// The first part follows one curve, the second part another one.
template <class T>
reference::problem<T> bent_row(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 g(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const std::uint64_t first = g() % 7, second = g() % 7;
  const std::size_t change = g() % 2 == 0 ? n : g() % n;
  const bool labels = g() % 4 == 0, rounded = g() % 4 == 0;
  const double size = std::ldexp(1.0, static_cast<int>(g() % 60) - 30);
  reference::problem<T> p;
  p.y.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double at = curve(i < change ? first : second, static_cast<double>(i), static_cast<double>(n));
    const double y = labels ? (uniform(g) < at ? 1 : 0) : at + normal(g);
    p.y[i] = static_cast<T>(rounded ? std::round(y) : y * size);
  }
  if (seed % 5 == 1) {
    std::fill_n(p.y.begin(), n / 3, -reference::infinity<T>);
    std::fill(p.y.end() - static_cast<std::ptrdiff_t>(seed), p.y.end(), reference::infinity<T>);
  }
  return p;
}

// A convex function that is nowhere above points, at their places: their lower hull.
std::vector<double> hull_of(const std::vector<double>& place, const std::vector<double>& height) {
  std::vector<std::size_t> stack;
  for (std::size_t i = 0; i < place.size(); ++i) {
    const auto turns = [&] {
      const std::size_t a = stack[stack.size() - 2], b = stack.back();
      return (height[b] - height[a]) * (place[i] - place[a]) >=
             (height[i] - height[a]) * (place[b] - place[a]);
    };
    while (stack.size() > 1 && turns()) stack.pop_back();
    stack.push_back(i);
  }
  std::vector<double> hull(place.size());
  for (std::size_t k = 0; k + 1 < stack.size(); ++k) {
    const std::size_t a = stack[k], b = stack[k + 1];
    for (std::size_t i = a; i <= b; ++i) {
      hull[i] = height[a] + (height[b] - height[a]) * (place[i] - place[a]) / (place[b] - place[a]);
    }
  }
  return hull;
}

}  // namespace

TEMPLATE_TEST_CASE("the sum of a chunk is exact on grids of any width", "", float, double) {
  using f = iso::numeric::format<TestType>;
  constexpr bool narrow = f::digits == 24;
  int plain = 0, split = 0, long_ones = 0, wide = 0;
  std::uint64_t seed = 0;
  for (int spread = 0; spread <= (narrow ? 90 : 190); spread += narrow ? 2 : 5) {
    for (const int middle : {narrow ? -149 : -1074, narrow ? -100 : -900, -20, 0, narrow ? 30 : 700}) {
      const auto y = spread_chunk<TestType>(middle, spread, ++seed);
      const auto found = look_at(y, seed);
      if (found.facts.wide) {
        ++wide;
        continue;
      }
      const int bits = found.facts.on.products.bits();
      const int unit = found.facts.on.products.unit() + f::min_exponent;
      CAPTURE(spread, middle, seed, bits, unit);
      CHECK(found.sum == sum_in_units({y.begin(), y.end()}, unit));
      ++(bits <= 43 ? plain : bits <= 85 ? split : long_ones);
    }
  }
  CHECK((plain > 0) == narrow);
  CHECK(split > 20);
  CHECK(long_ones > 20);
  CHECK(wide > 0);
}

TEMPLATE_TEST_CASE("the sag of a chunk is not below what it is, nor much above", "", float, double) {
  using f = iso::numeric::format<TestType>;
  int told = 0, untold = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    if (left_out(seed)) continue;
    const int middle = static_cast<int>(seed * 37 % (2u * (f::positions - f::digits))) / 2 + f::min_exponent;
    const auto y = spread_chunk<TestType>(middle, static_cast<int>(seed % 7), seed);
    const auto found = look_at(y, seed);
    if (!iso::has_sag<TestType>(found.facts.on.products)) {
      ++untold;
      continue;
    }
    ++told;
    const int unit = found.facts.on.products.unit() + f::min_exponent, bits = found.facts.on.products.bits();
    // In 1024th of units.
    reference::integer before = 0, below = 0, above = 0;
    for (int i = 0; i < iso::chunk_elements; ++i) {
      const reference::integer sag = found.sum * i - before * iso::chunk_elements;
      if (sag > below) below = sag;
      if (i % 32 == 0 && -sag > above) above = -sag;
      before += reference::in_units(y[static_cast<std::size_t>(i)], unit);
    }
    const auto parts = [&](const reference::integer& a) {
      return std::ldexp(a.convert_to<double>(), -bits - 10);
    };
    CAPTURE(seed, middle, bits, parts(below), found.sag.below, parts(above), found.sag.above);
    CHECK(found.sag.below >= parts(below));
    CHECK(found.sag.below <= parts(below) + 0x1p-6);
    CHECK(std::fabs(found.sag.above - parts(above)) < 0x1p-7);
  }
  CHECK(told > (sanitized ? 20 : 200));
  CHECK(untold > 0);
}

TEST_CASE("bounds of a hull are lowered, and not below the hull") {
  double excess = 0, height = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    if (left_out(seed)) continue;
    std::mt19937_64 g(seed);
    std::normal_distribution<double> normal;
    const int last = 1 + static_cast<int>(g() % (seed % 2 == 0 ? 300 : 20));
    const double tail = seed % 3 == 0 ? 1 : (1 + static_cast<double>(g() % 1023)) / 1024;
    std::vector<double> bound, place;
    double sum = 0;
    for (int i = 0; i <= last; ++i) {
      place.push_back(i < last ? i : i - 1 + tail);
      bound.push_back(sum);
      sum += (normal(g) + static_cast<double>(seed % 5) * i / last) / 1024;
    }
    const auto points = bound, hull = hull_of(place, points);
    simt::launch(64, seed, [&](const simt::thread_block& block) {
      iso::lower_bounds(block, bound.data(), last, tail);
    });
    CAPTURE(seed, last, tail);
    CHECK(bound.front() == points.front());
    CHECK(bound.back() == points.back());
    for (std::size_t i = 0; i < bound.size(); ++i) {
      CAPTURE(i);
      CHECK(bound[i] <= points[i]);
      CHECK(bound[i] >= hull[i] - 0x1p-45);
      excess += bound[i] - hull[i];
      height += points[i] - hull[i];
    }
  }
  CHECK(excess < 0.1 * height);
}

TEMPLATE_TEST_CASE("rows that are looked at first are solved exactly", "", float, double) {
  tally seen;
  for (std::uint64_t seed = 1; seed <= 48; ++seed) {
    if (left_out(seed)) continue;
    const std::size_t n = seed % 6 == 0   ? 320000 + seed
                          : seed % 2 == 0 ? 70000 + 977 * seed
                                          : 1025 + 211 * seed;
    check_row(bent_row<TestType>(n, seed), "bent row " + std::to_string(seed), seed, seen);
  }
  CAPTURE(seen.rows, seen.given_up, seen.chunks, seen.clear, seen.words);
  CHECK(3 * seen.clear > seen.chunks);
  CHECK(seen.clear < seen.chunks);
  CHECK(seen.words > 0);
  if (!sanitized) CHECK(seen.given_up > 0);
}

TEMPLATE_TEST_CASE("rows of every family are solved exactly if they are looked at first", "", float, double) {
  tally seen;
  std::uint64_t seed = 0;
  for (const std::string_view values : reference::value_families) {
    for (const std::size_t n : {1025u, 3000u, 4096u, 7000u}) {
      if (left_out(++seed)) continue;
      const auto p = host_test::seeded_row<TestType>(values, "", n, seed);
      // Wide rows take long: here, a few.
      if (block_test::wide_sums<false>(p).possible && seed % 16 != 1) continue;
      check_row(p, host_test::label(values, "", n, seed), seed, seen);
    }
  }
  for (seed = 1; seed <= 20; ++seed) {
    if (left_out(seed)) continue;
    const auto p = host_test::row_with_infinities<TestType>("", 4096, seed);
    check_row(p, "infinities " + std::to_string(seed), seed, seen);
  }
  CHECK(seen.clear > 0);
}
