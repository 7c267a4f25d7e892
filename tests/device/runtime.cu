// The tests' view of a device, by the CUDA runtime.
#include <stdexcept>
#include <string>

#include <cuda_runtime.h>

#include "runtime.hpp"

namespace device_test {
namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

}  // namespace

int device_count() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) return 0;
  check(error, "cudaGetDeviceCount");
  return count;
}

void* allocate(std::size_t bytes) {
  void* out = nullptr;
  if (bytes > 0) check(cudaMalloc(&out, bytes), "cudaMalloc");
  return out;
}

void release(void* memory) noexcept {
  cudaFree(memory);
}

void copy_bytes(void* to, const void* from, std::size_t bytes, stream s) {
  if (bytes > 0) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, s), "cudaMemcpyAsync");
  synchronize(s);
}

stream make_stream() {
  stream out = nullptr;
  check(cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return out;
}

void release(stream s) noexcept {
  cudaStreamDestroy(s);
}

stream per_thread_stream() {
  return cudaStreamPerThread;
}

void synchronize(stream s) {
  check(cudaStreamSynchronize(s), "cudaStreamSynchronize");
}

struct graph::captured {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
};

graph::graph(stream s, const std::function<void()>& enqueue) : captured_(new captured) {
  check(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  enqueue();
  check(cudaStreamEndCapture(s, &captured_->graph), "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&captured_->executable, captured_->graph, 0), "cudaGraphInstantiate");
}

graph::~graph() {
  cudaGraphExecDestroy(captured_->executable);
  cudaGraphDestroy(captured_->graph);
  delete captured_;
}

void graph::launch(stream s) {
  check(cudaGraphLaunch(captured_->executable, s), "cudaGraphLaunch");
}

}  // namespace device_test
