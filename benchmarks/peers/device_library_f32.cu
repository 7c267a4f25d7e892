#include "device_library.cuh"

extern "C" std::int64_t iso_workspace_bytes_f32(int weighted, std::int64_t rows, std::int64_t n) {
  return peers::workspace_bytes<float>(weighted != 0, rows, n);
}

extern "C" const char* iso_solve_f32(const float* y, const float* w, float* fit, std::int64_t rows,
                                     std::int64_t n, void* workspace, std::int64_t bytes, void* stream) {
  return peers::solve(y, w, fit, rows, n, workspace, bytes, stream);
}
