// The command line.
#pragma once

#include <string>

#include "records.hpp"

namespace app {

struct options {
  std::string input = "-";
  std::string test;             // empty: cross-fitting
  std::string curve, out, svg;  // empty: not written
  std::string title;            // of the picture; empty: the input's name
  column_names columns;
  bool per_segment = false;
  bool decreasing = false;
  int bins = 15;
  int folds = 5;
  int segments = 40;  // lines of the table; 0: all
  int threads = 0;
  bool help = false, version = false;
};

// Mistakes are user_errors.
options parse_options(int argc, const char* const* argv);

// What --help prints.
extern const char* const help_text;

}  // namespace app
