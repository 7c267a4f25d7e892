// Every public form of the GPU solver called once, and forms that must not be callable: what iso/host.hpp
// refuses, iso/solve.cuh refuses. Compiled, never run; nvcc.sh adds the calls.
#include <cstdint>
#include <span>
#include <vector>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <iso/solve.cuh>

namespace {

// Device memory as a caller holds it.
template <class T>
struct memory {
  T *y, *w, *fit;
  std::int64_t rows, length;
  std::span<std::byte> workspace;
  std::span<iso::row_status> status;
  std::span<std::uint32_t> pools;
};

template <class T>
bool solve_spans_and_batches(cudaStream_t stream, const memory<T>& at) {
  const auto n = static_cast<std::size_t>(at.rows * at.length);
  const std::span<T> y(at.y, n), w(at.w, n), fit(at.fit, n);
  const std::span<const T> constant_y(y), constant_w(w);
  const iso::batch<T> y_rows(at.y, at.rows, at.length);
  const iso::batch<const T> w_rows(at.w, at.rows, at.length, 0);
  const iso::batch<T> fit_rows(at.fit, at.rows, at.length);
  const iso::options<T> options{
      .increasing = false, .y_min = T(0), .workspace = at.workspace, .status = at.status, .pools = at.pools};
  bool ok = iso::workspace_bytes<T, false>({at.rows, at.length}) <= at.workspace.size();
  ok = ok && iso::workspace_bytes<T, true>({at.rows, at.length}) <= at.workspace.size();
  ok = ok && iso::solve<T, false>(stream, y, fit);
  ok = ok && iso::solve<T, false>(stream, constant_y, fit, {.increasing = false});
  ok = ok && iso::solve<T, true>(stream, y, w, fit, options);
  ok = ok && iso::solve<T, true>(stream, constant_y, constant_w, fit);
  ok = ok && iso::solve<T, false>(stream, y_rows, fit_rows, options);
  ok = ok && iso::solve<T, true>(stream, y_rows, w_rows, fit_rows);
  ok = ok && iso::solve<T, false>(stream, y.begin(), fit.begin(), iso::shape{at.rows, at.length});
  ok = ok && iso::solve<T, true>(stream, at.y, at.w, at.fit, iso::shape{at.rows, at.length}, options);
  return ok;
}

// A bootstrap weight, made where it is used.
template <class T>
struct drawn {
  __host__ __device__ T operator()(std::int64_t at) const { return static_cast<T>(at * 2654435761 % 4); }
};
template <class T>
struct halved {
  __host__ __device__ T operator()(T value) const { return value / 2; }
};

template <class T>
bool solve_iterators(cudaStream_t stream, const memory<T>& at) {
  const auto w = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), drawn<T>{});
  const auto fit = thrust::make_transform_output_iterator(at.fit, halved<T>{});
  return bool(iso::solve<T, true>(stream, at.y, w, fit, iso::shape{at.rows, at.length}));
}

template <class T, bool Weighted, class... Arguments>
concept solvable = requires(Arguments... arguments) {
  iso::solve<T, Weighted>(arguments...);
};

using stream = cudaStream_t;
template <class T>
using span = std::span<T>;

static_assert(solvable<float, false, stream, span<const float>, span<float>>);
static_assert(solvable<float, false, stream, span<float>, span<float>>);
static_assert(solvable<float, true, stream, span<const float>, span<float>, span<float>>);
static_assert(!solvable<float, false, span<const float>, span<float>>, "no stream");
static_assert(!solvable<float, false, stream, span<const float>, span<const float>>, "constant fit");
static_assert(!solvable<float, false, stream, span<const double>, span<float>>, "other precision");
static_assert(!solvable<float, true, stream, span<const float>, span<float>>, "missing weights");
static_assert(!solvable<float, false, stream, span<const float>, span<const float>, span<float>>,
              "needless weights");
static_assert(!solvable<float, false, stream, const float*, float*>, "iterators without a shape");
static_assert(!solvable<float, false, stream, const float*, const float*, iso::shape>, "constant fit");
static_assert(!solvable<float, false, stream, const float*, const char**, iso::shape>, "fit of another kind");

}  // namespace
