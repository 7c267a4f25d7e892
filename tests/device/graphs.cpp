// Calls captured into a graph, which no wait, no query and no plain allocation survives.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "difference.hpp"
#include "reference/families.hpp"

using namespace device_test;

namespace {

template <class T>
call<T> drawn(std::int64_t rows, std::int64_t n, bool weighted, bool workspace, std::size_t seed) {
  constexpr std::string_view values[] = {"noise", "increasing", "cliff", "exponents", "constant"};
  call<T> c;
  c.weighted = weighted;
  c.workspace = workspace;
  c.y = dense_input<T>(rows, n);
  c.y.memory = reference::values<T>(values[seed % 5], static_cast<std::size_t>(rows * n), seed);
  if (weighted) c.w = dense_input<T>(rows, n);
  if (weighted) c.w.memory = reference::weights<T>("zeros", static_cast<std::size_t>(rows * n), seed);
  c.fit = dense_output<T>(rows, n);
  return c;
}

template <class T>
void check_replays(std::int64_t rows, std::int64_t n, bool weighted, bool workspace) {
  call<T> c = drawn<T>(rows, n, weighted, workspace, 0);
  const own_stream s;
  resident<T> memory(c);
  iso::status called;
  graph captured(s, [&] { called = memory.enqueue(s); });
  for (std::size_t replay = 0; replay < 10; ++replay) {
    c = drawn<T>(rows, n, weighted, workspace, replay);
    memory.upload(c, s);
    captured.launch(s);
    INFO(rows << " x " << n << (weighted ? ", weighted" : "") << (workspace ? "" : ", no workspace")
              << ", replay " << replay);
    CHECK(difference(c, memory.collect(called, s), on_host(c)) == "");
  }
}

template <class T>
void check_all() {
  for (const bool workspace : {true, false}) {
    for (const bool weighted : {false, true}) {
      check_replays<T>(1000, 5, weighted, workspace);
      check_replays<T>(100, 100, weighted, workspace);
      check_replays<T>(20, 1024, weighted, workspace);
      check_replays<T>(3, 5000, weighted, workspace);
      check_replays<T>(1, small() ? 9000 : 100000, weighted, workspace);
    }
  }
}

}  // namespace

// The first in this program to use the device, so nothing has been loaded before the capture.
TEMPLATE_TEST_CASE("a captured call is replayed on new data", "", float, double) {
  check_all<TestType>();
}
