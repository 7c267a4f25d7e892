// NaN and infinity among the values, and bounds.
#include <bit>
#include <cmath>
#include <cstddef>
#include <vector>

#include "check.hpp"

using host_test::bits_of;
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

namespace {

// NaN quiet and signalling, of either sign, with least and most payload.
template <class T>
std::vector<T> every_kind_of_nan() {
  using bits = bits_of<T>;
  const bits exponent = std::bit_cast<bits>(infinity<T>);
  const bits sign = std::bit_cast<bits>(-T(0));
  const bits quiet = bits{1} << (std::numeric_limits<T>::digits - 2);
  std::vector<T> out;
  for (const bits payload : {quiet, bits{1}, quiet | 1, quiet - 1, 2 * quiet - 1, quiet / 2}) {
    out.push_back(std::bit_cast<T>(static_cast<bits>(exponent | payload)));
    out.push_back(std::bit_cast<T>(static_cast<bits>(sign | exponent | payload)));
  }
  return out;
}

template <class T>
void check_all_nan(const problem<T>& p, row_status status) {
  const outcome<T> out = run(p);
  CHECK(out.called);
  CHECK(out.status == status);
  for (const T v : out.fit) REQUIRE(std::isnan(v));
  for (const auto word : out.pools) REQUIRE(word == 0);
}

}  // namespace

TEMPLATE_TEST_CASE("a NaN of any sign and payload makes its row NaN", "", float, double) {
  using T = TestType;
  for (const T nan : every_kind_of_nan<T>()) {
    for (const bool increasing : {true, false}) {
      problem<T> p = row<T>({1, nan, 2});
      p.increasing = increasing;
      check_all_nan(p, row_status::nan);
      for (const T weight : {T(0), T(1)}) {
        problem<T> weighted = row<T>({1, nan, 2}, {1, weight, 1});
        weighted.increasing = increasing;
        check_all_nan(weighted, row_status::nan);
      }
    }
  }
}

TEMPLATE_TEST_CASE("a NaN is found wherever it stands", "", float, double) {
  using T = TestType;
  for (const std::size_t n : std::vector<std::size_t>{1, 2, 1024, 1025, 4097}) {
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      problem<T> p = row<T>(std::vector<T>(n, T(1)));
      p.y[at] = not_a_number<T>;
      check_all_nan(p, row_status::nan);
    }
  }
}

TEMPLATE_TEST_CASE("padding by infinity leaves the data's fit alone", "", float, double) {
  using T = TestType;
  const T inf = infinity<T>;
  CHECK(fit_of(row<T>({3, 1, 2, inf, inf})) == std::vector<T>{2, 2, 2, inf, inf});
  CHECK(fit_of(row<T>({1, 2, 5, 4, inf})) == std::vector<T>{1, 2, 4.5, 4.5, inf});
  CHECK(fit_of(row<T>({-inf, -inf, 3, 1})) == std::vector<T>{-inf, -inf, 2, 2});
  CHECK(fit_of(row<T>({inf, inf})) == std::vector<T>{inf, inf});
  problem<T> decreasing = row<T>({3, 1, 2, -inf});
  decreasing.increasing = false;
  CHECK(fit_of(decreasing) == std::vector<T>{3, 1.5, 1.5, -inf});
  for (const std::size_t padding : std::vector<std::size_t>{1, 30, 1000, 1024, 3000}) {
    problem<T> p = row(std::vector<T>(1000, T(0)));
    for (std::size_t i = 0; i < 1000; ++i) p.y[i] = static_cast<T>(i * 7919 % 101) / 7;
    p.y.insert(p.y.end(), padding, inf);
    check_exact(p, "padded at the end");
    p.y.insert(p.y.begin(), padding, -inf);
    check_exact(p, "padded on both sides");
  }
}

