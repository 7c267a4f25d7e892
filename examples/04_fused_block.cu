// A fit inside a kernel of one's own: how noisy is each row about a rising trend? The fit itself is not
// wanted, so it is never written: a thread block loads a row, fits it, and sums up its squared residuals and
// its pools. The squares over the elements less one to two times the pools estimate the noise's variance
// (Meyer and Woodroofe, On the degrees of freedom in shape-restricted regression, 2000). Exit code 4 if there
// is no device.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <iso/block/block_isotonic.cuh>
#include <iso/host.hpp>

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? 4 : 1);
}

struct summary {
  double squares;
  int pools;
  __device__ summary operator+(summary b) const { return {squares + b.squares, pools + b.pools}; }
};

// One row of up to 1024 elements a block.
__global__ void __launch_bounds__(128) summarise(const float* y, int length, summary* rows) {
  using load = cub::BlockLoad<float, 128, 8, cub::BLOCK_LOAD_TRANSPOSE>;
  using isotonic = iso::block_isotonic<float, false, 128, 8>;
  using reduce = cub::BlockReduce<summary, 128>;
  __shared__ union {
    load::TempStorage load;
    isotonic::TempStorage isotonic;
    reduce::TempStorage reduce;
  } shared;
  float values[8], fit[8];
  load(shared.load).Load(y + static_cast<std::int64_t>(blockIdx.x) * length, values, length, 0.0f);
  for (int k = 0; k < 8; ++k) fit[k] = values[k];
  __syncthreads();
  isotonic solver(shared.isotonic);
  solver.fit(cooperative_groups::this_thread_block(), fit, length);

  // Beyond the row, values and fit are the same 0.
  summary own{0, __popc(solver.starts())};
  for (int k = 0; k < 8; ++k) {
    const double residual = double(values[k]) - fit[k];
    own.squares += residual * residual;
  }
  __syncthreads();
  const summary all = reduce(shared.reduce).Sum(own);
  if (threadIdx.x == 0) rows[blockIdx.x] = all;
}

int main() {
  constexpr int rows = 200, length = 1000;
  constexpr std::int64_t words = iso::pool_words(length);
  std::mt19937 random(1);
  std::normal_distribution<float> noise;
  std::vector<float> y;
  for (int k = 0; k < rows * length; ++k) {
    y.push_back(std::sqrt(static_cast<float>(k % length)) + (0.5f + 0.01f * (k / length)) * noise(random));
  }
  float* device_y;
  summary* found;
  check(cudaMalloc(&device_y, y.size() * sizeof(float)));
  check(cudaMallocManaged(&found, rows * sizeof(summary)));
  check(cudaMemcpy(device_y, y.data(), y.size() * sizeof(float), cudaMemcpyHostToDevice));
  summarise<<<rows, 128>>>(device_y, length, found);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  // The same on the CPU. Fits and pools are equal to the bit; only the sums are taken in another order.
  std::vector<float> fit(y.size());
  std::vector<std::uint32_t> starts(rows * words);
  iso::host::solve<float, false>(iso::batch<const float>(y.data(), rows, length),
                                 iso::batch<float>(fit.data(), rows, length), {.pools = starts})
      .check();
  int wrong = 0;
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    int count = 0;
    for (int k = r * length; k < (r + 1) * length; ++k) sum += std::pow(double(y[k]) - fit[k], 2);
    for (std::int64_t k = r * words; k < (r + 1) * words; ++k) count += std::popcount(starts[k]);
    wrong += found[r].pools != count || !(std::abs(found[r].squares - sum) <= 1e-12 * sum);
    const double estimate = std::sqrt(found[r].squares / (length - 1.5 * found[r].pools));
    if (r % 50 == 0) std::printf("row %3d: noise %.3f, truth %.3f\n", r, estimate, 0.5 + 0.01 * r);
  }
  std::printf("%d of %d rows differ from the CPU's\n", wrong, rows);
  check(cudaFree(device_y));
  check(cudaFree(found));
  return wrong == 0 ? 0 : 1;
}
