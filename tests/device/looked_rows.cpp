// Rows so long that their chunks are looked at before they are hulled.
#include <algorithm>
#include <array>
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

template <class T, bool Weighted>
constexpr std::int64_t shortest = std::int64_t{std::is_same_v<T, float> ? 16 : 8} << (Weighted ? 19 : 20);

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

// Weights of a row: of a family by the seed, some of them 0 one by one or in a run.
template <class T>
void weigh(call<T>& c, std::int64_t rows, std::int64_t n, std::uint64_t seed) {
  constexpr std::array<std::string_view, 4> families = {"uniform", "exponential", "counts", "equal"};
  c.weighted = true;
  c.w = dense_input<T>(rows, n);
  auto& w = c.w.memory;
  fill_weights(families[seed % families.size()], w.data(), rows * n, seed);
  if (seed % 3 == 1) {
    for (std::size_t i = seed; i < w.size(); i += 1 + i % 977) w[i] = 0;
  }
  if (seed % 3 == 2) {
    std::fill_n(w.begin(), 5000, T(0));
    std::fill_n(w.begin() + n / 2, 1000000, T(0));
  }
}

template <class T, bool Weighted>
call<T> bent_call(std::string_view kind, std::int64_t rows, std::int64_t n, std::uint64_t seed) {
  call<T> c;
  c.y = dense_input<T>(rows, n);
  T* const y = c.y.memory.data();
  for_each_block(rows * n, seed, [&](std::int64_t first, std::int64_t end, reference::random_source& random) {
    for (std::int64_t k = first; k < end; ++k) {
      y[k] = static_cast<T>(bent_element(kind, static_cast<double>(k % n), static_cast<double>(n), random));
    }
  });
  if (Weighted) weigh(c, rows, n, seed);
  c.fit = dense_output<T>(rows, n);
  c.increasing = kind.find("dense") != kind.npos || seed % 4 != 3;
  return c;
}

}  // namespace

#define FOR_ALL_TYPES(name)                                                                                  \
  TEMPLATE_TEST_CASE_SIG(name, "", ((class T, bool Weighted), T, Weighted), (float, false), (double, false), \
                         (float, true), (double, true))

FOR_ALL_TYPES("rows that are looked at first come back with the host's bits") {
  std::uint64_t seed = 0;
  for (const std::string_view kind : bent) {
    ++seed;
    if (small() && kind != "labels") continue;
    // Rows whose last words of chunks are full, and not.
    const std::int64_t rows = seed % 3 == 0 && !small() ? 3 : 1;
    const std::int64_t n = shortest<T, Weighted> + (seed % 2 == 0 ? 0 : 1234567);
    check_call(bent_call<T, Weighted>(kind, rows, n, seed), std::string(kind));
  }
}

FOR_ALL_TYPES("rows of every family that are looked at first come back with the host's bits") {
  if (small()) return;
  std::uint64_t seed = 0;
  for (const std::string_view values : long_families) {
    call<T> c;
    const std::int64_t n = shortest<T, Weighted> + 1000 * static_cast<std::int64_t>(++seed);
    c.y = dense_input<T>(1, n);
    fill_values(values, c.y.memory.data(), 1, n, seed);
    if (Weighted) weigh(c, 1, n, seed);
    c.output = place::over_y;
    check_call(c, std::string(values));
  }
}

FOR_ALL_TYPES("odd elements in rows that are looked at first are found") {
  if (small()) return;
  using limits = std::numeric_limits<T>;
  const auto infinity = reference::infinity<T>;
  const std::int64_t n = shortest<T, Weighted> + 4321;
  const auto usual = bent_call<T, Weighted>("line", 1, n, 4);
  const auto with = [&](const char* what, const auto& change) {
    call<T> c = usual;
    change(c);
    check_call(c, what);
  };
  const auto with_values = [&](const char* what, const auto& change) {
    with(what, [&](call<T>& c) { change(c.y.memory); });
  };
  const auto middle = static_cast<std::size_t>(n / 2 + 700);
  with_values("a NaN", [&](auto& y) { y[middle] = limits::quiet_NaN(); });
  with_values("infinite ends", [&](auto& y) {
    std::fill(y.begin(), y.begin() + 3000000, -infinity);
    std::fill(y.end() - 5000, y.end(), infinity);
  });
  with_values("-infinity in the middle", [&](auto& y) { y[middle] = -infinity; });
  with_values("infinities that meet", [&](auto& y) {
    y[middle] = -infinity;
    y[middle - 2000] = infinity;
  });
  with_values("a great value", [&](auto& y) { y[middle] = limits::max(); });
  with_values("a great value and a small one", [&](auto& y) {
    y[middle] = limits::lowest();
    y[middle / 2] = limits::denorm_min();
  });
  with_values("values of many sizes", [&](auto& y) {
    for (std::size_t i = 0; i < y.size(); i += 1000)
      y[i] = std::ldexp(y[i], static_cast<int>(i / 1000 % 90) - 45);
  });
  with_values("small values", [&](auto& y) {
    for (auto& value : y) value = std::ldexp(value, limits::min_exponent - 3);
  });
  with_values("great values", [&](auto& y) {
    for (auto& value : y) value = std::ldexp(value, limits::max_exponent - 5);
  });
  if (!Weighted) return;
  const auto with_weights = [&](const char* what, const auto& change) {
    with(what, [&](call<T>& c) { change(c.w.memory); });
  };
  with("values without weight that are not finite", [&](call<T>& c) {
    c.w.memory[middle] = 0;
    c.y.memory[middle] = infinity;
    c.w.memory[middle / 3] = -T(0);
    c.y.memory[middle / 3] = -infinity;
  });
  with_weights("a negative weight", [&](auto& w) { w[middle] = -1; });
  with_weights("an infinite weight", [&](auto& w) { w[middle] = infinity; });
  with_weights("a great weight and a small one", [&](auto& w) {
    w[middle] = T(1e20);
    w[middle / 2] = T(1e-20);
  });
  with_weights("weights of many sizes", [&](auto& w) {
    for (std::size_t i = 0; i < w.size(); i += 1000)
      w[i] = std::ldexp(w[i], static_cast<int>(i / 1000 % 90) - 45);
  });
  with_weights("one chunk of weight, and a little elsewhere", [&](auto& w) {
    for (std::size_t i = 0; i < w.size(); ++i) w[i] *= i / 1024 == 4000 ? T(1) : T(1e-6);
  });
  with_weights("weight in some chunks only", [&](auto& w) {
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = i / 1024 % 7 == 3 ? T(1) : T(0);
  });
}
