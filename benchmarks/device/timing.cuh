// Time that work takes on the device.
//
// Events are recorded around each call, on a stream that a kernel holds until a turn of calls is enqueued:
// then the device finds all of it waiting, and what the host needs for enqueuing is not timed. Works that are
// to be compared take turns of a few calls each, so that they meet the same clocks. The number of calls
// follows from how long one takes: by default about 0.3 s, at least 10 calls, at most 200.
//
// Work that spoils its input has it restored before each call, outside of what is timed.
//
// The gate is a kernel that waits for a flag in the host's memory. It gives up after some 50 ms, lest work
// that waits for the device itself while it is enqueued should wait for ever; the turn is counted as `late`,
// since its times may include enqueuing.
#pragma once

#include <algorithm>
#include <concepts>
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

  // Appends the milliseconds of `calls` calls of enqueue(stream), before each of which restore(stream) is
  // called; whether the gate opened in time.
  template <class Restore, class Enqueue>
  bool turn(int calls, const Restore& restore, const Enqueue& enqueue, std::vector<double>& ms) {
    gate_.close(stream_);
    for (int k = 0; k < calls; ++k) {
      restore(stream_);
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

// Enqueues the work of a call on a stream, and what has to come before it and is not timed, if anything.
// Calls are counted, so that they can go to other data each time.
struct work {
  using function = std::function<void(std::int64_t call, cudaStream_t stream)>;

  function enqueue, restore;

  template <std::invocable<std::int64_t, cudaStream_t> Enqueue>
  work(Enqueue call, function before = {}) : enqueue(std::move(call)), restore(std::move(before)) {}
};

// How much is timed of each work: about so many milliseconds, and the bounds of the number of calls, in all
// and in a turn.
struct effort {
  double milliseconds = 300, least_calls = 10, most_calls = 200;
  int first_turn = 3, longest_turn = stopwatch::longest_turn;
};

// A work and its times so far.
class trial {
 public:
  trial(work what, const effort& limits)
      : work_(std::move(what)), limits_(limits), turn_(limits.first_turn) {}

  // The first turn warms up and may be late, for code is loaded when it is first called. The second one says
  // how long a call takes, and with that how long turns are to be and how many calls there are.
  void prepare(stopwatch& watch) {
    run_turn(watch);
    ms_.clear();
    run_turn(watch);
    const double expected = spread_of(ms_).median;
    ms_.clear();
    turn_ = static_cast<int>(std::clamp(20 / expected, 1.0, double(limits_.longest_turn)));
    wanted_ = static_cast<std::size_t>(
        std::clamp(limits_.milliseconds / expected, limits_.least_calls, limits_.most_calls));
  }

  // Whether the turn's gate opened in time.
  bool run_turn(stopwatch& watch) {
    const auto before = [this](cudaStream_t stream) {
      if (work_.restore) work_.restore(called_, stream);
    };
    const auto next = [this](cudaStream_t stream) { work_.enqueue(called_++, stream); };
    return watch.turn(turn_, before, next, ms_);
  }

  bool done() const { return ms_.size() >= wanted_; }
  spread times() const { return spread_of(ms_); }

 private:
  work work_;
  effort limits_;
  std::int64_t called_ = 0;
  int turn_;
  std::size_t wanted_ = 0;
  std::vector<double> ms_;
};

// The times of each work, and how many turns were late.
struct timing {
  std::vector<spread> works;
  int late = 0;
};

inline timing time_in_turns(const std::vector<work>& works, const effort& limits = {}) {
  stopwatch watch;
  std::vector<trial> trials;
  for (const work& w : works) trials.emplace_back(w, limits);
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
