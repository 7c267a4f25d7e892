// Rows that cannot be fitted, and infinite values, among rows that must not notice.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "difference.hpp"
#include "host/exactness.hpp"
#include "reference/families.hpp"

using namespace device_test;
using host_test::infinity;
using host_test::not_a_number;

namespace {

const std::vector<std::int64_t> sizes = {1, 2, 5, 16, 31, 32, 33, 64, 100, 1000, 1024, 1025, 3000, 20000};
const std::vector<std::int64_t> few_sizes = {1, 5, 33, 1025, 3000};

// Places where a fault may hide: the ends of the row and of its words and chunks.
std::vector<std::int64_t> places(std::int64_t n) {
  std::vector<std::int64_t> out;
  for (const std::int64_t at : {std::int64_t{0}, std::int64_t{31}, std::int64_t{32}, std::int64_t{1023},
                                std::int64_t{1024}, n / 2, n - 2, n - 1}) {
    if (at >= 0 && at < n) out.push_back(at);
  }
  return out;
}

// Noise and uniform weights.
template <class T>
call<T> sound_rows(std::int64_t rows, std::int64_t n, bool weighted) {
  call<T> c;
  c.weighted = weighted;
  c.y = dense_input<T>(rows, n);
  if (weighted) c.w = dense_input<T>(rows, n);
  c.fit = dense_output<T>(rows, n);
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto seed = static_cast<std::uint64_t>(r);
    c.y.assign(r, reference::values<T>("noise", static_cast<std::size_t>(n), seed));
    if (weighted) c.w.assign(r, reference::weights<T>("uniform", static_cast<std::size_t>(n), seed));
  }
  return c;
}

constexpr int faults = 10;

// Puts a fault of one kind at element i of row r.
template <class T>
void spoil(call<T>& c, std::int64_t r, std::int64_t i, int kind) {
  const T inf = infinity<T>, nan = not_a_number<T>;
  const std::int64_t last = c.y.length - 1;
  const std::array<T, 4> bad_weights = {T(-1), nan, inf, -std::numeric_limits<T>::denorm_min()};
  if (kind == 0) c.y.at(r, i) = nan;
  if (kind == 1) c.y.at(r, i) = -nan;
  if (kind == 2) c.y.at(r, i) = inf;
  if (kind == 3) c.y.at(r, i) = -inf;
  if (kind == 4) c.y.at(r, 0) = inf, c.y.at(r, last) = -inf;
  if (kind == 5) c.y.at(r, i) = inf, c.y.at(r, last - i) = -inf;
  if (!c.weighted) return;
  if (kind >= 6) c.w.at(r, i) = bad_weights[static_cast<std::size_t>(kind - 6)];
  if (kind == 6) c.y.at(r, last) = nan;  // the weight is reported
}

// Every second row is sound.
template <class T>
call<T> spoilt_rows(std::int64_t n, bool weighted) {
  const std::vector<std::int64_t> at = places(n);
  const auto cases = static_cast<std::int64_t>(at.size()) * faults;
  call<T> c = sound_rows<T>(2 * cases + 1, n, weighted);
  for (std::int64_t k = 0; k < cases; ++k) {
    spoil(c, 2 * k + 1, at[static_cast<std::size_t>(k / faults)], static_cast<int>(k % faults));
  }
  return c;
}

std::string label(std::int64_t n, bool weighted) {
  return std::string(weighted ? "weighted" : "unweighted") + ", n = " + std::to_string(n);
}

}  // namespace

TEMPLATE_TEST_CASE("a row that cannot be fitted says why and leaves its neighbours unharmed", "", float,
                   double) {
  using T = TestType;
  for (const std::int64_t n : small() ? few_sizes : sizes) {
    for (const bool weighted : {false, true}) {
      call<T> c = spoilt_rows<T>(n, weighted);
      for (const bool increasing : {true, false}) {
        c.increasing = increasing;
        check_call(c, label(n, weighted));
      }
      c.y_min = T(-0.5);
      c.y_max = T(0.25);
      check_call(c, label(n, weighted) + ", with bounds");
    }
  }
}

TEMPLATE_TEST_CASE("a long row that cannot be fitted says why", "", float, double) {
  using T = TestType;
  const std::int64_t n = small() ? 5000 : 300000;
  for (const bool weighted : {false, true}) {
    for (int kind = 0; kind < faults; ++kind) {
      for (const std::int64_t at : {std::int64_t{0}, n / 3, n - 1}) {
        call<T> c = sound_rows<T>(1, n, weighted);
        spoil(c, 0, at, kind);
        check_call(c, label(n, weighted) + ", fault " + std::to_string(kind) + " at " + std::to_string(at));
      }
    }
  }
}

// Rows that are padded keep their fit, and infinite values pool with what they meet.
TEMPLATE_TEST_CASE("infinite values are extended reals", "", float, double) {
  using T = TestType;
  for (const std::int64_t n : small() ? few_sizes : sizes) {
    const std::int64_t rows = n > 3000 ? 12 : 60;
    for (const bool weighted : {false, true}) {
      call<T> c = sound_rows<T>(rows, n, weighted);
      for (std::int64_t r = 0; r < rows; ++r) {
        const auto p = host_test::row_with_infinities<T>(weighted ? "zeros" : "", static_cast<std::size_t>(n),
                                                         static_cast<std::uint64_t>(r));
        c.y.assign(r, p.y);
        if (weighted) c.w.assign(r, p.w);
      }
      for (const bool increasing : {true, false}) {
        c.increasing = increasing;
        check_call(c, label(n, weighted) + ", infinities");
      }
    }
  }
}

TEMPLATE_TEST_CASE("rows padded with infinity keep their fit", "", float, double) {
  using T = TestType;
  for (const std::int64_t n : small() ? few_sizes : sizes) {
    call<T> c = sound_rows<T>(9, n, false);
    for (std::int64_t r = 0; r < 9; ++r) {
      for (std::int64_t i = n * r / 8; i < n; ++i) c.y.at(r, i) = infinity<T>;
      for (std::int64_t i = 0; i < n * (r % 3) / 4; ++i) c.y.at(r, i) = -infinity<T>;
    }
    check_call(c, label(n, false) + ", padded");
  }
}

// All of them occur above; here each is told apart by name.
TEMPLATE_TEST_CASE("every status is reported on the device", "", float, double) {
  using T = TestType;
  using iso::row_status;
  for (const std::int64_t n : {std::int64_t{4}, std::int64_t{40}, std::int64_t{2500}}) {
    call<T> c = sound_rows<T>(5, n, true);
    spoil(c, 1, n / 2, 7);
    spoil(c, 2, n / 2, 0);
    for (std::int64_t i = 0; i < n; ++i) c.w.at(3, i) = 0;
    spoil(c, 4, 0, 4);
    const outcome<T> got = on_device(c);
    const auto first = got.status.begin() + static_cast<std::ptrdiff_t>(margin());
    CHECK(std::vector<row_status>(first, first + 5) ==
          std::vector<row_status>{row_status::ok, row_status::bad_weight, row_status::nan,
                                  row_status::no_weight, row_status::indeterminate});
  }
}
