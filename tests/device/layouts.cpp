// Where rows lie: any strides, broadcast input, output in place of input, nothing touched between the rows.
#include <cstdint>
#include <string>
#include <vector>

#include "difference.hpp"
#include "reference/families.hpp"

using namespace device_test;

namespace {

struct strides {
  std::int64_t row_stride, stride;
};

std::string label(std::int64_t rows, std::int64_t length, const strides& s) {
  return std::to_string(rows) + " x " + std::to_string(length) + ", strides " + std::to_string(s.row_stride) +
         " and " + std::to_string(s.stride);
}

template <class T>
image<T> filled(std::int64_t rows, std::int64_t length, const strides& s, bool weights) {
  image<T> out(rows, length, s.row_stride, s.stride, 5, 0);
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto n = static_cast<std::size_t>(length);
    const auto seed = static_cast<std::uint64_t>(r);
    out.assign(r,
               weights ? reference::weights<T>("uniform", n, seed) : reference::values<T>("noise", n, seed));
  }
  return out;
}

template <class T>
image<T> output(std::int64_t rows, std::int64_t length, const strides& s) {
  return {rows, length, s.row_stride, s.stride, margin(), margin()};
}

const std::vector<std::int64_t> lengths = {1, 3, 16, 33, 1030, 3000};
const std::vector<std::int64_t> few_lengths = {3, 33, 1030};

}  // namespace

TEMPLATE_TEST_CASE("rows of any strides come back exact, and what lies between them is left alone", "", float,
                   double) {
  using T = TestType;
  const std::int64_t rows = 9;
  for (const std::int64_t n : small() ? few_lengths : lengths) {
    // Dense, padded, column-major, every third element, both apart, rows backwards, elements backwards.
    const std::vector<strides> all = {{n, 1},    {n + 4, 1}, {n + 5, 1},
                                      {1, rows}, {3 * n, 3}, {2, 2 * rows + 3},
                                      {-n, 1},   {n, -1},    {-2, -2 * rows}};
    for (const strides& in : all) {
      for (const strides& out : all) {
        call<T> c;
        c.y = filled<T>(rows, n, in, false);
        c.fit = output<T>(rows, n, out);
        check_call(c, label(rows, n, in) + " to " + label(rows, n, out));
        c.weighted = true;
        c.w = filled<T>(rows, n, out, true);
        check_call(c, "weighted, " + label(rows, n, in) + " to " + label(rows, n, out));
      }
    }
  }
}

TEMPLATE_TEST_CASE("the columns of a wide and of a tall matrix come back exact", "", float, double) {
  using T = TestType;
  for (const std::int64_t n : {std::int64_t{20}, std::int64_t{5000}}) {
    const std::int64_t columns = small() ? 10 : 100000 / n;
    call<T> c;
    c.y = filled<T>(columns, n, {1, columns}, false);
    c.fit = output<T>(columns, n, {1, columns});
    check_call(c, label(columns, n, {1, columns}));
    c.output = place::over_y;
    check_call(c, "in place, " + label(columns, n, {1, columns}));
  }
}

TEMPLATE_TEST_CASE("one row under many weightings is each row under its weights", "", float, double) {
  using T = TestType;
  const std::int64_t rows = small() ? 20 : 1000;
  for (const std::int64_t n : {std::int64_t{7}, std::int64_t{300}, std::int64_t{1024}, std::int64_t{2500}}) {
    call<T> c;
    c.y = filled<T>(rows, n, {0, 1}, false);
    c.w = filled<T>(rows, n, {n, 1}, true);
    c.weighted = true;
    c.fit = output<T>(rows, n, {n, 1});
    check_call(c, "one y, " + label(rows, n, {n, 1}));
  }
}

