// Every family of values under every family of weights, at the sizes around words and chunks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data.hpp"
#include "difference.hpp"
#include "host/rows.hpp"

using namespace device_test;

namespace {

const std::vector<std::int64_t> sizes = {1,   2,    3,    7,    8,    15,   16,   17,   31,   32,  33,
                                         63,  64,   65,   127,  128,  129,  255,  257,  511,  512, 513,
                                         767, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097};
const std::vector<std::int64_t> few_sizes = {1, 2, 16, 31, 33, 65, 1023, 1025, 2049};

// What rows are drawn from: row r from family r of each list, again from the start where a list ends.
struct families {
  std::vector<std::string_view> values, weights;  // no weights: unweighted
};

std::string label(const families& f, std::int64_t rows, std::int64_t n, std::uint64_t seed) {
  return (f.values.size() > 1 ? "all values" : std::string(f.values[0])) + " / " +
         (f.weights.empty()      ? "no weights"
          : f.weights.size() > 1 ? "all weights"
                                 : std::string(f.weights[0])) +
         ", " + std::to_string(rows) + " x " + std::to_string(n) + ", seed " + std::to_string(seed);
}

// Direction and bounds go by the seed's last two bits, alignment of the input by the two before.
template <class T>
call<T> seeded_call(const families& f, std::int64_t rows, std::int64_t n, std::uint64_t seed) {
  call<T> c;
  c.weighted = !f.weights.empty();
  c.y = dense_input<T>(rows, n, seed / 4 % 4);
  if (c.weighted) c.w = dense_input<T>(rows, n, seed / 16 % 4);
  c.fit = dense_output<T>(rows, n);
  const auto of = [](const std::vector<std::string_view>& list, std::size_t r) {
    return list[r % list.size()];
  };
  const auto draw = [&](std::int64_t r, int) {
    const auto k = static_cast<std::size_t>(r);
    const auto length = static_cast<std::size_t>(n);
    c.y.assign(r, reference::values<T>(of(f.values, k), length, seed + k));
    if (c.weighted) c.w.assign(r, reference::weights<T>(of(f.weights, k), length, seed + k));
  };
  const int threads = rows * n > 100000 ? iso::host::detail::thread_count(0) : 1;
  iso::host::detail::parallel_for(threads, rows, draw);
  c.increasing = seed % 2 == 0;
  if (seed / 2 % 2 == 0) return c;
  reference::random_source random(seed);
  const auto any = [&] {
    return c.y.at(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(rows))),
                  static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n))));
  };
  const T a = any(), b = random.chance(0.2) ? T(0) : any();
  if (random.chance(0.8)) c.y_min = (std::min)(a, b);
  if (random.chance(0.8)) c.y_max = (std::max)(a, b);
  return c;
}

template <class T>
void check(const families& f, std::int64_t rows, std::int64_t n, std::uint64_t seed) {
  check_call(seeded_call<T>(f, rows, n, seed), label(f, rows, n, seed));
}

const std::vector<std::string_view> all_values(reference::value_families.begin(),
                                               reference::value_families.end());

// All values, each alone, and together in a batch in which neighbouring rows have little in common.
template <class T>
void check_weights(const std::vector<std::string_view>& weights, std::uint64_t seed) {
  // Numbers of many words take the host long.
  const bool wide =
      sizeof(T) == 8 && !weights.empty() && (weights[0].starts_with("decades") || weights[0] == "exponents");
  for (const std::int64_t n : small() ? few_sizes : sizes) {
    for (const std::string_view values : all_values) {
      ++seed;
      if (!small() && !(wide && n > 70 && seed % 3 != 0)) check<T>({{values}, weights}, 1, n, seed);
      if (!(wide && n > 70 && seed % 3 != 1)) check<T>({{values}, weights}, 3, n, seed + 5000);
    }
    for (int options = 0; options < (small() ? 1 : 4); ++options) {
      check<T>({all_values, weights}, small() ? 24 : 65, n, ++seed);
    }
  }
  if (!small()) check<T>({all_values, weights}, 24, 100000, ++seed);
}

}  // namespace

TEMPLATE_TEST_CASE("every family of values comes back with the host's bits", "", float, double) {
  check_weights<TestType>({}, 0);
}

TEMPLATE_TEST_CASE("every family of values under every family of weights comes back with the host's bits", "",
                   float, double) {
  std::uint64_t seed = 0;
  for (const std::string_view weights : reference::weight_families) {
    seed += 10007;
    if (small() && weights != "zeros" && weights != "exponents" && weights != "uniform") continue;
    check_weights<TestType>({weights}, seed);
  }
}

TEMPLATE_TEST_CASE("rows of different weights stand side by side", "", float, double) {
  const std::vector<std::string_view> all(reference::weight_families.begin(),
                                          reference::weight_families.end());
  std::uint64_t seed = 7;
  for (const std::int64_t n : small() ? few_sizes : sizes) {
    for (int options = 0; options < 4; ++options)
      check<TestType>({all_values, all}, small() ? 24 : 120, n, ++seed);
  }
}
