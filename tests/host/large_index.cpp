// Many rows and 64-bit sizes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "check.hpp"
#include "forms.hpp"

static_assert(std::is_same_v<decltype(iso::shape::rows), std::int64_t>);
static_assert(std::is_same_v<decltype(iso::shape::length), std::int64_t>);
static_assert(std::is_same_v<decltype(iso::batch<float>::rows), std::int64_t>);
static_assert(std::is_same_v<decltype(iso::batch<float>::length), std::int64_t>);
static_assert(std::is_same_v<decltype(iso::batch<float>::row_stride), std::int64_t>);
static_assert(std::is_same_v<decltype(iso::batch<float>::stride), std::int64_t>);
static_assert(iso::pool_words(std::int64_t{1} << 40) == std::int64_t{1} << 35);
static_assert(iso::pool_words(std::int64_t{1} << 40, std::int64_t{3} << 40, 5) ==
              (std::int64_t{1} << 36) + 5);

TEMPLATE_TEST_CASE("a column as rows of one element is the identity", "", float, double) {
  using T = TestType;
  const std::int64_t rows = 100000;
  std::vector<T> y(static_cast<std::size_t>(rows)), fit(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<T>(i * 7919 % 1000) - 500;
  CHECK(
      iso::host::solve<T, false>(iso::batch<const T>(y.data(), rows, 1), iso::batch<T>(fit.data(), rows, 1)));
  CHECK(host_test::same(fit, y));
}

TEST_CASE("five million rows of three elements come back, each its own") {
  const std::int64_t rows = 5000000;
  std::vector<float> y(static_cast<std::size_t>(rows) * 3), fit(y.size(), -1);
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    const auto m = static_cast<float>(r % 7);
    y[3 * r] = m + 2;
    y[3 * r + 1] = m + 1;
    y[3 * r + 2] = m + 9;
  }
  CHECK(iso::host::solve<float, false>(iso::batch<const float>(y.data(), rows, 3),
                                       iso::batch<float>(fit.data(), rows, 3)));
  std::int64_t wrong = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    const auto m = static_cast<float>(r % 7);
    wrong += fit[3 * r] != m + 1.5f || fit[3 * r + 1] != m + 1.5f || fit[3 * r + 2] != m + 9;
  }
  CHECK(wrong == 0);
}

TEST_CASE("every one of ten million broadcast rows is written") {
  const std::int64_t rows = 10000000;
  const float y[] = {1, 0};
  std::vector<float> fit(static_cast<std::size_t>(rows) * 2, host_test::not_a_number<float>);
  CHECK(iso::host::solve<float, false>(iso::batch<const float>(y, rows, 2, 0),
                                       iso::batch<float>(fit.data(), rows, 2)));
  CHECK(std::ranges::count(fit, 0.5f) == 2 * rows);
}

// Takes minutes; run by name. Each factor fits 32 bits, their product does not (PyTorch issue 167086).
TEST_CASE("rows times length may exceed 2^32", "[.huge]") {
  const std::int64_t rows = 309504, length = 16384;
  const auto value = [](std::int64_t at) {
    const auto level = static_cast<float>(at / length % 5);
    return at % length == length - 1 ? level - 1 : level;
  };
  const host_test::generated values(value);
  std::vector<std::int64_t> right(static_cast<std::size_t>(rows));  // a row is one thread's work
  const auto count = [&](std::int64_t at, float v) {
    const auto owed = static_cast<float>(static_cast<double>(at / length % 5) - 0x1p-14);
    right[static_cast<std::size_t>(at / length)] += v == owed;
  };
  CHECK(iso::host::solve<float, false>(values, host_test::sink(count), iso::shape{rows, length}));
  CHECK(std::ranges::count(right, length) == rows);
}

// Takes 9 GiB; run by name.
TEST_CASE("one row may have more than 2^31 elements", "[.huge]") {
  const std::int64_t n = (std::int64_t{1} << 31) + 2;
  const auto value = [](std::int64_t at) { return at == n - 2 ? 3.0f : at == n - 1 ? 1.0f : 0.0f; };
  const host_test::generated values(value);
  std::vector<float> fit(static_cast<std::size_t>(n), -1);
  CHECK(iso::host::solve<float, false>(values, fit.data(), iso::shape{1, n}));
  CHECK(std::ranges::count(fit, 0.0f) == n - 2);
  CHECK((fit[static_cast<std::size_t>(n - 2)] == 2 && fit[static_cast<std::size_t>(n - 1)] == 2));
}
