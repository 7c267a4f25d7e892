// `calibrate` writes the same bytes with a GPU and without.
//
//   calibrate_device with      on a GPU and on the CPU; exit code 4 if there is no GPU
//   calibrate_device without   no GPU is to be seen
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <iso/calibration.hpp>
#include <iso/host.hpp>

#include "device.hpp"
#include "files.hpp"
#include "program.hpp"
#include "reference/random.hpp"

namespace {

int failures = 0;
void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  ++failures;
}

void hide_devices() {
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
}
void show_devices(const char* visible) {
  if (visible != nullptr) {
    setenv("CUDA_VISIBLE_DEVICES", visible, 1);
  } else {
    unsetenv("CUDA_VISIBLE_DEVICES");
  }
}

// More rows than the program would fit without further ado.
struct columns {
  std::vector<double> score, label, weight;
};
columns made_rows() {
  columns rows;
  reference::random_source random(5);
  for (int i = 0; i < 150'000; ++i) {
    const double score = random.uniform();
    rows.score.push_back(score);
    rows.label.push_back(random.chance(score * score) ? 1 : 0);
    rows.weight.push_back(random.chance(0.1) ? 0 : random.uniform(0.5, 20));
  }
  return rows;
}

std::string csv_of(const columns& rows) {
  std::string text = "score,label,cases\n";
  for (std::size_t i = 0; i < rows.score.size(); ++i) {
    app::append_number(text, rows.score[i]);
    app::append_number(text += ',', rows.label[i]);
    app::append_number(text += ',', rows.weight[i]);
    text += '\n';
  }
  return text;
}

// All that a run of the program leaves.
std::string everything(const examples::sandbox& box, const std::string& options) {
  const examples::outcome run = box.run(options + " --curve curve.csv --out out.csv --svg out.svg rows.csv");
  check(run.code == 0, "the program succeeds");
  return run.out + run.err + box.read("curve.csv") + box.read("out.csv") + box.read("out.svg");
}

// Whether the device solves, and gives the bits that the CPU gives.
bool as_on_host(std::span<const double> y, std::span<const double> w, const iso::options<double>& how) {
  std::vector<double> fit(y.begin(), y.end()), owed(y.size());
  if (!app::solve_on_device(fit, w, fit, how)) return false;
  const std::span<double> to(owed);
  (w.empty() ? iso::host::solve<double, false>(y, to, how) : iso::host::solve<double, true>(y, w, to, how))
      .check();
  return fit == owed;
}

void with_device(const columns& rows, const examples::sandbox& box) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const iso::options<double> falling{.increasing = false, .y_min = 0.25};
  check(as_on_host(rows.label, {}, {}), "the GPU fits as the CPU does");
  check(as_on_host(rows.label, rows.weight, falling), "the GPU fits as the CPU does, with weights");
  const std::string shown = visible != nullptr ? visible : "";
  for (const char* options : {"", "--weight cases", "--weight cases --decreasing --folds 1"}) {
    show_devices(visible != nullptr ? shown.c_str() : nullptr);
    const std::string device = everything(box, options);
    hide_devices();
    check(device == everything(box, options), "the program writes the same with a GPU and without");
  }
}

void without_device(const columns& rows, const examples::sandbox& box) {
  check(!app::has_device(), "no device is found");
  std::vector<double> fit(rows.label.size(), 7);
  const std::vector<double> before = fit;
  check(!app::solve_on_device(rows.label, rows.weight, fit, {}), "nothing is solved on a device");
  check(fit == before, "nothing is written then");
  everything(box, "--weight cases");
  iso::calibration_curve<double> curve;
  iso::calibrate<double>(rows.score, rows.label, rows.weight, curve).check();
  std::string owed = "score,value\n";
  for (std::size_t i = 0; i < curve.scores().size(); ++i) {
    app::append_number(owed, curve.scores()[i]);
    app::append_number(owed += ',', curve.values()[i]);
    owed += '\n';
  }
  check(box.read("curve.csv") == owed, "the program fits on the CPU");
}

}  // namespace

int main(int argc, char** argv) {
  const bool with = argc == 2 && argv[1] == std::string_view("with");
  if (!with) hide_devices();
  if (with && !app::has_device()) {
    std::printf("no device\n");
    return 4;
  }
  const examples::sandbox box;
  const columns rows = made_rows();
  box.write("rows.csv", csv_of(rows));
  if (with) {
    with_device(rows, box);
  } else {
    without_device(rows, box);
  }
  return failures == 0 ? 0 : 1;
}
