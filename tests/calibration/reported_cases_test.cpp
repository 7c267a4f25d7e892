// Cases that other libraries got wrong, by public report, and classical data sets. The fits are the exact
// ones, rounded once to double; predictions follow the exact line.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "observations.hpp"

namespace {

using namespace calibration_test;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

struct reported {
  std::vector<double> scores, targets, weights = {};
  bool increasing = true;
  std::vector<double> fit;  // one an observation
  std::vector<double> queries = {}, predictions = {};
};

template <class T>
std::vector<T> to(const std::vector<double>& values) {
  std::vector<T> out;
  for (const double v : values) out.push_back(static_cast<T>(v));
  return out;
}

double largest(const std::vector<double>& values) {
  double size = 0;
  for (const double v : values) size = std::max(size, std::abs(v));
  return size;
}

// Fits equal bit for bit in double, predictions to 1e-12 of the targets' size; 1e-6 for float, to which the
// numbers here are rounded first.
template <class T>
void check(const reported& c) {
  const double tolerance = (sizeof(T) == 4 ? 1e-6 : 1e-12) * largest(c.targets);
  const observations<T> all{to<T>(c.scores), to<T>(c.targets), to<T>(c.weights)};
  reference::random_source random(1);
  for (int order = 0; order < 4; ++order) {
    const auto o = order == 0 ? all : reordered(all, random_order(all.scores.size(), random));
    const auto curve = fitted<T>(o, {.increasing = c.increasing});
    const std::vector<T> fit = predictions(curve, all.scores);
    for (std::size_t i = 0; i < fit.size(); ++i) {
      INFO("observation " << i);
      if (sizeof(T) == 8) CHECK(fit[i] == c.fit[i]);
      CHECK(std::abs(fit[i] - c.fit[i]) <= tolerance);
    }
    const std::vector<T> values = predictions(curve, to<T>(c.queries));
    for (std::size_t i = 0; i < values.size(); ++i) {
      INFO("query " << c.queries[i] << " gives " << values[i]);
      if (std::isnan(c.predictions[i]))
        CHECK(std::isnan(values[i]));
      else
        CHECK(std::abs(values[i] - c.predictions[i]) <= tolerance);
    }
  }
}

std::vector<double> repeat(const std::vector<std::pair<double, int>>& runs) {
  std::vector<double> out;
  for (const auto& [value, count] : runs) out.insert(out.end(), static_cast<std::size_t>(count), value);
  return out;
}

std::vector<double> counting(int from, int to) {
  std::vector<double> out;
  for (int i = from; i <= to; ++i) out.push_back(i);
  return out;
}

}  // namespace

TEMPLATE_TEST_CASE("weights of equal scores are added, not averaged", "", float, double) {
  // scikit-learn issue 9432
  check<TestType>(
      {.scores = {0, 1, 1, 2, 3}, .targets = {0, 0, 1, 0, 1}, .fit = {0, 1.0 / 3, 1.0 / 3, 1.0 / 3, 1}});
}

TEMPLATE_TEST_CASE("a tie at the smallest score is answered with its mean", "", float, double) {
  // scikit-learn issue 4184
  check<TestType>({.scores = {1, 1, 2, 3, 4, 5},
                   .targets = {1, 2, 3, 4, 5, 6},
                   .fit = {1.5, 1.5, 3, 4, 5, 6},
                   .queries = {1, 1, 2, 3, 4, 5},
                   .predictions = {1.5, 1.5, 3, 4, 5, 6}});
}

TEMPLATE_TEST_CASE("ties that all violate pool into one number, not NaN", "", float, double) {
  // Spark SPARK-16426
  check<TestType>({.scores = {1, 1, 2, 2, 3, 3},
                   .targets = {2, 1, 0, 1, 0.5, 0},
                   .fit = {0.75, 0.75, 0.75, 0.75, 0.75, 0.75},
                   .queries = {1, 1.5, 3},
                   .predictions = {0.75, 0.75, 0.75}});
}

TEMPLATE_TEST_CASE("a curve ends on the mean of a tie, not on its extreme target", "", float, double) {
  // Spark SPARK-41008
  check<TestType>({.scores = {1, 1, 2, 2, 3, 3},
                   .targets = {2, 1, 4, 2, 6, 5},
                   .fit = {1.5, 1.5, 3, 3, 5.5, 5.5},
                   .queries = {0, 1.5, 2.5, 4},
                   .predictions = {1.5, 2.25, 4.25, 5.5}});
}

