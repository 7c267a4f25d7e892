// Many short rows of all lengths in a kernel of one's own: dose and response of many compounds, each measured
// at up to 32 doses, some doses more often than others. The response does not fall as the dose rises. Four
// rows share a warp, eight lanes each. Exit code 4 if there is no device.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <iso/host.hpp>
#include <iso/warp/warp_isotonic.cuh>

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? 4 : 1);
}

using isotonic = iso::warp_isotonic<float, true, 8, 4>;
constexpr int warps = 4;  // of a thread block
constexpr int block_rows = warps * isotonic::rows_per_warp;

// Row r is [offsets[r], offsets[r + 1]) of y, w and fit.
__global__ void __launch_bounds__(32 * warps)
    fit_rows(const float* y, const float* w, float* fit, const int* offsets, int rows) {
  namespace cg = cooperative_groups;
  __shared__ isotonic::TempStorage shared[warps];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = warp.thread_rank() % isotonic::lanes;
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / isotonic::lanes;
  const int begin = row < rows ? offsets[row] : 0;
  const int length = row < rows ? offsets[row + 1] - begin : 0;  // 0 for lanes without a row

  float values[4], weights[4];
  for (int k = 0; k < 4; ++k) {
    const int i = lane * 4 + k;
    if (i < length) {
      values[k] = y[begin + i];
      weights[k] = w[begin + i];
    }
  }
  isotonic(shared[warp.meta_group_rank()]).fit(warp, values, weights, length);
  for (int k = 0; k < 4; ++k) {
    const int i = lane * 4 + k;
    if (i < length) fit[begin + i] = values[k];
  }
}

template <class U>
static U* on_device(const std::vector<U>& from) {
  void* memory;
  check(cudaMalloc(&memory, from.size() * sizeof(U)));
  check(cudaMemcpy(memory, from.data(), from.size() * sizeof(U), cudaMemcpyHostToDevice));
  return static_cast<U*>(memory);
}

int main() {
  constexpr int rows = 100'001;
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0, 0.2f);
  std::vector<float> y, w;
  std::vector<int> offsets = {0};
  for (int r = 0; r < rows; ++r) {
    const int doses = static_cast<int>(random() % 33);
    for (int i = 0; i < doses; ++i) {
      y.push_back(static_cast<float>(i) / 32 + noise(random));
      w.push_back(static_cast<float>(1 + random() % 4));
    }
    offsets.push_back(offsets.back() + doses);
  }
  float *device_y = on_device(y), *device_w = on_device(w), *device_fit = on_device(y);
  int* device_offsets = on_device(offsets);
  fit_rows<<<(rows + block_rows - 1) / block_rows, 32 * warps>>>(device_y, device_w, device_fit,
                                                                 device_offsets, rows);
  check(cudaGetLastError());
  std::vector<float> fit(y.size()), host_fit(y.size());
  check(cudaMemcpy(fit.data(), device_fit, fit.size() * sizeof(float), cudaMemcpyDeviceToHost));

  // On the CPU it is the same to the bit.
  iso::host::solve<float, true>(y.begin(), w.begin(), host_fit.begin(), offsets.begin(), rows).check();
  const auto row =
      std::find_if(offsets.begin(), offsets.end(), [&](const int& o) { return (&o)[1] - o == 8; });
  for (int i = *row; i < row[1]; ++i) std::printf("%6.2f x %.0f -> %6.2f\n", y[i], w[i], fit[i]);
  std::printf("%s\n", fit == host_fit ? "as on the CPU" : "not as on the CPU");
  for (float* memory : {device_y, device_w, device_fit}) check(cudaFree(memory));
  check(cudaFree(device_offsets));
  return fit == host_fit ? 0 : 1;
}
