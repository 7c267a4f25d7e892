// iso::solve for callers of C functions: what compare.py loads into Python.
//
// y, w (null: no weights), fit: rows * n elements in device memory, dense. `workspace` is device memory of as
// many bytes as iso_workspace_bytes_* says. Only enqueues, on `stream` (a cudaStream_t). Returns null, or why
// the call was refused, a text that lives until the thread's next call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <iso/solve.cuh>

namespace peers {

template <class T>
std::int64_t workspace_bytes(bool weighted, std::int64_t rows, std::int64_t n) {
  const iso::shape size{rows, n};
  return static_cast<std::int64_t>(weighted ? iso::workspace_bytes<T, true>(size)
                                            : iso::workspace_bytes<T, false>(size));
}

template <class T>
const char* solve(const T* y, const T* w, T* fit, std::int64_t rows, std::int64_t n, void* workspace,
                  std::int64_t bytes, void* stream) {
  thread_local std::string message;
  const iso::batch<const T> in(y, rows, n);
  const iso::batch<T> out(fit, rows, n);
  iso::options<T> options;
  options.workspace = {static_cast<std::byte*>(workspace), static_cast<std::size_t>(bytes)};
  const auto on = static_cast<cudaStream_t>(stream);
  const iso::status done = w == nullptr
                               ? iso::solve<T, false>(on, in, out, options)
                               : iso::solve<T, true>(on, in, iso::batch<const T>(w, rows, n), out, options);
  if (done) return nullptr;
  message = done.message();
  return message.c_str();
}

}  // namespace peers