TEMPLATE_TEST_CASE("a decreasing fit with ties is monotone", "", float, double) {
  // elixir-nx/scholar pull request 368
  check<TestType>({.scores = {0, 0, 1, 1, 2},
                   .targets = {4, 4, 5, 5, 3},
                   .increasing = false,
                   .fit = {4.5, 4.5, 4.5, 4.5, 3},
                   .queries = {0, 0.5, 2},
                   .predictions = {4.5, 4.5, 3}});
}

TEMPLATE_TEST_CASE("the mean of a tie is weighted", "", float, double) {
  // R package isotone, ties = "secondary"
  check<TestType>({.scores = {1, 1, 2}, .targets = {0, 4, 1}, .weights = {3, 1, 1}, .fit = {1, 1, 1}});
}

TEMPLATE_TEST_CASE("weights move with their observations when these are sorted", "", float, double) {
  // from the tests of scikit-learn and Isotonic.jl
  check<TestType>({.scores = counting(1, 7),
                   .targets = {1, 41, 51, 1, 2, 5, 24},
                   .weights = {1, 2, 3, 4, 5, 6, 7},
                   .fit = {1, 13.95, 13.95, 13.95, 13.95, 13.95, 24}});
}

TEMPLATE_TEST_CASE("observations in falling order of scores are fitted in rising order", "", float, double) {
  // MultivariateStats.jl issue 219
  check<TestType>({.scores = {5, 4, 3, 2, 1}, .targets = {5, 4, 3, 2, 1}, .fit = {5, 4, 3, 2, 1}});
}

TEMPLATE_TEST_CASE("knots stand at sorted scores", "", float, double) {
  // rust-ml/linfa takes them from the unsorted ones
  check<TestType>({.scores = {7.5, 7.5, 6, 3.3, 3.3, 3.3},
                   .targets = {4, 5, 1, 6, 8, 7},
                   .increasing = false,
                   .fit = {10.0 / 3, 10.0 / 3, 10.0 / 3, 7, 7, 7},
                   .queries = {2, 3.3, 4.65, 7},
                   .predictions = {7, 7, 31.0 / 6, 10.0 / 3}});
}

TEMPLATE_TEST_CASE("beyond the last score a curve is constant by default, not NaN", "", float, double) {
  // scikit-learn issue 23134
  check<TestType>({.scores = {0, 0.1, 0.3, 0.4},
                   .targets = {0, 0, 1, 1},
                   .fit = {0, 0, 1, 1},
                   .queries = {0.5, -1, 0.2},
                   .predictions = {1, 0, 0.5}});
}

TEMPLATE_TEST_CASE("a query one float beyond the last score is answered", "", float, double) {
  // scikit-learn issue 26999
  check<TestType>({.scores = {6.661338147750939e-16, 1.732050807568877, 1.732050807568877},
                   .targets = {0.5, 1, 0.75},
                   .fit = {0.5, 0.875, 0.875},
                   .queries = {1.7320508075688772, 0, 1.732050807568877},
                   .predictions = {0.875, 0.5, 0.875}});
}

TEST_CASE("scores a subnormal apart give no infinity") {
  // scikit-learn issues 10903, 17758, 18639
  check<double>({.scores = {0, 4.1e-320, 4.4e-314, 1},
                 .targets = {0.42, 0.42, 0.44, 0.44},
                 .fit = {0.42, 0.42, 0.44, 0.44},
                 .queries = {0, 2.1e-319, 5.4e-316, 1e-10},
                 .predictions = {0.42, 0.4200000768182965, 0.4202454361393525, 0.44}});
  const auto curve = fitted<float>({{0, 0x1p-149f, 0x5p-149f, 1}, {0.25f, 0.25f, 0.75f, 0.75f}});
  CHECK(predictions<float>(curve, {0, 0x1p-149f, 0x2p-149f, 0x3p-149f, 0x5p-149f, 0.5f}) ==
        std::vector<float>{0.25f, 0.25f, 0.375f, 0.5f, 0.75f, 0.75f});
}

TEMPLATE_TEST_CASE("scores that are one number are one point", "", float, double) {
  // scikit-learn's tests of make_unique: 1 + 1e-16 is 1
  check<TestType>({.scores = {0, 1, 1 + 1e-16, 2},
                   .targets = {0, 1, 2, 3},
                   .fit = {0, 1.5, 1.5, 3},
                   .queries = {0, 0.5, 1, 1.5, 2},
                   .predictions = {0, 0.75, 1.5, 2.25, 3}});
}

