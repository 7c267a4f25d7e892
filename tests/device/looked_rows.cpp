// Rows so long that their chunks are looked at before they are hulled.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "data.hpp"
#include "difference.hpp"

using namespace device_test;

namespace {

template <class T>
constexpr std::int64_t shortest = std::int64_t{std::is_same_v<T, float> ? 16 : 8} << 20;

// Noise, or labels, about curves that bend.
const std::vector<std::string_view> bent = {"flat",        "line",        "cube",        "labels",
                                            "rare labels", "flat, dense", "dense, flat", "many zeros"};

double bent_element(std::string_view kind, double x, double n, reference::random_source& random) {
  const double part = x / n;
  if (kind == "flat") return random.normal();
  if (kind == "line") return 3 * part + random.normal();
  if (kind == "cube") return 50 * part * part * part + random.normal();
  if (kind == "labels") return random.chance(part);
  if (kind == "rare labels") return random.chance(0.1 * part * part * part);
  if (kind == "many zeros") return part < 0.5 || random.chance(0.5) ? 0 : random.normal();
  const bool first = part < 0.4;
  return first == (kind == "dense, flat") ? x : random.normal();
}

template <class T>
call<T> bent_call(std::string_view kind, std::int64_t rows, std::int64_t n, std::uint64_t seed) {
  call<T> c;
  c.y = dense_input<T>(rows, n);
  T* const y = c.y.memory.data();
  for_each_block(rows * n, seed, [&](std::int64_t first, std::int64_t end, reference::random_source& random) {
    for (std::int64_t k = first; k < end; ++k) {
      y[k] = static_cast<T>(bent_element(kind, static_cast<double>(k % n), static_cast<double>(n), random));
    }
  });
  c.fit = dense_output<T>(rows, n);
  c.increasing = kind.find("dense") != kind.npos || seed % 4 != 3;
  return c;
}

}  // namespace

TEMPLATE_TEST_CASE("rows that are looked at first come back with the host's bits", "", float, double) {
  std::uint64_t seed = 0;
  for (const std::string_view kind : bent) {
    ++seed;
    if (small() && kind != "labels") continue;
    // Rows whose last words of chunks are full, and not.
    const std::int64_t rows = seed % 3 == 0 && !small() ? 3 : 1;
    const std::int64_t n = shortest<TestType> + (seed % 2 == 0 ? 0 : 1234567);
    check_call(bent_call<TestType>(kind, rows, n, seed), std::string(kind));
  }
}

TEMPLATE_TEST_CASE("rows of every family that are looked at first come back with the host's bits", "", float,
                   double) {
  if (small()) return;
  std::uint64_t seed = 0;
  for (const std::string_view values : long_families) {
    call<TestType> c;
    const std::int64_t n = shortest<TestType> + 1000 * static_cast<std::int64_t>(++seed);
    c.y = dense_input<TestType>(1, n);
    fill_values(values, c.y.memory.data(), 1, n, seed);
    c.output = place::over_y;
    check_call(c, std::string(values));
  }
}

TEMPLATE_TEST_CASE("odd values in rows that are looked at first are found", "", float, double) {
  if (small()) return;
  const auto infinity = reference::infinity<TestType>;
  const std::int64_t n = shortest<TestType> + 4321;
  const auto usual = bent_call<TestType>("line", 1, n, 5);
  const auto with = [&](const char* what, const auto& change) {
    call<TestType> c = usual;
    change(c.y.memory);
    check_call(c, what);
  };
  const auto middle = static_cast<std::size_t>(n / 2 + 700);
  with("a NaN", [&](auto& y) { y[middle] = std::numeric_limits<TestType>::quiet_NaN(); });
  with("infinite ends", [&](auto& y) {
    std::fill(y.begin(), y.begin() + 3000000, -infinity);
    std::fill(y.end() - 5000, y.end(), infinity);
  });
  with("-infinity in the middle", [&](auto& y) { y[middle] = -infinity; });
  with("infinities that meet", [&](auto& y) {
    y[middle] = -infinity;
    y[middle - 2000] = infinity;
  });
  with("a great value", [&](auto& y) { y[middle] = std::numeric_limits<TestType>::max(); });
  with("a great value and a small one", [&](auto& y) {
    y[middle] = std::numeric_limits<TestType>::lowest();
    y[middle / 2] = std::numeric_limits<TestType>::denorm_min();
  });
  with("values of many sizes", [&](auto& y) {
    for (std::size_t i = 0; i < y.size(); i += 1000)
      y[i] = std::ldexp(y[i], static_cast<int>(i / 1000 % 90) - 45);
  });
  with("small values", [&](auto& y) {
    for (auto& value : y) value = std::ldexp(value, std::numeric_limits<TestType>::min_exponent - 3);
  });
  with("great values", [&](auto& y) {
    for (auto& value : y) value = std::ldexp(value, std::numeric_limits<TestType>::max_exponent - 5);
  });
}
