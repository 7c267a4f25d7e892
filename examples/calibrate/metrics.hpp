// How good predicted probabilities are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "records.hpp"

namespace app {

// A bin of rows whose predictions are neighbours.
struct bin {
  std::uint64_t rows = 0;
  double weight = 0;
  double squared_weight = 0;  // sum of squares, for the effective number of rows
  double prediction = 0;      // weighted mean of the finite ones; NaN if there are none
  double observed = 0;        // weighted mean label
};

// All sums are weighted, and so are the means they become.
struct metrics {
  std::uint64_t rows = 0;
  double weight = 0;
  double base_rate = 0;  // mean label; NaN, as what follows, if the weight is zero
  // Expected calibration error: the mean over the bins of |observed - prediction|, weighted by the bins'
  // weights.
  double ece = 0;
  // Mean of (prediction - label)^2.
  double brier = 0;
  // Mean of -label log(p) - (1 - label) log(1 - p), p clamped to [log_loss_margin, 1 - log_loss_margin].
  double log_loss = 0;
  // Rows predicted as certain that turned out otherwise, and what they add to log_loss.
  std::uint64_t wrongly_certain = 0;
  double wrongly_certain_loss = 0;
  std::vector<bin> bins;  // those that have weight
};

inline constexpr double log_loss_margin = 1e-15;

// Row numbers in ascending order of their predictions.
std::vector<std::uint32_t> order_of(std::span<const double> predictions);

// Measures the predictions of the rows in `order`, which are ascending. Bins of equal mass: equal predictions
// share a bin, the one their middle falls into when the weight is cut into `bins` equal parts. So nothing
// depends on the order of the rows, and there may be fewer bins. The ECE, Brier score and log-loss mean
// something only if the predictions are probabilities.
metrics measure(const records& all, std::span<const double> predictions, std::span<const std::uint32_t> order,
                int bins);

// The 95 % Wilson interval of a bin's observed rate.
struct interval {
  double low, high;
};
interval wilson(const bin& b);

}  // namespace app
