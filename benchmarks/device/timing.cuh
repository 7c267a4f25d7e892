// Time that work takes on the device.
//
// Events are recorded around each call, on a stream that a kernel holds until a turn of calls is enqueued:
// then the device finds all of it waiting, and what the host needs for enqueuing is not timed. Works that are
// to be compared take turns of a few calls each, so that they meet the same clocks. The number of calls
// follows from how long one takes: about 0.3 s, at least 10 calls, at most 200.
//
// The gate is a kernel that waits for a flag in the host's memory. It gives up after some 50 ms, lest work
// that waits for the device itself while it is enqueued should wait for ever; the turn is counted as `late`,
// since its times may include enqueuing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "../result.hpp"
#include "memory.cuh"

namespace bench {

// state[0]: whether the host has opened the gate. state[1]: whether the kernel gave up.
static __global__ void hold(volatile int* state) {
  const std::int64_t start = clock64();
  while (state[0] == 0) {
    if (clock64() - start > 100'000'000) {
      state[1] = 1;
      return;
    }
  }
}

class gate {
 public:
  gate() { check(cudaHostAlloc(&state_, 2 * sizeof(int), cudaHostAllocMapped)); }
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;
  ~gate() { cudaFreeHost(state_); }

  // Holds the stream until open(). The last one must have been passed.
  void close(cudaStream_t stream) {
    volatile int* const state = state_;
    state[0] = 0;
    state[1] = 0;
    hold<<<1, 1, 0, stream>>>(state_);
    check(cudaGetLastError());
  }
  void open() { *static_cast<volatile int*>(state_) = 1; }
  // Whether the stream passed before it was opened; to be asked once it has passed.
  bool late() const { return static_cast<volatile int*>(state_)[1] != 0; }

 private:
  int* state_ = nullptr;
};

// A stream, and as many pairs of events as a turn has calls.
class stopwatch {
 public:
  static constexpr int longest_turn = 20;  // few enough for the stream's queue

  stopwatch() : events_(2 * longest_turn) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (cudaEvent_t& event : events_) check(cudaEventCreate(&event));
  }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  ~stopwatch() {
    gate_.open();  // in case that enqueuing ended in an exception
    cudaStreamSynchronize(stream_);
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
    cudaStreamDestroy(stream_);
  }

  // Appends the milliseconds of `calls` calls of enqueue(stream); whether the gate opened in time.
  template <class Enqueue>
  bool turn(int calls, const Enqueue& enqueue, std::vector<double>& ms) {
    gate_.close(stream_);
    for (int k = 0; k < calls; ++k) {
      check(cudaEventRecord(events_[2 * k], stream_));
      enqueue(stream_);
      check(cudaEventRecord(events_[2 * k + 1], stream_));
    }
    gate_.open();
    check(cudaStreamSynchronize(stream_));
    for (int k = 0; k < calls; ++k) {
      float passed;
      check(cudaEventElapsedTime(&passed, events_[2 * k], events_[2 * k + 1]));
      ms.push_back(passed);
    }
    return !gate_.late();
  }

 private:
  gate gate_;
  cudaStream_t stream_ = nullptr;
  std::vector<cudaEvent_t> events_;
};

// Enqueues the work of a call on a stream. Calls are counted, so that they can go to other data each time.
using work = std::function<void(std::int64_t call, cudaStream_t stream)>;

// A work and its times so far.
class trial {
 public:
  explicit trial(work enqueue) : enqueue_(std::move(enqueue)) {}

  // The first turn warms up and may be late, for code is loaded when it is first called. The second one says
  // how long a call takes, and with that how long turns are to be and how many calls there are.
  void prepare(stopwatch& watch) {
    run_turn(watch);
    ms_.clear();
    run_turn(watch);
    const double expected = spread_of(ms_).median;
    ms_.clear();
    turn_ = static_cast<int>(std::clamp(20 / expected, 1.0, double{stopwatch::longest_turn}));
    wanted_ = static_cast<std::size_t>(std::clamp(300 / expected, 10.0, 200.0));
  }

  // Whether the turn's gate opened in time.
  bool run_turn(stopwatch& watch) {
    const auto next = [this](cudaStream_t stream) { enqueue_(called_++, stream); };
    return watch.turn(turn_, next, ms_);
  }

  bool done() const { return ms_.size() >= wanted_; }
  spread times() const { return spread_of(ms_); }

 private:
  work enqueue_;
  std::int64_t called_ = 0;
  int turn_ = 3;
  std::size_t wanted_ = 0;
  std::vector<double> ms_;
};

// The times of each work, and how many turns were late.
struct timing {
  std::vector<spread> works;
  int late = 0;
};

inline timing time_in_turns(const std::vector<work>& works) {
  stopwatch watch;
  std::vector<trial> trials(works.begin(), works.end());
  for (trial& t : trials) t.prepare(watch);
  timing out;
  for (bool more = true; more;) {
    more = false;
    for (trial& t : trials) {
      if (t.done()) continue;
      out.late += !t.run_turn(watch);
      more = true;
    }
  }
  for (const trial& t : trials) out.works.push_back(t.times());
  return out;
}

}  // namespace bench
