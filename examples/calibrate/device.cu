// The GPU; see device.hpp.
#include "device.hpp"

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include <cuda_runtime.h>
#include <iso/solve.cuh>

namespace app {
namespace {

// A column in device memory; empty if it cannot be had.
class device_column {
 public:
  explicit device_column(std::span<const double> from) {
    void* memory = nullptr;
    if (from.empty()) return;
    if (cudaMalloc(&memory, from.size_bytes()) != cudaSuccess) return;
    memory_.reset(static_cast<double*>(memory));
    if (cudaMemcpy(memory, from.data(), from.size_bytes(), cudaMemcpyHostToDevice) == cudaSuccess)
      size_ = from.size();
  }

  std::span<double> values() const { return {memory_.get(), size_}; }

 private:
  struct release {
    void operator()(double* memory) const { cudaFree(memory); }
  };
  std::unique_ptr<double, release> memory_;
  std::size_t size_ = 0;
};

iso::status enqueue(std::span<double> y, std::span<const double> w, const iso::options<double>& how) {
  return w.empty() ? iso::solve<double, false>(nullptr, y, y, how)
                   : iso::solve<double, true>(nullptr, y, w, y, how);
}

}  // namespace

bool has_device() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

bool solve_on_device(std::span<const double> y, std::span<const double> w, std::span<double> fit,
                     const iso::options<double>& how) {
  static const bool present = has_device();
  if (!present || y.empty()) return false;
  const device_column column(y), weights(w);
  if (column.values().size() != y.size() || weights.values().size() != w.size()) return false;
  if (!enqueue(column.values(), weights.values(), how)) return false;
  if (cudaDeviceSynchronize() != cudaSuccess) return false;
  // From here on `fit`, which may be y, can be half written.
  const cudaError_t error =
      cudaMemcpy(fit.data(), column.values().data(), fit.size_bytes(), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess)
    throw std::runtime_error(std::string("the GPU failed: ") + cudaGetErrorString(error));
  return true;
}

}  // namespace app
