// Rows whose fit is lost by floating-point sums, and rows with bounds.
#include <vector>

#include "check.hpp"

using host_test::check_fit;
using host_test::check_pools;
using host_test::problem;
using reference::row;

// Prefix sums lose the light elements beside the heavy one.
TEST_CASE("weights over 24 decades keep their light elements") {
  check_fit(row<double>({5, 1, 0, 7, 6.5}, {1e-12, 1000000000000, 1e-12, 1e-12, 3e-12}),
            {1, 1, 1, 6.625, 6.625});
}

// Slopes of floating-point prefix sums give 0 in the middle.
TEST_CASE("increasing giants leave what is between them alone") {
  problem<double> p = row<double>({-1e+17, 1, 2, 3, 1e+17});
  check_fit(p, {-1e+17, 1, 2, 3, 1e+17});
  check_pools(p, {0, 1, 2, 3, 4});
}

TEST_CASE("giants that cancel leave what follows alone") {
  problem<double> p = row<double>({1e+17, -1e+17, 1, 2, 3});
  check_fit(p, {0, 0, 1, 2, 3});
  check_pools(p, {0, 2, 3, 4});
}

TEST_CASE("sums beyond the range have a mean within it") {
  check_fit(row<double>({1.7e+308, 1.6e+308}), {1.6499999999999999e+308, 1.6499999999999999e+308});
}

// An absolute tolerance of 1e-9 fuses the three.
TEST_CASE("pools are decided without a tolerance") {
  problem<double> p = row<double>({0, 1e-10, 2e-10});
  check_fit(p, {0, 1e-10, 2e-10});
  check_pools(p, {0, 1, 2});
}

// scikit-learn issue 6921.
TEST_CASE("both bounds hold for a decreasing fit") {
  problem<double> p =
      row<double>({1.26336413, 1.31853693, -0.57200917, 0.3072928,   -0.70686507, -0.17614937, -1.59943059,
                   1.05908504, 1.3958263,  1.90580318,  0.20992272,  0.02836316,  -0.08092235, 0.44438247,
                   0.01791253, -0.3771914, -0.89577538, -0.37726249, -1.32687569, 0.18013201});
  p.increasing = false;
  p.y_min = 0;
  p.y_max = 0.1;
  check_fit(
      p, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.01791253, 0, 0, 0, 0, 0});
}

// scikit-learn issue 6921.
TEST_CASE("one bound leaves the other side open") {
  problem<double> p =
      row<double>({1.26336413, 1.31853693, -0.57200917, 0.3072928,   -0.70686507, -0.17614937, -1.59943059,
                   1.05908504, 1.3958263,  1.90580318,  0.20992272,  0.02836316,  -0.08092235, 0.44438247,
                   0.01791253, -0.3771914, -0.89577538, -0.37726249, -1.32687569, 0.18013201});
  p.increasing = false;
  p.y_min = 0;
  check_fit(p, {1.29095053,
                1.29095053,
                0.20260842666666665,
                0.20260842666666665,
                0.20260842666666665,
                0.20260842666666665,
                0.20260842666666665,
                0.20260842666666665,
                0.20260842666666665,
                0.20260842666666665,
                0.20260842666666665,
                0.13060776,
                0.13060776,
                0.13060776,
                0.01791253,
                0,
                0,
                0,
                0,
                0});
}

// scikit-learn issue 16329.
TEST_CASE("bounds are limits and no end values") {
  problem<double> p = row<double>({0.2, 0.5, 0.4});
  p.y_min = 0;
  p.y_max = 1;
  check_fit(p, {0.2, 0.45, 0.45});
}
