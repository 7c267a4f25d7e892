// What the front door does with a call: check it, find working memory, launch, and say how it went.
//
// Linking. In two shared libraries, or two object files, that are compiled for different architectures, the
// same function template has the same name, and a linker keeps one of them. The one it keeps launches the
// kernels that were compiled beside it, which the device may be unable to run although the others would do.
// So every function that reaches a launch, from iso::solve down to the kernels, has internal linkage
// (`static`): each translation unit calls its own, and libraries export none. That asks for no macro and for
// no list of architectures in a name, which would not tell machine code from PTX of the same architecture,
// nor one set of compiler flags from another. The host code that is repeated is small; device code is
// compiled once a translation unit in either case. Functions that reach no launch are ordinary templates.
#pragma once

#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>

#include <cuda_runtime_api.h>

#include <iso/detail/check.hpp>
#include <iso/device/launch.cuh>
#include <iso/device/rows.hpp>
#include <iso/options.hpp>
#include <iso/status.hpp>

namespace iso::device::detail {

// What the kernels want their working memory aligned to. A caller's may begin anywhere.
inline constexpr std::size_t workspace_alignment = 256;

// Bytes among which the kernels' own fit wherever the first one is.
template <class T, bool Weighted>
std::size_t unaligned_workspace_bytes(shape size) {
  if (size.rows <= 0 || size.length <= 0) return 0;
  const std::size_t bytes = detail::workspace_bytes<T, Weighted>(size);
  return bytes == 0 ? 0 : bytes + workspace_alignment - 1;
}

// A failure of the CUDA runtime as a status, or success.
inline status cuda_status(const char* failed, cudaError_t error) {
  if (error == cudaSuccess) return {};
  return {errc::cuda,
          iso::detail::message(failed, ": ", cudaGetErrorName(error), ", ", cudaGetErrorString(error)),
          static_cast<int>(error)};
}

inline status allocation_status(std::size_t bytes, cudaError_t error) {
  if (error == cudaSuccess) return {};
  const char* const reason =
      error == cudaErrorNotSupported ? ", since the device has no memory pools; give options.workspace" : "";
  return cuda_status(iso::detail::message("the allocation of ", bytes,
                                          " bytes of working memory on the stream failed", reason)
                         .c_str(),
                     error);
}

// Refuses working memory that is less than what the solve asks for.
inline status check_workspace(std::span<std::byte> given, std::size_t needed) {
  if (needed == 0 || (given.data() != nullptr && given.size() >= needed)) return {};
  return iso::detail::refused("options.workspace has ", given.size(), " bytes",
                              given.data() == nullptr ? " at a null pointer" : "", ", and ", needed,
                              " are needed");
}

// Where the kernels' `bytes` begin in working memory that is enough.
inline std::byte* aligned_workspace(std::span<std::byte> given, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(given.data());
  return given.data() +
         ((begin + workspace_alignment - 1) / workspace_alignment * workspace_alignment - begin);
}

template <class T, class Y, class W, class Fit>
static status launch_with(cudaStream_t stream, const rows<T, Y, W, Fit>& at, std::byte* workspace) {
  return cuda_status("the launch of the solve failed", launch(stream, at, workspace));
}

// Launches with working memory that the stream allocates and frees.
template <class T, class Y, class W, class Fit>
static status allocate_and_launch(cudaStream_t stream, const rows<T, Y, W, Fit>& at, std::size_t bytes) {
  void* workspace = nullptr;
  if (status s = allocation_status(bytes, cudaMallocAsync(&workspace, bytes, stream)); !s) return s;
  const status launched = launch_with(stream, at, static_cast<std::byte*>(workspace));
  const cudaError_t freed = cudaFreeAsync(workspace, stream);
  return launched ? cuda_status("the solve's working memory was not freed", freed) : launched;
}

// Enqueues the solve of rows that have been checked.
template <class T, class Y, class W, class Fit>
static status enqueue(cudaStream_t stream, const rows<T, Y, W, Fit>& at, const options<T>& opt) {
  constexpr bool weighted = rows<T, Y, W, Fit>::weighted;
  if (at.size.rows == 0 || at.size.length == 0) {
    if (opt.status.empty()) return {};
    // Rows without elements are ok, which is 0, and have no words of pools.
    static_assert(static_cast<int>(row_status::ok) == 0 && sizeof(row_status) == 1);
    return cuda_status("the status of empty rows was not set",
                       cudaMemsetAsync(opt.status.data(), 0, opt.status.size(), stream));
  }
  const std::size_t bytes = detail::workspace_bytes<T, weighted>(at.size);
  if (bytes > 0 && opt.workspace.empty()) return allocate_and_launch(stream, at, bytes);
  if (status s = check_workspace(opt.workspace, unaligned_workspace_bytes<T, weighted>(at.size)); !s)
    return s;
  return launch_with(stream, at, aligned_workspace(opt.workspace, bytes));
}

// Rows as the kernels take them.
template <class T, class Y, class W, class Fit>
rows<T, Y, W, Fit> make_rows(const Y& y, const W& w, const Fit& fit, const steps& y_steps,
                             const steps& w_steps, const steps& fit_steps, shape size,
                             const options<T>& opt) {
  return {y,
          w,
          fit,
          y_steps,
          w_steps,
          fit_steps,
          size,
          opt.increasing,
          opt.y_min,
          opt.y_max,
          opt.status.empty() ? nullptr : opt.status.data(),
          opt.pools.empty() ? nullptr : opt.pools.data(),
          opt.wide_rows};
}

// The front door's forms, checked and laid out.

template <class T, bool Weighted>
static status solve_batch(cudaStream_t stream, const batch<const T>& y, const batch<const T>& w,
                          const batch<T>& fit, const options<T>& opt) {
  if (status s = iso::detail::check_batches(y, w, Weighted, fit); !s) return s;
  if (status s = iso::detail::check_options(opt, y.rows, y.rows * pool_words(y.length)); !s) return s;
  const auto steps_of = [](const auto& b) { return steps{b.row_stride, b.stride}; };
  std::conditional_t<Weighted, const T*, no_weights> weights{};
  if constexpr (Weighted) weights = w.data;
  return enqueue(stream,
                 make_rows<T>(y.data, weights, fit.data, steps_of(y), steps_of(w), steps_of(fit),
                              shape{y.rows, y.length}, opt),
                 opt);
}

// Iterators over contiguous memory as the pointers they stand for: those of the standard library cannot be
// used in a kernel, and pointers to T are read in wider pieces.
template <class It>
auto plain(const It& it) {
  if constexpr (std::contiguous_iterator<It>) {
    return std::to_address(it);
  } else {
    return it;
  }
}

// The same of input: one kernel serves pointers to T and to const T.
template <class T, class It>
auto plain_input(const It& it) {
  if constexpr (std::is_convertible_v<decltype(plain(it)), const T*>) {
    return static_cast<const T*>(plain(it));
  } else {
    return plain(it);
  }
}

template <class T, class Y, class W, class Fit>
static status solve_shape(cudaStream_t stream, const Y& y, const W& w, const Fit& fit, shape size,
                          const options<T>& opt) {
  if (status s = iso::detail::check_shape(size); !s) return s;
  if (status s = iso::detail::check_options(opt, size.rows, size.rows * pool_words(size.length)); !s)
    return s;
  if (status s = iso::detail::check_iterators<T>(y, w, fit, 0, size.rows * size.length); !s) return s;
  const steps by{size.length, 1};
  return enqueue(stream, make_rows<T>(y, w, fit, by, by, by, size, opt), opt);
}

}  // namespace iso::device::detail
