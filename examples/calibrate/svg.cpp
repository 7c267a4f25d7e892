// The reliability diagram; see svg.hpp.
#include "svg.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "files.hpp"
#include "svg_panel.hpp"

namespace app {
namespace {

// Two colours that colour-blind people can tell apart (of Okabe and Ito's palette).
constexpr const char* before_colour = "#d55e00";
constexpr const char* after_colour = "#0072b2";
constexpr double page_width = 980, page_height = 668;
constexpr double left_panel = 76, right_panel = 574, panel_top = 126;
// More curves than this cannot be told apart.
constexpr std::size_t most_curves = 12;

constexpr const char* style = R"(<style>
text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; fill: #333; font-size: 13px }
.title { font-size: 22px; font-weight: 600; fill: #111 }
.subtitle { fill: #666 }
.heading { font-size: 16px; font-weight: 600 }
.tick text { font-size: 11.5px; fill: #666 }
.note { font-size: 11.5px; fill: #666; stroke: #fff; stroke-width: 4px; paint-order: stroke }
.label { fill: #444 }
.grid { stroke: #ececec }
.axis { stroke: #999 }
.frame { fill: none; stroke: #999 }
.diagonal { stroke: #888; stroke-width: 1.2; stroke-dasharray: 5 4 }
.whisker { stroke-width: 1.4; stroke-opacity: 0.55 }
</style>
)";

std::string text_at(double x, double y, const std::string& css_class, const std::string& text,
                    const std::string& extra = {}) {
  return "<text class=\"" + css_class + "\" x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\"" + extra +
         ">" + xml_text(text) + "</text>\n";
}

// The scores between which nearly all finite ones lie: a few far out must not squeeze the rest into a corner.
axis score_axis(std::span<const double> scores) {
  std::vector<double> finite;
  for (const double s : scores)
    if (std::isfinite(s)) finite.push_back(s);
  if (finite.empty()) return axis::around(0, 1);
  auto quantile = [&](double share) {
    const auto place =
        static_cast<std::ptrdiff_t>(std::lround(share * static_cast<double>(finite.size() - 1)));
    std::nth_element(finite.begin(), finite.begin() + place, finite.end());
    return finite[static_cast<std::size_t>(place)];
  };
  // The clamp keeps the width of the axis from overflowing.
  const double low = std::clamp(quantile(0.002), -1e300, 1e300);
  return axis::around(low, std::clamp(quantile(0.998), -1e300, 1e300));
}

// An axis for all the bins' rates and, where they are probabilities, predictions.
axis rate_axis(const comparison& all, bool before_is_probability) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  auto take = [&](double v) { low = (std::min)(low, v), high = (std::max)(high, v); };
  for (const bin& b : all.before.bins) {
    take(b.observed);
    if (before_is_probability) take(b.prediction);
  }
  for (const bin& b : all.after.bins) take(b.observed), take(b.prediction);
  return low <= high ? axis::of_probabilities(low, high) : axis{};
}

line line_of(const model::curve& curve, const axis& x, std::string name) {
  line l{{x.low}, {curve(x.low)}, std::move(name)};
  for (std::size_t i = 0; i < curve.scores().size(); ++i) {
    if (curve.scores()[i] <= x.low || curve.scores()[i] >= x.high) continue;
    l.x.push_back(curve.scores()[i]);
    l.y.push_back(curve.values()[i]);
  }
  l.x.push_back(x.high);
  l.y.push_back(curve(x.high));
  return l;
}

std::string heading(double left, const char* name, const char* colour, const metrics& m, bool known) {
  const std::string numbers = known ? "ECE " + fixed(m.ece, 4) + "  \xC2\xB7  Brier " + fixed(m.brier, 4) +
                                          "  \xC2\xB7  log-loss " + fixed(m.log_loss, 4)
                                    : "scores are no probabilities";
  return text_at(left, panel_top - 14, "heading", name, std::string(" style=\"fill:") + colour + "\"") +
         text_at(left + panel::size, panel_top - 14, "subtitle", numbers, " text-anchor=\"end\"");
}

std::string legend(const std::string& curve_name) {
  const double y = page_height - 22;
  double x = left_panel;
  std::string out;
  auto entry = [&](const std::string& sign, const std::string& text) {
    out += "<g transform=\"translate(" + fixed(x, 1) + " " + fixed(y - 4, 1) + ")\">" + sign + "</g>\n" +
           text_at(x + 34, y, "label", text);
    x += 34 + 6.6 * static_cast<double>(text.size()) + 22;
  };
  auto dot = [](const char* colour, int at) {
    const std::string c = colour, cx = std::to_string(at);
    return "<line class=\"whisker\" stroke=\"" + c + "\" x1=\"" + cx + "\" x2=\"" + cx +
           "\" y1=\"-9\" y2=\"9\"/><circle fill=\"" + c + "\" cx=\"" + cx + "\" cy=\"0\" r=\"5\"/>";
  };
  entry(dot(before_colour, 7) + dot(after_colour, 21), "bin, with 95 % interval");
  entry(std::string("<line x1=\"0\" x2=\"28\" y1=\"0\" y2=\"0\" stroke=\"") + after_colour +
            "\" stroke-width=\"2.2\"/>",
        curve_name);
  entry("<line class=\"diagonal\" x1=\"0\" x2=\"28\" y1=\"0\" y2=\"0\"/>", "perfect calibration");
  entry(
      "<g fill=\"#777\"><rect x=\"4\" y=\"-3\" width=\"5\" height=\"9\"/><rect x=\"11\" y=\"-8\" width=\"5\" "
      "height=\"14\"/><rect x=\"18\" y=\"0\" width=\"5\" height=\"6\"/></g>",
      "rows in equal steps");
  return out;
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string title(const records& judged, const options& o) {
  const std::string text = !o.title.empty()           ? o.title
                           : judged.name == "<stdin>" ? "Reliability"
                                                      : "Reliability of " + file_name(judged.name);
  // Long titles are set smaller, so that they fit.
  const double size = (std::min)(22.0, 1400 / static_cast<double>(text.size() + 1));
  return "<title>" + xml_text(text) + "</title>\n" +
         text_at(left_panel, 46, "title", text, " style=\"font-size:" + fixed(size, 1) + "px\"");
}

std::string subtitle(const records& judged, const comparison& all, const options& o) {
  return text_at(left_panel, 70, "subtitle",
                 grouped(judged.size()) + " rows, base rate " + fixed(all.after.base_rate, 4) +
                     ". After: " + how_judged(file_name(judged.name), judged.size(), o) + ".");
}

}  // namespace

std::string reliability_diagram(const records& judged, std::span<const double> after, const comparison& all,
                                const model& fitted, const std::vector<std::string>& segments,
                                const options& o) {
  const bool known = judged.are_probabilities();
  const axis rates = rate_axis(all, known);

  panel left;
  left.left = left_panel, left.top = panel_top;
  left.colour = before_colour, left.line_colour = after_colour;
  left.x_title = "score", left.y_title = "observed rate";
  left.x = known ? rates : score_axis(judged.score);
  left.y = rates;
  left.diagonal = known;
  left.notes_right = o.decreasing;
  left.bins = all.before.bins;
  left.predictions = judged.score;
  std::vector<line> lines;
  if (segments.empty()) lines.push_back(line_of(fitted.overall(), left.x, "isotonic curve"));
  for (std::size_t i = 0; i < (std::min)(segments.size(), most_curves); ++i)
    lines.push_back(line_of(fitted.curve_of(segments[i]), left.x, segments[i]));
  left.lines = lines;

  panel right = left;
  right.left = right_panel;
  right.colour = after_colour;
  right.x_title = "calibrated score";
  right.x = rates;
  right.diagonal = true;
  right.notes_right = false;
  right.lines = {};
  right.bins = all.after.bins;
  right.predictions = after;

  left.largest_bin = 0;
  for (const auto& bins : {all.before.bins, all.after.bins})
    for (const bin& b : bins) left.largest_bin = (std::max)(left.largest_bin, b.weight);
  right.largest_bin = left.largest_bin;

  const std::string width = fixed(page_width, 0), height = fixed(page_height, 0);
  const std::string curve_name = segments.empty()                 ? "isotonic curve"
                                 : segments.size() <= most_curves ? "isotonic curves of the segments"
                                                                  : "curves of the 12 largest segments";
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + width + " " + height + "\" width=\"" +
         width + "\" height=\"" + height + "\" role=\"img\">\n" + style +
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" + title(judged, o) +
         subtitle(judged, all, o) + heading(left_panel, "Before", before_colour, all.before, known) +
         heading(right_panel, "After", after_colour, all.after, true) + left.draw(1) + right.draw(2) +
         legend(curve_name) + "</svg>\n";
}

}  // namespace app
