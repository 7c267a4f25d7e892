// Isotonic regression on a GPU: the fit closest to the data in weighted least squares among the
// non-decreasing (or non-increasing) sequences, exact, the same bits as from iso/host.hpp.
//
//   #include <iso/solve.cuh>                              // in a .cu file
//
//   thrust::device_vector<float> y = ..., fit(y.size());
//   iso::status s = iso::solve<float, false>(stream, std::span(y.data().get(), y.size()),
//                                            std::span(fit.data().get(), fit.size()));
//   if (!s) std::cerr << s.message();                     // or: s.check(), which throws std::runtime_error
//
// A whole program is examples/01_solve.cu.
//
// Promise. Every output is the exact rational fit of the given numbers, rounded once to T (to nearest, ties
// to even; every zero is +0). It follows that the fit is monotone to the last bit, and that its bits depend
// neither on the device nor on the batch, the strides or the stream. Neighbouring pools of equal exact mean
// are one.
//
// Forms. T is float or double; `Weighted` says whether weights follow the values. The stream is one of the
// current device.
//
//   solve<T, false>(stream, y, fit)         one row, std::span each, n = y.size() = fit.size()
//   solve<T, false>(stream, y, fit)         a batch, iso::batch each: any strides, input may broadcast
//   solve<T, false>(stream, y, fit, shape)  iterators that can be indexed, values converted to and from T
//   solve<T, true>(stream, y, w, fit, ...)  any of these with weights of the shape of y
//
// followed by iso::options<T>. Ragged rows are not part of the GPU solver yet; the host solver has them.
//
// Memory. y, w and fit, and `status`, `pools` and `workspace` of the options, are memory that the device can
// reach; the call itself looks at addresses only. Everything else, such as the bounds, is a value that the
// call copies. Iterators are copied into kernels and used there from many threads at once: pointers and
// Thrust's iterators will do, and weights made on the fly by a transform_iterator over a counting_iterator
// take no memory. Input is read several times, and must give the same value each time.
//
// Streams. The call only enqueues: it never waits for the device, and everything it was given stays in use
// until the stream has passed the solve. It may be captured into a CUDA graph. Working memory: rows that need
// some (see workspace_bytes) take options.workspace, else an allocation that the stream makes and frees,
// which becomes two nodes of a captured graph. Whoever solves often gives the workspace, or lets the device's
// memory pool keep what it has (cudaMemPoolAttrReleaseThreshold).
//
// Weights are finite and >= 0. An element of weight 0 has no say, and takes the value of the pool on its left
// (at the start of a row, of the first pool). Rows that cannot be fitted come back all NaN, see
// iso::row_status; an infinite value makes its pool infinite. Output may be the same memory as y or w,
// element for element.
//
// Errors. Sizes that disagree, negative sizes, a null pointer, bounds that are NaN or cross, `status` or
// `pools` of the wrong size, a workspace that is too small, output whose rows run into each other, and output
// (of spans, batches or pointers) that shares memory with input otherwise than element for element are
// refused with errc::invalid_argument, before anything is enqueued. What the CUDA runtime reports while the
// work is enqueued (no device, no kernels for it, no memory) is returned as errc::cuda, see
// status::cuda_error(); a failure of enqueued work itself, such as an address the device cannot reach,
// appears in later calls of the runtime, as any kernel's does. No elements: success, without a device too
// unless there is a `status` to write.
//
// Linking. Each translation unit has solvers of its own, see iso/device/driver.cuh. A header that wraps solve
// in a function of its own does well to make that function `static` for the same reason.
//
// Source: the fit is the slope of the lower convex hull of the cumulative sums (Barlow, Bartholomew, Bremner
// and Brunk 1972); hulls of chunks merge along their bridges (Preparata and Hong 1977).
#pragma once

#if !defined(__CUDACC__)
#error "iso/solve.cuh is compiled by nvcc, in a .cu file; iso/host.hpp is the solver for plain C++"
#endif

#include <cstddef>
#include <span>

#include <cuda_runtime_api.h>

#include <iso/detail/check.hpp>
#include <iso/device/driver.cuh>
#include <iso/options.hpp>
#include <iso/status.hpp>

namespace iso {

// Bytes of device memory, at any address, that options::workspace needs for a solve of `size`; 0 if the solve
// needs none. The same on every device.
template <class T, bool Weighted>
std::size_t workspace_bytes(shape size) {
  return device::detail::unaligned_workspace_bytes<T, Weighted>(size);
}

// A batch.
template <class T, bool Weighted>
requires(!Weighted) static status
    solve(cudaStream_t stream, batch<const T> y, batch<T> fit, options<T> opt = {}) {
  return device::detail::solve_batch<T, false>(stream, y, {}, fit, opt);
}

template <class T, bool Weighted>
requires Weighted static status solve(cudaStream_t stream, batch<const T> y, batch<const T> w, batch<T> fit,
                                      options<T> opt = {}) {
  return device::detail::solve_batch<T, true>(stream, y, w, fit, opt);
}

// One row.
template <class T, bool Weighted>
requires(!Weighted) static status
    solve(cudaStream_t stream, std::span<const T> y, std::span<T> fit, options<T> opt = {}) {
  return solve<T, false>(stream, detail::as_batch(y), detail::as_batch(fit), opt);
}

template <class T, bool Weighted>
requires Weighted static status solve(cudaStream_t stream, std::span<const T> y, std::span<const T> w,
                                      std::span<T> fit, options<T> opt = {}) {
  return solve<T, true>(stream, detail::as_batch(y), detail::as_batch(w), detail::as_batch(fit), opt);
}

// Iterators: element i of row r is at position r * length + i of each.
template <class T, bool Weighted, readable_iterator<T> Y, writable_iterator<T> Fit>
requires(!Weighted) static status solve(cudaStream_t stream, Y y, Fit fit, shape size, options<T> opt = {}) {
  return device::detail::solve_shape(stream, device::detail::plain_input<T>(y), device::detail::no_weights{},
                                     device::detail::plain(fit), size, opt);
}

template <class T, bool Weighted, readable_iterator<T> Y, readable_iterator<T> W, writable_iterator<T> Fit>
requires Weighted static status solve(cudaStream_t stream, Y y, W w, Fit fit, shape size,
                                      options<T> opt = {}) {
  return device::detail::solve_shape(stream, device::detail::plain_input<T>(y),
                                     device::detail::plain_input<T>(w), device::detail::plain(fit), size,
                                     opt);
}

}  // namespace iso
