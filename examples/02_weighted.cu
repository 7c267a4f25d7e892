// A weighted batch on a GPU: a non-increasing fit within bounds, with the status of every row, its pools, and
// working memory of one's own. Exit code 4 if there is no device.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include <cuda_runtime.h>
#include <iso/solve.cuh>

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? 4 : 1);
}

template <class U>
static U* device_memory(std::size_t size) {
  void* memory = nullptr;
  if (size > 0) check(cudaMalloc(&memory, size * sizeof(U)));
  return static_cast<U*>(memory);
}

template <class U>
static std::vector<U> to_host(cudaStream_t stream, const U* memory, std::size_t size) {
  std::vector<U> out(size);
  check(cudaMemcpyAsync(out.data(), memory, size * sizeof(U), cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  return out;
}

int main() {
  // Survival of four groups, day by day: shares that are known the better the more cases there are.
  constexpr std::int64_t rows = 4, days = 2000, words = iso::pool_words(days);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform;
  std::vector<float> share, cases;
  for (std::int64_t k = 0; k < rows * days; ++k) {
    const float truth = 1 / (1 + static_cast<float>(k % days) / 400);
    cases.push_back(std::floor(20 * uniform(random)));  // none on some days: weight 0
    share.push_back(truth + 0.2f * (uniform(random) - 0.5f));
  }
  cases[2 * days + 5] = -1;  // a mistake, which spoils the third group and no other

  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  float* const y = device_memory<float>(share.size());
  float* const w = device_memory<float>(share.size());
  float* const fit = device_memory<float>(share.size());
  check(cudaMemcpyAsync(y, share.data(), share.size() * sizeof(float), cudaMemcpyHostToDevice, stream));
  check(cudaMemcpyAsync(w, cases.data(), cases.size() * sizeof(float), cudaMemcpyHostToDevice, stream));

  iso::options<float> opt;
  opt.increasing = false;
  opt.y_min = 0;
  opt.y_max = 1;
  opt.status = {device_memory<iso::row_status>(rows), rows};
  opt.pools = {device_memory<std::uint32_t>(rows * words), rows * words};
  const std::size_t bytes = iso::workspace_bytes<float, true>({rows, days});
  opt.workspace = {device_memory<std::byte>(bytes), bytes};
  iso::solve<float, true>(stream, iso::batch<const float>(y, rows, days),
                          iso::batch<const float>(w, rows, days), iso::batch<float>(fit, rows, days), opt)
      .check();

  const auto status = to_host(stream, opt.status.data(), opt.status.size());
  const auto pools = to_host(stream, opt.pools.data(), opt.pools.size());
  const auto fitted = to_host(stream, fit, share.size());
  for (std::int64_t r = 0; r < rows; ++r) {
    if (status[r] != iso::row_status::ok) {
      std::printf("group %d: a weight is negative, NaN or infinite\n", static_cast<int>(r));
      continue;
    }
    int count = 0;
    for (std::int64_t k = r * words; k < (r + 1) * words; ++k) count += std::popcount(pools[k]);
    std::printf("group %d: %d pools; day 0 %.3f, day 400 %.3f, day 1999 %.3f\n", static_cast<int>(r), count,
                fitted[r * days], fitted[r * days + 400], fitted[r * days + days - 1]);
  }
  for (void* memory : {static_cast<void*>(y), static_cast<void*>(w), static_cast<void*>(fit),
                       static_cast<void*>(opt.status.data()), static_cast<void*>(opt.pools.data()),
                       static_cast<void*>(opt.workspace.data())}) {
    check(cudaFree(memory));
  }
  check(cudaStreamDestroy(stream));
  return 0;
}
