// What a calibration curve promises of its predictions.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
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

template <class T>
iso::calibration_curve<T> curve_of(const std::vector<T>& scores, const std::vector<T>& values,
                                   bool increasing = true,
                                   iso::out_of_range outside = iso::out_of_range::clip) {
  iso::calibration_curve<T> curve;
  REQUIRE(iso::calibration_curve<T>::from_knots(scores, values, curve, increasing, outside));
  return curve;
}

// Sorted distinct scores of one kind: any float at all, neighbours, subnormals, and all of these with
// infinities.
template <class T>
std::vector<T> hostile_scores(random_source& random) {
  using limits = std::numeric_limits<T>;
  const std::uint64_t kind = random.below(5);
  std::vector<T> out;
  T next = reference::any_finite<T>(random);
  for (std::uint64_t i = 2 + random.below(12); i > 0; --i) {
    if (kind == 0) next = reference::any_finite<T>(random);
    if (kind == 1) next = std::nextafter(next, inf_of<T>);
    if (kind == 2)
      next = limits::denorm_min() * static_cast<T>(random.below(50)) - limits::denorm_min() * T(25);
    if (kind == 3) next = limits::max() * static_cast<T>(random.uniform(-1, 1));
    if (kind == 4) next = static_cast<T>(random.normal());
    if (std::isfinite(next)) out.push_back(next);
  }
  if (random.chance(0.2)) out.push_back(inf_of<T>);
  if (random.chance(0.2)) out.push_back(-inf_of<T>);
  if (random.chance(0.2)) out.insert(out.end(), {limits::max(), limits::lowest()});
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

template <class T>
std::vector<T> hostile_values(std::size_t n, bool increasing, random_source& random) {
  using limits = std::numeric_limits<T>;
  const std::uint64_t kind = random.below(4);
  std::vector<T> out;
  for (std::size_t i = 0; i < n; ++i) {
    T next = static_cast<T>(random.uniform());
    if (kind == 1) next = reference::any_finite<T>(random);
    if (kind == 2) next = 1 + limits::epsilon() * static_cast<T>(random.below(8));
    if (kind == 3) next = limits::max() * static_cast<T>(random.uniform(-1, 1));
    out.push_back(next);
  }
  if (random.chance(0.2) && n > 1) out.back() = limits::max(), out.front() = limits::lowest();
  std::sort(out.begin(), out.end());
  if (!increasing) std::reverse(out.begin(), out.end());
  return out;
}

// Sorted queries between and around the knots: the knots' own neighbours, runs of adjacent floats, and evenly
// or geometrically spaced ones.
template <class T>
std::vector<T> dense_queries(const std::vector<T>& knots, random_source& random) {
  std::vector<T> out{-inf_of<T>, inf_of<T>, 0, std::numeric_limits<T>::max(),
                     std::numeric_limits<T>::lowest()};
  const auto run_of_neighbours = [&](T from) {
    T up = from, down = from;
    for (int i = 0; i < 8; ++i) {
      out.insert(out.end(), {up, down});
      up = std::nextafter(up, inf_of<T>);
      down = std::nextafter(down, -inf_of<T>);
    }
  };
  for (std::size_t i = 0; i < knots.size(); ++i) {
    run_of_neighbours(knots[i]);
    if (i == 0 || std::isinf(knots[i - 1]) || std::isinf(knots[i])) continue;
    const T half = T(0.5), middle = knots[i - 1] * half + knots[i] * half;
    for (int k = 0; k < 12; ++k) {
      const T t = static_cast<T>(random.uniform());
      const T inside = knots[i - 1] * (1 - t) + knots[i] * t;
      if (inside > knots[i - 1] && inside < knots[i]) run_of_neighbours(inside);
      const T close = knots[i - 1] + std::ldexp(middle * half - knots[i - 1] * half, -4 * k);
      if (close < knots[i]) out.push_back(close);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEMPLATE_TEST_CASE("predictions are monotone without tolerance, finite, and between their neighbours' values",
                   "", float, double) {
  using T = TestType;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    if (left_out(seed)) continue;
    random_source random(seed);
    const bool increasing = random.chance(0.5);
    const std::vector<T> knots = hostile_scores<T>(random);
    const std::vector<T> values = hostile_values<T>(knots.size(), increasing, random);
    const auto curve = curve_of<T>(knots, values, increasing);
    const std::vector<T> queries = dense_queries(knots, random);
    const std::vector<T> got = predictions(curve, queries);
    INFO("seed " << seed);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const auto right = std::lower_bound(knots.begin(), knots.end(), queries[i]) - knots.begin();
      const auto last = static_cast<std::ptrdiff_t>(knots.size()) - 1;
      const T b = values[static_cast<std::size_t>(std::min(right, last))];
      const bool at_knot = right <= last && knots[static_cast<std::size_t>(right)] == queries[i];
      const T a = at_knot || right > last
                      ? b
                      : values[static_cast<std::size_t>(std::max<std::ptrdiff_t>(right - 1, 0))];
      wrong += !std::isfinite(got[i]);
      wrong += !(std::min(a, b) <= got[i] && got[i] <= std::max(a, b));
      wrong += i > 0 && !(increasing ? got[i - 1] <= got[i] : got[i - 1] >= got[i]);
    }
    REQUIRE(wrong == 0);
  }
}

TEMPLATE_TEST_CASE("predictions lie on the exact line up to rounding", "", float, double) {
  using T = TestType;
  std::size_t checked = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    if (left_out(seed)) continue;
    random_source random(seed);
    std::vector<T> knots = hostile_scores<T>(random);
    std::erase_if(knots, [](T x) { return std::isinf(x); });
    const std::vector<T> values = hostile_values<T>(knots.size(), true, random);
    const auto curve = curve_of<T>(knots, values);
    std::map<T, T> fit;
    for (std::size_t i = 0; i < knots.size(); ++i) fit[knots[i]] = values[i];
    INFO("seed " << seed);
    for (const T query : dense_queries(knots, random)) {
      if (!(query >= knots.front() && query <= knots.back())) continue;
      const auto right = fit.lower_bound(query);
      rational size = abs(rational(right->second));
      if (right != fit.begin()) size = (std::max)(size, rational(abs(rational(std::prev(right)->second))));
      const rational error = abs(rational(curve(query)) - exact_line(fit, query));
      REQUIRE(error <= size * rational(6 * std::numeric_limits<T>::epsilon()) +
                           rational(2 * std::numeric_limits<T>::denorm_min()));
      ++checked;
    }
  }
  CHECK(checked > (sanitized ? 700 : 5000));
}

TEMPLATE_TEST_CASE("an infinite score is an end of the curve, and the line towards it is flat", "", float,
                   double) {
  using T = TestType;
  constexpr T inf = inf_of<T>, most = std::numeric_limits<T>::max();
  const auto curve = fitted<T>({{inf, 1, -inf, 2}, {4, 2, 1, 3}});
  CHECK(copy(curve.scores()) == std::vector<T>{-inf, 1, 2, inf});
  CHECK(predictions<T>(curve, {-inf, -most, 0, 1, T(1.5), 2, 3, most, inf}) ==
        std::vector<T>{1, 2, 2, 2, T(2.5), 3, 3, 3, 4});
  SECTION("between two infinite knots it has the right one's value") {
    const auto ends = fitted<T>({{-inf, inf}, {0, 1}});
    CHECK(predictions<T>(ends, {-inf, -most, 0, most, inf}) == std::vector<T>{0, 1, 1, 1, 1});
    const auto down = fitted<T>({{-inf, inf}, {1, 0}}, {.increasing = false});
    CHECK(predictions<T>(down, {-inf, -most, 0, most, inf}) == std::vector<T>{1, 0, 0, 0, 0});
  }
  SECTION("equal infinite scores are one point") {
    const auto tie = fitted<T>({{inf, inf, 0}, {1, 2, 0}});
    CHECK(predictions<T>(tie, {0, 5, inf}) == std::vector<T>{0, 0, T(1.5)});
  }
  SECTION("a pool may reach to infinity") {
    const auto pool = fitted<T>({{0, 1, inf}, {0, 2, 1}});
    CHECK(copy(pool.scores()) == std::vector<T>{0, 1, inf});
    CHECK(predictions<T>(pool, {0, 1, 7, inf}) == std::vector<T>{0, T(1.5), T(1.5), T(1.5)});
  }
  SECTION("an infinite knot alone answers everything") {
    const auto alone = fitted<T>({{-inf}, {3}});
    CHECK(predictions<T>(alone, {-inf, 0, inf}) == std::vector<T>{3, 3, 3});
  }
}

TEMPLATE_TEST_CASE("beyond its ends a curve keeps its end values or answers NaN, as asked", "", float,
                   double) {
  using T = TestType;
  constexpr T inf = inf_of<T>;
  const observations<T> o{{1, 2}, {3, 5}};
  const auto clip = fitted<T>(o), nan = fitted<T>(o, {.outside = iso::out_of_range::nan});
  const T before = std::nextafter(T(1), T(0)), after = std::nextafter(T(2), T(3));
  CHECK(predictions<T>(clip, {-inf, before, 1, 2, after, inf}) == std::vector<T>{3, 3, 3, 5, 5, 5});
  for (const T query : {-inf, T(0), before, after, T(9), inf}) CHECK(std::isnan(nan(query)));
  CHECK(predictions<T>(nan, {1, T(1.5), 2}) == std::vector<T>{3, 4, 5});
  SECTION("a curve of one knot has an outside too") {
    const auto alone = fitted<T>({{1}, {3}}, {.outside = iso::out_of_range::nan});
    CHECK(alone(1) == 3);
    for (const T query : {-inf, before, T(2), inf}) CHECK(std::isnan(alone(query)));
  }
  SECTION("an infinite end leaves nothing beyond") {
    const auto open = fitted<T>({{-inf, 1}, {3, 5}}, {.outside = iso::out_of_range::nan});
    CHECK(predictions<T>(open, {-inf, 0, 1}) == std::vector<T>{3, 5, 5});
    CHECK(std::isnan(open(2)));
  }
}

TEMPLATE_TEST_CASE("a NaN score gives NaN, and so does every score of an empty curve", "", float, double) {
  using T = TestType;
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  for (const std::size_t knots : {1u, 2u, 5u}) {
    std::vector<T> line(knots);
    for (std::size_t i = 0; i < knots; ++i) line[i] = static_cast<T>(i);
    CHECK(std::isnan(curve_of<T>(line, line)(nan)));
    CHECK(std::isnan(curve_of<T>(line, line)(-nan)));
  }
  CHECK(std::isnan(iso::calibration_curve<T>()(1)));
}

TEMPLATE_TEST_CASE("scores and values at the ends of the range meet no overflow", "", float, double) {
  using T = TestType;
  constexpr T most = std::numeric_limits<T>::max();
  const auto curve = fitted<T>({{-most, most}, {-most, most}});
  CHECK(predictions<T>(curve, {-most, 0, most}) == std::vector<T>{-most, 0, most});
  CHECK(curve(most / 2) == Approx(most / 2));
  CHECK(curve(-most / 4) == Approx(-most / 4));
  const auto steep = fitted<T>({{0, std::numeric_limits<T>::denorm_min() * 2}, {-most, most}});
  CHECK(steep(std::numeric_limits<T>::denorm_min()) == 0);
}

TEMPLATE_TEST_CASE("a curve comes back from its knots, and predicts in place", "", float, double) {
  using T = TestType;
  for (const bool increasing : {true, false}) {
    const auto curve = fitted<T>({{1, 2, 3, 4, inf_of<T>}, {0, 2, 1, 4, 3}},
                                 {.increasing = increasing, .outside = iso::out_of_range::nan});
    const auto again =
        curve_of<T>(copy(curve.scores()), copy(curve.values()), curve.increasing(), curve.outside());
    CHECK(again.increasing() == increasing);
    CHECK(again.outside() == iso::out_of_range::nan);
    const std::vector<T> queries{1, T(1.25), T(2.5), T(3.75), 4, 100, inf_of<T>};
    std::vector<T> values = queries;
    REQUIRE(again.predict(values, values));
    CHECK(values == predictions(curve, queries));
  }
}

TEMPLATE_TEST_CASE("many predictions are the single ones, in any number of threads", "[threads]", float,
                   double) {
  using T = TestType;
  random_source random(3);
  std::vector<T> knots;
  for (int i = 0; i < 1000; ++i) knots.push_back(static_cast<T>(i) + static_cast<T>(random.uniform(0, 0.5)));
  const auto curve = curve_of<T>(knots, knots);
  for (const std::size_t n : {1u, 32768u, 32769u, 150000u}) {
    std::vector<T> queries(n), expected;
    for (T& query : queries) query = static_cast<T>(random.uniform(-10, 1010));
    for (const T query : queries) expected.push_back(curve(query));
    for (const int threads : {0, 1, 2, 5}) CHECK(predictions(curve, queries, threads) == expected);
  }
}