TEST_CASE("scores are never narrowed: what ties in float is apart in double") {
  // onnx/sklearn-onnx issue 1151
  const reported wide{.scores = {0.1, 0.100000001, 0.2},
                      .targets = {0, 1, 1},
                      .fit = {0, 1, 1},
                      .queries = {0.1, 0.100000001, 0.15},
                      .predictions = {0, 1, 1}};
  check<double>(wide);
  reported narrow = wide;
  narrow.fit = {0.5, 0.5, 1};
  narrow.queries = {};
  check<float>(narrow);
}

TEMPLATE_TEST_CASE("a curve of one knot is a constant", "", float, double) {
  // elixir-nx/scholar pull request 368: fewer than three knots raised an error
  check<TestType>(
      {.scores = {2, 2}, .targets = {1, 3}, .fit = {2, 2}, .queries = {1, 2, 3}, .predictions = {2, 2, 2}});
}

TEMPLATE_TEST_CASE("a curve of two equal knots is a constant", "", float, double) {
  // elixir-nx/scholar pull request 368
  check<TestType>(
      {.scores = {1, 2}, .targets = {3, 3}, .fit = {3, 3}, .queries = {0, 1.5, 9}, .predictions = {3, 3, 3}});
}

TEMPLATE_TEST_CASE("a curve is linear between knots and flat inside pools", "", float, double) {
  // apache/spark pull request 3519
  check<TestType>({.scores = {0, 1, 2, 3, 4},
                   .targets = {1, 2, 7, 1, 2},
                   .fit = {1, 2, 10.0 / 3, 10.0 / 3, 10.0 / 3},
                   .queries = {-2, -1, 0.5, 0.75, 1, 2, 3.5, 9},
                   .predictions = {1, 1, 1.5, 1.75, 2, 10.0 / 3, 10.0 / 3, 10.0 / 3}});
}

TEMPLATE_TEST_CASE("NaN in, NaN out; infinite queries get the end values", "", float, double) {
  // pytorch issue 158738, cupy issue 4423
  check<TestType>({.scores = {1, 2, 3},
                   .targets = {0.1, 0.4, 0.9},
                   .fit = {0.1, 0.4, 0.9},
                   .queries = {not_a_number, -inf, inf, 2.5},
                   .predictions = {not_a_number, 0.1, 0.9, 0.65}});
}

TEMPLATE_TEST_CASE("a curve answers scores that a bootstrap sample left out", "", float, double) {
  // from the tests of nci/scores
  check<TestType>({.scores = {0, 1, 3, 3, 4, 5},
                   .targets = {2, 3, 0, 0, 2, 6},
                   .weights = {1, 1, 2, 2, 1, 1},
                   .fit = {5.0 / 6, 5.0 / 6, 5.0 / 6, 5.0 / 6, 2, 6},
                   .queries = {0, 1, 1, 2, 3, 4, 5},
                   .predictions = {5.0 / 6, 5.0 / 6, 5.0 / 6, 5.0 / 6, 5.0 / 6, 2, 6}});
}

TEMPLATE_TEST_CASE("classical data sets have their exact fits", "", float, double) {
  SECTION("pituitary fissure by age (Potthoff and Roy 1964)") {
    check<TestType>({.scores = {8, 8, 8, 10, 10, 10, 12, 12, 12, 14, 14},
                     .targets = {21, 23.5, 23, 24, 21, 25, 21.5, 22, 19, 23.5, 25},
                     .fit = repeat({{200.0 / 9, 9}, {24.25, 2}}),
                     .queries = {8, 13, 14},
                     .predictions = {200.0 / 9, 23.23611111111111, 24.25}});
  }
  SECTION("the third example of R's isoreg") {
    check<TestType>({.scores = counting(1, 10),
                     .targets = {5, 9, 1, 2, 5, 6, 7, 8, 3, 8},
                     .fit = {4.25, 4.25, 4.25, 4.25, 5, 6, 6, 6, 6, 8}});
  }
  SECTION("binary labels, from the manual of fdrtool's monoreg") {
    check<TestType>({.scores = counting(1, 12),
                     .targets = {1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0},
                     .fit = repeat({{0.4, 5}, {0.5, 2}, {0.6, 5}}),
                     .queries = {0, 3.5, 12.5},
                     .predictions = {0.4, 0.4, 0.6}});
  }
  SECTION("rates at uneven scores, from the manual of fdrtool's monoreg") {
    check<TestType>(
        {.scores = {5, 9, 13, 18, 22, 24, 29, 109, 120, 131},
         .targets = {0, 0, 0.5, 0.2, 0.5, 0.5, 0.8, 0.625, 0.6363636363636364, 0.9090909090909091},
         .fit = repeat({{0, 2}, {0.35, 2}, {0.5, 2}, {0.6871212121212121, 3}, {0.9090909090909091, 1}}),
         .queries = {5, 15.5, 70, 131},
         .predictions = {0, 0.35, 0.6871212121212121, 0.9090909090909091}});
  }
  SECTION("an up-and-down trial of ropivacaine (Benhamou et al. 2003)") {
    check<TestType>({.scores = {0.07, 0.08, 0.09, 0.1, 0.11, 0.12},
                     .targets = {0, 0.375, 0.38461538461538464, 0.8, 0.75, 1},
                     .weights = {3, 8, 13, 10, 4, 1},
                     .fit = {0, 0.375, 0.38461538461538464, 0.7857142857142857, 0.7857142857142857, 1},
                     .queries = {0.095, 0.115},
                     .predictions = {0.5851648351648352, 0.892857142857143}});
  }
  SECTION("an up-and-down trial of levobupivacaine (Benhamou et al. 2003)") {
    check<TestType>(
        {.scores = {0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.11},
         .targets = {0, 0.25, 0.5454545454545454, 0.8333333333333334, 0.3333333333333333, 0.4, 0.75},
         .weights = {2, 8, 11, 6, 3, 5, 4},
         .fit = repeat({{0, 1}, {0.25, 1}, {0.5454545454545454, 1}, {0.5714285714285714, 3}, {0.75, 1}}),
         .queries = {0.055, 0.065, 0.2},
         .predictions = {0.125, 0.3977272727272727, 0.75}});
  }
}

