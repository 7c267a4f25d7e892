// How a benchmark tells Google Benchmark what it measured, the same for host and device, so that one script
// reads both.
//
// A benchmark is called "solve/TYPE/FAMILY/ROWSxN", perhaps with more after another slash; TYPE is `float` or
// `double`, perhaps followed by words such as `weighted`. It times calls itself, as often as it sees fit, and
// reports them as one iteration whose manual time is the median. Counters, all in milliseconds:
//
//   least_ms, most_ms   the spread of the calls
//   copy_ms             the median of copies of the same bytes (weights count), made in turns with the calls
//   copies              the median time in copies
//   calls               how many calls were timed
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <iso/options.hpp>

#include "data.hpp"

namespace bench {

template <class T, bool Weighted>
std::string type_name() {
  return std::string(sizeof(T) == sizeof(float) ? "float" : "double") + (Weighted ? " weighted" : "");
}

inline std::string case_name(const std::string& subject, const std::string& type, family f, iso::shape size) {
  return subject + "/" + type + "/" + name(f) + "/" + std::to_string(size.rows) + "x" +
         std::to_string(size.length);
}

struct spread {
  double median = 0, least = 0, most = 0;  // milliseconds
  std::size_t calls = 0;
};

// Of the times of at least one call.
inline spread spread_of(std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  return {ms[ms.size() / 2], ms.front(), ms.back(), ms.size()};
}

// `bytes` is what a call must read and write at least.
inline void report(benchmark::State& state, const spread& called, const spread& copy, std::int64_t bytes) {
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(called.median / 1e3);
  state.SetBytesProcessed(bytes);
  state.counters["least_ms"] = called.least;
  state.counters["most_ms"] = called.most;
  state.counters["copy_ms"] = copy.median;
  state.counters["copies"] = called.median / copy.median;
  state.counters["calls"] = static_cast<double>(called.calls);
}

// Registers run(state), which ends in report(). What it throws becomes the benchmark's error.
template <class Run>
void add(const std::string& name, Run run) {
  const auto guarded = [run](benchmark::State& state) {
    try {
      run(state);
    } catch (const std::exception& failure) {
      state.SkipWithError(failure.what());
    }
  };
  benchmark::RegisterBenchmark(name.c_str(), guarded)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->UseManualTime();
}

// Runs what was registered, as the command line says. The status that main() returns.
inline int run_registered(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace bench
