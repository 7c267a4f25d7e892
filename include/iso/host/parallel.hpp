// Work spread over threads of the standard library.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace iso::host::detail {

// The number of threads a caller's `threads` stands for: 0 is one a hardware thread.
inline int thread_count(int threads) {
  return threads > 0 ? threads : (std::max)(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Calls f(task, worker) for every task in [0, tasks), on the calling thread and up to threads - 1 others;
// worker is in [0, threads), and no two calls with the same worker overlap. Returns when all calls have. f
// must not throw. If the system has no more threads to give, fewer do the work.
template <class F>
void parallel_for(int threads, std::int64_t tasks, F&& f) {
  std::atomic<std::int64_t> next{0};
  auto work = [&](int worker) {
    for (std::int64_t task; (task = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) f(task, worker);
  };
  const int helpers = static_cast<int>((std::min)(static_cast<std::int64_t>(threads), tasks)) - 1;
  std::vector<std::thread> pool;
  if (helpers > 0) {
    try {
      pool.reserve(static_cast<std::size_t>(helpers));
      for (int worker = 1; worker <= helpers; ++worker) pool.emplace_back(work, worker);
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
  }
  work(0);
  for (std::thread& thread : pool) thread.join();
}

}  // namespace iso::host::detail
