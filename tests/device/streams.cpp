// Streams: the same bits every time, whatever else the device does, and nothing that waits.
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "difference.hpp"
#include "reference/families.hpp"

using namespace device_test;

namespace {

template <class T>
call<T> noise(std::int64_t rows, std::int64_t n, bool weighted, std::uint64_t seed) {
  call<T> c;
  c.weighted = weighted;
  c.y = dense_input<T>(rows, n);
  c.y.memory = reference::values<T>("noise", static_cast<std::size_t>(rows * n), seed);
  if (weighted) c.w = dense_input<T>(rows, n);
  if (weighted) c.w.memory = reference::weights<T>("uniform", static_cast<std::size_t>(rows * n), seed);
  c.fit = dense_output<T>(rows, n);
  return c;
}

}  // namespace

TEMPLATE_TEST_CASE("a hundred runs beside a busy stream give the same bits", "", float, double) {
  using T = TestType;
  const std::int64_t n = small() ? 5000 : 250000;
  for (const bool weighted : {false, true}) {
    const call<T> c = noise<T>(1, n, weighted, 1), other = noise<T>(50, n / 10, !weighted, 2);
    const outcome<T> owed = on_host(c), other_owed = on_host(other);
    const own_stream mine, busy;
    resident<T> memory(c), other_memory(other);
    for (int repeat = 0; repeat < (small() ? 3 : 100); ++repeat) {
      iso::status other_called;
      for (int k = 0; k < 3; ++k) other_called = other_memory.enqueue(busy);
      memory.upload(c, mine);
      REQUIRE(difference(c, memory.collect(memory.enqueue(mine), mine), owed) == "");
      REQUIRE(difference(other, other_memory.collect(other_called, busy), other_owed) == "");
    }
  }
}

TEST_CASE("the default stream and the stream of a thread are streams like others") {
  for (const std::int64_t n : {std::int64_t{10}, std::int64_t{700}, std::int64_t{70000}}) {
    for (const bool given : {true, false}) {
      call<float> c = noise<float>(3, n, true, 5);
      c.workspace = given;
      check_call(c, "the stream of a thread, n = " + std::to_string(n), per_thread_stream());
      check_call(c, "the default stream, n = " + std::to_string(n), nullptr);
    }
  }
}

TEST_CASE("several threads solve at a time, each on its stream") {
  constexpr std::size_t threads = 4;
  std::vector<std::string> found(threads);
  std::vector<std::thread> running;
  for (std::size_t k = 0; k < threads; ++k) {
    running.emplace_back([k, &found] {
      for (std::uint64_t repeat = 0; repeat < 10 && found[k].empty(); ++repeat) {
        call<double> c = noise<double>(2, small() ? 3000 : 30000, repeat % 2 == 0, 10 * k + repeat);
        c.workspace = repeat % 3 == 0;
        found[k] = difference(c, on_device(c, per_thread_stream()), on_host(c, 1));
      }
    });
  }
  for (std::thread& t : running) t.join();
  CHECK(found == std::vector<std::string>(threads));
}

// Each call reads what the one before wrote, and nobody waits in between.
TEMPLATE_TEST_CASE("calls on one stream follow each other", "", float, double) {
  using T = TestType;
  for (const std::int64_t n : {std::int64_t{20}, std::int64_t{2000}, std::int64_t{50000}}) {
    call<T> up = noise<T>(2, n, false, 3);
    up.output = place::over_y;
    call<T> down = up;
    down.increasing = false;
    const own_stream s;
    const array<T> memory(up.y.memory);
    const iso::batch<T> rows = up.y.view(memory.data());
    iso::options<T> opt;
    CHECK(solver<T, false>::rows(s, rows, {}, rows, opt));
    opt.increasing = false;
    CHECK(solver<T, false>::rows(s, rows, {}, rows, opt));
    down.y.memory = on_host(up).memory;
    CHECK(host_test::same(memory.download(s), on_host(down).memory));
  }
}
