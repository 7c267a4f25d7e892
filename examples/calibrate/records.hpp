// Scored records: what the program reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace app {

// Columns of equal length. `weight` is empty where the input has no such column, which means all one;
// `segment` is empty where it has no segments, otherwise indices into `segment_names`.
struct records {
  std::vector<double> score, label, weight;
  std::vector<std::uint32_t> segment;
  std::vector<std::string> segment_names;
  std::string name;                // of the file, for messages
  std::int64_t lines = 0;          // of the file
  double least = 0, greatest = 0;  // of the scores

  std::size_t size() const noexcept { return score.size(); }
  double weight_of(std::size_t row) const noexcept { return weight.empty() ? 1.0 : weight[row]; }
  bool are_probabilities() const noexcept { return least >= 0 && greatest <= 1; }
};

// The names of the columns. Where weight or segment is empty, a column of the usual name is used if there is
// one.
struct column_names {
  std::string score = "score", label = "label", weight, segment;
};

// Reads a CSV file, or standard input for "-". Any mistake in it is a user_error that names the line.
records read_records(const std::string& path, const column_names& names);

// The rows of `all` for which keep[row] holds, in order.
records select(const records& all, std::span<const std::uint8_t> keep);

}  // namespace app
