// Sizes that 32 bits do not count. Needs some 45 GB of device memory and 30 GB of the host's; CTest runs it
// if ISO_TEST_HUGE is set.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data.hpp"
#include "difference.hpp"

using namespace device_test;

namespace {

constexpr std::int64_t rows = 5000000, length = 1000, rows_at_once = 50000;

std::vector<float> some_rows(std::int64_t first) {
  std::vector<float> out(static_cast<std::size_t>(rows_at_once * length));
  fill_values("ramp", out.data(), rows_at_once, length, static_cast<std::uint64_t>(first) + 1);
  return out;
}

}  // namespace

TEST_CASE("batches of more than 2^32 elements come back with the host's bits") {
  const auto words = static_cast<std::size_t>(rows * iso::pool_words(length));
  const array<float> y(static_cast<std::size_t>(rows * length)), fit(y.size());
  const array<iso::row_status> status(static_cast<std::size_t>(rows));
  const array<std::uint32_t> pools(words);
  for (std::int64_t r = 0; r < rows; r += rows_at_once) {
    const std::vector<float> drawn = some_rows(r);
    copy_bytes(y.data() + r * length, drawn.data(), drawn.size() * sizeof(float));
  }
  iso::options<float> opt;
  opt.status = {status.data(), status.size()};
  opt.pools = {pools.data(), pools.size()};
  const iso::batch<const float> in(y.data(), rows, length);
  REQUIRE(solver<float, false>::rows(nullptr, in, {}, iso::batch<float>(fit.data(), rows, length), opt));
  const std::vector<iso::row_status> all_status = status.download();
  CHECK(std::ranges::count(all_status, iso::row_status::ok) == rows);

  for (std::int64_t first : {std::int64_t{0}, rows / 2, std::int64_t{4250000}, rows - rows_at_once}) {
    call<float> c;
    c.y = dense_input<float>(rows_at_once, length);
    c.y.memory = some_rows(first);
    c.fit = {rows_at_once, length, length, 1, 0, 0};
    const outcome<float> owed = on_host(c);
    std::vector<float> got(c.y.memory.size());
    copy_bytes(got.data(), fit.data() + first * length, got.size() * sizeof(float));
    CHECK(host_test::same(got, owed.memory));
    std::vector<std::uint32_t> got_pools(static_cast<std::size_t>(rows_at_once * iso::pool_words(length)));
    copy_bytes(got_pools.data(), pools.data() + first * iso::pool_words(length), got_pools.size() * 4);
    const auto owed_pools = owed.pools.begin() + static_cast<std::ptrdiff_t>(margin());
    CHECK(std::equal(got_pools.begin(), got_pools.end(), owed_pools));
  }
}

TEST_CASE("a row of more than 2^31 elements comes back with the host's bits") {
  call<float> c;
  const std::int64_t n = (std::int64_t{1} << 31) + 2;
  c.y = dense_input<float>(1, n);
  fill_values("ramp", c.y.memory.data(), 1, n, 1);
  c.output = place::over_y;
  c.y.memory.back() = -5;  // the last element matters
  check_call(c, "n = " + std::to_string(n));
}
