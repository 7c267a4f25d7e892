// What calibrate promises of the curve it fits: the exact fit of the exactly pooled points, whatever the
// order of the observations, and knots at both ends of every constant piece.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "observations.hpp"
#include "oracle.hpp"
#include "reference/families.hpp"
#include "sanitized.hpp"

namespace {

using namespace calibration_test;
using reference::random_source;

template <class T>
constexpr T inf_of = std::numeric_limits<T>::infinity();

// Scores with ties of many sizes; targets and weights of any kind, hostile ones among them.
template <class T>
observations<T> random_observations(std::uint64_t seed, bool weighted) {
  random_source random(seed);
  const std::size_t n = 1 + random.below(seed % 8 == 0 ? 400 : 40);
  const std::uint64_t levels = 1 + random.below(2 * n);
  const std::string_view family = reference::value_families[random.below(reference::value_families.size())];
  const std::string_view weights =
      reference::weight_families[random.below(reference::weight_families.size())];
  observations<T> o{std::vector<T>(n), reference::values<T>(family, n, seed)};
  if (weighted) o.weights = reference::weights<T>(weights, n, seed);
  for (T& score : o.scores) {
    score = static_cast<T>(random.below(levels)) - static_cast<T>(levels / 2);
    if (random.chance(0.02)) score = random.chance(0.5) ? inf_of<T> : -inf_of<T>;
    if (score == 0 && random.chance(0.5)) score = -score;
  }
  // Targets of few levels make exact ties between means, which any rounding would break.
  if (random.chance(0.4))
    for (T& target : o.targets) target = static_cast<T>(random.below(3)) / T(2);
  return o;
}

bool has_weight(const auto& o) {
  for (const auto w : o.weights)
    if (w > 0) return true;
  return o.weights.empty();
}

// Knots are the ends of the constant pieces, in order, and nothing else.
template <class T>
void check_knots(const iso::calibration_curve<T>& curve, const std::map<T, T>& fit) {
  std::vector<T> scores, values;
  for (auto at = fit.begin(); at != fit.end(); ++at) {
    const bool starts = at == fit.begin() || std::prev(at)->second != at->second;
    const bool ends = std::next(at) == fit.end() || std::next(at)->second != at->second;
    if (!starts && !ends) continue;
    scores.push_back(at->first);
    values.push_back(at->second);
  }
  CHECK(copy(curve.scores()) == scores);
  CHECK(copy(curve.values()) == values);
}

}  // namespace

TEMPLATE_TEST_CASE("the curve is the exact fit of the exactly pooled points", "", float, double) {
  using T = TestType;
  std::size_t checked = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    if (left_out(seed)) continue;
    const bool weighted = seed % 2 == 0, increasing = seed % 4 < 2;
    const auto o = random_observations<T>(seed, weighted);
    if (!has_weight(o)) continue;
    INFO("seed " << seed);
    const auto curve = fitted<T>(o, {.increasing = increasing});
    const std::map<T, T> exact = exact_fit(o, increasing);
    check_knots(curve, exact);
    for (const auto& [score, value] : exact) {
      REQUIRE(curve(score) == value);
      REQUIRE(std::signbit(curve(score)) == (value < 0));  // a zero is +0
      ++checked;
    }
    CHECK(curve.increasing() == increasing);
  }
  CHECK(checked > (sanitized ? 700 : 5000));
}

TEMPLATE_TEST_CASE("the order of the observations changes nothing", "", float, double) {
  using T = TestType;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    if (left_out(seed)) continue;
    auto o = random_observations<T>(seed, seed % 2 == 0);
    if (!has_weight(o)) continue;
    INFO("seed " << seed);
    const bool increasing = seed % 3 != 0;
    const auto curve = fitted<T>(o, {.increasing = increasing});
    random_source random(~seed);
    for (int again = 0; again < 3; ++again) {
      const auto other =
          fitted<T>(reordered(o, random_order(o.scores.size(), random)), {.increasing = increasing});
      REQUIRE(copy(other.scores()) == copy(curve.scores()));
      REQUIRE(copy(other.values()) == copy(curve.values()));
      for (std::size_t i = 0; i < curve.scores().size(); ++i)
        REQUIRE(std::signbit(other.scores()[i]) == std::signbit(curve.scores()[i]));
    }
  }
}

TEMPLATE_TEST_CASE("a weight is a repeat count, and a weight of zero is absence", "", float, double) {
  using T = TestType;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    if (left_out(seed)) continue;
    auto o = random_observations<T>(seed, false);
    random_source random(~seed);
    observations<T> repeated;
    for (std::size_t i = 0; i < o.scores.size(); ++i) {
      const std::uint64_t count = i == 0 ? 1 : random.below(4);
      o.weights.push_back(static_cast<T>(count));
      repeated.scores.insert(repeated.scores.end(), count, o.scores[i]);
      repeated.targets.insert(repeated.targets.end(), count, o.targets[i]);
    }
    INFO("seed " << seed);
    const auto weighted = fitted<T>(o), unweighted = fitted<T>(repeated);
    REQUIRE(copy(weighted.scores()) == copy(unweighted.scores()));
    REQUIRE(copy(weighted.values()) == copy(unweighted.values()));
  }
}

