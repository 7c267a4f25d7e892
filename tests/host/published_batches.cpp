// Published rows whose layout is the point: batches, padding, constness, and what surrounds a fit.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <iso/host.hpp>

#include "catch.hpp"
#include "instances.hpp"

namespace {

// What any two-dimensional mdspan offers.
template <class T>
struct matrix_view {
  T* data;
  std::int64_t extents[2], strides[2];

  static constexpr int rank() { return 2; }
  T* data_handle() const { return data; }
  std::int64_t extent(int r) const { return extents[r]; }
  std::int64_t stride(int r) const { return strides[r]; }
};

}  // namespace

// pytorch issues 60492 and 62645: results were written densely into a strided view.
TEST_CASE("a leading dimension is honoured and the gap left alone") {
  std::vector<double> y(14, -7), fit(14, -9);
  const double rows[2][3] = {{3, 1, 2}, {5, 4, 9}}, want[2][3] = {{2, 2, 2}, {4.5, 4.5, 9}};
  for (std::size_t r = 0; r < 2; ++r) {
    for (std::size_t i = 0; i < 3; ++i) y[7 * r + i] = rows[r][i];
  }
  REQUIRE(iso::host::solve<double, false>(iso::batch<const double>(y.data(), 2, 3, 7),
                                          iso::batch<double>(fit.data(), 2, 3, 7)));
  for (std::size_t r = 0; r < 2; ++r) {
    for (std::size_t i = 0; i < 7; ++i) CHECK(fit[7 * r + i] == (i < 3 ? want[r][i] : -9));
  }
}

TEST_CASE("rows padded with infinity keep the fit of their data") {
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> y = {3, 1, 2, inf, inf, 1, 2, 5, 4, inf, 2, 1, 0, 3, 1};
  const std::vector<double> want = {2, 2, 2, inf, inf, 1, 2, 4.5, 4.5, inf, 1, 1, 1, 2, 2};
  const iso::batch<double> rows(y.data(), 3, 5);
  std::vector<iso::row_status> status(3, iso::row_status::nan);
  REQUIRE(iso::host::solve<double, false>(rows, rows, {.status = status}));
  CHECK(y == want);
  for (const iso::row_status s : status) CHECK(s == iso::row_status::ok);
}

// scikit-learn issue 20508: the weights were overwritten by the fit.
TEST_CASE("values and weights are unchanged by the fit, and a second call gives the same") {
  const std::vector<double> y = {3, 1, 2, 5, 4}, w = {10, 1, 1, 1, 1};
  const std::vector<double> y_before = y, w_before = w, want = {2.75, 2.75, 2.75, 4.5, 4.5};
  for (int call = 0; call < 2; ++call) {
    std::vector<double> fit(5);
    REQUIRE(iso::host::solve<double, true>(y, w, fit));
    CHECK(fit == want);
  }
  CHECK(y == y_before);
  CHECK(w == w_before);
}

// fdrtool, monoreg: the fit must not depend on the location of the data.
TEST_CASE("labels on an offset of a million keep their fit in float") {
  const std::vector<int> labels = {1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0};
  const std::vector<double> means = {0.4, 0.4, 0.4, 0.4, 0.4, 0.5, 0.5, 0.6, 0.6, 0.6, 0.6, 0.6};
  std::vector<float> y, fit(labels.size());
  for (const int label : labels) y.push_back(1e6f + static_cast<float>(label) / 16);
  REQUIRE(iso::host::solve<float, false>(y, fit));
  for (std::size_t i = 0; i < fit.size(); ++i) CHECK(fit[i] == static_cast<float>(1e6 + means[i] / 16));
}

// Illegal accesses past the last row when every element is a pool of its own: torchsort issues 22, 83 to 85.
TEST_CASE("strictly monotone rows are all pools of one element") {
  const std::vector<float> y = {5, 4, 3, 2, 1, 9, 7, 5, 3, 1};
  std::vector<float> fit(10);
  std::vector<std::uint32_t> pools(2, 0xdeadbeefu);
  REQUIRE(iso::host::solve<float, false>(iso::batch<const float>(y.data(), 2, 5),
                                         iso::batch<float>(fit.data(), 2, 5),
                                         {.increasing = false, .pools = pools}));
  CHECK(fit == y);
  CHECK(pools == std::vector<std::uint32_t>{31, 31});
}

TEST_CASE("more rows than 65535 are all fitted") {
  constexpr std::int64_t rows = 70000;
  std::vector<float> y, fit(3 * rows);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (const int above : {2, 1, 9}) y.push_back(static_cast<float>(r % 7 + above));
  }
  REQUIRE(iso::host::solve<float, false>(y.data(), fit.data(), iso::shape{rows, 3}));
  std::int64_t wrong = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const float m = static_cast<float>(r % 7), *row = &fit[static_cast<std::size_t>(3 * r)];
    wrong += row[0] != m + 1.5f || row[1] != m + 1.5f || row[2] != m + 9;
  }
  CHECK(wrong == 0);
}

TEST_CASE("any two-dimensional mdspan is a batch") {
  // The columns of a row-major matrix of 3 rows and 2 columns.
  std::vector<float> m = {3, 1, 1, 2, 2, 0}, fit(6);
  const matrix_view<float> columns{m.data(), {2, 3}, {1, 2}}, out{fit.data(), {2, 3}, {1, 2}};
  REQUIRE(iso::host::solve<float, false>(columns, out));
  CHECK(fit == std::vector<float>{2, 1, 2, 1, 2, 1});
}

