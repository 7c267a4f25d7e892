// How good predicted probabilities are; see metrics.hpp.
#include "metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace app {
namespace {

// A sum that keeps the digits it loses (Neumaier), so that millions of rows cost no accuracy.
class sum {
 public:
  void add(double value) {
    const double next = total_ + value;
    lost_ += std::abs(total_) >= std::abs(value) ? (total_ - next) + value : (value - next) + total_;
    total_ = next;
  }
  double value() const { return total_ + lost_; }

 private:
  double total_ = 0, lost_ = 0;
};

double log_loss_of(double prediction, double label) {
  const double p = std::clamp(prediction, log_loss_margin, 1 - log_loss_margin);
  double loss = 0;
  if (label > 0) loss -= label * std::log(p);
  if (label < 1) loss -= (1 - label) * std::log1p(-p);
  return loss;
}

// What all rows share whatever their bin.
void measure_rows(const records& all, std::span<const double> predictions,
                  std::span<const std::uint32_t> order, metrics& out) {
  sum weight, labels, brier, loss, certain_loss;
  for (const std::uint32_t row : order) {
    const double w = all.weight_of(row), p = predictions[row], y = all.label[row];
    weight.add(w);
    labels.add(w * y);
    if (!std::isfinite(p)) continue;
    const double row_loss = w * log_loss_of(p, y);
    brier.add(w * (p - y) * (p - y));
    loss.add(row_loss);
    if (w > 0 && ((p == 0 && y > 0) || (p == 1 && y < 1))) {
      ++out.wrongly_certain;
      certain_loss.add(row_loss);
    }
  }
  out.weight = weight.value();
  out.base_rate = labels.value() / out.weight;
  out.brier = brier.value() / out.weight;
  out.log_loss = loss.value() / out.weight;
  out.wrongly_certain_loss = certain_loss.value() / out.weight;
}

struct bin_sums {
  bin totals;
  sum weight, finite_weight, predictions, labels;

  void add(double prediction, double label, double w) {
    ++totals.rows;
    weight.add(w);
    labels.add(w * label);
    totals.squared_weight += w * w;
    if (!std::isfinite(prediction)) return;
    finite_weight.add(w);
    predictions.add(w * prediction);
  }
  bin finish() const {
    bin b = totals;
    b.weight = weight.value();
    b.prediction = predictions.value() / finite_weight.value();
    b.observed = labels.value() / b.weight;
    return b;
  }
};

}  // namespace

std::vector<std::uint32_t> order_of(std::span<const double> predictions) {
  struct key {
    double prediction;
    std::uint32_t row;
  };
  std::vector<std::uint32_t> order(predictions.size());
  std::vector<key> keys(predictions.size());  // sorting them is faster than sorting row numbers
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = {predictions[i], static_cast<std::uint32_t>(i)};
  std::sort(keys.begin(), keys.end(), [](const key& a, const key& b) {
    return a.prediction < b.prediction || (a.prediction == b.prediction && a.row < b.row);
  });
  std::transform(keys.begin(), keys.end(), order.begin(), [](const key& k) { return k.row; });
  return order;
}

metrics measure(const records& all, std::span<const double> predictions, std::span<const std::uint32_t> order,
                int bins) {
  metrics out;
  out.rows = order.size();
  measure_rows(all, predictions, order, out);
  if (!(out.weight > 0)) {
    out.ece = std::numeric_limits<double>::quiet_NaN();
    return out;
  }
  sum before, error;
  bin_sums current;
  double current_place = 0;
  auto finish_bin = [&] {
    const bin b = current.finish();
    current = {};
    if (!(b.weight > 0)) return;
    error.add(b.weight * std::abs(b.observed - b.prediction));
    out.bins.push_back(b);
  };
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    const double prediction = predictions[order[first]];
    sum tie;
    for (; last < order.size() && predictions[order[last]] == prediction; ++last)
      tie.add(all.weight_of(order[last]));
    const double middle = before.value() + tie.value() / 2;
    const double place = std::floor((std::min)(middle * bins / out.weight, bins - 1.0));
    if (place != current_place) finish_bin();
    current_place = place;
    for (std::size_t i = first; i < last; ++i)
      current.add(prediction, all.label[order[i]], all.weight_of(order[i]));
    before.add(tie.value());
  }
  finish_bin();
  out.ece = error.value() / out.weight;
  return out;
}

interval wilson(const bin& b) {
  const double z = 1.959963984540054;
  const double n = b.weight * b.weight / b.squared_weight;
  const double middle = (b.observed + z * z / (2 * n)) / (1 + z * z / n);
  const double half =
      z / (1 + z * z / n) * std::sqrt(b.observed * (1 - b.observed) / n + z * z / (4 * n * n));
  return {(std::max)(0.0, middle - half), (std::min)(1.0, middle + half)};
}

}  // namespace app
