// Iterators: other value types, values made on the fly, output that is no memory.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "check.hpp"
#include "forms.hpp"
#include "rows.hpp"

using host_test::generated;
using host_test::problem;
using host_test::sink;

TEMPLATE_TEST_CASE("integers are read through iterators", "", float, double) {
  using T = TestType;
  const std::vector<int> y = {3, 1, 2, 9, 7, 7};
  const std::vector<unsigned char> w = {1, 2, 1, 0, 1, 3};
  std::vector<T> fit(6);
  CHECK(iso::host::solve<T, false>(y.begin(), fit.begin(), iso::shape{2, 3}));
  CHECK(fit == std::vector<T>{2, 2, 2, T(23) / 3, T(23) / 3, T(23) / 3});
  CHECK(iso::host::solve<T, true>(y.begin(), w.begin(), fit.begin(), iso::shape{2, 3}));
  CHECK(fit == std::vector<T>{T(5) / 3, T(5) / 3, 2, 7, 7, 7});
}

TEST_CASE("output iterators may hold another type than the fit") {
  const std::vector<float> y = {3, 1, 2, 10};
  std::deque<double> fit(4);
  CHECK(iso::host::solve<float, false>(y.begin(), fit.begin(), iso::shape{1, 4}));
  CHECK(fit == std::deque<double>{2, 2, 2, 10});
}

// A thousand bootstrap weightings of one row take no memory of their own.
TEST_CASE("one row under generated weights is each row under its weights") {
  const std::int64_t rows = 200, length = 300;
  const std::vector<double> y = reference::values<double>("noise", static_cast<std::size_t>(length), 3);
  const auto weight = [](std::int64_t at) { return static_cast<int>((at * 2654435761) >> 7 & 3); };
  const generated weights(weight);
  const auto value = [&](std::int64_t at) { return y[static_cast<std::size_t>(at % length)]; };
  const generated values(value);
  std::vector<double> fit(static_cast<std::size_t>(rows * length));
  std::vector<iso::row_status> status(static_cast<std::size_t>(rows));
  std::vector<std::uint32_t> pools(static_cast<std::size_t>(rows * iso::pool_words(length)));
  iso::options<double> options;
  options.status = status;
  options.pools = pools;
  CHECK(iso::host::solve<double, true>(values, weights, fit.data(), iso::shape{rows, length}, options, 3));
  for (std::int64_t r = 0; r < rows; ++r) {
    problem<double> p = reference::row(y, std::vector<double>{});
    for (std::int64_t i = 0; i < length; ++i) p.w.push_back(weight(r * length + i));
    host_test::outcome<double> got;
    got.status = status[static_cast<std::size_t>(r)];
    got.fit.assign(fit.begin() + r * length, fit.begin() + (r + 1) * length);
    got.pools.assign(pools.begin() + r * iso::pool_words(length),
                     pools.begin() + (r + 1) * iso::pool_words(length));
    REQUIRE(host_test::difference(got, reference::solve(p)) == "");
  }
}

TEST_CASE("a sink gets every element of every row, once") {
  const std::int64_t rows = 300, length = 70;
  const auto values_at = [](std::int64_t at) { return static_cast<float>(at % 7); };
  const generated values(values_at);
  std::vector<float> fit(static_cast<std::size_t>(rows * length));
  std::vector<unsigned char> writes(fit.size());
  const auto keep = [&](std::int64_t at, float v) {
    fit[static_cast<std::size_t>(at)] = v;
    ++writes[static_cast<std::size_t>(at)];
  };
  CHECK(iso::host::solve<float, false>(values, sink(keep), iso::shape{rows, length}, {}, 2));
  CHECK(writes == std::vector<unsigned char>(fit.size(), 1));
  for (std::int64_t r = 0; r < rows; ++r) {
    problem<float> p;
    for (std::int64_t i = 0; i < length; ++i) p.y.push_back(values[r * length + i]);
    const std::vector<float> got(fit.begin() + r * length, fit.begin() + (r + 1) * length);
    REQUIRE(got == reference::solve(p).fit);
  }
}

TEST_CASE("iterators over a long row agree with the span, bit for bit") {
  const std::size_t n = 300000;
  const problem<float> p = host_test::seeded_row<float>("pieces", "counts", n, 8);
  const std::vector<int> w(p.w.begin(), p.w.end());
  std::vector<float> fit(n);
  iso::options<float> options;
  options.increasing = p.increasing;
  options.y_min = p.y_min;
  options.y_max = p.y_max;
  for (const int threads : {1, 3}) {
    CHECK(iso::host::solve<float, true>(p.y.begin(), w.begin(), fit.begin(),
                                        iso::shape{1, static_cast<std::int64_t>(n)}, options, threads));
    CHECK(host_test::same(fit, host_test::fit_of(p)));
  }
}
