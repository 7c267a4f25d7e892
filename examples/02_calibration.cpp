// Calibration: from a model's scores and what came of them to a curve, and from the curve to probabilities.
//
// The model here is overconfident: where it says 0.9, two cases in three come true. The curve is fitted to
// one half of the cases and judged on the other. Exit code 1 if it made the scores worse.
#include <cmath>
#include <cstdio>
#include <random>
#include <span>
#include <vector>

#include <iso/calibration.hpp>

namespace {

struct cases {
  std::vector<float> scores;  // what the model said, in 0..1
  std::vector<float> labels;  // what came of it: 0 or 1
};

cases draw(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform;
  cases out;
  for (std::size_t i = 0; i < n; ++i) {
    const float chance = uniform(random);  // the truth, which the model pushes towards 0 and 1
    const float odds = chance / (1 - chance);
    out.scores.push_back(1 / (1 + std::pow(odds, -3.0f)));
    out.labels.push_back(uniform(random) < chance ? 1.0f : 0.0f);
  }
  return out;
}

// Mean squared distance of probabilities and outcomes (the Brier score).
double brier(std::span<const float> probabilities, std::span<const float> labels) {
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) sum += std::pow(probabilities[i] - labels[i], 2);
  return sum / static_cast<double>(labels.size());
}

}  // namespace

int main() {
  const cases known = draw(20000, 1), fresh = draw(20000, 2);

  // Fit. Any order, ties allowed; a span of weights may follow the labels, options come last.
  iso::calibration_curve<float> curve;
  if (const iso::status s = iso::calibrate(known.scores, known.labels, curve); !s) {
    std::fprintf(stderr, "%s\n", s.message().c_str());
    return 1;
  }

  // Predict: one score, or many at once.
  std::printf("score  probability\n");
  for (const float score : {0.01f, 0.1f, 0.5f, 0.9f, 0.99f})
    std::printf("%5.2f  %11.3f\n", score, curve(score));
  std::vector<float> probabilities(fresh.scores.size());
  curve.predict(fresh.scores, probabilities).check();

  // Keep: the knots are the whole curve.
  iso::calibration_curve<float> kept;
  iso::calibration_curve<float>::from_knots(curve.scores(), curve.values(), kept).check();

  const double before = brier(fresh.scores, fresh.labels), after = brier(probabilities, fresh.labels);
  std::printf("%zu knots; Brier score %.4f before, %.4f after\n", kept.scores().size(), before, after);
  return after < before ? 0 : 1;
}
