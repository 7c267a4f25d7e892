// Batches: any strides, in place, and rows that do not harm each other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "check.hpp"
#include "rows.hpp"

using host_test::difference;
using host_test::infinity;
using host_test::not_a_number;
using host_test::outcome;
using host_test::problem;
using iso::row_status;

namespace {

constexpr double sentinel = -4242;

// `rows` rows of `length` elements laid out with these strides from element `origin` on, in a buffer of
// `sentinel`s.
template <class T>
struct layout {
  std::int64_t rows, length, row_stride, stride, origin;
  std::vector<T> buffer;

  layout(std::int64_t row_count, std::int64_t row_length, std::int64_t between_rows, std::int64_t step)
      : rows(row_count), length(row_length), row_stride(between_rows), stride(step), origin(0) {
    std::int64_t low = 0, high = 0;
    for (const std::int64_t reach : {(rows - 1) * row_stride, (length - 1) * stride})
      (reach < 0 ? low : high) += reach;
    origin = 3 - low;
    buffer.assign(static_cast<std::size_t>(origin + high + 4), T(sentinel));
  }

  T& at(std::int64_t r, std::int64_t i) {
    return buffer[static_cast<std::size_t>(origin + r * row_stride + i * stride)];
  }
  iso::batch<T> view() { return {buffer.data() + origin, rows, length, row_stride, stride}; }
  iso::batch<const T> input() { return view(); }

  std::vector<T> row(std::int64_t r) {
    std::vector<T> out;
    for (std::int64_t i = 0; i < length; ++i) out.push_back(at(r, i));
    return out;
  }
  void fill(const char* values, bool weights) {
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto n = static_cast<std::size_t>(length);
      const auto seed = static_cast<std::uint64_t>(r);
      const std::vector<T> v =
          weights ? reference::weights<T>(values, n, seed) : reference::values<T>(values, n, seed);
      for (std::int64_t i = 0; i < length; ++i) at(r, i) = v[static_cast<std::size_t>(i)];
    }
  }
  // Elements that belong to no row and are not as they were.
  std::ptrdiff_t touched_padding() {
    std::vector<T> rest = buffer;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t i = 0; i < length; ++i) {
        rest[static_cast<std::size_t>(origin + r * row_stride + i * stride)] = T(sentinel);
      }
    }
    return std::ranges::count_if(rest, [](T v) { return v != T(sentinel); });
  }
};

// Solves and compares every row, its status and its pools with the oracle's. `fit` may share y's or w's
// buffer.
template <class T>
void check_rows(layout<T>& y, layout<T>* w, layout<T>& fit, int threads) {
  std::vector<problem<T>> owed;
  for (std::int64_t r = 0; r < y.rows; ++r) {
    owed.push_back(w == nullptr ? reference::row(y.row(r)) : reference::row(y.row(r), w->row(r)));
  }
  const auto rows = static_cast<std::size_t>(y.rows);
  const auto words = static_cast<std::size_t>(iso::pool_words(y.length));
  std::vector<row_status> status(rows, row_status::no_weight);
  std::vector<std::uint32_t> pools(rows * words, 0xdeadbeef);
  iso::options<T> options;
  options.status = status;
  options.pools = pools;
  const iso::status called =
      w == nullptr ? iso::host::solve<T, false>(y.input(), fit.view(), options, threads)
                   : iso::host::solve<T, true>(y.input(), w->input(), fit.view(), options, threads);
  CHECK(called);
  for (std::size_t r = 0; r < rows; ++r) {
    outcome<T> got;
    got.status = status[r];
    got.fit = fit.row(static_cast<std::int64_t>(r));
    const auto first = pools.begin() + static_cast<std::ptrdiff_t>(r * words);
    got.pools.assign(first, first + static_cast<std::ptrdiff_t>(words));
    INFO("row " << r);
    CHECK(difference(got, reference::solve(owed[r])) == "");
  }
  CHECK(fit.touched_padding() == 0);
}

}  // namespace

TEMPLATE_TEST_CASE("rows of any strides come back exact, and what lies between them is left alone", "", float,
                   double) {
  using T = TestType;
  struct strides {
    std::int64_t row_stride, stride;
  };
  for (const std::int64_t length : {1, 3, 33, 1030}) {
    const std::int64_t rows = 9;
    // Dense, padded, column-major, every third element, both apart, rows backwards, elements backwards.
    const std::vector<strides> all = {{length, 1},       {length + 4, 1}, {1, rows},    {3 * length, 3},
                                      {2, 2 * rows + 3}, {-length, 1},    {length, -1}, {-2, -2 * rows}};
    for (const strides& in : all) {
      for (const strides& out : all) {
        layout<T> y(rows, length, in.row_stride, in.stride);
        layout<T> w(rows, length, out.row_stride, out.stride);
        layout<T> fit(rows, length, out.row_stride, out.stride);
        y.fill("noise", false);
        w.fill("zeros", true);
        check_rows<T>(y, nullptr, fit, 1);
        check_rows<T>(y, &w, fit, 2);
      }
    }
  }
}

