// Isotonic regression on the CPU: the fit closest to the data in weighted least squares among the
// non-decreasing (or non-increasing) sequences, exact, in plain C++20.
//
//   #include <iso/host.hpp>
//
//   std::vector<float> y = {1, 3, 2, 4}, fit(4);
//   iso::host::solve<float, false>(y, fit).check();       // 1 2.5 2.5 4
//
// Promise. Every output is the exact rational fit of the given numbers, rounded once to T (to nearest, ties
// to even; every zero is +0). It follows that the fit is monotone to the last bit, and that its bits do not
// depend on threads, strides, or whether a row stands alone or in a batch. Neighbouring pools of equal exact
// mean are one.
//
// Forms. T is float or double; `Weighted` says whether weights follow the values.
//
//   solve<T, false>(y, fit)                one row, std::span each, n = y.size() = fit.size()
//   solve<T, false>(y, fit)                a batch, iso::batch each: rows of any strides; input may broadcast
//   solve<T, false>(y, fit, shape)         random-access iterators, values converted to T and from T
//   solve<T, false>(y, fit, offsets, rows) the same for ragged rows: row r is [offsets[r], offsets[r + 1])
//   solve<T, true>(y, w, fit, ...)         any of these with weights of the shape of y
//
// followed by iso::options<T> and the number of threads (0: one a hardware thread; 1: the calling thread
// alone). Rows are spread over threads, and so are the chunks of a row of 2^18 elements or more. Iterators
// are used from several threads at once and must not throw; input is read several times, and must give the
// same value each time.
//
// Weights are finite and >= 0. An element of weight 0 has no say, and takes the value of the pool on its left
// (at the start of a row, of the first pool). Rows that cannot be fitted come back all NaN, see
// iso::row_status; an infinite value makes its pool infinite. Output may be the same memory as y or w,
// element for element.
//
// Errors. Sizes that disagree, negative sizes, a null pointer, bounds that are NaN or cross, `status` or
// `pools` of the wrong size, output whose rows run into each other, and output (of spans, batches or
// pointers) that shares memory with input otherwise than element for element are refused with
// errc::invalid_argument, before anything is written. errc::out_of_memory likewise. Time is linear in the
// elements. Working memory: a row of more than 1024 elements takes n / 8 bytes and some 50 a chunk of 1024
// (wide data up to 850), a thread 0.1 to 1.1 MB.
//
// Source: the fit is the slope of the lower convex hull of the cumulative sums (Barlow, Bartholomew, Bremner
// and Brunk 1972); hulls of chunks merge along their bridges (Preparata and Hong 1977).
#pragma once

#include <cstdint>
#include <span>

#include <iso/detail/check.hpp>
#include <iso/host/rows.hpp>
#include <iso/options.hpp>
#include <iso/status.hpp>

namespace iso::host {

// A batch.
template <class T, bool Weighted>
requires(!Weighted) status solve(batch<const T> y, batch<T> fit, options<T> opt = {}, int threads = 0) {
  return detail::solve_batch<T, false>(y, {}, fit, opt, threads);
}

template <class T, bool Weighted>
requires Weighted status solve(batch<const T> y, batch<const T> w, batch<T> fit, options<T> opt = {},
                               int threads = 0) {
  return detail::solve_batch<T, true>(y, w, fit, opt, threads);
}

// One row.
template <class T, bool Weighted>
requires(!Weighted) status
    solve(std::span<const T> y, std::span<T> fit, options<T> opt = {}, int threads = 0) {
  return solve<T, false>(iso::detail::as_batch(y), iso::detail::as_batch(fit), opt, threads);
}

template <class T, bool Weighted>
requires Weighted status solve(std::span<const T> y, std::span<const T> w, std::span<T> fit,
                               options<T> opt = {}, int threads = 0) {
  return solve<T, true>(iso::detail::as_batch(y), iso::detail::as_batch(w), iso::detail::as_batch(fit), opt,
                        threads);
}

// Iterators: element i of row r is at position r * length + i of each.
template <class T, bool Weighted, readable_iterator<T> Y, writable_iterator<T> Fit>
requires(!Weighted) status solve(Y y, Fit fit, shape size, options<T> opt = {}, int threads = 0) {
  return detail::solve_shape(y, detail::no_weights{}, fit, size, opt, threads);
}

template <class T, bool Weighted, readable_iterator<T> Y, readable_iterator<T> W, writable_iterator<T> Fit>
requires Weighted status solve(Y y, W w, Fit fit, shape size, options<T> opt = {}, int threads = 0) {
  return detail::solve_shape(y, w, fit, size, opt, threads);
}

// Ragged rows: row r is at positions [offsets[r], offsets[r + 1]); offsets are rows + 1 integers that do not
// decrease.
template <class T, bool Weighted, readable_iterator<T> Y, writable_iterator<T> Fit,
          readable_iterator<std::int64_t> Offsets>
requires(!Weighted) status
    solve(Y y, Fit fit, Offsets offsets, std::int64_t rows, options<T> opt = {}, int threads = 0) {
  return detail::solve_ragged(y, detail::no_weights{}, fit, offsets, rows, opt, threads);
}

template <class T, bool Weighted, readable_iterator<T> Y, readable_iterator<T> W, writable_iterator<T> Fit,
          readable_iterator<std::int64_t> Offsets>
requires Weighted status solve(Y y, W w, Fit fit, Offsets offsets, std::int64_t rows, options<T> opt = {},
                               int threads = 0) {
  return detail::solve_ragged(y, w, fit, offsets, rows, opt, threads);
}

}  // namespace iso::host