TEMPLATE_TEST_CASE("a hundred points around a logarithm have their exact fit", "", float, double) {
  // the data of scikit-learn's example plot, as in the tests of elixir-nx/scholar
  check<TestType>(
      {.scores = counting(0, 99),
       .targets = {-6,           31.65735903,  68.93061443,  86.31471806,  97.47189562,  48.58797346,
                   130.29550745, 74.97207708,  95.86122887,  152.12925465, 139.89476364, 162.24533249,
                   166.24746787, 93.95286648,  143.40251006, 153.62943611, 130.6606672,  181.51858789,
                   143.22194896, 187.78661368, 183.22612189, 141.55212267, 131.7747108,  185.90269152,
                   182.94379124, 121.9048269,  134.7918433,  196.61022551, 187.3647915,  199.05986908,
                   168.69936022, 187.28679514, 206.82537807, 225.31802623, 215.76740307, 178.17594692,
                   159.54589563, 150.87930799, 152.17808231, 148.44397271, 174.67860334, 168.88348091,
                   203.06000578, 148.2094817,  197.33312449, 173.43206982, 173.50738009, 217.56005055,
                   167.59101491, 180.60115027, 221.59128164, 202.56218593, 176.51459568, 183.44920233,
                   150.36665926, 151.26758454, 188.15256339, 206.02215053, 158.8768722,  192.71722811,
                   172.54369321, 235.35671925, 161.15673632, 199.94415417, 216.71936349, 190.4827371,
                   161.23463097, 225.97538526, 202.70532523, 219.4247621,  198.13399385, 174.83330595,
                   210.52297206, 247.20325466, 256.87440568, 166.53666701, 181.19027109, 266.83544133,
                   221.47239262, 181.10133173, 211.72245773, 254.33596236, 245.94203039, 239.54083994,
                   178.13256282, 240.71736481, 220.29540593, 176.86684072, 250.43181849, 226.99048352,
                   253.54297533, 191.08942885, 196.62997466, 276.16473911, 235.69384458, 201.21740957,
                   257.73554893, 192.24837393, 264.75599251, 228.2585093},
       .fit = repeat({{-6, 1},
                      {31.65735903, 1},
                      {68.93061443, 1},
                      {77.45819571333334, 3},
                      {100.37627113333333, 3},
                      {142.77028731250002, 8},
                      {159.46232588499998, 10},
                      {180.64627212411764, 17},
                      {181.42419146666666, 3},
                      {183.5004139011111, 9},
                      {183.662501488, 5},
                      {194.14905688333334, 6},
                      {204.214554478, 5},
                      {210.52297206, 1},
                      {212.95114961000002, 4},
                      {220.2829058525, 4},
                      {222.2615724242857, 7},
                      {223.73693617, 5},
                      {232.611983224, 5},
                      {246.50725090499998, 2}}),
       .queries = {34.64, 23.64, 46.93},
       .predictions = {180.64627212411764, 159.46232588499998, 183.3550783307}});
}
