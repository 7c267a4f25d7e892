// The command line; see options.hpp.
#include "options.hpp"

#include <charconv>
#include <string_view>
#include <system_error>

#include "error.hpp"

namespace app {

const char* const help_text =
    R"(Usage: calibrate [OPTION]... [FILE]

Calibrates predicted probabilities by isotonic regression, and says how good they
were before and are after.

Input
  FILE is CSV with a header line; '-' or no FILE is standard input. Of its columns,
  in any order, these are used:
    score      what the model predicted; any number, infinities included
    label      what came true: 0 or 1, or a fraction between them
    weight     optional: how much the row counts, 0 or more
    segment    optional: a group to report on by itself
  Fields may be quoted. Blank lines are skipped.

  --score NAME, --label NAME, --weight NAME, --segment NAME
                     the columns' names, where they are others
  --test FILE        judge the curve on these rows, not on those it was fitted to

Fitting
  --per-segment      one curve for every segment; without it one for all rows
  --decreasing       higher scores mean lower labels
  --folds K          folds of cross-fitting (default 5); 1 judges the curve on the
                     rows it was fitted to, which flatters it
  --threads N        threads that work; 0 (default) for all the machine has. The
                     results do not depend on it

Report
  --bins N           bins of the ECE and of the picture (default 15)
  --segments N       report on the N largest segments (default 40); 0 for all

Output files
  --curve FILE       the curve, fitted to all rows, as CSV: score,value[,segment].
                     It runs straight from knot to knot and is level beyond its ends
  --out FILE         the rows' scores after that curve, in the order of the input
                     (with --test, of its rows), as CSV with the header 'calibrated'
  --svg FILE         a reliability diagram
  --title TEXT       its title

  -h, --help         this text
  --version          the version

What the numbers are
  'before' judges the scores as they are. 'after' judges calibrated scores that no
  curve was fitted to: each row's by a curve fitted to the other folds (which rows
  are in which fold is fixed), or with --test those of rows of another file.
    ECE        expected calibration error: rows are sorted by prediction and cut
               into bins of equal weight, equal predictions kept together; the mean
               over the bins of |mean label - mean prediction|
    Brier      mean of (prediction - label)^2
    log-loss   mean of -label log(p) - (1 - label) log(1 - p), where p is the
               prediction clamped to [1e-15, 1 - 1e-15]
  All means are weighted. Where a score is outside 0..1 scores are no probabilities,
  and 'before' has no numbers.

Exit code: 0 success, 2 bad usage, bad input or an output that cannot be written;
then no output file is made or changed. Bad input is reported as file:line: reason.

Example
  calibrate --svg flights.svg --curve curve.csv flights.csv
)";

namespace {

class arguments {
 public:
  arguments(int argc, const char* const* argv) : argc_(argc), argv_(argv) {}

  // Moves to the next argument; --name=value is split, and "--" ends the options.
  bool next() {
    if (has_value_) throw user_error(name_ + " takes no value");
    if (!ended_ && at_ < argc_ && std::string_view(argv_[at_]) == "--") ended_ = true, ++at_;
    if (at_ >= argc_) return false;
    name_ = argv_[at_++];
    if (ended_) return true;
    const std::size_t equals = name_.find('=');
    if (name_.starts_with("--") && equals != std::string::npos) {
      value_ = name_.substr(equals + 1);
      name_.resize(equals);
      has_value_ = true;
    }
    return true;
  }
  const std::string& name() const { return name_; }
  bool is_option() const { return !ended_ && name_.size() > 1 && name_[0] == '-'; }

  std::string text() {
    if (!has_value_) {
      if (at_ >= argc_) throw user_error(name_ + " needs a value");
      value_ = argv_[at_++];
    }
    has_value_ = false;
    if (value_.empty()) throw user_error(name_ + " needs a value that is not empty");
    return value_;
  }

  int number(int least, int greatest) {
    const std::string digits = text();
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value < least || value > greatest)
      throw user_error(name_ + " needs a whole number from " + std::to_string(least) + " to " +
                       std::to_string(greatest) + ", not '" + digits + "'");
    return value;
  }

 private:
  int argc_;
  const char* const* argv_;
  int at_ = 1;
  std::string name_, value_;
  bool ended_ = false;      // whether "--" came
  bool has_value_ = false;  // whether name_ came with a value that nobody has taken
};

bool set_flag(options& o, std::string_view name) {
  if (name == "-h" || name == "--help") return o.help = true;
  if (name == "--version") return o.version = true;
  if (name == "--per-segment") return o.per_segment = true;
  if (name == "--decreasing") return o.decreasing = true;
  return false;
}

bool set_number(options& o, arguments& in) {
  const std::string& name = in.name();
  if (name == "--bins") return o.bins = in.number(1, 1'000'000), true;
  if (name == "--folds") return o.folds = in.number(1, 1'000), true;
  if (name == "--segments") return o.segments = in.number(0, 1'000'000'000), true;
  if (name == "--threads") return o.threads = in.number(0, 4096), true;
  return false;
}

bool set_text(options& o, arguments& in) {
  const std::string& name = in.name();
  if (name == "--test") return o.test = in.text(), true;
  if (name == "--curve") return o.curve = in.text(), true;
  if (name == "--out") return o.out = in.text(), true;
  if (name == "--svg") return o.svg = in.text(), true;
  if (name == "--title") return o.title = in.text(), true;
  if (name == "--score") return o.columns.score = in.text(), true;
  if (name == "--label") return o.columns.label = in.text(), true;
  if (name == "--weight") return o.columns.weight = in.text(), true;
  if (name == "--segment") return o.columns.segment = in.text(), true;
  return false;
}

}  // namespace

options parse_options(int argc, const char* const* argv) {
  options o;
  arguments in(argc, argv);
  bool input_given = false;
  while (in.next()) {
    const std::string name = in.name();
    if (!in.is_option()) {
      if (input_given) throw user_error("more than one FILE: '" + o.input + "' and '" + name + "'");
      o.input = name;
      input_given = true;
    } else if (!set_flag(o, name) && !set_number(o, in) && !set_text(o, in)) {
      throw user_error("unknown option '" + name + "'");
    }
  }
  if (o.input == "-" && o.test == "-") throw user_error("standard input cannot be both FILE and --test");
  return o;
}

}  // namespace app
