// Elements without weight: at the ends of rows, over the ends of words and chunks, and everywhere.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "difference.hpp"
#include "reference/families.hpp"

using namespace device_test;

namespace {

// Ends of runs: at powers of two and beside them, as far as the row reaches.
std::vector<std::int64_t> ends(std::int64_t n) {
  std::vector<std::int64_t> out = {0};
  for (std::int64_t power = 1; power <= n; power *= 2) {
    if (power > 16 && power < 512 && power != 32 && power != 128) continue;
    for (const std::int64_t at : {power - 1, power, power + 1}) {
      if (at > out.back() && at < n) out.push_back(at);
    }
  }
  if (n > 3 * 1024) out.push_back(3 * 1024);
  for (const std::int64_t at : {n - 1, n}) {
    if (at > out.back()) out.push_back(at);
  }
  return out;
}

// One row for each run [a, b) of zero weights, and with `outside`, for each run that alone has weights.
template <class T>
call<T> rows_with_runs(std::string_view values, std::int64_t n, bool outside) {
  const std::vector<std::int64_t> at = ends(n);
  const auto count = static_cast<std::int64_t>(at.size());
  const std::int64_t rows = count * (count - 1) / 2;
  call<T> c;
  c.weighted = true;
  c.y = dense_input<T>(rows, n);
  c.w = dense_input<T>(rows, n);
  c.fit = dense_output<T>(rows, n);
  std::int64_t r = 0;
  for (std::size_t a = 0; a < at.size(); ++a) {
    for (std::size_t b = a + 1; b < at.size(); ++b, ++r) {
      const auto seed = static_cast<std::uint64_t>(r);
      c.y.assign(r, reference::values<T>(values, static_cast<std::size_t>(n), seed));
      c.w.assign(r, reference::weights<T>("uniform", static_cast<std::size_t>(n), seed));
      for (std::int64_t i = 0; i < n; ++i) {
        if ((i >= at[a] && i < at[b]) != outside) c.w.at(r, i) = r % 2 == 0 ? T(0) : -T(0);
      }
    }
  }
  return c;
}

}  // namespace

TEMPLATE_TEST_CASE("runs of zero weights take the pool on their left, wherever they begin and end", "", float,
                   double) {
  using T = TestType;
  const std::vector<std::int64_t> sizes =
      small() ? std::vector<std::int64_t>{5, 33, 1030} : std::vector<std::int64_t>{5, 33, 70, 1030, 5000};
  for (const std::int64_t n : sizes) {
    for (const char* values : {"noise", "increasing", "decreasing", "constant"}) {
      for (const bool outside : {false, true}) {
        call<T> c = rows_with_runs<T>(values, n, outside);
        check_call(c, std::string(values) + ", n = " + std::to_string(n) + (outside ? ", outside" : ""));
        c.increasing = false;
        check_call(c, std::string(values) + ", decreasing, n = " + std::to_string(n));
      }
    }
  }
}

TEMPLATE_TEST_CASE("long rows with long runs of zero weights come back with the host's bits", "", float,
                   double) {
  using T = TestType;
  const std::int64_t n = small() ? 9000 : 400000;
  for (const char* values : {"noise", "increasing"}) {
    for (const char* weights :
         {"leading zeros", "trailing zeros", "zero runs", "zero chunks", "one weight"}) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        auto p = reference::row(reference::values<T>(values, static_cast<std::size_t>(n), seed),
                                reference::weights<T>(weights, static_cast<std::size_t>(n), seed));
        p.increasing = seed % 2 == 0;
        check_call(single(p), std::string(values) + " / " + weights + ", seed " + std::to_string(seed));
      }
    }
  }
}

TEMPLATE_TEST_CASE("a long row without any weight is NaN and says so", "", float, double) {
  using T = TestType;
  const std::size_t n = small() ? 5000 : 300000;
  check_call(single(reference::row(std::vector<T>(n, T(1)), std::vector<T>(n, T(0)))), "no weight");
}