TEMPLATE_TEST_CASE("a decreasing fit is the increasing one of negated targets, negated", "", float, double) {
  using T = TestType;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    if (left_out(seed)) continue;
    auto o = random_observations<T>(seed, false);
    INFO("seed " << seed);
    const auto down = fitted<T>(o, {.increasing = false});
    for (T& target : o.targets) target = -target;
    const auto up = fitted<T>(o);
    REQUIRE(copy(down.scores()) == copy(up.scores()));
    for (std::size_t i = 0; i < up.values().size(); ++i) REQUIRE(down.values()[i] == -up.values()[i]);
  }
}

TEMPLATE_TEST_CASE("the number of threads changes nothing", "[threads]", float, double) {
  using T = TestType;
  random_source random(7);
  observations<T> o;
  for (int i = 0; i < 200000; ++i) {
    const double score = random.normal();
    o.scores.push_back(static_cast<T>(std::round(score * 10000) / 10000));
    o.targets.push_back(random.chance(1 / (1 + std::exp(-2 * score))) ? T(1) : T(0));
  }
  const auto one = fitted<T>(o, {.threads = 1});
  CHECK(one.scores().size() > 20);
  for (const int threads : {0, 2, 3, 8}) {
    const auto many = fitted<T>(o, {.threads = threads});
    CHECK(copy(many.scores()) == copy(one.scores()));
    CHECK(copy(many.values()) == copy(one.values()));
    CHECK(predictions(one, o.scores, threads) == predictions(one, o.scores, 1));
  }
}

TEMPLATE_TEST_CASE("another solver is given the sorted observations, and its failure is the fit's", "", float,
                   double) {
  using T = TestType;
  using values = std::span<const T>;
  const observations<T> o{{3, 1, 1, 2}, {5, 0, 1, 2}, {4, 1, 2, 3}}, even{o.scores, o.targets};
  const auto solver = [](values y, values w, std::span<T> fit, const iso::options<T>& how, int threads) {
    CHECK(y.data() == fit.data());
    CHECK(copy(y) == std::vector<T>{1, 0, 2, 5});
    CHECK((w.empty() || copy(w) == std::vector<T>{2, 1, 3, 4}));
    CHECK((how.increasing && how.y_min == 0 && how.y_max == 9 && threads == 3));
    for (std::size_t i = 0; i < fit.size(); ++i) fit[i] = static_cast<T>(7 + (w.empty() ? 0 : 1));
    return iso::status();
  };
  const iso::calibration_options<T> options{.y_min = 0, .y_max = 9, .threads = 3, .solver = solver};
  CHECK(copy(fitted<T>(o, options).values()) == std::vector<T>{8, 8});
  CHECK(copy(fitted<T>(even, options).values()) == std::vector<T>{7, 7});

  iso::calibration_curve<T> curve = fitted<T>(o);
  const auto before = copy(curve.values());
  const auto failing = [](values, values, std::span<T>, const iso::options<T>&, int) {
    return iso::status(iso::errc::cuda, "no luck", 2);
  };
  const iso::status status = iso::calibrate<T>(o.scores, o.targets, o.weights, curve, {.solver = failing});
  CHECK(status.message() == "no luck");
  CHECK(status.cuda_error() == 2);
  CHECK(copy(curve.values()) == before);
}

TEMPLATE_TEST_CASE("the fit is clipped to its bounds after it is solved", "", float, double) {
  using T = TestType;
  // The fit is -3, 2, 2, 4. Were the targets clipped first, the pair 8, -4 would pool to 0.5.
  const auto up = fitted<T>({{1, 2, 3, 4}, {-3, 8, -4, 4}}, {.y_min = 0, .y_max = 1});
  CHECK(copy(up.scores()) == std::vector<T>{1, 2, 4});  // pools clipped to one bound are one constant piece
  CHECK(copy(up.values()) == std::vector<T>{0, 1, 1});
  const auto down = fitted<T>({{1, 2, 3}, {9, 5, -9}}, {.increasing = false, .y_min = -1, .y_max = 5});
  CHECK(copy(down.scores()) == std::vector<T>{1, 2, 3});
  CHECK(copy(down.values()) == std::vector<T>{5, 5, -1});
}

TEMPLATE_TEST_CASE("a curve may be fitted to its own knots", "", float, double) {
  using T = TestType;
  auto curve = fitted<T>({{1, 2, 3, 4}, {0, 1, 0, 2}});
  const std::vector<T> scores = copy(curve.scores()), values = copy(curve.values());
  REQUIRE(iso::calibrate<T>(curve.scores(), curve.values(), curve));
  CHECK(copy(curve.scores()) == scores);
  CHECK(copy(curve.values()) == values);
}

TEST_CASE("the example of calibrate") {
  std::vector<double> scores{0, 1, 1, 2, 3}, labels{0, 0, 1, 0, 1};
  iso::calibration_curve<double> curve;
  iso::calibrate<double>(scores, labels, curve, {.y_min = 0.01, .y_max = 0.99}).check();
  CHECK(curve(1.5) == 1.0 / 3);
  CHECK(curve(0) == 0.01);
  CHECK(curve(3) == 0.99);
}
