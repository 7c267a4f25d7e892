// One panel of a reliability diagram: observed rates against predictions, and below how many rows there are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "metrics.hpp"

namespace app {

// A range of an axis and its ticks, at multiples of `step`.
struct axis {
  double low = 0, high = 1, step = 0.2;

  // A range with round ends around low..high.
  static axis around(double low, double high);
  // A range for probabilities: 0..1, or narrower where they are all close to one another.
  static axis of_probabilities(double low, double high);
  std::vector<double> ticks() const;
  std::string label(double tick) const;
};

// A monotone line, as points in the units of the axes.
struct line {
  std::vector<double> x, y;
  std::string name;  // shown when pointed at; may be empty
};

struct panel {
  // Where the panel is on the page, in pixels.
  double left = 0, top = 0;
  std::string colour;
  std::string x_title, y_title;
  axis x, y;
  bool diagonal = true;
  bool notes_right = false;  // where a corner is empty
  std::span<const line> lines;
  std::string line_colour;
  std::span<const bin> bins;
  double largest_bin = 1;               // the weight that the largest dot stands for
  std::span<const double> predictions;  // for the strip of counts

  static constexpr double size = 380;  // of the square
  static constexpr double strip_top = 392, strip_height = 56;
  static constexpr double bottom = 498;  // where everything below the square ends

  std::string draw(int number) const;
};

}  // namespace app
