// Fits a row on the GPU. `static`, as every function that reaches iso::solve has to be here: one of external
// linkage would be the very thing that these tests are about.
#pragma once

#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

#include <iso/solve.cuh>

#include "run.hpp"

// Memory of the device, copied to and from.
class device_row {
 public:
  explicit device_row(std::size_t elements) : elements_(elements) {
    if (cudaMalloc(&data_, elements * sizeof(float)) != cudaSuccess) data_ = nullptr;
  }
  ~device_row() { cudaFree(data_); }
  device_row(const device_row&) = delete;
  device_row& operator=(const device_row&) = delete;

  std::span<float> span() const { return {data_, data_ == nullptr ? 0 : elements_}; }
  bool set(const std::vector<float>& values) const {
    return cudaMemcpy(data_, values.data(), elements_ * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess;
  }
  std::vector<float> get() const {
    std::vector<float> values(elements_);
    if (cudaMemcpy(values.data(), data_, elements_ * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess)
      return {};
    return values;
  }

 private:
  std::size_t elements_;
  float* data_ = nullptr;
};

static outcome run(const char* name) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return outcome::no_device;
  const std::vector<float> y{1, 3, 2, 5, 4}, want{1, 2.5f, 2.5f, 4.5f, 4.5f};
  const device_row in(y.size()), out(y.size());
  if (!in.set(y)) return outcome::wrong;
  const iso::status solved = iso::solve<float, false>(cudaStream_t{}, in.span(), out.span());
  std::printf("%s: %s\n", name, solved ? "enqueued" : solved.message().c_str());
  if (solved.cuda_error() == cudaErrorNoKernelImageForDevice) return outcome::no_kernel;
  if (!solved) return outcome::wrong;
  return out.get() == want ? outcome::right : outcome::wrong;
}
