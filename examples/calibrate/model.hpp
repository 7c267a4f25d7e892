// The calibration curves: one for all rows, or one a segment.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <iso/calibration.hpp>

#include "records.hpp"

namespace app {

struct fit_options {
  bool increasing = true;
  bool per_segment = false;
  int threads = 0;
};

class model {
 public:
  using curve = iso::calibration_curve<double>;

  // Fits to all rows, of which at least one has weight.
  model(const records& rows, const fit_options& options);

  // Calibrated scores in the order of the rows, whose segments may be others than those the model was fitted
  // to.
  std::vector<double> predict(const records& rows) const;

  // The curve of a segment: its own, or the one fitted to all rows if the segment is unknown, had no weight,
  // or the model has one curve for all.
  const curve& curve_of(const std::string& segment) const;
  const curve& overall() const noexcept { return overall_; }

 private:
  void fit_segments(const records& rows);

  fit_options options_;
  curve overall_;
  std::unordered_map<std::string, curve> segments_;
};

// Calibrated scores in the order of the rows, each by a model fitted to the rows outside its fold. Of every
// `folds` consecutive rows each fold gets one, drawn by a fixed seed: folds are equally large and, where the
// input is sorted, alike.
std::vector<double> cross_fit(const records& rows, const fit_options& options, int folds);

}  // namespace app
