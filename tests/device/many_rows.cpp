// Batches of very many rows: more than a grid's second dimension counts, and millions.
#include <cstdint>
#include <string>
#include <string_view>

#include "data.hpp"
#include "difference.hpp"

using namespace device_test;

namespace {

template <class T>
void check(std::string_view values, std::string_view weights, std::int64_t rows, std::int64_t n) {
  call<T> c;
  c.y = dense_input<T>(rows, n);
  fill_values(values, c.y.memory.data(), rows, n, 1);
  c.weighted = !weights.empty();
  if (c.weighted) c.w = dense_input<T>(rows, n);
  if (c.weighted) fill_weights(weights, c.w.memory.data(), rows * n, 1);
  c.fit = dense_output<T>(rows, n);
  check_call(c, std::string(values) + " / " + std::string(weights) + ", " + std::to_string(rows) + " x " +
                    std::to_string(n));
}

template <class T>
void check_rows(std::int64_t rows, std::int64_t n) {
  if (small()) rows = rows / 10000 + 1;
  check<T>("ramp", "", rows, n);
  check<T>("sawtooth", "", rows, n);
  check<T>("ramp", "uniform", rows, n);
}

}  // namespace

TEMPLATE_TEST_CASE("seventy thousand rows come back with the host's bits", "", float, double) {
  check_rows<TestType>(70000, 100);
}

TEST_CASE("seventy thousand rows of a thousand elements come back with the host's bits") {
  check_rows<float>(70000, 1000);
}

// As pieces of 16 bytes, and otherwise, to an address for pieces and to one that is none.
TEMPLATE_TEST_CASE("short rows of every length come back with the host's bits, wherever they begin", "",
                   float, double) {
  for (std::int64_t n = 1; n <= 260; n += n < 36 || (n > 120 && n < 131) ? 1 : 7) {
    // Of long rows 12800 are not few.
    for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{31}, std::int64_t{n < 64 ? 3232 : 12800}}) {
      for (const std::size_t before : {0, 1, 4}) {
        call<TestType> c;
        c.y = dense_input<TestType>(rows, n, before);
        fill_values("noise", c.y.memory.data() + before, rows, n, n);
        c.fit = image<TestType>(rows, n, n, 1, before == 1 ? 0 : 5 * before, margin());
        c.increasing = n % 2 == 0;
        const std::string what =
            std::to_string(rows) + " x " + std::to_string(n) + ", from " + std::to_string(before);
        check_call(c, what);
        c.output = place::over_y;
        check_call(c, what + ", in place");
      }
    }
  }
}

TEMPLATE_TEST_CASE("many rows of 100 to 256 elements come back with the host's bits", "", float, double) {
  for (const std::int64_t n : {100, 129, 200, 224, 256}) {
    const std::int64_t rows = small() ? 3 : 20000;
    for (const std::string_view values : {"noise", "cliff", "cancellation"}) {
      check<TestType>(values, "", rows, n);
      check<TestType>(values, "uniform", rows, n);
    }
  }
}

TEMPLATE_TEST_CASE("millions of short rows come back with the host's bits", "", float, double) {
  check_rows<TestType>(5000000, 5);
  check_rows<TestType>(5000000, 16);
}

TEMPLATE_TEST_CASE("seventy thousand rows of two chunks or more come back with the host's bits", "", float,
                   double) {
  check<TestType>("ramp", "", small() ? 7 : 70000, 2049);
}

TEMPLATE_TEST_CASE("some rows of many chunks come back with the host's bits", "", float, double) {
  check_rows<TestType>(small() ? 3 : 300, small() ? 5000 : 100000);
}
