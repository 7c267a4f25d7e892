// The reliability diagram.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model.hpp"
#include "options.hpp"
#include "records.hpp"
#include "report.hpp"

namespace app {

// An SVG of two panels: the scores as they are with the fitted curve, and the calibrated scores.
// `judged` are the rows the numbers of `all` are of, `after` their calibrated scores.
std::string reliability_diagram(const records& judged, std::span<const double> after, const comparison& all,
                                const model& fitted, const std::vector<std::string>& segments,
                                const options& o);

}  // namespace app
