// The first step on a GPU: one row in device memory, and what comes back. Exit code 4 if there is no device.
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <cuda_runtime.h>
#include <iso/solve.cuh>

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? 4 : 1);
}

int main() {
  const std::vector<float> y = {1, 3, 2, 4, 3.5f, 6};
  std::vector<float> fit(y.size());
  const std::size_t bytes = y.size() * sizeof(float);

  float *device_y, *device_fit;
  check(cudaMalloc(&device_y, bytes));
  check(cudaMalloc(&device_fit, bytes));
  check(cudaMemcpy(device_y, y.data(), bytes, cudaMemcpyHostToDevice));

  // The non-decreasing sequence closest to y. The call enqueues work on the stream, and does not wait for it.
  const cudaStream_t stream = nullptr;
  iso::solve<float, false>(stream, std::span<const float>(device_y, y.size()),
                           std::span<float>(device_fit, fit.size()))
      .check();

  check(cudaMemcpy(fit.data(), device_fit, bytes, cudaMemcpyDeviceToHost));
  for (std::size_t i = 0; i < y.size(); ++i) std::printf("%6.2f -> %6.2f\n", y[i], fit[i]);
  check(cudaFree(device_y));
  check(cudaFree(device_fit));
  return 0;
}