TEMPLATE_TEST_CASE("input with stride 0 is broadcast", "", float, double) {
  using T = TestType;
  const std::int64_t rows = 20;
  for (const std::int64_t n : {std::int64_t{6}, std::int64_t{50}, std::int64_t{1500}}) {
    // As usual, one row for all, one value a row, one value for all.
    for (const strides& y : {strides{n, 1}, strides{0, 1}, strides{1, 0}, strides{0, 0}}) {
      for (const strides& w : {strides{n, 1}, strides{0, 1}, strides{1, 0}, strides{0, 0}}) {
        call<T> c;
        c.y = filled<T>(rows, n, y, false);
        c.fit = output<T>(rows, n, {n, 1});
        check_call(c, label(rows, n, y));
        c.weighted = true;
        c.w = filled<T>(rows, n, w, true);
        check_call(c, label(rows, n, y) + ", weights " + label(rows, n, w));
      }
    }
  }
}

TEMPLATE_TEST_CASE("the fit may take the place of y or of w", "", float, double) {
  using T = TestType;
  for (const std::int64_t n : {1, 5, 16, 40, 1024, 1500, 5000, 300000}) {
    if (small() && n > 5000) continue;
    for (const std::int64_t stride : {1, 2}) {
      const std::int64_t rows = n > 5000 ? 2 : 4;
      const strides s = {stride * n + 1, stride};
      call<T> c;
      c.y = filled<T>(rows, n, s, false);
      c.output = place::over_y;
      check_call(c, "over y, " + label(rows, n, s));
      c.weighted = true;
      c.w = filled<T>(rows, n, s, true);
      check_call(c, "weighted, over y, " + label(rows, n, s));
      c.output = place::over_w;
      check_call(c, "weighted, over w, " + label(rows, n, s));
    }
  }
}

TEMPLATE_TEST_CASE("status, pools and working memory may be left out", "", float, double) {
  using T = TestType;
  for (const std::int64_t n :
       {std::int64_t{16}, std::int64_t{100}, std::int64_t{5000}, std::int64_t{100000}}) {
    for (const bool weighted : {false, true}) {
      call<T> c;
      c.y = filled<T>(3, n, {n, 1}, false);
      c.weighted = weighted;
      if (weighted) c.w = filled<T>(3, n, {n, 1}, true);
      c.fit = output<T>(3, n, {n, 1});
      for (int which = 0; which < 4; ++which) {
        c.reports = which % 2 == 1;
        c.workspace = which / 2 == 1;
        check_call(c, label(3, n, {n, 1}) + ", left out: " + std::to_string(which));
      }
    }
  }
}

TEMPLATE_TEST_CASE("one row and pointers come back as a batch does", "", float, double) {
  using T = TestType;
  const std::size_t n = 3000;
  const std::vector<T> y = reference::values<T>("noise", n, 1), w = reference::weights<T>("uniform", n, 1);
  const array<T> y_memory(y), w_memory(w), fit(n);
  const std::span<const T> y_row(y_memory.data(), n), w_row(w_memory.data(), n);
  const std::span<T> fit_row(fit.data(), n);
  const auto host = [&](std::size_t rows, bool weighted) {
    std::vector<T> out(n);
    const auto count = static_cast<std::int64_t>(rows), length = static_cast<std::int64_t>(n / rows);
    const iso::batch<const T> in(y.data(), count, length), weights(w.data(), count, length);
    const iso::batch<T> to(out.data(), count, length);
    const iso::status called =
        weighted ? iso::host::solve<T, true>(in, weights, to) : iso::host::solve<T, false>(in, to);
    CHECK(called);
    return out;
  };
  CHECK(solver<T, false>::row(nullptr, y_row, {}, fit_row, {}));
  CHECK(fit.download() == host(1, false));
  CHECK(solver<T, true>::row(nullptr, y_row, w_row, fit_row, {}));
  CHECK(fit.download() == host(1, true));
  CHECK(solver<T, false>::pointers(nullptr, y_memory.data(), nullptr, fit.data(), {100, 30}, {}));
  CHECK(fit.download() == host(100, false));
  CHECK(solver<T, true>::pointers(nullptr, y_memory.data(), w_memory.data(), fit.data(), {2, 1500}, {}));
  CHECK(fit.download() == host(2, true));
}
