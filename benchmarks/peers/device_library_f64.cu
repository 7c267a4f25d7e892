#include "device_library.cuh"

extern "C" std::int64_t iso_workspace_bytes_f64(int weighted, std::int64_t rows, std::int64_t n) {
  return peers::workspace_bytes<double>(weighted != 0, rows, n);
}

extern "C" const char* iso_solve_f64(const double* y, const double* w, double* fit, std::int64_t rows,
                                     std::int64_t n, void* workspace, std::int64_t bytes, void* stream) {
  return peers::solve(y, w, fit, rows, n, workspace, bytes, stream);
}
