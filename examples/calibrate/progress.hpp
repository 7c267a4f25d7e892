// A line on the terminal that says how far the program is.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace app {

// Shows nothing unless standard error is a terminal and the work has taken a second; wiped when destroyed.
class progress {
 public:
  explicit progress(std::string what);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  // While reading: rows and bytes so far, and bytes in all (0 if unknown).
  void update(std::uint64_t rows, std::uint64_t bytes, std::uint64_t total_bytes);
  // While computing: `done` steps of `steps`.
  void step(std::uint64_t done, std::uint64_t steps);

 private:
  bool due();
  void show(const std::string& text);

  using clock = std::chrono::steady_clock;
  std::string what_;
  clock::time_point next_ = clock::now() + std::chrono::seconds(1);
  bool terminal_;
  bool shown_ = false;
};

}  // namespace app
