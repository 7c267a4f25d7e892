// Elements without weight, and weights that are refused.
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"

using host_test::check_exact;
using host_test::check_pools;
using host_test::fit_of;
using host_test::infinity;
using host_test::not_a_number;
using host_test::outcome;
using host_test::problem;
using host_test::run;
using iso::row_status;
using reference::row;

// Neighbouring zero weights made another implementation loop for ever (scikit-learn issue 4297).
TEST_CASE("a run of zero weights has no say and takes the pool on its left") {
  const std::vector<double> y = {0, 3, 6, 4, 7, 5, 8, 11, 9, 12, 10, 13, 16, 14, 17, 15, 18, 21, 19, 22};
  const std::vector<double> w = {1, 2.5, 2, 1.5, 1, 0, 0, 0, 1, 2.5, 2, 1.5, 1, 2.5, 2, 1.5, 1, 2.5, 2, 1.5};
  CHECK(fit_of(row(y, w)) == std::vector<double>{0,
                                                 3,
                                                 5.142857142857143,
                                                 5.142857142857143,
                                                 7,
                                                 7,
                                                 7,
                                                 7,
                                                 9,
                                                 11.11111111111111,
                                                 11.11111111111111,
                                                 13,
                                                 14.571428571428571,
                                                 14.571428571428571,
                                                 16.142857142857142,
                                                 16.142857142857142,
                                                 18,
                                                 20.11111111111111,
                                                 20.11111111111111,
                                                 22});
  check_exact(row(y, w), "zero weights");
}

TEMPLATE_TEST_CASE("elements without weight at the start take the first pool", "", float, double) {
  using T = TestType;
  const problem<T> p = row<T>({7, -3, 2, 1, 5}, {0, 0, 1, 1, 1});
  CHECK(fit_of(p) == std::vector<T>{1.5, 1.5, 1.5, 1.5, 5});
  check_pools(p, {0, 4});
}

TEMPLATE_TEST_CASE("elements without weight never start a pool", "", float, double) {
  using T = TestType;
  const problem<T> p = row<T>({1, 100, 2, -100, 3, 0}, {1, 0, 1, 0, 1, 0});
  CHECK(fit_of(p) == std::vector<T>{1, 1, 2, 2, 3, 3});
  check_pools(p, {0, 2, 4});
}

TEMPLATE_TEST_CASE("a decreasing fit attaches elements without weight to the left too", "", float, double) {
  using T = TestType;
  problem<T> p = row<T>({9, 3, 50, 1, 0}, {0, 1, 0, 1, 0});
  p.increasing = false;
  CHECK(fit_of(p) == std::vector<T>{3, 3, 3, 1, 1});
}

TEMPLATE_TEST_CASE("a weight of -0 is a zero weight", "", float, double) {
  using T = TestType;
  CHECK(fit_of(row<T>({2, 9, 3}, {1, -T(0), 1})) == std::vector<T>{2, 2, 3});
}

TEMPLATE_TEST_CASE("a row without any weight is NaN and says so", "", float, double) {
  using T = TestType;
  for (const std::vector<T>& w : {std::vector<T>{0}, std::vector<T>{0, 0, 0}, std::vector<T>(1500, T(0))}) {
    const outcome<T> out = run(row<T>(std::vector<T>(w.size(), T(1)), w));
    CHECK(out.called);
    CHECK(out.status == row_status::no_weight);
    for (const T v : out.fit) REQUIRE(std::isnan(v));
    for (const auto word : out.pools) REQUIRE(word == 0);
  }
  CHECK(run(row<T>({}, {})).status == row_status::ok);
}

// Every comparison with NaN is false: a check for weights <= 0 lets it pass.
TEMPLATE_TEST_CASE("a weight that is negative, NaN or infinite makes the row NaN, wherever it stands", "",
                   float, double) {
  using T = TestType;
  const T least = std::numeric_limits<T>::denorm_min();
  for (const T bad : {T(-1), -least, not_a_number<T>, -not_a_number<T>, infinity<T>, -infinity<T>}) {
    for (const std::size_t n : std::vector<std::size_t>{1, 3, 1024, 1025, 5000}) {
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
        problem<T> p = row<T>(std::vector<T>(n, T(2)), std::vector<T>(n, T(1)));
        p.w[at] = bad;
        const outcome<T> out = run(p);
        CHECK(out.status == row_status::bad_weight);
        REQUIRE(host_test::difference(p, 1) == "");
      }
    }
  }
}

TEMPLATE_TEST_CASE("of several faults the first in order is reported", "", float, double) {
  using T = TestType;
  const T inf = infinity<T>;
  const T nan = not_a_number<T>;
  CHECK(run(row<T>({nan, inf, -inf}, {0, 1, -1})).status == row_status::bad_weight);
  CHECK(run(row<T>({nan, 1}, {0, 0})).status == row_status::nan);
  CHECK(run(row<T>({inf, -inf, nan}, {1, 1, 1})).status == row_status::nan);
  CHECK(run(row<T>({inf, -inf}, {0, 0})).status == row_status::no_weight);
  CHECK(run(row<T>({inf, -inf}, {1, 1})).status == row_status::indeterminate);
}

TEMPLATE_TEST_CASE("weights of all sizes stay exact", "", float, double) {
  using T = TestType;
  const T least = std::numeric_limits<T>::denorm_min();
  const T most = std::numeric_limits<T>::max();
  check_exact(row<T>({3, 1, 2}, {least, most, least}), "least and greatest");
  check_exact(row<T>({3, 1, 2, 0}, {most, most, most, most}), "a sum beyond the range");
  check_exact(row<T>({most, -most, most, 1}, {most, most, least, least}), "products beyond the range");
  check_exact(row<T>({least, -least, least}, {least, least, most}), "products below the range");
  CHECK(fit_of(row<T>({3, 1}, {least, least})) == std::vector<T>{2, 2});
  CHECK(fit_of(row<T>({3, 1}, {most, most})) == std::vector<T>{2, 2});
}