TEMPLATE_TEST_CASE("an infinity makes the pool it falls into infinite", "", float, double) {
  using T = TestType;
  const T inf = infinity<T>;
  const problem<T> p = row<T>({1, inf, 2, 3});
  CHECK(fit_of(p) == std::vector<T>{1, inf, inf, inf});
  check_pools(p, {0, 1});
  CHECK(fit_of(row<T>({1, 2, -inf, 3})) == std::vector<T>{-inf, -inf, -inf, 3});
  CHECK(fit_of(row<T>({5, -inf, 1, inf, 0})) == std::vector<T>{-inf, -inf, 1, inf, inf});
  CHECK(fit_of(row<T>({1, inf, 2}, {1, 0, 1})) == std::vector<T>{1, 1, 2});
}

TEMPLATE_TEST_CASE("opposite infinities in one pool make the row indeterminate", "", float, double) {
  using T = TestType;
  const T inf = infinity<T>;
  check_all_nan(row<T>({inf, -inf}), row_status::indeterminate);
  check_all_nan(row<T>({1, inf, 5, -inf, 2}), row_status::indeterminate);
  check_all_nan(row<T>({inf, 1, -inf}, {1, 0, 1}), row_status::indeterminate);
  CHECK(fit_of(row<T>({-inf, inf})) == std::vector<T>{-inf, inf});
  CHECK(fit_of(row<T>({inf, -inf, 1}, {1, 0, 1})) == std::vector<T>{inf, inf, inf});
  problem<T> far_apart = row(std::vector<T>(5000, T(1)));
  far_apart.y[10] = inf;
  far_apart.y[4500] = -inf;
  check_all_nan(far_apart, row_status::indeterminate);
  problem<T> decreasing = row<T>({-inf, inf});
  decreasing.increasing = false;
  check_all_nan(decreasing, row_status::indeterminate);
}

TEMPLATE_TEST_CASE("bounds clip the fit and leave the pools as they were", "", float, double) {
  using T = TestType;
  problem<T> p = row<T>({-4, -2, 1, 3, 2, 9});
  p.y_min = -1;
  p.y_max = 2;
  CHECK(fit_of(p) == std::vector<T>{-1, -1, 1, 2, 2, 2});
  check_pools(p, {0, 1, 2, 3, 5});
  // Clipping the data first would give 0 0.
  problem<T> early = row<T>({4, -4});
  early.y_min = -1;
  early.y_max = 1;
  CHECK(fit_of(early) == std::vector<T>{0, 0});
}

TEMPLATE_TEST_CASE("bounds clip infinities, and may be infinite or equal", "", float, double) {
  using T = TestType;
  const T inf = infinity<T>;
  problem<T> p = row<T>({-inf, 1, inf});
  p.y_min = 0;
  p.y_max = 5;
  CHECK(fit_of(p) == std::vector<T>{0, 1, 5});
  p.y_max = 0;
  CHECK(fit_of(p) == std::vector<T>{0, 0, 0});
  p.y_min = p.y_max = inf;
  CHECK(fit_of(p) == std::vector<T>{inf, inf, inf});
  p.y_min = p.y_max = -inf;
  CHECK(fit_of(p) == std::vector<T>{-inf, -inf, -inf});
}

TEMPLATE_TEST_CASE("every zero of the fit is +0", "", float, double) {
  using T = TestType;
  const T least = std::numeric_limits<T>::denorm_min();
  for (const bool increasing : {true, false}) {
    for (std::vector<T> y : {std::vector<T>{-T(0)}, std::vector<T>{-T(0), T(0)}, std::vector<T>{-least, T(0)},
                             std::vector<T>{T(0), -least}, std::vector<T>{1, -1}, std::vector<T>{-1, 1}}) {
      for (const T bound : {infinity<T>, T(0), -T(0)}) {
        problem<T> p = row(y);
        p.increasing = increasing;
        p.y_max = bound;
        p.y_min = -bound;
        for (const T v : fit_of(p)) CHECK((v != 0 || !std::signbit(v)));
      }
    }
  }
}