TEST_CASE("ragged rows without elements have no pools") {
  const std::vector<float> y(4);
  std::vector<float> fit(4, -1);
  const std::vector<std::int64_t> offsets = {3, 3, 3};
  std::vector<std::uint32_t> pools(2, 0xdeadbeefu);
  std::vector<iso::row_status> status(2, iso::row_status::nan);
  REQUIRE(iso::host::solve<float, false>(y.data(), fit.data(), offsets.data(), 2,
                                         {.status = status, .pools = pools}));
  CHECK(pools == std::vector<std::uint32_t>{0, 0});
  CHECK(status == std::vector<iso::row_status>{iso::row_status::ok, iso::row_status::ok});
  CHECK(fit == std::vector<float>(4, -1));
}

TEST_CASE("pointers whose arrays overlap by a part are refused, and the same array is not") {
  std::vector<float> m = {3, 2, 1, 5, 4};
  const std::vector<float> before = m;
  const std::vector<std::int64_t> offsets = {0, 2, 4};
  CHECK_FALSE(iso::host::solve<float, false>(m.data(), m.data() + 1, iso::shape{1, 4}));
  CHECK_FALSE(iso::host::solve<float, false>(m.data() + 1, m.data(), iso::shape{2, 2}));
  CHECK_FALSE(iso::host::solve<float, false>(m.data(), m.data() + 1, offsets.data(), 2));
  CHECK_FALSE(iso::host::solve<float, true>(before.data(), m.data() + 1, m.data(), iso::shape{1, 4}));
  CHECK(m == before);
  CHECK(iso::host::solve<float, false>(m.data(), m.data(), offsets.data(), 2));
  CHECK(m == std::vector<float>{2.5, 2.5, 1, 5, 4});
}

TEST_CASE("output that shares memory with input is refused exactly where it does") {
  std::vector<float> d(20);
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = static_cast<float>(i);
  const std::vector<float> before = d;
  using in = iso::batch<const float>;
  using out = iso::batch<float>;
  const auto solve = [](const in& y, const out& fit) { return iso::host::solve<float, false>(y, fit); };
  float* p = d.data();
  // Reversed in place; another layout; another step; rows that run into each other, or into the same.
  CHECK_FALSE(solve(in(p, 1, 3, 3, 1), out(p + 2, 1, 3, 3, -1)));
  CHECK_FALSE(solve(in(p, 2, 3, 3, 1), out(p + 1, 2, 3, 1, 2)));
  CHECK_FALSE(solve(in(p + 15, 4, 2, 5, 7), out(p, 4, 2, 5, 7)));
  CHECK_FALSE(solve(in(p, 2, 4, 8, 1), out(p + 10, 2, 4, 1, 1)));
  CHECK_FALSE(solve(in(p, 2, 4, 0, 1), out(p + 2, 2, 4, 8, 1)));
  CHECK_FALSE(solve(in(p, 3, 1, INT64_MAX, 1), out(p, 3, 1, INT64_MAX, 1)));
  CHECK(d == before);
  // Columns of a table of 4 records: one for all rows of weights, others for the fit, and the values
  // elsewhere.
  const std::vector<float> y = {2, 1, 3, 4, 1, 2, 3, 4};
  CHECK(iso::host::solve<float, true>(in(y.data(), 2, 4), in(p, 2, 4, 0, 5), out(p + 1, 2, 4, 1, 5)));
  CHECK(d[0] == 0);
  CHECK(d[5] == 5);
  CHECK(d[3] == 3);
  CHECK(d[1] == 1);
  CHECK(d[2] == 2);
}

TEST_CASE("shared memory is found by the rule that compares every element with every other") {
  std::mt19937_64 g(1);
  const auto within = [&](int low, int high) {
    return low + static_cast<std::int64_t>(g() % unsigned(high - low + 1));
  };
  std::vector<float> memory(400);
  int shared = 0, apart = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t rows = within(1, 4), length = within(1, 4);
    const iso::batch<const float> in(memory.data() + 200 + within(-9, 9), rows, length, within(-9, 9),
                                     within(-9, 9));
    const iso::batch<float> out(memory.data() + 200, rows, length, within(-9, 9), within(-9, 9));
    std::vector<std::int64_t> in_at, out_at;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t k = 0; k < length; ++k) {
        in_at.push_back(in.data - memory.data() + r * in.row_stride + k * in.stride);
        out_at.push_back(out.data - memory.data() + r * out.row_stride + k * out.stride);
      }
    }
    if (!iso::detail::nested(out) || (rows > 1 && out.row_stride == 0) || (length > 1 && out.stride == 0))
      continue;
    bool any = false;
    for (const std::int64_t a : in_at) any |= std::find(out_at.begin(), out_at.end(), a) != out_at.end();
    const bool want = any && in_at != out_at;
    REQUIRE(iso::detail::overlaps_partly(in, out) == want);
    ++(want ? shared : apart);
  }
  CHECK(shared > 1000);
  CHECK(apart > 1000);
}

TEST_CASE("rows without elements take no time") {
  CHECK(iso::host::solve<float, false>(iso::batch<const float>(nullptr, std::int64_t{1} << 40, 0),
                                       iso::batch<float>(nullptr, std::int64_t{1} << 40, 0)));
}
