// One panel of a reliability diagram; see svg_panel.hpp.
#include "svg_panel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "files.hpp"

namespace app {
namespace {

std::string px(double value) {
  return fixed(value, 2);
}

// Round steps so that `span` is cut into four to eight of them or so.
double round_step(double span) {
  const double power = std::pow(10.0, std::floor(std::log10(span / 5)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (span / (power * factor) <= 6) return power * factor;
  return power * 10;
}

// Where values of the axes are on the page.
struct scale {
  const panel& p;
  double x(double value) const { return p.left + (value - p.x.low) / (p.x.high - p.x.low) * panel::size; }
  double y(double value) const {
    return p.top + panel::size - (value - p.y.low) / (p.y.high - p.y.low) * panel::size;
  }
};

std::string grid(const panel& p) {
  const scale at{p};
  const double right = p.left + panel::size, foot = p.top + panel::size;
  const double strip_foot = p.top + panel::strip_top + panel::strip_height;
  std::string out = "<g class=\"tick\">\n";
  for (const double t : p.y.ticks()) {
    const std::string y = px(at.y(t));
    out += "<line class=\"grid\" x1=\"" + px(p.left) + "\" x2=\"" + px(right) + "\" y1=\"" + y + "\" y2=\"" +
           y + "\"/><text x=\"" + px(p.left - 8) + "\" y=\"" + px(at.y(t) + 4) + "\" text-anchor=\"end\">" +
           p.y.label(t) + "</text>\n";
  }
  for (const double t : p.x.ticks()) {
    const std::string x = px(at.x(t));
    out += "<line class=\"grid\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" + px(p.top) + "\" y2=\"" +
           px(foot) + "\"/><line class=\"axis\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" + px(strip_foot) +
           "\" y2=\"" + px(strip_foot + 4) + "\"/><text x=\"" + x + "\" y=\"" + px(strip_foot + 18) +
           "\" text-anchor=\"middle\">" + p.x.label(t) + "</text>\n";
  }
  const double middle = p.left + panel::size / 2;
  out += "</g>\n<text class=\"label\" x=\"" + px(middle) + "\" y=\"" + px(strip_foot + 38) +
         "\" text-anchor=\"middle\">" + xml_text(p.x_title) +
         "</text>\n<text class=\"label\" transform=\"translate(" + px(p.left - 48) + " " +
         px(p.top + panel::size / 2) + ") rotate(-90)\" text-anchor=\"middle\">" + xml_text(p.y_title) +
         "</text>\n";
  return out;
}

std::string diagonal(const panel& p) {
  const scale at{p};
  return "<line class=\"diagonal\" x1=\"" + px(at.x(p.y.low)) + "\" y1=\"" + px(at.y(p.y.low)) + "\" x2=\"" +
         px(at.x(p.y.high)) + "\" y2=\"" + px(at.y(p.y.high)) + "\"/>\n";
}

std::string drawn(const panel& p, const line& l) {
  const scale at{p};
  std::string out = "<polyline fill=\"none\" stroke=\"" + p.line_colour + "\" stroke-width=\"" +
                    (p.lines.size() > 1 ? "1.2" : "2.2") + "\" stroke-linejoin=\"round\" points=\"";
  // Points that a tenth of a pixel cannot tell apart are left out, or a curve of millions of knots would make
  // a picture of many megabytes.
  std::string last;
  for (std::size_t i = 0; i < l.x.size(); ++i) {
    std::string point = fixed(at.x(l.x[i]), 1) + "," + fixed(at.y(l.y[i]), 1);
    if (point == last) continue;
    out += (last.empty() ? "" : " ") + point;
    last = std::move(point);
  }
  return out + "\">" + (l.name.empty() ? "" : "<title>" + xml_text(l.name) + "</title>") + "</polyline>\n";
}

std::string dots(const panel& p) {
  const scale at{p};
  std::string out = "<g fill=\"" + p.colour + "\" stroke=\"" + p.colour + "\">\n";
  for (const bin& b : p.bins) {
    if (!(b.prediction >= p.x.low && b.prediction <= p.x.high)) continue;
    const interval likely = wilson(b);
    const double low = std::clamp(likely.low, p.y.low, p.y.high);
    const double high = std::clamp(likely.high, p.y.low, p.y.high);
    const std::string x = px(at.x(b.prediction));
    const double radius = (std::max)(3.2, 6 * std::sqrt(b.weight / p.largest_bin));
    out += "<line class=\"whisker\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" + px(at.y(low)) + "\" y2=\"" +
           px(at.y(high)) + "\"/><circle stroke=\"#fff\" stroke-width=\"1\" cx=\"" + x + "\" cy=\"" +
           px(at.y(b.observed)) + "\" r=\"" + px(radius) + "\"><title>" + grouped(b.rows) +
           " rows: mean prediction " + fixed(b.prediction, 4) + ", observed " + fixed(b.observed, 4) + " (" +
           fixed(likely.low, 4) + " to " + fixed(likely.high, 4) + ")</title></circle>\n";
  }
  return out + "</g>\n";
}

// "15 bins of 3,990 to 4,012 rows", in the corner.
std::string bin_counts(const panel& p) {
  if (p.bins.empty()) return {};
  const auto [fewest, most] = std::minmax_element(p.bins.begin(), p.bins.end(),
                                                  [](const bin& a, const bin& b) { return a.rows < b.rows; });
  std::string text = std::to_string(p.bins.size()) + (p.bins.size() == 1 ? " bin of " : " bins of ");
  if (fewest->rows != most->rows) text += grouped(fewest->rows) + " to ";
  const double x = p.notes_right ? p.left + panel::size - 10 : p.left + 10;
  return "<text class=\"note\" x=\"" + px(x) + "\" y=\"" + px(p.top + 20) + "\" text-anchor=\"" +
         (p.notes_right ? "end" : "start") + "\">" + text + grouped(most->rows) + " rows</text>\n";
}

std::string strip(const panel& p) {
  constexpr std::size_t bars = 50;
  std::array<std::uint64_t, bars> count{};
  std::uint64_t beyond = 0;
  for (const double v : p.predictions) {
    const double place = (v - p.x.low) / (p.x.high - p.x.low) * bars;
    if (place >= 0 && place <= bars)
      ++count[(std::min)(static_cast<std::size_t>(place), bars - 1)];
    else
      ++beyond;
  }
  const std::uint64_t most = (std::max)(std::uint64_t{1}, *std::max_element(count.begin(), count.end()));
  const double top = p.top + panel::strip_top, foot = top + panel::strip_height, right = p.left + panel::size;
  std::string out = "<g fill=\"" + p.colour + "\" fill-opacity=\"0.75\">\n";
  for (std::size_t i = 0; i < bars; ++i) {
    if (count[i] == 0) continue;
    // Never so low that it cannot be seen.
    const double height =
        (std::max)(0.8, panel::strip_height * static_cast<double>(count[i]) / static_cast<double>(most));
    out += "<rect x=\"" + px(p.left + panel::size / bars * static_cast<double>(i) + 0.5) + "\" y=\"" +
           px(foot - height) + "\" width=\"" + px(panel::size / bars - 1) + "\" height=\"" + px(height) +
           "\"><title>" + grouped(count[i]) + " rows</title></rect>\n";
  }
  out += "</g>\n<g class=\"tick\">\n<text x=\"" + px(p.left - 8) + "\" y=\"" + px(top + 9) +
         "\" text-anchor=\"end\">" + grouped(most) + "</text><text x=\"" + px(p.left - 8) + "\" y=\"" +
         px(foot) + "\" text-anchor=\"end\">rows</text>\n";
  if (beyond > 0)
    out += "<text x=\"" + px(right) + "\" y=\"" + px(foot + 38) + "\" text-anchor=\"end\">" +
           grouped(beyond) + (beyond == 1 ? " row" : " rows") + " off the axis</text>\n";
  return out + "</g>\n<line class=\"axis\" x1=\"" + px(p.left) + "\" x2=\"" + px(right) + "\" y1=\"" +
         px(foot) + "\" y2=\"" + px(foot) + "\"/>\n";
}

}  // namespace

axis axis::around(double low, double high) {
  // Equal ends, or so close that ticks between them would be lost in rounding.
  const double magnitude = (std::max)(std::abs(low), std::abs(high));
  if (high - low <= 1e-9 * magnitude) {
    const double room = magnitude == 0 ? 1 : magnitude / 2;
    low -= room;
    high += room;
  }
  const double step = round_step(high - low);
  return {std::floor(low / step) * step, std::ceil(high / step) * step, step};
}

axis axis::of_probabilities(double low, double high) {
  low = low < 0.4 * (std::max)(high, 0.6) ? 0 : low;
  high = high > 0.6 ? 1 : high;
  if (low == 0 && high == 0) high = 1;
  const axis a = around(low, high);
  return {(std::max)(0.0, a.low), (std::min)(1.0, a.high), a.step};
}

std::vector<double> axis::ticks() const {
  std::vector<double> all;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k)
    all.push_back(k * step + 0.0);
  return all;
}

std::string axis::label(double tick) const {
  const double digits = std::clamp(-std::floor(std::log10(step) + 1e-9), 0.0, 12.0);
  if ((std::max)(std::abs(low), std::abs(high)) < 1e7 && digits < 8)
    return fixed(tick, static_cast<int>(digits));
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", tick);
  return text;
}

std::string panel::draw(int number) const {
  const std::string clip = "clip" + std::to_string(number);
  std::string out = "<clipPath id=\"" + clip + "\"><rect x=\"" + px(left) + "\" y=\"" + px(top) +
                    "\" width=\"" + px(size) + "\" height=\"" + px(size) + "\"/></clipPath>\n";
  out += grid(*this) + "<g clip-path=\"url(#" + clip + ")\">\n";
  if (diagonal) out += app::diagonal(*this);
  for (const line& l : lines) out += drawn(*this, l);
  out += bin_counts(*this) + "</g>\n" + dots(*this) + "<rect class=\"frame\" x=\"" + px(left) + "\" y=\"" +
         px(top) + "\" width=\"" + px(size) + "\" height=\"" + px(size) + "\"/>\n";
  return out + strip(*this);
}

}  // namespace app
