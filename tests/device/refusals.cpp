// What is refused: with a message that names the numbers, and before anything is enqueued.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "difference.hpp"
#include "host/refusal.hpp"

using namespace device_test;
using host_test::not_a_number;

namespace {

// Output of calls that must be refused; all of it must stay as it is here.
template <class T>
struct untouched {
  std::vector<T> filled = std::vector<T>(10000, T(-4242));
  array<T> fit{filled};
  array<iso::row_status> status{std::vector<iso::row_status>(100, iso::row_status::indeterminate)};
  array<std::uint32_t> pools{std::vector<std::uint32_t>(1000, 0xdeadbeef)};
  array<T> y{std::vector<T>(10000, T(1))};

  iso::options<T> reporting(std::size_t rows, std::size_t words) const {
    iso::options<T> out;
    out.status = {status.data(), rows};
    out.pools = {pools.data(), words};
    return out;
  }
  iso::batch<const T> in(std::int64_t rows, std::int64_t n) const { return {y.data(), rows, n}; }
  iso::batch<T> out(std::int64_t rows, std::int64_t n) const { return {fit.data(), rows, n}; }

  void check(const iso::status& called, const std::vector<std::string>& named) const {
    host_test::check_refused(called, named);
    synchronize(nullptr);
    CHECK(same_bytes(fit.download(), filled));
    CHECK(std::ranges::count(status.download(), iso::row_status::indeterminate) == 100);
    CHECK(std::ranges::count(pools.download(), 0xdeadbeef) == 1000);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("rows of different sizes are refused", "", float, double) {
  using T = TestType;
  const untouched<T> o;
  const auto y = [&](std::size_t n) { return std::span<const T>(o.y.data(), n); };
  const auto fit = [&](std::size_t n) { return std::span<T>(o.fit.data(), n); };
  o.check(solver<T, false>::row(nullptr, y(17), {}, fit(18), o.reporting(1, 1)), {"17", "18"});
  o.check(solver<T, true>::row(nullptr, y(17), y(19), fit(17), o.reporting(1, 1)), {"17", "19"});
  o.check(solver<T, true>::row(nullptr, y(17), y(17), fit(18), o.reporting(1, 1)), {"17", "18"});
  o.check(solver<T, false>::row(nullptr, y(0), {}, fit(18), {}), {"0", "18"});
}

TEMPLATE_TEST_CASE("batches of different or negative shapes are refused", "", float, double) {
  using T = TestType;
  const untouched<T> o;
  o.check(solver<T, false>::rows(nullptr, o.in(5, 12), {}, o.out(4, 12), {}), {"5", "4"});
  o.check(solver<T, false>::rows(nullptr, o.in(4, 13), {}, o.out(4, 12), {}), {"13", "12"});
  o.check(solver<T, true>::rows(nullptr, o.in(4, 12), o.in(3, 12), o.out(4, 12), {}), {"3", "4"});
  o.check(solver<T, true>::rows(nullptr, o.in(4, 12), o.in(4, 11), o.out(4, 12), {}), {"11", "12"});
  o.check(solver<T, false>::rows(nullptr, o.in(-4, 12), {}, o.out(-4, 12), {}), {"-4"});
  o.check(solver<T, false>::rows(nullptr, o.in(4, -12), {}, o.out(4, -12), {}), {"-12"});
  const auto pointers = [&](std::int64_t rows, std::int64_t n) {
    return solver<T, false>::pointers(nullptr, o.y.data(), nullptr, o.fit.data(), {rows, n}, {});
  };
  o.check(pointers(-2, 3), {"-2"});
  o.check(pointers(2, -3), {"-3"});
  const std::int64_t big = std::int64_t{1} << 33;
  o.check(pointers(big, big), {std::to_string(big)});
}

TEMPLATE_TEST_CASE("a null pointer to elements is refused", "", float, double) {
  using T = TestType;
  const untouched<T> o;
  const iso::batch<const T> none(static_cast<const T*>(nullptr), 3, 4);
  o.check(solver<T, false>::rows(nullptr, none, {}, o.out(3, 4), {}), {"12"});
  o.check(solver<T, true>::rows(nullptr, o.in(3, 4), none, o.out(3, 4), {}), {"12"});
  o.check(solver<T, false>::rows(nullptr, o.in(3, 4), {}, iso::batch<T>(nullptr, 3, 4), {}), {"12"});
  o.check(solver<T, false>::pointers(nullptr, nullptr, nullptr, o.fit.data(), {3, 4}, {}), {"12"});
  o.check(solver<T, true>::pointers(nullptr, o.y.data(), nullptr, o.fit.data(), {3, 4}, {}), {"12"});
}

TEMPLATE_TEST_CASE("bounds that cross or are NaN are refused", "", float, double) {
  using T = TestType;
  const untouched<T> o;
  const auto called = [&](T y_min, T y_max) {
    iso::options<T> opt = o.reporting(3, 3);
    opt.y_min = y_min;
    opt.y_max = y_max;
    return solver<T, false>::rows(nullptr, o.in(3, 20), {}, o.out(3, 20), opt);
  };
  o.check(called(3, 2), {"3", "2"});
  o.check(called(not_a_number<T>, 2), {"nan", "2"});
  o.check(called(1, not_a_number<T>), {"1", "nan"});
}

TEMPLATE_TEST_CASE("a status or pools span of the wrong size is refused", "", float, double) {
  using T = TestType;
  const untouched<T> o;
  o.check(solver<T, false>::rows(nullptr, o.in(3, 33), {}, o.out(3, 33), o.reporting(2, 6)), {"2", "3"});
  o.check(solver<T, false>::rows(nullptr, o.in(3, 33), {}, o.out(3, 33), o.reporting(3, 5)), {"5", "6"});
  o.check(solver<T, false>::pointers(nullptr, o.y.data(), nullptr, o.fit.data(), {3, 33}, o.reporting(4, 6)),
          {"4", "3"});
}

TEMPLATE_TEST_CASE("a workspace that is too small is refused", "", float, double) {
  using T = TestType;
  const untouched<T> o;
  for (const bool weighted : {false, true}) {
    const std::size_t needed = workspace_bytes<T>(weighted, {1, 10000});
    REQUIRE(needed > 1);
    for (const std::size_t given : {needed - 1, std::size_t{1}}) {
      const array<std::byte> memory(needed);
      iso::options<T> opt = o.reporting(1, 313);
      opt.workspace = {memory.data(), given};
      o.check(weighted ? solver<T, true>::rows(nullptr, o.in(1, 10000), o.in(1, 10000), o.out(1, 10000), opt)
                       : solver<T, false>::rows(nullptr, o.in(1, 10000), {}, o.out(1, 10000), opt),
              {std::to_string(given), std::to_string(needed)});
    }
  }
}

TEMPLATE_TEST_CASE("a fit that overlaps its input otherwise than element for element is refused", "", float,
                   double) {
  using T = TestType;
  const untouched<T> o;
  T* const data = o.fit.data();
  const std::span<const T> moved(data + 1, 20);
  o.check(solver<T, false>::row(nullptr, moved, {}, {data, 20}, {}), {"overlap"});
  o.check(solver<T, true>::row(nullptr, {o.y.data(), 20}, moved, {data, 20}, {}), {"overlap"});
  const iso::batch<const T> one_row(data, 4, 5, 0);
  o.check(solver<T, false>::rows(nullptr, one_row, {}, o.out(4, 5), {}), {"overlap"});
}

TEMPLATE_TEST_CASE("an output stride of 0 is refused where elements would share a place", "", float, double) {
  using T = TestType;
  const untouched<T> o;
  o.check(solver<T, false>::rows(nullptr, o.in(4, 5), {}, iso::batch<T>(o.fit.data(), 4, 5, 0), {}),
          {"stride"});
  o.check(solver<T, false>::rows(nullptr, o.in(4, 5), {}, iso::batch<T>(o.fit.data(), 4, 5, 5, 0), {}),
          {"stride"});
}

TEMPLATE_TEST_CASE("a batch of no elements is a success that touches nothing", "", float, double) {
  using T = TestType;
  T* const none = nullptr;
  const iso::batch<const T> no_rows(none, 0, 5), no_length(none, 3, 0);
  CHECK(solver<T, false>::rows(nullptr, no_rows, {}, iso::batch<T>(none, 0, 5), {}));
  CHECK(solver<T, true>::rows(nullptr, no_rows, no_rows, iso::batch<T>(none, 0, 5), {}));
  CHECK(solver<T, false>::row(nullptr, {}, {}, {}, {}));
  CHECK(solver<T, true>::row(nullptr, {}, {}, {}, {}));
  CHECK(solver<T, false>::pointers(nullptr, none, nullptr, none, {0, 7}, {}));
  CHECK(solver<T, false>::pointers(nullptr, none, nullptr, none, {7, 0}, {}));
  const array<iso::row_status> status(std::vector<iso::row_status>(3, iso::row_status::nan));
  iso::options<T> opt;
  opt.status = {status.data(), 3};
  CHECK(solver<T, false>::rows(nullptr, no_length, {}, iso::batch<T>(none, 3, 0), opt));
  CHECK(status.download() == std::vector<iso::row_status>(3, iso::row_status::ok));
}
