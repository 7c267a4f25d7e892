// Errors of the CUDA runtime, and device memory, for the programs of this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <cuda_runtime.h>

namespace bench {

inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// `size` elements that nobody has written.
template <class U>
class device_array {
 public:
  explicit device_array(std::int64_t size) {
    if (size > 0) check(cudaMalloc(&data_, static_cast<std::size_t>(size) * sizeof(U)));
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }
  U* data() const { return data_; }

 private:
  U* data_ = nullptr;
};

}  // namespace bench
