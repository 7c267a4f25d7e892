// What calibration refuses, in what words, and that a refusal leaves the curve and the output alone.
#include <limits>
#include <string>
#include <vector>

#include "observations.hpp"

namespace {

using calibration_test::copy;
using calibration_test::fitted;
using calibration_test::observations;

template <class T>
constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();
template <class T>
constexpr T inf_of = std::numeric_limits<T>::infinity();

// Requires that the fit is refused with this message and that a curve of an earlier fit stays as it was.
template <class T>
void refused(const observations<T>& o, const std::string& message, iso::calibration_options<T> options = {}) {
  iso::calibration_curve<T> curve = fitted<T>({{1, 2}, {3, 4}}, {.outside = iso::out_of_range::nan});
  const iso::status status = iso::calibrate<T>(o.scores, o.targets, o.weights, curve, options);
  CHECK(status.code() == iso::errc::invalid_argument);
  CHECK(status.message() == message);
  CHECK(copy(curve.scores()) == std::vector<T>{1, 2});
  CHECK(copy(curve.values()) == std::vector<T>{3, 4});
  CHECK(curve.increasing());
  CHECK(curve.outside() == iso::out_of_range::nan);
}

}  // namespace

TEMPLATE_TEST_CASE("calibrate refuses sizes that disagree and names both", "", float, double) {
  refused<TestType>({{1, 2, 3}, {1, 2}}, "scores has 3 elements, targets has 2");
  refused<TestType>({{1, 2, 3}, {1, 2, 3}, {1}}, "scores has 3 elements, weights has 1");
  refused<TestType>({{}, {}, {1}}, "scores has 0 elements, weights has 1");
}

TEMPLATE_TEST_CASE("calibrate refuses to fit nothing", "", float, double) {
  refused<TestType>({{}, {}}, "there is nothing to calibrate: scores has 0 elements");
  refused<TestType>({{1, 2}, {0, 1}, {0, TestType(-0.0)}}, "all 2 weights are zero");
}

TEMPLATE_TEST_CASE("calibrate refuses values without a meaning and names their place", "", float, double) {
  constexpr TestType nan = nan_of<TestType>, inf = inf_of<TestType>;
  refused<TestType>({{1, nan, 3}, {1, 2, 3}}, "scores[1] is NaN");
  refused<TestType>({{1, 2, nan}, {1, 2, 3}, {1, 1, 0}}, "scores[2] is NaN");
  for (const TestType target : {nan, inf, -inf})
    refused<TestType>({{1, 2, 3}, {1, 2, target}}, "targets[2] is not finite");
  for (const TestType weight : {TestType(-1), -std::numeric_limits<TestType>::denorm_min(), nan, inf, -inf})
    refused<TestType>({{1, 2}, {1, 2}, {weight, 1}}, "weights[0] is negative, infinite or NaN");
}

TEMPLATE_TEST_CASE("calibrate refuses bounds without a finite number between them", "", float, double) {
  constexpr TestType nan = nan_of<TestType>, inf = inf_of<TestType>;
  const observations<TestType> o{{1, 2}, {0, 1}};
  iso::calibration_curve<TestType> curve;
  for (const auto& [low, high] :
       std::vector<std::pair<TestType, TestType>>{{1, 0}, {nan, 1}, {0, nan}, {inf, inf}, {-inf, -inf}}) {
    const iso::status status =
        iso::calibrate<TestType>(o.scores, o.targets, curve, {.y_min = low, .y_max = high});
    CHECK(status.code() == iso::errc::invalid_argument);
    CHECK(status.message().find("bound no finite value") != std::string::npos);
    CHECK(curve.scores().empty());
  }
  CHECK(iso::calibrate<TestType>(o.scores, o.targets, curve, {.y_min = 1, .y_max = 1}));
}

TEMPLATE_TEST_CASE("calibrate refuses a negative number of threads", "", float, double) {
  refused<TestType>({{1, 2}, {0, 1}}, "the number of threads must be at least 0, is -1", {.threads = -1});
}

TEMPLATE_TEST_CASE("predict refuses what it cannot answer and writes nothing", "", float, double) {
  const std::vector<TestType> two{1, 2};
  std::vector<TestType> values{7, 8, 9};
  const iso::calibration_curve<TestType> empty;
  CHECK(empty.predict(two, std::span(values).first(2)).message() == "the calibration curve is empty");
  const auto curve = fitted<TestType>({{1, 2}, {3, 4}});
  CHECK(curve.predict(two, values).message() == "scores has 2 elements, values has 3");
  CHECK(curve.predict(two, std::span(values).first(2), -2).message() ==
        "the number of threads must be at least 0, is -2");
  CHECK(curve.predict(std::span(values).first(2), std::span(values).last(2)).message() ==
        "scores and values overlap in part");
  CHECK(values == std::vector<TestType>{7, 8, 9});
  CHECK(curve.predict({}, {}));
}

TEMPLATE_TEST_CASE("knots that make no curve are refused and the curve stays", "", float, double) {
  using T = TestType;
  constexpr T nan = nan_of<T>, inf = inf_of<T>;
  iso::calibration_curve<T> curve = fitted<T>({{1, 2}, {3, 4}});
  const auto message = [&](std::vector<T> scores, std::vector<T> values, bool increasing = true) {
    const iso::status status = iso::calibration_curve<T>::from_knots(scores, values, curve, increasing);
    CHECK(status.code() == iso::errc::invalid_argument);
    CHECK(copy(curve.values()) == std::vector<T>{3, 4});
    return status.message();
  };
  CHECK(message({}, {}) == "a calibration curve needs at least one knot");
  CHECK(message({1, 2}, {1}) == "scores has 2 elements, values has 1");
  CHECK(message({1, nan}, {1, 2}) == "scores[1] is NaN");
  CHECK(message({1, 1}, {1, 2}) == "scores[1] is not above the score before it");
  CHECK(message({0, T(-0.0)}, {1, 2}) == "scores[1] is not above the score before it");
  CHECK(message({inf, 3}, {1, 2}) == "scores[1] is not above the score before it");
  CHECK(message({1, 2}, {1, inf}) == "values[1] is not finite");
  CHECK(message({1, 2}, {nan, 1}) == "values[0] is not finite");
  CHECK(message({1, 2, 3}, {1, 3, 2}) == "values[2] is below the value before it");
  CHECK(message({1, 2, 3}, {3, 1, 2}, false) == "values[2] is above the value before it");
}
