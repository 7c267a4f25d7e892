// iso::host::solve for callers of C functions, which the scripts of this folder load into Python.
#include <cstdint>
#include <span>

#include <iso/host.hpp>

extern "C" int iso_solve_f32(const float* y, float* fit, std::int64_t n, int threads) {
  const auto size = static_cast<std::size_t>(n);
  return iso::host::solve<float, false>(std::span(y, size), std::span(fit, size), {}, threads) ? 0 : 1;
}

extern "C" int iso_solve_f64(const double* y, double* fit, std::int64_t n, int threads) {
  const auto size = static_cast<std::size_t>(n);
  return iso::host::solve<double, false>(std::span(y, size), std::span(fit, size), {}, threads) ? 0 : 1;
}
