// What the program prints.
#pragma once

#include <string>
#include <vector>

#include "metrics.hpp"
#include "options.hpp"
#include "records.hpp"

namespace app {

// One line of the table.
struct comparison {
  std::string name;  // of the segment
  metrics before, after;
};

// All rows first, then the largest segments: more rows first, then by name.
std::vector<comparison> compare(const records& rows, const std::vector<double>& after, const options& o);

// How the numbers of `after` came about, in a few words: judged on `rows` rows of the file `name`.
std::string how_judged(const std::string& name, std::size_t rows, const options& o);

// The whole report. `fitted` are the rows the curve was fitted to, `judged` those the numbers are of.
std::string report(const records& fitted, const records& judged, const std::vector<comparison>& lines,
                   const options& o);

}  // namespace app
