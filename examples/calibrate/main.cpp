// calibrate: calibrates the scores of a CSV file and says how good they were before and are after.
#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <iso/version.hpp>

#include "csv.hpp"
#include "error.hpp"
#include "files.hpp"
#include "metrics.hpp"
#include "model.hpp"
#include "options.hpp"
#include "records.hpp"
#include "report.hpp"
#include "svg.hpp"

namespace {

using namespace app;

void check_segments(const records& rows, const options& o) {
  if (o.per_segment && rows.segment_names.empty())
    throw user_error(rows.name + ":1: --per-segment needs a column of segments");
}

void write_scores(staged_file& file, const std::vector<double>& scores) {
  std::string text = "calibrated\n";
  for (const double score : scores) {
    append_number(text, score);
    text += '\n';
    if (text.size() < 1 << 20) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
}

void write_knots(staged_file& file, const model::curve& curve, const std::string* segment) {
  std::string last, text;
  if (segment) last.append(",").append(csv_field(*segment));
  last += '\n';
  for (std::size_t i = 0; i < curve.scores().size(); ++i) {
    append_number(text, curve.scores()[i]);
    text += ',';
    append_number(text, curve.values()[i]);
    text += last;
  }
  file.write(text);
}

void write_curves(staged_file& file, const model& fitted, const records& rows, bool per_segment) {
  file.write(per_segment ? "score,value,segment\n" : "score,value\n");
  if (!per_segment) return write_knots(file, fitted.overall(), nullptr);
  for (const std::string& name : rows.segment_names) write_knots(file, fitted.curve_of(name), &name);
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw user_error("standard output cannot be written");
}

using staged_files = std::vector<std::unique_ptr<staged_file>>;

// Writes all outputs, which get their names when they are committed. Returns a line on each.
std::string stage_outputs(staged_files& files, const options& o, const model& fitted, const records& rows,
                          const records& judged, const std::vector<double>& after,
                          const std::vector<comparison>& lines) {
  std::string text;
  auto stage = [&](const std::string& path, const char* what, auto write) {
    if (path.empty()) return;
    files.push_back(std::make_unique<staged_file>(path));
    write(*files.back());
    files.back()->close();
    text += std::string(text.empty() ? "\n" : "") + what + path + "\n";
  };
  stage(o.curve,
        "curve:             ", [&](staged_file& f) { write_curves(f, fitted, rows, o.per_segment); });
  stage(o.out, "calibrated scores: ", [&](staged_file& f) { write_scores(f, fitted.predict(judged)); });
  stage(o.svg, "picture:           ", [&](staged_file& f) {
    std::vector<std::string> segments;
    for (std::size_t i = 1; o.per_segment && i < lines.size(); ++i) segments.push_back(lines[i].name);
    f.write(reliability_diagram(judged, after, lines.front(), fitted, segments, o));
  });
  return text;
}

void calibrate(const options& o) {
  check_outputs({o.curve, o.out, o.svg},
                o.test.empty() ? std::vector{o.input} : std::vector{o.input, o.test});
  const records rows = read_records(o.input, o.columns);
  check_segments(rows, o);
  records test;
  if (!o.test.empty()) {
    test = read_records(o.test, o.columns);
    check_segments(test, o);
  }
  const records& judged = o.test.empty() ? rows : test;

  const fit_options how{.increasing = !o.decreasing, .per_segment = o.per_segment, .threads = o.threads};
  const model fitted(rows, how);
  const std::vector<double> after =
      o.test.empty() && o.folds > 1 ? cross_fit(rows, how, o.folds) : fitted.predict(judged);
  const std::vector<comparison> lines = compare(judged, after, o);
  staged_files files;
  const std::string written = stage_outputs(files, o, fitted, rows, judged, after, lines);
  print(report(rows, judged, lines, o) + written);
  // Last of all, so that whatever fails leaves no file behind.
  for (const auto& file : files) file->commit();
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  try {
    o = parse_options(argc, argv);
  } catch (const user_error& e) {
    std::fprintf(stderr, "calibrate: %s (calibrate --help explains)\n", e.what());
    return 2;
  }
  try {
    if (o.help) {
      print(help_text);
    } else if (o.version) {
      print("calibrate " + std::to_string(iso::version_major) + "." + std::to_string(iso::version_minor) +
            "." + std::to_string(iso::version_patch) + "\n");
    } else {
      calibrate(o);
    }
    return 0;
  } catch (const user_error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fputs("calibrate: out of memory\n", stderr);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "calibrate: %s\n", e.what());
  }
  return 1;
}
