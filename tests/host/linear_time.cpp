// Time is linear in the elements, on every family. The bounds are far above what a busy machine adds and far
// below what a quadratic solver takes; a measurement beyond its bound is taken again, and the least of them
// counts.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "rows.hpp"
#include "sanitized.hpp"

using host_test::problem;

namespace {

template <class T>
double seconds_of(const problem<T>& p, std::vector<T>& fit) {
  const auto start = std::chrono::steady_clock::now();
  const iso::status called = p.weighted ? iso::host::solve<T, true>(p.y, p.w, fit, {}, 1)
                                        : iso::host::solve<T, false>(p.y, fit, {}, 1);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  REQUIRE(called);
  return taken.count();
}

// The least of several measurements; only as many as it takes to come below `enough`.
template <class T>
double seconds(const problem<T>& p, double enough) {
  std::vector<T> fit(p.y.size());
  double least = seconds_of(p, fit);
  for (int k = 0; k < 4 && least > enough; ++k) least = (std::min)(least, seconds_of(p, fit));
  return least;
}

constexpr double no_bound = 0;

// Sanitizers make all rows slower alike; a tenth of the elements is long enough to see what is quadratic.
constexpr std::size_t shorter = sanitized ? 10 : 1;

}  // namespace

TEMPLATE_TEST_CASE("no family takes many times as long as noise", "", float, double) {
  using T = TestType;
  const std::size_t n = 2000000 / shorter;
  const double noise = seconds(reference::row(reference::values<T>("noise", n, 1)), no_bound);
  for (const std::string_view values :
       {"increasing", "decreasing", "constant", "pieces", "random walk", "sawtooth", "cliff", "collinear",
        "offset 1e6", "ulps", "labels", "softmax", "convex pieces", "mirrored walk", "staircase"}) {
    const double taken = seconds(reference::row(reference::values<T>(values, n, 1)), 6 * noise);
    std::cout << (sizeof(T) == 4 ? "float " : "double ") << values << ": " << taken / noise
              << " times noise\n";
    INFO(values);
    CHECK(taken < 12 * noise);
  }
}

// 0..m-1, -(m-1)..m-1, -(m-1)..0: the sums never fall below zero and return to it, so the fit is 0. Other
// solvers were quadratic on it (scikit-learn issue 6691, Spark pull request 15018).
TEMPLATE_TEST_CASE("the tent of millions of elements is zero everywhere, in the time of noise", "", float,
                   double) {
  using T = TestType;
  const std::size_t n = 4000000 / shorter - 1;
  const problem<T> tent = reference::row(reference::values<T>("tent", n, 1));
  const double noise = seconds(reference::row(reference::values<T>("noise", n, 1)), no_bound);
  const double taken = seconds(tent, 6 * noise);
  std::cout << (sizeof(T) == 4 ? "float" : "double") << " tent: " << taken / noise << " times noise\n";
  CHECK(taken < 12 * noise);
  const std::vector<T> fit = host_test::fit_of(tent);
  CHECK(std::ranges::count(fit, T(0)) == static_cast<std::ptrdiff_t>(n));
}

TEMPLATE_TEST_CASE("sixteen times the elements take about sixteen times as long, however wide", "", float,
                   double) {
  using T = TestType;
  struct family {
    std::string_view values, weights;
  };
  for (const family& f :
       {family{"noise", "uniform"}, family{"cliff", "exponential"}, family{"cancellation", ""},
        family{"sorted exponents", ""}, family{"subnormals", ""}, family{"increasing", "decades"}}) {
    const std::size_t n = 16000;
    const auto of = [&](std::size_t size) {
      problem<T> p = reference::row(reference::values<T>(f.values, size, 1));
      p.weighted = !f.weights.empty();
      if (p.weighted) p.w = reference::weights<T>(f.weights, size, 1);
      return p;
    };
    const double one = seconds(of(n), no_bound);
    const double sixteen = seconds(of(16 * n), 50 * one);
    std::cout << (sizeof(T) == 4 ? "float " : "double ") << f.values << " / " << f.weights << ": "
              << sixteen / one << " times\n";
    INFO(f.values << " / " << f.weights);
    CHECK(sixteen < 100 * one);
  }
}
