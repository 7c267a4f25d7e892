// Rows that other packages document or were reported to get wrong, with their exact fits.
#include <vector>

#include "check.hpp"

using host_test::check_fit;
using host_test::check_pools;
using host_test::problem;
using reference::row;

// Barlow, Bartholomew, Bremner and Brunk 1972.
TEST_CASE("freezing days of Lake Mendota") {
  check_fit(row<double>({25, 13, 2, 15, 14, 21, 9, 33, 25, 15, 21, 25}),
            {13.333333333333334, 13.333333333333334, 13.333333333333334, 14.5, 14.5, 15, 15, 23.5, 23.5, 23.5,
             23.5, 25});
}

TEST_CASE("the R manual of isoreg, example 2") {
  check_fit(row<double>({1, 0, 4, 3, 3, 5, 4, 2, 3}),
            {0.5, 0.5, 3.3333333333333335, 3.3333333333333335, 3.3333333333333335, 3.5, 3.5, 3.5, 3.5});
}

TEST_CASE("the R manual of isoreg, example 3") {
  check_fit(row<double>({5, 9, 1, 2, 5, 6, 7, 8, 3, 8}), {4.25, 4.25, 4.25, 4.25, 5, 6, 6, 6, 6, 8});
}

TEST_CASE("the SciPy manual, eleven values") {
  check_fit(
      row<double>({1.5, 1, 4, 6, 5.7, 5, 7.8, 9, 7.5, 9.5, 9}),
      {1.25, 1.25, 4, 5.566666666666666, 5.566666666666666, 5.566666666666666, 7.8, 8.25, 8.25, 9.25, 9.25});
}

// The listing of Busing 2022 indexes by the element where the pool belongs.
TEST_CASE("a published pseudo-code misindexes this row") {
  problem<double> p = row<double>({8, 4, 8, 2, 2, 0, 8});
  check_fit(p, {4, 4, 4, 4, 4, 4, 8});
  check_pools(p, {0, 6});
}

TEST_CASE("the same row with weights") {
  check_fit(row<double>({8, 4, 8, 2, 2, 0, 8}, {1, 2, 3, 4, 5, 5, 4}), {2.9, 2.9, 2.9, 2.9, 2.9, 2.9, 8});
}

TEST_CASE("a pool of six in the middle") {
  problem<double> p = row<double>({0, 6, 8, 3, 5, 2, 1, 7, 9, 4});
  check_fit(p,
            {0, 4.166666666666667, 4.166666666666667, 4.166666666666667, 4.166666666666667, 4.166666666666667,
             4.166666666666667, 6.666666666666667, 6.666666666666667, 6.666666666666667});
  check_pools(p, {0, 1, 7});
}

TEST_CASE("a pair that pools to its left neighbour's value joins it") {
  problem<double> p = row<double>({1, 2, 3, 1, 6, 17, 16, 17, 18});
  check_fit(p, {1, 2, 2, 2, 6, 16.5, 16.5, 17, 18});
  check_pools(p, {0, 1, 4, 5, 7, 8});
}

TEST_CASE("negative labels") {
  check_fit(row<double>({-1, -2, 0, 1, -1}), {-1.5, -1.5, 0, 0, 0});
}

TEST_CASE("weights below one") {
  check_fit(row<double>({1, 2, 3, 2, 1}, {1, 1, 1, 0.1, 0.1}), {1, 2, 2.75, 2.75, 2.75});
}

// MultivariateStats.jl issue 219: the answer there was worse than the mean.
TEST_CASE("a row where everything violates is its mean") {
  problem<double> p = row<double>({0.52, 0.58, -1.91, -1.12, -1.04});
  check_fit(p, {-0.594, -0.594, -0.594, -0.594, -0.594});
  check_pools(p, {0});
}

// Another implementation multiplied the weights into y.
TEST_CASE("weights do not change monotone data") {
  check_fit(row<double>({1, 2}, {3, 1}), {1, 2});
}

TEST_CASE("weights stay with their elements") {
  check_fit(row<double>({1, 41, 51, 1, 2, 5, 24}, {1, 2, 3, 4, 5, 6, 7}),
            {1, 13.95, 13.95, 13.95, 13.95, 13.95, 24});
}

TEST_CASE("one element is its own fit") {
  problem<double> p = row<double>({1.25});
  check_fit(p, {1.25});
  check_pools(p, {0});
}

