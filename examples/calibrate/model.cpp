// The calibration curves; see model.hpp.
#include "model.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include <iso/host.hpp>

#include "device.hpp"
#include "error.hpp"
#include "progress.hpp"

namespace app {
namespace {

// On a GPU if there is one.
iso::status solve(std::span<const double> y, std::span<const double> w, std::span<double> fit,
                  const iso::options<double>& how, int threads) {
  if (solve_on_device(y, w, fit, how)) return {};
  return w.empty() ? iso::host::solve<double, false>(y, fit, how, threads)
                   : iso::host::solve<double, true>(y, w, fit, how, threads);
}

void fit_curve(std::span<const double> scores, std::span<const double> labels,
               std::span<const double> weights, const fit_options& options, model::curve& curve) {
  iso::calibration_options<double> how;
  how.increasing = options.increasing;
  // Starting threads, or a GPU, takes longer than fitting a few rows.
  const bool few = scores.size() < 100'000;
  how.threads = few ? 1 : options.threads;
  if (!few) how.solver = solve;
  iso::calibrate<double>(scores, labels, weights, curve, how).check();
}

// A well-mixed number for every counter (the finaliser of splitmix64).
std::uint64_t mixed(std::uint64_t counter) {
  std::uint64_t z = (counter + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::vector<std::uint32_t> fold_numbers(std::size_t rows, std::size_t folds) {
  std::vector<std::uint32_t> fold(rows);
  std::vector<std::uint32_t> deal(folds);
  std::iota(deal.begin(), deal.end(), 0u);
  for (std::size_t i = 0; i < rows; ++i) {
    // One step of a shuffle a row: this one's fold is any of those not yet dealt in this round.
    const std::size_t place = i % folds;
    std::swap(deal[place], deal[place + mixed(i) % (folds - place)]);
    fold[i] = deal[place];
  }
  return fold;
}

}  // namespace

model::model(const records& rows, const fit_options& options) : options_(options) {
  fit_curve(rows.score, rows.label, rows.weight, options_, overall_);
  if (options_.per_segment) fit_segments(rows);
}

void model::fit_segments(const records& rows) {
  // Rows grouped by segment, so that each segment's columns are contiguous.
  std::vector<std::size_t> begin(rows.segment_names.size() + 1, 0);
  for (const std::uint32_t s : rows.segment) ++begin[s + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<double> score(rows.size()), label(rows.size()), weight(rows.weight.size());
  std::vector<std::size_t> place(begin.begin(), begin.end() - 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t to = place[rows.segment[i]]++;
    score[to] = rows.score[i];
    label[to] = rows.label[i];
    if (!weight.empty()) weight[to] = rows.weight[i];
  }
  auto part = [](const std::vector<double>& column, std::size_t first, std::size_t last) {
    return column.empty() ? std::span<const double>() : std::span(column).subspan(first, last - first);
  };
  for (std::size_t s = 0; s + 1 < begin.size(); ++s) {
    const auto w = part(weight, begin[s], begin[s + 1]);
    const bool counts = weight.empty() ? begin[s] < begin[s + 1]
                                       : std::any_of(w.begin(), w.end(), [](double x) { return x > 0; });
    if (!counts) continue;
    fit_curve(part(score, begin[s], begin[s + 1]), part(label, begin[s], begin[s + 1]), w, options_,
              segments_[rows.segment_names[s]]);
  }
}

const model::curve& model::curve_of(const std::string& segment) const {
  const auto found = segments_.find(segment);
  return found == segments_.end() ? overall_ : found->second;
}

std::vector<double> model::predict(const records& rows) const {
  std::vector<double> out(rows.size());
  if (segments_.empty()) {
    overall_.predict(rows.score, out, options_.threads).check();
    return out;
  }
  std::vector<const curve*> curves;
  for (const std::string& name : rows.segment_names) curves.push_back(&curve_of(name));
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = (*curves[rows.segment[i]])(rows.score[i]);
  return out;
}

std::vector<double> cross_fit(const records& rows, const fit_options& options, int folds) {
  const std::size_t count = (std::min)(static_cast<std::size_t>(folds), rows.size());
  if (count < 2)
    throw user_error(rows.name + ":" + std::to_string(rows.lines) +
                     ": one row cannot be cross-fitted; give --folds 1 or --test FILE");
  const std::vector<std::uint32_t> fold = fold_numbers(rows.size(), count);
  std::vector<std::uint8_t> inside(rows.size()), outside(rows.size());
  std::vector<double> out(rows.size());
  progress bar("cross-fitting, fold");
  for (std::uint32_t f = 0; f < count; ++f) {
    bar.step(f + 1, count);
    for (std::size_t i = 0; i < rows.size(); ++i) inside[i] = fold[i] == f, outside[i] = !inside[i];
    std::vector<double> predicted;
    {
      const records others = select(rows, outside);
      if (!others.weight.empty() &&
          std::all_of(others.weight.begin(), others.weight.end(), [](double w) { return w == 0; }))
        throw user_error(rows.name + ":" + std::to_string(rows.lines) + ": too few rows have weight for " +
                         std::to_string(count) + " folds; give --folds 1 or --test FILE");
      const model fitted(others, options);
      predicted = fitted.predict(select(rows, inside));
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (inside[i]) out[i] = predicted[next++];
  }
  return out;
}

}  // namespace app
