// One line of the suite: sets of rows in device memory, together several times as large as the L2 cache, so
// that calls which take turns through the sets find none of their input there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <iso/options.hpp>

#include "../data.hpp"
#include "memory.cuh"

namespace bench {

template <class T>
__global__ void draw(family f, T* y, T* w, std::int64_t total, std::int64_t n) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < total; k += step) {
    y[k] = static_cast<T>(value(f, k % n, n, k));
    if (w != nullptr) w[k] = static_cast<T>(weight(k));
  }
}

template <class T>
class problem {
 public:
  // `workspace` is the bytes of working memory that a solve needs.
  problem(family f, iso::shape size, bool weighted, std::size_t workspace)
      : size_(size),
        weighted_(weighted),
        sets_(std::max<std::int64_t>(1, (std::int64_t{512} << 20) / bytes())),
        in_(sets_ * elements() * (weighted ? 2 : 1)),
        fit_(sets_ * std::max(elements(), copied())),
        workspace_(static_cast<std::int64_t>(workspace)),
        workspace_bytes_(workspace) {
    T* const w = weighted ? in_.data() + sets_ * elements() : nullptr;
    draw<<<2048, 256>>>(f, in_.data(), w, sets_ * elements(), size.length);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
  }

  iso::shape size() const { return size_; }
  std::int64_t elements() const { return size_.rows * size_.length; }
  // What a call must read and write at least.
  std::int64_t bytes() const { return 2 * copied() * static_cast<std::int64_t>(sizeof(T)); }

  // The arrays of a call, dense rows of `size`.
  const T* y(std::int64_t call) const { return in_.data() + offset(call); }
  const T* w(std::int64_t call) const { return y(call) + sets_ * elements(); }
  T* fit(std::int64_t call) const { return fit_.data() + offset(call); }

  iso::options<T> options() const {
    iso::options<T> out;
    out.workspace = {workspace_.data(), workspace_bytes_};
    return out;
  }

  // Copies as many bytes as a call reads and writes, of its own set where there are several.
  void copy(std::int64_t call, cudaStream_t stream) const {
    const std::int64_t at = call % sets_ * copied();
    check(cudaMemcpyAsync(fit_.data() + at, in_.data() + at, static_cast<std::size_t>(copied()) * sizeof(T),
                          cudaMemcpyDeviceToDevice, stream));
  }

 private:
  // Elements of a copy, each of which is read and written.
  std::int64_t copied() const { return elements() * (weighted_ ? 3 : 2) / 2; }
  std::int64_t offset(std::int64_t call) const { return call % sets_ * elements(); }

  iso::shape size_;
  bool weighted_;
  std::int64_t sets_;
  device_array<T> in_, fit_;
  device_array<std::byte> workspace_;
  std::size_t workspace_bytes_;
};

}  // namespace bench
