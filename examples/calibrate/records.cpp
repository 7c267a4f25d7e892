// Reading of scored records; see records.hpp.
#include "records.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include "csv.hpp"
#include "error.hpp"
#include "progress.hpp"

namespace app {
namespace {

// Rows are numbered with 32 bits, which halves what sorting them takes.
constexpr std::size_t most_rows = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t absent = std::numeric_limits<std::size_t>::max();

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// A field in a message: in quotes, short, and without characters that would upset a terminal.
std::string shown(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, 40)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  return out + (text.size() > 40 ? "...'" : "'");
}

struct columns {
  std::size_t score, label, weight, segment;
  std::size_t count;
};

std::size_t find_column(const csv_reader& in, const std::string& name, bool required) {
  std::size_t found = absent;
  for (std::size_t i = 0; i < in.fields().size(); ++i) {
    if (trimmed(in.fields()[i]) != name) continue;
    if (found != absent) in.fail("two columns are named " + shown(name));
    found = i;
  }
  if (found == absent && required) {
    std::string all;
    for (const std::string_view field : in.fields()) all += (all.empty() ? "" : ", ") + shown(trimmed(field));
    in.fail("no column is named " + shown(name) + "; the header names " + all);
  }
  return found;
}

columns read_header(csv_reader& in, const column_names& names) {
  if (!in.next()) in.fail("the file is empty");
  columns c{};
  c.score = find_column(in, names.score, true);
  c.label = find_column(in, names.label, true);
  c.weight = find_column(in, names.weight.empty() ? "weight" : names.weight, !names.weight.empty());
  c.segment = find_column(in, names.segment.empty() ? "segment" : names.segment, !names.segment.empty());
  c.count = in.fields().size();
  return c;
}

double read_number(const csv_reader& in, std::size_t column, const char* what) {
  const std::string_view whole = in.fields()[column];
  std::string_view text = trimmed(whole);
  if (text.empty()) in.fail(std::string(what) + " is empty");
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size())
    in.fail(std::string(what) + " " + shown(whole) + " is not a number");
  if (error == std::errc::result_out_of_range) {
    value = std::strtod(std::string(text).c_str(), nullptr);  // tells too large from too close to zero
    if (std::isinf(value)) in.fail(std::string(what) + " " + shown(whole) + " is beyond the range of double");
  }
  if (std::isnan(value)) in.fail(std::string(what) + " is NaN");
  return value;
}

// Numbers segments in the order they come.
class segment_numbers {
 public:
  std::uint32_t operator()(std::string_view name, std::vector<std::string>& names) {
    if (last_ < names.size() && names[last_] == name) return last_;  // files are often sorted by segment
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return last_ = found->second;
    last_ = static_cast<std::uint32_t>(names.size());
    names.emplace_back(name);
    numbers_.emplace(names.back(), last_);
    return last_;
  }

 private:
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, std::uint32_t, hash, std::equal_to<>> numbers_;
  std::uint32_t last_ = 0;
};

void read_row(const csv_reader& in, const columns& c, segment_numbers& numbers, records& out) {
  if (in.fields().size() != c.count)
    in.fail(std::to_string(in.fields().size()) + (in.fields().size() == 1 ? " field" : " fields") +
            " where the header has " + std::to_string(c.count));
  const double score = read_number(in, c.score, "the score");
  const double label = read_number(in, c.label, "the label");
  if (!(label >= 0 && label <= 1)) in.fail("the label " + shown(in.fields()[c.label]) + " is outside 0..1");
  if (out.size() == most_rows) in.fail("more than " + std::to_string(most_rows) + " rows");
  out.score.push_back(score);
  out.label.push_back(label);
  if (c.weight != absent) {
    const double weight = read_number(in, c.weight, "the weight");
    if (weight < 0) in.fail("the weight " + shown(in.fields()[c.weight]) + " is negative");
    if (std::isinf(weight)) in.fail("the weight is infinite");
    out.weight.push_back(weight);
  }
  if (c.segment != absent) out.segment.push_back(numbers(trimmed(in.fields()[c.segment]), out.segment_names));
  out.least = score < out.least ? score : out.least;
  out.greatest = score > out.greatest ? score : out.greatest;
}

void check_weights(const csv_reader& in, const records& all) {
  if (all.weight.empty()) return;
  double sum = 0;
  for (const double w : all.weight) sum += w;
  if (sum == 0) in.fail(in.lines(), "all weights are zero");
  if (std::isinf(sum)) in.fail(in.lines(), "the sum of the weights is beyond the range of double");
}

}  // namespace

records read_records(const std::string& path, const column_names& names) {
  csv_reader in(path);
  const columns c = read_header(in, names);
  records out;
  out.name = in.name();
  out.least = std::numeric_limits<double>::infinity();
  out.greatest = -out.least;
  segment_numbers numbers;
  progress bar("reading " + in.name());
  while (in.next()) {
    read_row(in, c, numbers, out);
    if (out.size() % 65536 == 0) bar.update(out.size(), in.bytes_read(), in.bytes_total());
  }
  if (out.size() == 0) in.fail("no rows follow the header");
  check_weights(in, out);
  out.lines = in.lines();
  return out;
}

records select(const records& all, std::span<const std::uint8_t> keep) {
  records out;
  out.name = all.name;
  out.segment_names = all.segment_names;
  out.least = all.least;
  out.greatest = all.greatest;
  auto copy = [&](const auto& from, auto& to) {
    if (from.empty()) return;
    to.reserve(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
      if (keep[i]) to.push_back(from[i]);
  };
  copy(all.score, out.score);
  copy(all.label, out.label);
  copy(all.weight, out.weight);
  copy(all.segment, out.segment);
  return out;
}

}  // namespace app