TEMPLATE_TEST_CASE("input with stride 0 is broadcast", "", float, double) {
  using T = TestType;
  const std::int64_t rows = 20, length = 50;
  layout<T> y(rows, length, length, 1), w(rows, length, length, 1), fit(rows, length, length, 1);
  layout<T> one_y(rows, length, 0, 1), one_w(rows, length, 0, 1);      // one row for all
  layout<T> y_a_row(rows, length, 1, 0), w_a_row(rows, length, 1, 0);  // one value a row
  layout<T> same(rows, length, 0, 0);
  for (layout<T>* v : {&y, &one_y, &y_a_row}) v->fill("noise", false);
  for (layout<T>* v : {&w, &one_w, &w_a_row, &same}) v->fill("uniform", true);
  for (layout<T>* values : {&y, &one_y, &y_a_row, &same}) {
    check_rows<T>(*values, nullptr, fit, 2);
    for (layout<T>* weights : {&w, &one_w, &w_a_row, &same}) check_rows<T>(*values, weights, fit, 2);
  }
}

TEMPLATE_TEST_CASE("the fit may take the place of y or of w", "", float, double) {
  using T = TestType;
  for (const std::int64_t length : {1, 5, 40, 1500, 5000}) {
    for (const std::int64_t stride : {1, 2}) {
      const std::int64_t rows = 4;
      for (const bool weighted : {false, true}) {
        layout<T> y(rows, length, stride * length + 1, stride), w(rows, length, stride * length + 1, stride);
        y.fill("noise", false);
        w.fill("uniform", true);
        check_rows<T>(y, weighted ? &w : nullptr, y, 2);
        y.fill("noise", false);
        if (weighted) check_rows<T>(y, &w, w, 2);
      }
    }
  }
}

TEMPLATE_TEST_CASE("y and w may be one memory, and the fit too", "", float, double) {
  using T = TestType;
  layout<T> both(5, 300, 300, 1), fit(5, 300, 300, 1);
  both.fill("uniform", true);
  check_rows<T>(both, &both, fit, 1);
  check_rows<T>(both, &both, both, 1);
}

TEMPLATE_TEST_CASE("columns of one matrix may be input and output", "", float, double) {
  using T = TestType;
  const std::int64_t rows = 6;
  std::vector<T> matrix(static_cast<std::size_t>(rows * 10), T(sentinel));
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::vector<T> y = reference::values<T>("noise", 4, static_cast<std::uint64_t>(r));
    std::copy(y.begin(), y.end(), matrix.begin() + r * 10 + 1);
  }
  CHECK(iso::host::solve<T, false>(iso::batch<const T>(matrix.data() + 1, rows, 4, 10),
                                   iso::batch<T>(matrix.data() + 5, rows, 4, 10), {}, 1));
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto row = matrix.begin() + r * 10;
    CHECK(std::vector<T>(row + 5, row + 9) ==
          reference::solve(reference::row(std::vector<T>(row + 1, row + 5))).fit);
    CHECK((row[0] == T(sentinel) && row[9] == T(sentinel)));
  }
}

// Weights were accumulated in the caller's array elsewhere (scikit-learn issue 20508).
TEMPLATE_TEST_CASE("inputs are the same bytes afterwards", "", float, double) {
  using T = TestType;
  const std::vector<T> y = {3, 1, 2, 5, 4, -T(0), 7};
  const std::vector<T> w = {10, 1, 1, 1, 1, 0, -T(0)};
  const std::vector<T> y_before = y, w_before = w;
  std::vector<T> first(y.size()), second(y.size());
  CHECK(iso::host::solve<T, true>(y, w, first, {.increasing = false}));
  CHECK(iso::host::solve<T, true>(y, w, second, {.increasing = false}));
  CHECK(std::memcmp(y.data(), y_before.data(), y.size() * sizeof(T)) == 0);
  CHECK(std::memcmp(w.data(), w_before.data(), w.size() * sizeof(T)) == 0);
  CHECK(std::memcmp(first.data(), second.data(), y.size() * sizeof(T)) == 0);
}

TEMPLATE_TEST_CASE("a bad row leaves its neighbours unharmed", "", float, double) {
  using T = TestType;
  for (const std::int64_t length : {4, 100, 1100}) {
    const std::int64_t rows = 12;
    layout<T> y(rows, length, length, 1), w(rows, length, length, 1), fit(rows, length, length, 1);
    y.fill("noise", false);
    w.fill("uniform", true);
    y.at(1, length / 2) = not_a_number<T>;
    w.at(3, length - 1) = -1;
    w.at(4, 0) = infinity<T>;
    for (std::int64_t i = 0; i < length; ++i) w.at(6, i) = 0;
    y.at(8, 0) = infinity<T>;
    y.at(8, length - 1) = -infinity<T>;
    y.at(10, length - 1) = infinity<T>;
    for (const int threads : {1, 4}) {
      check_rows<T>(y, nullptr, fit, threads);
      check_rows<T>(y, &w, fit, threads);
    }
  }
}

TEMPLATE_TEST_CASE("a batch of no elements is a success that touches nothing", "", float, double) {
  using T = TestType;
  T* const none = nullptr;
  const iso::batch<const T> no_rows(none, 0, 5), no_length(none, 3, 0);
  CHECK(iso::host::solve<T, false>(no_rows, iso::batch<T>(none, 0, 5)));
  CHECK(iso::host::solve<T, true>(no_rows, no_rows, iso::batch<T>(none, 0, 5)));
  std::vector<row_status> status(3, row_status::nan);
  iso::options<T> options;
  options.status = status;
  CHECK(iso::host::solve<T, false>(no_length, iso::batch<T>(none, 3, 0), options));
  CHECK(status == std::vector<row_status>(3, row_status::ok));
  CHECK(iso::host::solve<T, false>(std::span<const T>(), std::span<T>()));
  CHECK(iso::host::solve<T, true>(std::span<const T>(), std::span<const T>(), std::span<T>()));
}
