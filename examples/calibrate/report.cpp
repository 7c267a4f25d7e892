// What the program prints; see report.hpp.
#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "files.hpp"

namespace app {
namespace {

// Row numbers grouped by segment, in each in the order given: begin[s] to begin[s + 1] are those of segment
// s.
struct grouping {
  std::vector<std::size_t> begin;
  std::vector<std::uint32_t> rows;

  grouping(const records& all, const std::vector<std::uint32_t>& order)
      : begin(all.segment_names.size() + 1, 0), rows(order.size()) {
    for (const std::uint32_t s : all.segment) ++begin[s + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::size_t> place(begin.begin(), begin.end() - 1);
    for (const std::uint32_t row : order) rows[place[all.segment[row]]++] = row;
  }
  std::size_t size(std::size_t s) const { return begin[s + 1] - begin[s]; }
  std::span<const std::uint32_t> of(std::size_t s) const {
    return std::span(rows).subspan(begin[s], size(s));
  }
};

constexpr std::size_t first_group = 3;  // the first of the columns that come in pairs under one heading

// How many columns of a terminal the text takes, one a character of UTF-8.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// A name of a segment as one short word in the table.
std::string shown(const std::string& name) {
  if (name.empty()) return "(empty)";
  std::string text = name;
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  return text;
}

// Columns of text, the first aligned left and the others right, and above them headings of pairs of columns.
std::string aligned(const std::vector<std::vector<std::string>>& lines,
                    const std::vector<std::string>& groups) {
  std::vector<std::size_t> width(lines.front().size(), 0);
  for (const auto& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) width[c] = (std::max)(width[c], columns_of(line[c]));
  std::string text;
  for (std::size_t c = 0; c < first_group; ++c) text += std::string(width[c] + (c > 0 ? 2 : 0), ' ');
  for (std::size_t g = 0; g < groups.size(); ++g) {
    // A rule as wide as the pair, with the heading in its middle.
    const std::size_t room = width[first_group + 2 * g] + 2 + width[first_group + 2 * g + 1];
    const std::string name = " " + groups[g] + " ";
    const std::size_t rest = room - (std::min)(room, name.size());
    text += "  " + std::string(rest / 2, '-') + name + std::string(rest - rest / 2, '-');
  }
  text += '\n';
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string fill(width[c] - columns_of(line[c]), ' ');
      text += c == 0 ? line[c] + fill : "  " + fill + line[c];
    }
    text += '\n';
  }
  return text;
}

std::string cell(double value, bool known = true) {
  return known && !std::isnan(value) ? fixed(value, 5) : "-";
}

std::string counted(std::uint64_t count, const char* one) {
  return grouped(count) + " " + one + (count == 1 ? "" : "s");
}

std::string plain(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

std::string table(const std::vector<comparison>& lines, bool probabilities, bool segments) {
  std::vector<std::vector<std::string>> cells;
  cells.push_back({segments ? "segment" : "", "rows", "base rate", "before", "after", "before", "after",
                   "before", "after"});
  for (const comparison& line : lines)
    cells.push_back({shown(line.name), grouped(line.after.rows), cell(line.after.base_rate),
                     cell(line.before.ece, probabilities), cell(line.after.ece),
                     cell(line.before.brier, probabilities), cell(line.after.brier),
                     cell(line.before.log_loss, probabilities), cell(line.after.log_loss)});
  return aligned(cells, {"ECE", "Brier", "log-loss"});
}

std::string certain_note(const metrics& m, const char* which) {
  if (m.wrongly_certain == 0) return {};
  return "Of the log-loss " + std::string(which) + ", " + fixed(m.wrongly_certain_loss, 5) + " is due to " +
         counted(m.wrongly_certain, "row") +
         " predicted 0 or 1 that turned out otherwise, clamped to 1e-15.\n";
}

std::string notes(const records& judged, const std::vector<comparison>& lines) {
  std::string text;
  if (!judged.are_probabilities())
    text += "'before' has no numbers: scores run from " + plain(judged.least) + " to " +
            plain(judged.greatest) + ", so they are no probabilities.\n";
  else
    text += certain_note(lines.front().before, "before");
  text += certain_note(lines.front().after, "after");
  const std::size_t shown = lines.size() - 1;
  if (shown < judged.segment_names.size())
    text += "Not shown: " + counted(judged.segment_names.size() - shown, "smaller segment") +
            " (--segments 0 shows all).\n";
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::vector<comparison> compare(const records& rows, const std::vector<double>& after, const options& o) {
  const auto order_before = order_of(rows.score), order_after = order_of(after);
  std::vector<comparison> lines;
  lines.push_back(
      {"all", measure(rows, rows.score, order_before, o.bins), measure(rows, after, order_after, o.bins)});
  if (rows.segment_names.empty()) return lines;
  const grouping before_groups(rows, order_before), after_groups(rows, order_after);
  std::vector<std::size_t> largest(rows.segment_names.size());
  std::iota(largest.begin(), largest.end(), std::size_t{0});
  std::sort(largest.begin(), largest.end(), [&](std::size_t a, std::size_t b) {
    const std::size_t m = after_groups.size(a), n = after_groups.size(b);
    return m > n || (m == n && rows.segment_names[a] < rows.segment_names[b]);
  });
  const auto most = static_cast<std::size_t>(o.segments);
  if (most > 0 && largest.size() > most) largest.resize(most);
  for (const std::size_t s : largest)
    lines.push_back({rows.segment_names[s], measure(rows, rows.score, before_groups.of(s), o.bins),
                     measure(rows, after, after_groups.of(s), o.bins)});
  return lines;
}

std::string how_judged(const std::string& name, std::size_t rows, const options& o) {
  if (!o.test.empty()) return "judged on " + name;
  if (o.folds == 1) return "judged on the rows the curve was fitted to, which flatters it";
  const auto folds = (std::min)(static_cast<std::size_t>(o.folds), rows);
  return "cross-fitted in " + std::to_string(folds) +
         " folds, each row judged by a curve fitted to the others";
}

std::string report(const records& fitted, const records& judged, const std::vector<comparison>& lines,
                   const options& o) {
  std::string text = fitted.name + ": " + counted(fitted.size(), "row");
  if (!fitted.segment_names.empty()) text += ", " + counted(fitted.segment_names.size(), "segment");
  text += o.per_segment ? "; a curve for every segment" : "; one curve for all rows";
  text += "\nbefore: the scores as they are\nafter:  " + how_judged(judged.name, judged.size(), o) +
          "\nECE:    in " + counted(static_cast<std::uint64_t>(o.bins), "bin") + " of equal weight\n\n";
  text += table(lines, judged.are_probabilities(), !judged.segment_names.empty());
  return text + notes(judged, lines);
}

}  // namespace app
