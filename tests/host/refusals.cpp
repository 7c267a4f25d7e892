// What is refused: with a message that names the numbers, and before anything is written.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "check.hpp"
#include "refusal.hpp"

using host_test::infinity;
using host_test::not_a_number;
using iso::batch;
using iso::options;
using iso::row_status;
using iso::shape;

namespace {

// Output of a call that must be refused; all of it must stay as it is here.
template <class T>
struct untouched {
  std::vector<T> fit = std::vector<T>(100, T(-4242));
  std::vector<row_status> status = std::vector<row_status>(100, row_status::indeterminate);
  std::vector<std::uint32_t> pools = std::vector<std::uint32_t>(100, 0xdeadbeef);

  // Options for so many rows and words.
  options<T> reporting(std::size_t rows, std::size_t words) {
    options<T> out;
    out.status = std::span(status).first(rows);
    out.pools = std::span(pools).first(words);
    return out;
  }

  void check(const iso::status& called, const std::vector<std::string>& named) const {
    host_test::check_refused(called, named);
    CHECK_FALSE(called.message().empty());
    CHECK(std::ranges::count(fit, T(-4242)) == 100);
    CHECK(std::ranges::count(status, row_status::indeterminate) == 100);
    CHECK(std::ranges::count(pools, 0xdeadbeef) == 100);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("rows of different sizes are refused", "", float, double) {
  using T = TestType;
  untouched<T> out;
  const std::vector<T> y(17, T(1)), w(19, T(1)), more_w(17, T(1));
  const std::span<T> fit(out.fit);
  out.check(iso::host::solve<T, false>(y, fit.first(18), out.reporting(1, 1)), {"17", "18"});
  out.check(iso::host::solve<T, true>(y, w, fit.first(17), out.reporting(1, 1)), {"17", "19"});
  out.check(iso::host::solve<T, true>(y, more_w, fit.first(18), out.reporting(1, 1)), {"17", "18"});
  out.check(iso::host::solve<T, false>(std::span<const T>(), fit.first(18)), {"0", "18"});
}

TEMPLATE_TEST_CASE("batches of different or negative shapes are refused", "", float, double) {
  using T = TestType;
  untouched<T> out;
  const std::vector<T> y(100, T(1));
  const auto of = [&](std::int64_t rows, std::int64_t length) {
    return batch<const T>(y.data(), rows, length);
  };
  const batch<T> fit(out.fit.data(), 4, 12);
  out.check(iso::host::solve<T, false>(of(5, 12), fit), {"5", "4"});
  out.check(iso::host::solve<T, false>(of(4, 13), fit), {"13", "12"});
  out.check(iso::host::solve<T, true>(of(4, 12), of(3, 12), fit), {"3", "4"});
  out.check(iso::host::solve<T, true>(of(4, 12), of(4, 11), fit), {"11", "12"});
  out.check(iso::host::solve<T, false>(of(-4, 12), batch<T>(out.fit.data(), -4, 12)), {"-4"});
  out.check(iso::host::solve<T, false>(of(4, -12), batch<T>(out.fit.data(), 4, -12)), {"-12"});
  out.check(iso::host::solve<T, false>(y.data(), out.fit.data(), shape{-2, 3}), {"-2"});
  out.check(iso::host::solve<T, false>(y.data(), out.fit.data(), shape{2, -3}), {"-3"});
  const std::int64_t big = std::int64_t{1} << 33;
  out.check(iso::host::solve<T, false>(y.data(), out.fit.data(), shape{big, big}), {std::to_string(big)});
}

TEMPLATE_TEST_CASE("a null pointer to elements is refused", "", float, double) {
  using T = TestType;
  untouched<T> out;
  const std::vector<T> y(12, T(1));
  const batch<const T> some(y.data(), 3, 4);
  const batch<const T> none(static_cast<const T*>(nullptr), 3, 4);
  const batch<T> fit(out.fit.data(), 3, 4);
  out.check(iso::host::solve<T, false>(none, fit), {"12"});
  out.check(iso::host::solve<T, true>(some, none, fit), {"12"});
  out.check(iso::host::solve<T, false>(some, batch<T>(static_cast<T*>(nullptr), 3, 4)), {"12"});
  const T* const null = nullptr;
  out.check(iso::host::solve<T, false>(null, out.fit.data(), shape{3, 4}), {"12"});
  out.check(iso::host::solve<T, true>(y.data(), null, out.fit.data(), shape{3, 4}), {"12"});
  const std::vector<std::int64_t> offsets = {0, 2, 5};
  out.check(iso::host::solve<T, false>(null, out.fit.data(), offsets.begin(), 2), {"5"});
}

TEMPLATE_TEST_CASE("bounds that cross or are NaN are refused", "", float, double) {
  using T = TestType;
  untouched<T> out;
  const std::vector<T> y = {1, 2, 3};
  const std::span<T> fit = std::span(out.fit).first(3);
  const auto called = [&](T y_min, T y_max) {
    options<T> o = out.reporting(1, 1);
    o.y_min = y_min;
    o.y_max = y_max;
    return iso::host::solve<T, false>(y, fit, o);
  };
  out.check(called(3, 2), {"3", "2"});
  out.check(called(infinity<T>, -infinity<T>), {"inf", "-inf"});
  out.check(called(not_a_number<T>, 2), {"nan", "2"});
  out.check(called(1, not_a_number<T>), {"1", "nan"});
}

TEMPLATE_TEST_CASE("a status or pools span of the wrong size is refused", "", float, double) {
  using T = TestType;
  untouched<T> out;
  const std::vector<T> y(99, T(1));
  const batch<const T> in(y.data(), 3, 33);
  const batch<T> fit(out.fit.data(), 3, 33);
  out.check(iso::host::solve<T, false>(in, fit, out.reporting(2, 6)), {"2", "3"});
  out.check(iso::host::solve<T, false>(in, fit, out.reporting(4, 6)), {"4", "3"});
  out.check(iso::host::solve<T, false>(in, fit, out.reporting(3, 5)), {"5", "6"});
  out.check(iso::host::solve<T, false>(y.data(), out.fit.data(), shape{3, 33}, out.reporting(3, 5)),
            {"5", "6"});
  const std::vector<std::int64_t> offsets = {0, 33, 34, 99};  // 3 + 99 / 32 words
  out.check(iso::host::solve<T, false>(y.begin(), out.fit.begin(), offsets.begin(), 3, out.reporting(3, 5)),
            {"5", "6"});
  out.check(iso::host::solve<T, false>(y.begin(), out.fit.begin(), offsets.begin(), 3, out.reporting(2, 6)),
            {"2", "3"});
}

TEMPLATE_TEST_CASE("a fit that overlaps its input otherwise than element for element is refused", "", float,
                   double) {
  using T = TestType;
  untouched<T> out;
  T* const data = out.fit.data();
  const std::vector<T> y(40, T(1));
  const std::span<T> memory(out.fit);
  out.check(iso::host::solve<T, false>(memory.subspan(1, 20), memory.first(20)), {"overlap"});
  out.check(iso::host::solve<T, false>(memory.first(20), memory.subspan(19, 20)), {"overlap"});
  out.check(iso::host::solve<T, true>(std::span(y).first(20), memory.subspan(1, 20), memory.first(20)),
            {"overlap"});
  const batch<T> fit(data, 4, 5);
  out.check(iso::host::solve<T, false>(batch<const T>(data, 4, 5, 0), fit), {"overlap"});
  out.check(iso::host::solve<T, false>(batch<const T>(data, 4, 5, 5, 0), fit), {"overlap"});
  out.check(iso::host::solve<T, true>(batch<const T>(y.data(), 4, 5), batch<const T>(data + 5, 4, 5, 0), fit),
            {"overlap"});
  out.check(iso::host::solve<T, false>(batch<const T>(data + 5, 4, 5), fit), {"overlap"});
}

TEMPLATE_TEST_CASE("an output stride of 0 is refused where elements would share a place", "", float, double) {
  using T = TestType;
  untouched<T> out;
  const std::vector<T> y(20, T(1));
  const batch<const T> in(y.data(), 4, 5);
  out.check(iso::host::solve<T, false>(in, batch<T>(out.fit.data(), 4, 5, 0)), {"stride"});
  out.check(iso::host::solve<T, false>(in, batch<T>(out.fit.data(), 4, 5, 5, 0)), {"stride"});
}

TEMPLATE_TEST_CASE("a stride of 0 that no two elements share is none", "", float, double) {
  using T = TestType;
  const std::vector<T> y = {3, 1};
  std::vector<T> fit(2);
  CHECK(iso::host::solve<T, false>(batch<const T>(y.data(), 1, 2, 0), batch<T>(fit.data(), 1, 2, 0)));
  CHECK(fit == std::vector<T>{2, 2});
  CHECK(iso::host::solve<T, false>(batch<const T>(y.data(), 2, 1, 1, 0), batch<T>(fit.data(), 2, 1, 1, 0)));
  CHECK(fit == y);
}

TEMPLATE_TEST_CASE("offsets that decrease, negative rows and negative threads are refused", "", float,
                   double) {
  using T = TestType;
  untouched<T> out;
  const std::vector<T> y(30, T(1));
  const std::vector<std::int64_t> offsets = {0, 7, 5, 20};
  out.check(iso::host::solve<T, false>(y.begin(), out.fit.begin(), offsets.begin(), 3, out.reporting(3, 3)),
            {"7", "5"});
  out.check(iso::host::solve<T, true>(y.begin(), y.begin(), out.fit.begin(), offsets.begin(), 3), {"7", "5"});
  out.check(iso::host::solve<T, false>(y.begin(), out.fit.begin(), offsets.begin(), -3), {"-3"});
  out.check(iso::host::solve<T, false>(y, std::span(out.fit).first(30), out.reporting(1, 1), -2), {"-2"});
  out.check(iso::host::solve<T, false>(y.begin(), out.fit.begin(), shape{3, 10}, {}, -1), {"-1"});
}

TEST_CASE("a refusal throws when checked, with its message") {
  const std::vector<float> y(3);
  std::vector<float> fit(4);
  const iso::status called = iso::host::solve<float, false>(y, fit);
  CHECK_THROWS_AS(called.check(), std::runtime_error);
  CHECK_NOTHROW(iso::status().check());
  try {
    called.check();
  } catch (const std::runtime_error& e) {
    CHECK(std::string(e.what()).find(called.message()) != std::string::npos);
  }
}
