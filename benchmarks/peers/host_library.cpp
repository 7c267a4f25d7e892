// iso::host::solve for callers of C functions, which the scripts of this folder load into Python.
//
// y, w (null: no weights), fit: rows * n elements, dense. 0 if solved, 1 if the call was refused.
#include <cstdint>

#include <iso/host.hpp>

namespace {

template <class T>
int solve(const T* y, const T* w, T* fit, std::int64_t rows, std::int64_t n, int threads) {
  const iso::batch<const T> in(y, rows, n);
  const iso::batch<T> out(fit, rows, n);
  const iso::status done =
      w == nullptr ? iso::host::solve<T, false>(in, out, {}, threads)
                   : iso::host::solve<T, true>(in, iso::batch<const T>(w, rows, n), out, {}, threads);
  return done ? 0 : 1;
}

}  // namespace

extern "C" int iso_host_solve_f32(const float* y, const float* w, float* fit, std::int64_t rows,
                                  std::int64_t n, int threads) {
  return solve(y, w, fit, rows, n, threads);
}

extern "C" int iso_host_solve_f64(const double* y, const double* w, double* fit, std::int64_t rows,
                                  std::int64_t n, int threads) {
  return solve(y, w, fit, rows, n, threads);
}
