// Rows whose chunks are looked at before they are hulled: sums and sags of chunks, bounds of hulls, and the
// rows solved so.
#include <algorithm>
#include <array>
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

template <int N>
reference::integer big(const iso::numeric::integer<N>& a) {
  reference::integer r = 0;
  const auto size = a.magnitude();
  for (int i = N - 1; i >= 0; --i) r = (r << 64) + size.word[i];
  return a.negative() ? reference::integer(-r) : r;
}

// Values and weights of a chunk; without weights, ones.
template <class T>
struct chunk_data {
  std::vector<T> y, w;
};

// Values whose exponents are spread over some bits about a middle one, and weights of others.
template <class T, bool Weighted>
chunk_data<T> spread_chunk(int middle, int spread, std::uint64_t seed) {
  std::mt19937_64 g(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  chunk_data<T> of{std::vector<T>(iso::chunk_elements), std::vector<T>(iso::chunk_elements, T(1))};
  const double trend = seed % 3 == 0 ? 4.0 / 1024 : 0;
  const auto some = [&](int bits) {
    return bits > 0 ? static_cast<int>(g() % static_cast<unsigned>(bits)) : 0;
  };
  for (std::size_t i = 0; i < of.y.size(); ++i) {
    of.y[i] = static_cast<T>(std::ldexp(normal(g) + trend * static_cast<double>(i), middle + some(spread)));
    if (seed % 5 == 0 && g() % 4 == 0) of.y[i] = 0;
    if constexpr (Weighted) {
      of.w[i] = static_cast<T>(std::ldexp(uniform(g), -middle / 3 + some(spread / 4)));
      if (seed % 4 == 0 && g() % 8 == 0) of.w[i] = 0;
      if (seed % 8 == 0 && of.w[i] == 0) of.y[i] = reference::infinity<T>;
    }
  }
  return of;
}

// What is summed of a chunk's elements, in units of its grid.
template <class T, bool Weighted>
struct exact_terms {
  std::vector<reference::integer> term, weight;
  reference::integer sum = 0, total_weight = 0;

  exact_terms(const chunk_data<T>& of, const iso::numeric::grid& on) {
    constexpr int least = iso::numeric::format<T>::min_exponent;
    for (std::size_t i = 0; i < of.y.size(); ++i) {
      reference::integer w = 1, s = 0;
      if (Weighted) w = reference::in_units(of.w[i], least);
      if (w != 0) s = reference::in_units(of.y[i], least) * w;
      s /= reference::integer(1) << on.products.unit();
      if (Weighted) w /= reference::integer(1) << on.weights.unit();
      sum += s;
      total_weight += w;
      term.push_back(s);
      weight.push_back(w);
    }
  }
};

// What a warp finds of a chunk, the first one of a row.
struct looked_chunk {
  bool usable;  // its row is neither bad nor wide
  iso::numeric::grid on;
  reference::integer sum, weight;
  float sag;
  bool convex;
};

template <class T, bool Weighted>
looked_chunk look_at(const chunk_data<T>& of, std::uint64_t order) {
  using namespace iso::device::detail;
  reference::problem<T> p = reference::row(of.y);
  p.weighted = Weighted;
  p.w = of.w;
  p.increasing = order % 3 != 0;
  if (!p.increasing) {
    for (T& y : p.y) y = -y;
  }
  host_test::outcome<T> out;
  const auto rows = block_test::rows_of<T, Weighted>(p, out);
  std::vector<std::uint64_t> memory(workspace<T, Weighted>(rows.size, nullptr, 1).bytes / 8);
  const workspace<T, Weighted> at(rows.size, reinterpret_cast<std::byte*>(memory.data()), 1);
  iso::look_storage<T, Weighted> storage;
  simt::fill(storage, order);
  simt::launch(32, order, [&](const simt::thread_block& block) {
    iso::look_at_chunk(simt::tiled_partition<32>(block), storage, rows, at, 0);
  });
  const auto facts = iso::row_facts::of<T, Weighted>(*at.row, at.length);
  looked_chunk found{facts.status == iso::row_status::ok && !facts.wide,
                     at.chunk->on,
                     0,
                     iso::chunk_elements,
                     *at.sag,
                     at.row->convex > 0};
  if constexpr (Weighted) {
    found.sum = big(at.chunk->total.s);
    found.weight = big(at.chunk->total.w);
  } else {
    found.sum = big(at.chunk->total);
  }
  return found;
}

// Chunks of rows that have been looked at, of them those that were not hulled, and words of chunks that were
// merged at once.
struct tally {
  int rows = 0, given_up = 0, chunks = 0, clear = 0, words = 0;
};

template <bool Weighted, class T>
void check_row(const reference::problem<T>& p, const std::string& what, std::uint64_t order, tally& seen) {
  bool wide = false;
  const auto got = segment_test::solve_emulated_by<Weighted>(
      p, order, wide,
      [&](const auto& rows, const auto& at, const auto& facts) {
        using rows_type = std::remove_cvref_t<decltype(rows)>;
        seen.given_up += at.row->unseen != 0;
        for (std::int64_t c = 0; c < at.chunks; ++c) {
          const std::uint32_t word = at.chosen_bits[at.word_place(0, c)];
          ++seen.chunks;
          const bool clear = (word >> c % 32 & 1u) == 0;
          seen.clear += clear;
          // Merges take a chunk without a list for one that has masks.
          if (clear && at.chunk[c].points != 2) FAIL_CHECK(what << ": clear chunk " << c << " has no list");
          seen.words += word == 0 && c % 32 == 0;
        }
        segment_test::merge_emulated<iso::row_reader<simt::tile<32>, rows_type>>(rows, at, facts, order);
      },
      {.look = true, .apart = order % 4 == 1});
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
template <class T, bool Weighted>
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
  p.weighted = Weighted;
  if (Weighted) {
    constexpr std::array<std::string_view, 6> families = {"uniform", "counts",    "exponential",
                                                          "zeros",   "zero runs", "zero chunks"};
    p.w = reference::weights<T>(families[seed % families.size()], n, seed);
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

template <class T, bool Weighted>
void check_sums() {
  using f = iso::numeric::format<T>;
  constexpr bool narrow = f::digits == 24;
  using sums = iso::look_sums<T, Weighted>;
  int plain = 0, split = 0, long_ones = 0, wide = 0;
  std::uint64_t seed = 0;
  for (int spread = 0; spread <= (narrow ? 90 : 190); spread += narrow ? 2 : 5) {
    for (const int middle : {narrow ? -149 : -1074, narrow ? -100 : -900, -20, 0, narrow ? 30 : 700}) {
      const auto of = spread_chunk<T, Weighted>(middle, spread, ++seed);
      const auto found = look_at<T, Weighted>(of, seed);
      if (!found.usable) {
        ++wide;
        continue;
      }
      const exact_terms<T, Weighted> exact(of, found.on);
      CAPTURE(spread, middle, seed, found.on.products.bits(), found.on.weights.bits());
      CHECK(found.sum == exact.sum);
      CHECK(found.weight == exact.total_weight);
      ++(!sums::of(found.on).fit() ? long_ones : found.on.products.bits() <= 43 ? plain : split);
    }
  }
  CHECK((plain > 0) == (narrow && !Weighted));
  CHECK(split > 20);
  CHECK(long_ones > 20);
  CHECK((wide > 0) == !(narrow && Weighted));
}

template <class T, bool Weighted>
void check_sags() {
  using f = iso::numeric::format<T>;
  int told = 0, untold = 0, convex = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    if (left_out(seed)) continue;
    const int middle = static_cast<int>(seed * 37 % (2u * (f::positions - f::digits))) / 2 + f::min_exponent;
    const auto of = spread_chunk<T, Weighted>(middle, static_cast<int>(seed % 7), seed);
    const auto found = look_at<T, Weighted>(of, seed);
    if (found.sag == iso::chunk_sag::any) {
      ++untold;
      continue;
    }
    ++told;
    const exact_terms<T, Weighted> exact(of, found.on);
    // In parts of units, one for all the weight.
    reference::integer sum = 0, weight = 0, below = 0, above = 0;
    for (std::size_t i = 0; i < iso::chunk_elements; ++i) {
      const reference::integer sag = exact.sum * weight - sum * exact.total_weight;
      if (sag > below) below = sag;
      if (i % 32 == 0 && -sag > above) above = -sag;
      sum += exact.term[i];
      weight += exact.weight[i];
    }
    const auto parts = [&](const reference::integer& a) {
      const double whole = exact.total_weight.template convert_to<double>();
      return std::ldexp(a.convert_to<double>() / whole, -found.on.products.bits());
    };
    CAPTURE(seed, middle, found.on.products.bits(), parts(below), found.sag, parts(above));
    CHECK(found.sag >= parts(below));
    CHECK(found.sag <= parts(below) + 0x1p-6);
    CHECK(found.convex >= (8 * (parts(above) + 0x1p-7) < parts(below)));
    CHECK(found.convex <= (8 * (parts(above) - 0x1p-7) < parts(below) + 0x1p-6));
    convex += found.convex;
  }
  CAPTURE(told, untold, convex);
  CHECK(told > (sanitized ? 10 : 100));
  CHECK(untold > 0);
  if (!sanitized) CHECK(convex > 5);
}

template <class T, bool Weighted>
void check_bent_rows() {
  tally seen;
  for (std::uint64_t seed = 1; seed <= 48; ++seed) {
    if (left_out(seed)) continue;
    const std::size_t n = seed % 6 == 0   ? 320000 + seed
                          : seed % 2 == 0 ? 70000 + 977 * seed
                                          : 1025 + 211 * seed;
    check_row<Weighted>(bent_row<T, Weighted>(n, seed), "bent row " + std::to_string(seed), seed, seen);
  }
  CAPTURE(seen.rows, seen.given_up, seen.chunks, seen.clear, seen.words);
  CHECK((Weighted ? 4 : 3) * seen.clear > seen.chunks);
  CHECK(seen.clear < seen.chunks);
  CHECK(seen.words > 0);
  if (!sanitized) CHECK(seen.given_up > 0);
}

template <class T, bool Weighted>
void check_families() {
  tally seen;
  std::uint64_t seed = 0;
  for (const std::string_view values : reference::value_families) {
    for (const std::size_t n : {1025u, 3000u, 4096u, 7000u}) {
      if (left_out(++seed)) continue;
      const auto weights =
          Weighted ? reference::weight_families[seed % reference::weight_families.size()] : "";
      const auto p = host_test::seeded_row<T>(values, weights, n, seed);
      // Wide rows take long: here, a few.
      if (block_test::wide_sums<Weighted>(p).possible && seed % 16 != 1) continue;
      check_row<Weighted>(p, host_test::label(values, weights, n, seed), seed, seen);
    }
  }
  for (seed = 1; seed <= 20; ++seed) {
    if (left_out(seed)) continue;
    const auto p = host_test::row_with_infinities<T>(Weighted ? "zeros" : "", 4096, seed);
    check_row<Weighted>(p, "infinities " + std::to_string(seed), seed, seen);
  }
  CHECK(seen.clear > 0);
}

}  // namespace

TEMPLATE_TEST_CASE("the sums of a chunk are exact on grids of any width", "", float, double) {
  check_sums<TestType, false>();
  check_sums<TestType, true>();
}

TEMPLATE_TEST_CASE("the sag of a chunk is not below what it is, nor much above", "", float, double) {
  check_sags<TestType, false>();
  check_sags<TestType, true>();
}

TEMPLATE_TEST_CASE_SIG("bounds of a hull are lowered, and not below the hull", "", ((bool Even), Even), true,
                       false) {
  double excess = 0, height = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    if (left_out(seed)) continue;
    std::mt19937_64 g(seed);
    std::normal_distribution<double> normal;
    const int last = 1 + static_cast<int>(g() % (seed % 2 == 0 ? 300 : 20));
    const double tail = seed % 3 == 0 ? 1 : (1 + static_cast<double>(g() % 1023)) / 1024;
    std::vector<double> bound, place, told;
    double sum = 0, at = 0;
    for (int i = 0; i <= last; ++i) {
      place.push_back(!Even ? at : i < last ? i : i - 1 + tail);
      bound.push_back(sum);
      told.push_back(at * (1 + static_cast<double>(g() % 3) * 0x1p-52));  // rounded, as sums are
      // Some places are close to each other, or the same.
      const double step = Even           ? 1
                          : g() % 8 == 0 ? 0
                                         : std::ldexp(1, -static_cast<int>(g() % (seed % 4 == 0 ? 40 : 3)));
      at += step;
      if (step > 0) sum += (normal(g) + static_cast<double>(seed % 5) * i / last) / 1024;
    }
    if (place.back() == 0) place.back() = told.back() = 1;
    const auto points = bound, hull = hull_of(place, points);
    simt::launch(64, seed, [&](const simt::thread_block& block) {
      iso::lower_bounds_at<!Even>(block, bound.data(), told.data(), last, tail);
    });
    CAPTURE(seed, last, tail);
    CHECK(bound.front() == points.front());
    CHECK(bound.back() == points.back());
    for (std::size_t i = 0; i < bound.size(); ++i) {
      CAPTURE(i);
      CHECK(bound[i] <= points[i]);
      CHECK(bound[i] >= hull[i] - (Even ? 0x1p-45 : 0x1p-29));
      excess += bound[i] - hull[i];
      height += points[i] - hull[i];
    }
  }
  CHECK(excess < (Even ? 0.1 : 0.3) * height);
}

TEMPLATE_TEST_CASE("rows that are looked at first are solved exactly", "", float, double) {
  check_bent_rows<TestType, false>();
  check_bent_rows<TestType, true>();
}

TEMPLATE_TEST_CASE("rows of every family are solved exactly if they are looked at first", "", float, double) {
  check_families<TestType, false>();
  check_families<TestType, true>();
}
