// The exact arithmetic on the device: the bits that the host computes.
//
// A program of its own: it exits with 4, which CTest shows as skipped, where there is no device.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include <cuda_runtime.h>
#include <iso/numeric/quotient.hpp>
#include <iso/numeric/sums.hpp>

using namespace iso::numeric;

namespace {

constexpr int pool = 24;  // elements of one problem

// What one problem yields: the sums of its two halves, their comparison, the mean of all, and the words they
// took.
template <class T>
struct result {
  std::uint64_t sums[128];
  int words;
  int not_less;
  T mean;
};

template <class T, bool Weighted>
ISO_HOST_DEVICE void solve(const T* y, const T* w, const grid& on, result<T>& r) {
  with_words<T, Weighted>(on, pool, [&]<int N, int M>() {
    auto left = sum_elements<T, Weighted, N, M>(y, w, 0, pool / 2, on);
    const auto right = sum_elements<T, Weighted, N, M>(y, w, pool / 2, pool, on);
    r.words = N;
    r.not_less = mean_not_less(left.s, left.w, right.s, right.w);
    left += right;
    for (int i = 0; i < N; ++i) r.sums[i] = left.s.word[i];
    for (int i = 0; i < M; ++i) r.sums[N + i] = left.w.word[i];
    r.mean = rounded_mean<T>(left.s, left.w, on.mean_position());
  });
}

template <class T, bool Weighted>
__global__ void solve_all(const T* y, const T* w, const grid* on, result<T>* r, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) solve<T, Weighted>(y + i * pool, w + i * pool, on[i], r[i]);
}

template <class T>
T random_finite(std::mt19937_64& g, unsigned exponents) {
  using f = format<T>;
  using bits = typename f::bits_type;
  const auto middle = static_cast<unsigned>(f::positions - f::digits) / 2;
  const auto exponent = static_cast<bits>(middle - exponents / 2 + g() % exponents);
  const auto fraction = static_cast<bits>(static_cast<bits>(g()) & ((bits{1} << (f::digits - 1)) - 1));
  return f::from_bits(
      static_cast<bits>((exponent << (f::digits - 1)) | fraction | (g() % 2 ? f::sign_bit : bits{0})));
}

#define CHECK_CUDA(call)                                         \
  do {                                                           \
    const cudaError_t error = (call);                            \
    if (error != cudaSuccess) {                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                              \
    }                                                            \
  } while (false)

template <class U>
U* to_device(const std::vector<U>& host) {
  U* device = nullptr;
  CHECK_CUDA(cudaMalloc(&device, host.size() * sizeof(U)));
  CHECK_CUDA(cudaMemcpy(device, host.data(), host.size() * sizeof(U), cudaMemcpyHostToDevice));
  return device;
}

template <class T, bool Weighted>
bool agrees(const char* name) {
  constexpr int count = 20000;
  using f = format<T>;
  std::mt19937_64 g(1);
  std::vector<T> y, w;
  std::vector<grid> grids(count);
  for (int i = 0; i < count; ++i) {
    const unsigned spreads[] = {1, 4, 20, 40, 120, static_cast<unsigned>(f::positions - f::digits)};
    const unsigned spread = spreads[i % 6];
    for (int k = 0; k < pool; ++k) {
      y.push_back(k % 7 == 3 ? T(0) : random_finite<T>(g, spread));
      w.push_back(k % 11 == 5 ? T(0) : std::abs(random_finite<T>(g, spread)));
      const decoded dy = f::decode(y.back()), dw = f::decode(w.back());
      grid& on = grids[i];
      if (!Weighted) on.weights.include(0, 1);
      if (!Weighted && dy.mantissa) on.products.include(dy.position, dy.position + f::digits);
      if (Weighted && dw.mantissa) on.weights.include(dw.position, dw.position + f::digits);
      if (Weighted && dw.mantissa && dy.mantissa) {
        on.products.include(dy.position + dw.position, dy.position + dw.position + 2 * f::digits);
      }
    }
  }
  std::vector<result<T>> host(count), device(count);
  std::memset(host.data(), 0, count * sizeof(result<T>));
  T *dy = to_device(y), *dw = to_device(w);
  grid* dg = to_device(grids);
  result<T>* dr = to_device(host);
  for (int i = 0; i < count; ++i) solve<T, Weighted>(&y[i * pool], &w[i * pool], grids[i], host[i]);
  solve_all<T, Weighted><<<(count + 127) / 128, 128>>>(dy, dw, dg, dr, count);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaMemcpy(device.data(), dr, count * sizeof(result<T>), cudaMemcpyDeviceToHost));
  int differ = 0, widths[128] = {};
  for (int i = 0; i < count; ++i) {
    ++widths[host[i].words];
    differ += std::memcmp(&host[i], &device[i], sizeof(result<T>)) != 0;
  }
  int used = 0;
  for (const int n : widths) used += n > 0;
  std::printf("%-16s %d of %d problems differ, in %d sizes of sums\n", name, differ, count, used);
  CHECK_CUDA(cudaFree(dy));
  CHECK_CUDA(cudaFree(dw));
  CHECK_CUDA(cudaFree(dg));
  CHECK_CUDA(cudaFree(dr));
  return differ == 0 && used == 3;
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no device\n");
    return 4;
  }
  bool ok = agrees<float, false>("float");
  ok &= agrees<float, true>("float weighted");
  ok &= agrees<double, false>("double");
  ok &= agrees<double, true>("double weighted");
  return ok ? 0 : 1;
}
