// What the tests need of a device besides the solver: memory, streams and graphs. The tests themselves are
// plain C++, and know nothing else of CUDA.
//
// Every function throws std::runtime_error if the runtime reports an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

struct CUstream_st;

namespace device_test {

using stream = CUstream_st*;  // cudaStream_t

// The devices there are; 0 also where there is no driver.
int device_count();

// Device memory, for any alignment that cudaMalloc gives. `bytes` may be 0.
void* allocate(std::size_t bytes);
void release(void* memory) noexcept;
// Copies to or from device memory. Waits for the stream's earlier work, and for the copy.
void copy_bytes(void* to, const void* from, std::size_t bytes, stream s = nullptr);

// A stream that does not wait for the default stream.
stream make_stream();
void release(stream s) noexcept;
// cudaStreamPerThread.
stream per_thread_stream();
// Waits for all work in the stream.
void synchronize(stream s);

// Device memory for elements of U.
template <class U>
class array {
 public:
  explicit array(std::size_t size) : size_(size), data_(static_cast<U*>(allocate(size * sizeof(U)))) {}
  explicit array(const std::vector<U>& from) : array(from.size()) { upload(from); }
  array(array&& other) noexcept : size_(other.size_), data_(std::exchange(other.data_, nullptr)) {}
  array& operator=(array&&) = delete;
  ~array() { release(static_cast<void*>(data_)); }

  U* data() const { return data_; }
  std::size_t size() const { return size_; }
  void upload(const std::vector<U>& from, stream s = nullptr) {
    copy_bytes(data_, from.data(), from.size() * sizeof(U), s);
  }
  std::vector<U> download(stream s = nullptr) const {
    std::vector<U> out(size_);
    copy_bytes(out.data(), data_, size_ * sizeof(U), s);
    return out;
  }

 private:
  std::size_t size_;
  U* data_;
};

// A stream of its own.
class own_stream {
 public:
  own_stream() : stream_(make_stream()) {}
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  ~own_stream() { release(stream_); }
  operator stream() const { return stream_; }

 private:
  stream stream_;
};

// What a function enqueues on a stream, captured once, to be launched any number of times.
class graph {
 public:
  graph(stream s, const std::function<void()>& enqueue);
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;
  ~graph();
  void launch(stream s);

 private:
  struct captured;
  captured* captured_;
};

}  // namespace device_test