TEST_CASE("a constant row is one pool") {
  problem<double> p = row<double>({5, 5, 5, 5});
  check_fit(p, {5, 5, 5, 5});
  check_pools(p, {0});
}

// With > in place of >= the values are right and the pools are not.
TEST_CASE("equal neighbours are one pool") {
  problem<double> p = row<double>({2, 2, 3});
  check_fit(p, {2, 2, 3});
  check_pools(p, {0, 2});
}

TEST_CASE("binary labels, from the manual of fdrtool") {
  check_fit(row<double>({1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0}),
            {0.4, 0.4, 0.4, 0.4, 0.4, 0.5, 0.5, 0.6, 0.6, 0.6, 0.6, 0.6});
}

TEST_CASE("rates, from the manual of fdrtool") {
  check_fit(row<double>({0, 0, 0.5, 0.2, 0.5, 0.5, 0.8, 0.625, 0.6363636363636364, 0.9090909090909091}),
            {0, 0, 0.35, 0.35, 0.5, 0.5, 0.6871212121212121, 0.6871212121212121, 0.6871212121212121,
             0.9090909090909091});
}

// Benhamou et al. 2003.
TEST_CASE("ropivacaine trial, six doses") {
  check_fit(row<double>({0, 0.375, 0.38461538461538464, 0.8, 0.75, 1}, {3, 8, 13, 10, 4, 1}),
            {0, 0.375, 0.38461538461538464, 0.7857142857142857, 0.7857142857142857, 1});
}

// Benhamou et al. 2003.
TEST_CASE("levobupivacaine trial, seven doses") {
  check_fit(row<double>({0, 0.25, 0.5454545454545454, 0.8333333333333334, 0.3333333333333333, 0.4, 0.75},
                        {2, 8, 11, 6, 3, 5, 4}),
            {0, 0.25, 0.5454545454545454, 0.5714285714285714, 0.5714285714285714, 0.5714285714285714, 0.75});
}

// The manual of the R package Iso.
TEST_CASE("decreasing stairs with upward drifts") {
  problem<double> p =
      row<double>({5, 5.05, 5.1, 5.15, 4,   4.05, 4.1, 4.15, 4.2,  3,   3.05, 3.1, 3.15, 3.2, 3.25,
                   2, 2.05, 2.1, 2.15, 2.2, 2.25, 2.3, 1,    1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.35});
  p.increasing = false;
  check_fit(p, {5.075, 5.075, 5.075, 5.075, 4.1,   4.1,   4.1,   4.1,   4.1,   3.125,
                3.125, 3.125, 3.125, 3.125, 3.125, 2.15,  2.15,  2.15,  2.15,  2.15,
                2.15,  2.15,  1.175, 1.175, 1.175, 1.175, 1.175, 1.175, 1.175, 1.175});
  check_pools(p, {0, 4, 9, 15, 22});
}

TEST_CASE("twenty values of nine digits") {
  check_fit(
      row<double>({-3.444949308, -2.854784791, -3.071818855, -1.164616209, -3.947223934,
                   -2.644162705, -2.609553073, -0.270605801, -3.208354459, -2.012322283,
                   -1.059124491, -2.199654113, -1.906487545, -2.681030502, -1.553997732,
                   -3.489485619, -1.672190775, -2.863511214, -0.491263988, 0.169577379}),
      {-3.444949308,       -2.963301823,       -2.963301823,       -2.59138898025,     -2.59138898025,
       -2.59138898025,     -2.59138898025,     -2.083342230363636, -2.083342230363636, -2.083342230363636,
       -2.083342230363636, -2.083342230363636, -2.083342230363636, -2.083342230363636, -2.083342230363636,
       -2.083342230363636, -2.083342230363636, -2.083342230363636, -0.491263988,       0.169577379});
}

TEST_CASE("survival probabilities are fitted decreasing") {
  problem<double> p = row<double>({0.97, 0.93, 0.94, 0.9, 0.91, 0.85, 0.85, 0.8});
  p.increasing = false;
  check_fit(p, {0.97, 0.935, 0.935, 0.905, 0.905, 0.85, 0.85, 0.8});
}

TEST_CASE("three values decreasing") {
  problem<double> p = row<double>({4, 0.7, 2});
  p.increasing = false;
  check_fit(p, {4, 1.35, 1.35});
}

TEST_CASE("five weighted values") {
  check_fit(row<double>({3, 1, 2, 6, 5}, {1, 2, 1, 1, 3}),
            {1.6666666666666667, 1.6666666666666667, 2, 5.25, 5.25});
}
