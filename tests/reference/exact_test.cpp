// The oracle: known answers, and the two proofs that share nothing with it.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include "reference/certificate.hpp"
#include "reference/exact.hpp"
#include "reference/families.hpp"
#include "reference/max_min.hpp"

using iso::row_status;
using reference::answer;
using reference::infinity;
using reference::problem;
using reference::row;

namespace {

std::vector<bool> starting(std::size_t n, std::initializer_list<std::size_t> starts) {
  std::vector<bool> out(n);
  for (const std::size_t i : starts) out[i] = true;
  return out;
}

template <class T>
row_status status_of(const problem<T>& p) {
  const answer<T> a = reference::solve(p);
  for (const T v : a.fit) CHECK(std::isnan(v) == (a.status != row_status::ok));
  CHECK((a.status == row_status::ok || a.starts == std::vector<bool>(p.y.size())));
  return a.status;
}

// The fit by the max-min formula, and whether it is the oracle's.
template <class T>
bool agrees_with_max_min(const problem<T>& p) {
  std::vector<reference::rational> y;
  std::vector<reference::rational> w;
  std::vector<std::size_t> place;
  for (std::size_t i = 0; i < p.y.size(); ++i) {
    if (p.weighted && p.w[i] == 0) continue;
    place.push_back(i);
    y.emplace_back(p.increasing ? p.y[i] : -p.y[i]);
    w.emplace_back(p.weighted ? p.w[i] : T(1));
  }
  const std::vector<reference::rational> owed = reference::max_min(y, w);
  const answer<T> got = reference::solve(p);
  for (std::size_t k = 0; k < owed.size(); ++k) {
    const reference::rational mean = p.increasing ? owed[k] : reference::rational(-owed[k]);
    if (!reference::is_rounding_of<T>(got.fit[place[k]], reference::integer(numerator(mean)),
                                      reference::integer(denominator(mean)), 0)) {
      return false;
    }
    const std::size_t first = k == 0 ? 0 : place[k];
    if (got.starts[first] != (k == 0 || owed[k] != owed[k - 1])) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("the oracle knows a fit worked by hand") {
  const answer<double> a = reference::solve(row<double>({1, 3, 2, 4, 0, 10}));
  CHECK(a.status == row_status::ok);
  CHECK(a.fit == std::vector<double>{1, 2.25, 2.25, 2.25, 2.25, 10});
  CHECK(a.starts == starting(6, {0, 1, 5}));
}

TEST_CASE("the oracle makes one pool of equal means") {
  CHECK(reference::solve(row<float>({1, 1, 2, 0})).starts == starting(4, {0}));
  CHECK(reference::solve(row<float>({2, 3, 1, 5}, {1, 1, 1, 1})).starts == starting(4, {0, 3}));
}

TEST_CASE("the oracle lets elements without weight follow the pool on their left") {
  const answer<float> a = reference::solve(row<float>({9, 1, -7, 2, 50}, {0, 1, 0, 1, 0}));
  CHECK(a.fit == std::vector<float>{1, 1, 1, 2, 2});
  CHECK(a.starts == starting(5, {0, 3}));
}

TEST_CASE("the oracle solves first and clips then") {
  problem<double> p = row<double>({-10, 0, 4, -4});
  p.y_min = -1;
  CHECK(reference::solve(p).fit == std::vector<double>{-1, 0, 0, 0});
  CHECK(reference::solve(p).starts == starting(4, {0, 1}));
}

TEST_CASE("the oracle holds infinities to be extended real numbers") {
  const double inf = infinity<double>;
  CHECK(reference::solve(row<double>({3, 1, inf, 7})).fit == std::vector<double>{2, 2, inf, inf});
  CHECK(reference::solve(row<double>({3, -inf, 1, 2})).fit == std::vector<double>{-inf, -inf, 1, 2});
  CHECK(reference::solve(row<double>({-inf, inf})).fit == std::vector<double>{-inf, inf});
  CHECK(reference::solve(row<double>({1, inf, 2}, {1, 0, 1})).fit == std::vector<double>{1, 1, 2});
  CHECK(status_of(row<double>({inf, 1, -inf})) == row_status::indeterminate);
}

TEST_CASE("the oracle reports the first status that applies") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = infinity<float>;
  CHECK(status_of(row<float>({nan, inf, -inf}, {0, -1, 1})) == row_status::bad_weight);
  CHECK(status_of(row<float>({1, 2}, {1, inf})) == row_status::bad_weight);
  CHECK(status_of(row<float>({1, 2}, {1, nan})) == row_status::bad_weight);
  CHECK(status_of(row<float>({nan, 2}, {0, 0})) == row_status::nan);
  CHECK(status_of(row<float>({1, 2}, {0, 0})) == row_status::no_weight);
  CHECK(status_of(row<float>({}, {})) == row_status::ok);
}

TEMPLATE_TEST_CASE("the oracle satisfies the KKT conditions in exact arithmetic", "", float, double) {
  using T = TestType;
  std::uint64_t seed = 0;
  for (const auto values : reference::value_families) {
    for (const auto weights : {"", "uniform", "decades", "zero runs", "zero chunks", "exponents"}) {
      for (const std::size_t n : std::vector<std::size_t>{1, 2, 7, 100, 2050}) {
        problem<T> p = row(reference::values<T>(values, n, ++seed));
        p.weighted = *weights != '\0';
        if (p.weighted) p.w = reference::weights<T>(weights, n, seed);
        p.increasing = seed % 2 == 0;
        if (seed % 3 == 0) p.y_min = p.y[n / 3];
        const answer<T> a = reference::solve(p);
        if (a.status == row_status::no_weight) continue;
        INFO(values << " / " << weights << ", n = " << n);
        CHECK(reference::fault<T>(p, a.fit, a.starts) == "");
      }
    }
  }
}

TEMPLATE_TEST_CASE("the oracle agrees with the max-min formula", "", float, double) {
  using T = TestType;
  std::uint64_t seed = 0;
  for (const auto values : reference::value_families) {
    for (const auto weights : {"", "uniform", "decades", "zeros"}) {
      for (const std::size_t n : std::vector<std::size_t>{1, 2, 3, 5, 8, 24}) {
        problem<T> p = row(reference::values<T>(values, n, ++seed));
        p.weighted = *weights != '\0';
        if (p.weighted) p.w = reference::weights<T>(weights, n, seed);
        p.increasing = seed % 2 == 0;
        if (reference::solve(p).status == row_status::no_weight) continue;
        INFO(reference::describe(p));
        CHECK(agrees_with_max_min(p));
      }
    }
  }
}

TEST_CASE("the certificate finds what is wrong") {
  const problem<float> p = row<float>({1, 3, 2, 4});
  const std::vector<float> right = {1, 2.5, 2.5, 4};
  CHECK(reference::fault<float>(p, right, starting(4, {0, 1, 3})) == "");
  const std::vector<float> unpooled = {1, 3, 2, 4};
  CHECK(reference::fault<float>(p, unpooled, starting(4, {0, 1, 2, 3})) ==
        "pool at 2: not above the pool before");
  CHECK(reference::fault<float>(p, right, starting(4, {0, 3})) == "pool at 0: should end at 0");
  CHECK(reference::fault<float>(p, right, starting(4, {1, 3})) == "element 0 starts no pool");
  const std::vector<float> high = {1, 2.5000002f, 2.5000002f, 4};
  CHECK(reference::fault<float>(p, high, starting(4, {0, 1, 3})) ==
        "pool at 1: its value is not its rounded mean");
  const std::vector<float> uneven = {1, 2.5, 2.75, 4};
  CHECK(reference::fault<float>(p, uneven, starting(4, {0, 1, 3})) == "pool at 1: not constant");
}
