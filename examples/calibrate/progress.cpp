// A line on the terminal; see progress.hpp.
#include "progress.hpp"

#include <cstdio>
#include <utility>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include "files.hpp"

namespace app {
namespace {

bool stderr_is_terminal() {
#if __has_include(<unistd.h>)
  return isatty(STDERR_FILENO) != 0;
#else
  return false;
#endif
}

}  // namespace

progress::progress(std::string what) : what_(std::move(what)), terminal_(stderr_is_terminal()) {}

progress::~progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

bool progress::due() {
  if (!terminal_ || clock::now() < next_) return false;
  next_ = clock::now() + std::chrono::milliseconds(200);
  return true;
}

void progress::show(const std::string& text) {
  shown_ = true;
  std::fprintf(stderr, "\r\033[K%s: %s", what_.c_str(), text.c_str());
  std::fflush(stderr);
}

void progress::update(std::uint64_t rows, std::uint64_t bytes, std::uint64_t total_bytes) {
  if (!due()) return;
  std::string text = grouped(rows) + " rows, " + grouped(bytes >> 20) + " MiB";
  if (total_bytes > 0) text += " (" + std::to_string(bytes * 100 / total_bytes) + " %)";
  show(text);
}

void progress::step(std::uint64_t done, std::uint64_t steps) {
  if (due()) show(std::to_string(done) + " of " + std::to_string(steps));
}

}  // namespace app
