// Rows of many chunks: exact, and the same bits for every number of threads.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "reference/oracle.hpp"
#include "rows.hpp"
#include "sanitized.hpp"

using host_test::outcome;
using host_test::problem;
using host_test::run;

namespace {

// The length from which a row is spread over threads.
constexpr std::size_t long_row = std::size_t{1} << 18;

constexpr int thread_counts[] = {0, 2, 3, 5, 8};
// Where every family is tried, sanitizers see two.
constexpr int some_thread_counts[] = {3, 8};
constexpr std::span<const int> family_thread_counts =
    sanitized ? std::span<const int>(some_thread_counts) : thread_counts;

template <class T>
void check_threads(std::string_view values, std::string_view weights, std::size_t n, std::uint64_t seed,
                   std::span<const int> counts = thread_counts) {
  const problem<T> p = host_test::seeded_row<T>(values, weights, n, seed);
  INFO(host_test::label(values, weights, n, seed));
  const outcome<T> alone = run(p, 1);
  CHECK(difference(alone, reference::solve(p)) == "");
  for (const int threads : counts) {
    INFO(threads << " threads");
    CHECK((run(p, threads) == alone));
  }
}

bool is_wide(std::string_view values) {
  return values.ends_with("exponents") || values == "subnormals" || values == "cancellation";
}

}  // namespace

TEMPLATE_TEST_CASE("a long row is exact, with the same bits for every number of threads", "", float, double) {
  using T = TestType;
  std::uint64_t seed = 100;
  for (const std::string_view values : reference::value_families) {
    if (is_wide(values)) continue;  // below, shorter
    for (const std::string_view weights : {"", "uniform", "zero chunks"}) {
      if (left_out(++seed)) continue;
      check_threads<T>(values, weights, long_row + 37 * seed, seed, family_thread_counts);
    }
  }
}

TEMPLATE_TEST_CASE("a long row of wide values is exact, with the same bits for every number of threads", "",
                   float, double) {
  using T = TestType;
  for (const std::string_view values : {"cancellation", "subnormals", "exponents", "sorted exponents"}) {
    check_threads<T>(values, "", long_row, 7, family_thread_counts);
  }
}

TEMPLATE_TEST_CASE("rows just below and above the length that is spread over threads are exact", "[threads]",
                   float, double) {
  using T = TestType;
  for (const std::size_t n : {long_row - 1, long_row, long_row + 1, 4 * long_row + 1}) {
    check_threads<T>("noise", "", n, n);
    check_threads<T>("cliff", "", n, n);
    check_threads<T>("mirrored walk", "counts", n, n);
  }
}

TEMPLATE_TEST_CASE("the answer for a long row passes the KKT conditions in exact arithmetic", "", float,
                   double) {
  using T = TestType;
  std::uint64_t seed = 0;
  for (const std::string_view values : reference::value_families) {
    for (const std::string_view weights : {"", "counts", "zero runs"}) {
      problem<T> p = host_test::seeded_row<T>(values, weights, 30000, ++seed);
      if (p.weighted && p.w.front() + p.w.back() == 0) p.w.front() = 1;
      const outcome<T> out = run(p, 2);
      std::vector<bool> starts(p.y.size());
      for (std::size_t i = 0; i < starts.size(); ++i) starts[i] = (out.pools[i / 32] >> (i % 32) & 1) != 0;
      INFO(host_test::label(values, weights, p.y.size(), seed));
      CHECK(reference::fault<T>(p, out.fit, starts) == "");
    }
  }
}

TEMPLATE_TEST_CASE("rows of a batch have the same bits for every number of threads", "[threads]", float,
                   double) {
  using T = TestType;
  const std::int64_t rows = 600, length = 700;
  const std::vector<T> y = reference::values<T>("noise", static_cast<std::size_t>(rows * length), 1);
  const std::vector<T> w = reference::weights<T>("zeros", y.size(), 1);
  std::vector<std::vector<T>> fits;
  for (const int threads : {1, 0, 2, 3, 5, 8}) {
    std::vector<T> fit(y.size());
    CHECK(iso::host::solve<T, true>(iso::batch<const T>(y.data(), rows, length),
                                    iso::batch<const T>(w.data(), rows, length),
                                    iso::batch<T>(fit.data(), rows, length), {}, threads));
    fits.push_back(fit);
  }
  for (const std::vector<T>& fit : fits) CHECK(host_test::same(fit, fits.front()));
}

// A value repeated, whose floating-point sums depend on their order, and pseudo-random ones (NVIDIA cub issue
// 108).
TEST_CASE("a hundred runs of several threads give the same bits") {
  const std::size_t n = 262200;
  for (const std::string_view values : {"constant", "uniform"}) {
    const problem<double> p = reference::row(reference::values<double>(values, n, 9));
    const outcome<double> first = run(p, 3);
    CHECK(difference(first, reference::solve(p)) == "");
    int other = 0;
    for (int k = 0; k < (sanitized ? 20 : 100); ++k) other += !(run(p, 2 + k % 4) == first);
    CHECK(other == 0);
  }
}

TEST_CASE("a row of 1025 elements with known pools") {
  problem<double> p;
  for (int i = 0; i < 1025; ++i) p.y.push_back((i * 7919 + 13) % 1013 + i / 3);
  const std::vector<std::size_t> starts = {0, 1, 17, 132, 247, 351, 466, 581, 696, 800, 915};
  const std::vector<double> means = {13,           469,          60873. / 115, 65052. / 115,
                                     62885. / 104, 74022. / 115, 680,          82378. / 115,
                                     78555. / 104, 91348. / 115, 91507. / 110};
  std::vector<double> owed(1025);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    std::fill(owed.begin() + static_cast<std::ptrdiff_t>(starts[k]), owed.end(), means[k]);
  }
  host_test::check_fit(p, owed);
  host_test::check_pools(p, starts);
}
