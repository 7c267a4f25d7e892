// The suite: iso::solve by shape and family of data, for one value type and weighting a program, beside
// copies of the same bytes and, for batches, beside one thread a row.
//
// Names are those of result.hpp, times those of timing.cuh. "thread_per_row/..." times the baseline on the
// same data, with two more counters: solve_ms, the median of iso::solve in the same turns, and `difference`,
// the largest one between the two fits, relative to the largest value (a baseline that is wrong is none).
//
// Programs end with status 4 where there is no device.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>
#include <iso/solve.cuh>

#include "../baselines/thread_per_row.cuh"
#include "../data.hpp"
#include "../result.hpp"
#include "problem.cuh"
#include "timing.cuh"

namespace bench {

// One row, the sizes of the paper's Table 1, and short rows.
inline constexpr iso::shape shapes[] = {
    {1, 10'000},     {1, 100'000},    {1, 1'000'000},   {1, 10'000'000}, {1, 100'000'000}, {1000, 10'000},
    {10'000, 1000},  {100, 1000},     {1'000'000, 16},  {10'000'000, 5}, {1'000'000, 3},   {1'000'000, 8},
    {1'000'000, 32}, {1'000'000, 33}, {1'000'000, 100}, {100'000, 200},
};

inline constexpr family families[] = {family::noise, family::steep, family::increasing, family::sawtooth,
                                      family::cliff};

// Solves the problem's set of this call, from dense arrays.
template <class T, bool Weighted>
void solve_arrays(const problem<T>& p, std::int64_t call, cudaStream_t stream) {
  const iso::batch<const T> y(p.y(call), p.size().rows, p.size().length);
  const iso::batch<T> fit(p.fit(call), p.size().rows, p.size().length);
  if constexpr (Weighted) {
    const iso::batch<const T> w(p.w(call), p.size().rows, p.size().length);
    iso::solve<T, true>(stream, y, w, fit, p.options()).check();
  } else {
    iso::solve<T, false>(stream, y, fit, p.options()).check();
  }
}

inline void count_late(benchmark::State& state, const timing& times) {
  if (times.late > 0) state.counters["late"] = times.late;
}

// solve(problem, call, stream) enqueues a solve.
template <class T, class Solve>
void time_solve(benchmark::State& state, const problem<T>& p, const Solve& solve) {
  const timing times = time_in_turns({[&](std::int64_t call, cudaStream_t stream) { solve(p, call, stream); },
                                      [&](std::int64_t call, cudaStream_t stream) { p.copy(call, stream); }});
  report(state, times.works[0], times.works[1], p.bytes());
  count_late(state, times);
}

// The largest difference of two arrays on the device, relative to the largest value of the second.
template <class T>
double relative_difference(const T* a, const T* b, std::int64_t n) {
  std::vector<T> left(static_cast<std::size_t>(n)), right(left.size());
  check(cudaMemcpy(left.data(), a, left.size() * sizeof(T), cudaMemcpyDefault));
  check(cudaMemcpy(right.data(), b, right.size() * sizeof(T), cudaMemcpyDefault));
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    difference = std::max(difference, std::abs(static_cast<double>(left[i]) - static_cast<double>(right[i])));
    largest = std::max(largest, std::abs(static_cast<double>(right[i])));
  }
  return largest > 0 ? difference / largest : difference;
}

template <class T, bool Weighted>
void time_thread_per_row(benchmark::State& state, const problem<T>& p) {
  const std::int64_t rows = p.size().rows, n = p.size().length;
  const device_array<T> fit(p.elements()), weights(Weighted ? p.elements() : 0);
  const device_array<int> sizes(p.elements());
  const auto baseline = [&](std::int64_t call, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>((rows + 127) / 128);
    const T* const w = Weighted ? p.w(call) : nullptr;
    thread_per_row<T, Weighted><<<blocks, 128, 0, stream>>>(p.y(call), w, fit.data(), weights.data(),
                                                            sizes.data(), rows, static_cast<int>(n));
    check(cudaGetLastError());
  };
  const auto solve = [&](std::int64_t call, cudaStream_t stream) {
    solve_arrays<T, Weighted>(p, call, stream);
  };
  const timing times =
      time_in_turns({baseline, solve, [&](std::int64_t call, cudaStream_t stream) { p.copy(call, stream); }});
  report(state, times.works[0], times.works[2], p.bytes());
  count_late(state, times);
  state.counters["solve_ms"] = times.works[1].median;
  baseline(0, nullptr);
  solve(0, nullptr);
  state.counters["difference"] = relative_difference(fit.data(), p.fit(0), p.elements());
}

// Status of a program that finds no device to measure, and why on stderr; otherwise 0, and the reports say
// which device it is.
inline int find_device() {
  int device = 0, driver = 0, runtime = 0;
  cudaDeviceProp properties;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, device);
  if (error != cudaSuccess) {
    std::fprintf(stderr, "No device to measure: %s\n", cudaGetErrorString(error));
    return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? 4 : 1;
  }
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&runtime));
  benchmark::AddCustomContext("device", properties.name);
  benchmark::AddCustomContext("compute_capability",
                              std::to_string(properties.major) + "." + std::to_string(properties.minor));
  benchmark::AddCustomContext("l2_bytes", std::to_string(properties.l2CacheSize));
  benchmark::AddCustomContext("cuda_driver", std::to_string(driver));
  benchmark::AddCustomContext("cuda_runtime", std::to_string(runtime));
  return 0;
}

// Registers the solve of every shape and family. `stored`: whether weights lie in memory; `workspace(shape)`
// says how much working memory a solve needs.
template <class T, class Workspace, class Solve>
void add_solves(const std::string& type, bool stored, Workspace workspace, Solve solve) {
  for (const iso::shape size : shapes) {
    for (const family f : families) {
      if (!applies(f, size.length)) continue;
      add(case_name("solve", type, f, size), [=](benchmark::State& state) {
        time_solve(state, problem<T>(f, size, stored, workspace(size)), solve);
      });
    }
  }
}

// The whole program for rows in arrays.
template <class T, bool Weighted>
int run_suite(int argc, char** argv) {
  if (const int status = find_device(); status != 0) return status;
  const std::string type = type_name<T, Weighted>();
  add_solves<T>(type, Weighted, iso::workspace_bytes<T, Weighted>, solve_arrays<T, Weighted>);
  for (const iso::shape size : shapes) {
    if (size.rows == 1) continue;
    for (const family f : {family::noise, family::increasing}) {
      add(case_name("thread_per_row", type, f, size), [=](benchmark::State& state) {
        const std::size_t workspace = iso::workspace_bytes<T, Weighted>(size);
        time_thread_per_row<T, Weighted>(state, problem<T>(f, size, Weighted, workspace));
      });
    }
  }
  return run_registered(argc, argv);
}

}  // namespace bench
