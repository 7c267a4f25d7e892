// Every public form called once: templates warn only where they are instantiated.
#include <cstdint>
#include <span>
#include <vector>

#include <iso/calibration.hpp>
#include <iso/host.hpp>
#include <iso/version.hpp>

namespace {

template <class T>
bool solve_all_forms() {
  std::vector<T> y(8), w(8, T(1)), fit(8);
  std::vector<iso::row_status> status(2);
  std::vector<std::uint32_t> pools(2);
  const std::vector<std::int64_t> offsets{0, 3, 8};
  const std::span<const T> ys(y), ws(w);
  const std::span<T> fits(fit);
  const iso::batch<const T> yb(y.data(), 2, 4), wb(w.data(), 2, 4, 0);
  const iso::batch<T> fitb(fit.data(), 2, 4);
  const iso::options<T> options{.increasing = false, .y_min = T(0), .status = status, .pools = pools};

  bool ok = true;
  ok = ok && iso::host::solve<T, false>(ys, fits);
  ok = ok && iso::host::solve<T, true>(ys, ws, fits, {}, 1);
  ok = ok && iso::host::solve<T, false>(yb, fitb, options);
  ok = ok && iso::host::solve<T, true>(yb, wb, fitb, options, 2);
  ok = ok && iso::host::solve<T, false>(y.begin(), fit.begin(), iso::shape{2, 4}, options);
  ok = ok && iso::host::solve<T, true>(y.begin(), w.begin(), fit.begin(), iso::shape{2, 4}, options, 2);
  ok = ok && iso::host::solve<T, false>(y.begin(), fit.begin(), offsets.begin(), std::int64_t{2}, options);
  ok = ok && iso::host::solve<T, true>(y.begin(), w.begin(), fit.begin(), offsets.begin(), std::int64_t{2});
  return ok;
}

template <class T>
bool calibrate_all_forms() {
  const std::vector<T> scores{T(0), T(1)}, targets{T(0), T(1)}, weights{T(1), T(2)};
  std::vector<T> values(2);
  iso::calibration_curve<T> curve;
  bool ok = static_cast<bool>(iso::calibrate<T>(scores, targets, curve));
  ok = ok && iso::calibrate<T>(scores, targets, weights, curve, {.outside = iso::out_of_range::nan});
  ok = ok && curve.predict(scores, values, 1);
  return ok && curve(T(0.5)) >= T(0) && curve.increasing() && curve.scores().size() == curve.values().size();
}

}  // namespace

int main() {
  const bool ok = solve_all_forms<float>() && solve_all_forms<double>() && calibrate_all_forms<float>() &&
                  calibrate_all_forms<double>();
  return ok && iso::version_major >= 0 ? 0 : 1;
}
