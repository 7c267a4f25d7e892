// How sure is a fit? A thousand bootstrap samples of one row, solved in one call, and the band that nine in
// ten of their fits lie in. A sample is a weighting: how often each element was drawn. Weights come out of an
// iterator and take no memory; the row is stored once. Exit code 4 if there is no device.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <iso/solve.cuh>

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? 4 : 1);
}

// How often the element at a position was drawn: a Poisson number of mean 1, by a hash of the position, so
// the same whenever and wherever it is asked for.
struct times_drawn {
  __host__ __device__ float operator()(std::int64_t position) const {
    auto z = static_cast<std::uint64_t>(position) * 0x9e3779b97f4a7c15u;  // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    const auto u = static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
    // 2^32 times the probability of at most 0, 1, ..., 6.
    const std::uint32_t at_most[] = {1580030169, 3160060337, 3950075422, 4213413783,
                                     4279248374, 4292415292, 4294609778};
    int drawn = 0;
    for (const std::uint32_t bound : at_most) drawn += u >= bound;
    return static_cast<float>(drawn);
  }
};

// The same row again and again.
struct repeated {
  const float* row;
  std::int64_t length;
  __host__ __device__ float operator()(std::int64_t position) const { return row[position % length]; }
};

int main() {
  constexpr std::int64_t samples = 1000, n = 500;
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0, 0.3f);
  std::vector<float> y;
  for (std::int64_t i = 0; i < n; ++i) y.push_back(std::sqrt(static_cast<float>(i) / n) + noise(random));

  float *device_y, *device_fit;
  check(cudaMalloc(&device_y, n * sizeof(float)));
  check(cudaMalloc(&device_fit, samples * n * sizeof(float)));
  check(cudaMemcpy(device_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  const thrust::counting_iterator<std::int64_t> positions(0);
  iso::solve<float, true>(nullptr, thrust::make_transform_iterator(positions, repeated{device_y, n}),
                          thrust::make_transform_iterator(positions, times_drawn{}), device_fit,
                          iso::shape{samples, n})
      .check();

  std::vector<float> fit(samples * n), at(samples);
  check(cudaMemcpy(fit.data(), device_fit, fit.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("  i      y   5 %%   50 %%   95 %%\n");
  for (std::int64_t i = 25; i < n; i += 50) {
    for (std::int64_t r = 0; r < samples; ++r) at[r] = fit[r * n + i];
    std::sort(at.begin(), at.end());
    std::printf("%3d %6.2f %6.2f %6.2f %6.2f\n", static_cast<int>(i), y[i], at[samples / 20], at[samples / 2],
                at[samples - samples / 20]);
  }
  check(cudaFree(device_y));
  check(cudaFree(device_fit));
  return 0;
}
