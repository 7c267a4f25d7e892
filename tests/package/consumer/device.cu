// A stranger's CUDA program: fits a row on the GPU, exit code 0 if the fit is right. Where there is no GPU,
// the solver has to say so.
#include <array>
#include <cstdio>
#include <span>

#include <iso/solve.cuh>

#include "solve_row.hpp"

static_assert(__cplusplus >= 202002L, "iso::iso did not ask for C++20");

bool device_row_is_right() {
  const std::array<float, 4> y{3, 1, 4, 2};
  std::array<float, 4> fit{};
  float* memory = nullptr;
  if (cudaMalloc(&memory, 2 * sizeof y) != cudaSuccess) return false;
  const std::span<float> y_there(memory, 4), fit_there(memory + 4, 4);
  cudaMemcpy(y_there.data(), y.data(), sizeof y, cudaMemcpyHostToDevice);
  iso::solve<float, false>(cudaStream_t{}, y_there, fit_there).check();
  cudaMemcpy(fit.data(), fit_there.data(), sizeof fit, cudaMemcpyDeviceToHost);
  cudaFree(memory);
  return fit == std::array<float, 4>{2, 2, 3, 3};
}

// Never reads the memory: there is nothing to run a kernel.
bool missing_device_is_told() {
  std::array<float, 4> y{3, 1, 4, 2}, fit{};
  const iso::status solved = iso::solve<float, false>(cudaStream_t{}, std::span(y), std::span(fit));
  std::printf("no device: %s\n", solved.message().c_str());
  return solved.code() == iso::errc::cuda && solved.cuda_error() != cudaSuccess;
}

int main() {
  int devices = 0;
  const bool there = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  const bool device = there ? device_row_is_right() : missing_device_is_told();
  const bool host = unweighted_row_is_right();
  std::printf("device %s, host %s\n", device ? "right" : "wrong", host ? "right" : "wrong");
  return device && host ? 0 : 1;
}
