// Ragged rows: lengths, offsets and the layout of their pools.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "forms.hpp"
#include "rows.hpp"

using host_test::difference;
using host_test::generated;
using host_test::outcome;
using host_test::problem;
using host_test::sink;

namespace {

// Solves rows at these offsets and compares each, its status and its pools with the oracle's.
template <class T, class Offset>
void check_ragged(const std::vector<T>& y, const std::vector<T>& w, const std::vector<Offset>& offsets,
                  int threads) {
  const auto rows = static_cast<std::int64_t>(offsets.size()) - 1;
  const std::int64_t first = offsets.front(), last = offsets.back();
  std::vector<T> fit(y.size(), T(-4242));
  std::vector<iso::row_status> status(static_cast<std::size_t>(rows), iso::row_status::nan);
  std::vector<std::uint32_t> pools(static_cast<std::size_t>(iso::pool_words(first, last, rows)), 0xdeadbeef);
  iso::options<T> options;
  options.status = status;
  options.pools = pools;
  CHECK((w.empty()
             ? iso::host::solve<T, false>(y.begin(), fit.begin(), offsets.begin(), rows, options, threads)
             : iso::host::solve<T, true>(y.begin(), w.begin(), fit.begin(), offsets.begin(), rows, options,
                                         threads)));
  for (std::size_t r = 0; r < status.size(); ++r) {
    const std::int64_t begin = offsets[r], end = offsets[r + 1];
    problem<T> p = reference::row(std::vector<T>(y.begin() + begin, y.begin() + end));
    p.weighted = !w.empty();
    if (p.weighted) p.w.assign(w.begin() + begin, w.begin() + end);
    outcome<T> got;
    got.status = status[r];
    got.fit.assign(fit.begin() + begin, fit.begin() + end);
    const auto word = pools.begin() + (begin / 32 - first / 32 + static_cast<std::int64_t>(r));
    got.pools.assign(word, word + iso::pool_words(end - begin));
    INFO("row " << r << " at " << begin);
    CHECK(difference(got, reference::solve(p)) == "");
  }
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(y.size()); ++i) {
    if (i < first || i >= last) REQUIRE(fit[static_cast<std::size_t>(i)] == T(-4242));
  }
}

template <class Offset>
std::vector<Offset> random_offsets(std::uint64_t seed, std::int64_t first, std::int64_t last) {
  reference::random_source random(seed);
  std::vector<Offset> out = {static_cast<Offset>(first)};
  while (out.back() < last) {
    const std::uint64_t longest = random.chance(0.1) ? 3000 : 40;
    const auto length = static_cast<std::int64_t>(random.chance(0.3) ? 0 : random.below(longest));
    out.push_back(static_cast<Offset>((std::min)(std::int64_t{out.back()} + length, last)));
  }
  return out;
}

}  // namespace

TEMPLATE_TEST_CASE("ragged rows of all lengths come back exact, empty ones among them", "", float, double) {
  using T = TestType;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const std::vector<T> y = reference::values<T>("noise", 20000, seed);
    const std::vector<T> w = reference::weights<T>("zeros", 20000, seed);
    const auto first = static_cast<std::int64_t>(seed % 3 * 37);
    const std::vector<std::int64_t> offsets = random_offsets<std::int64_t>(seed, first, 19000);
    for (const int threads : {1, 3}) {
      check_ragged(y, {}, offsets, threads);
      check_ragged(y, w, offsets, threads);
    }
  }
}

TEST_CASE("rows share no word of the pools") {
  const std::vector<double> y = reference::values<double>("noise", 300, 1);
  check_ragged<double, std::int64_t>(y, {}, {0, 1, 2, 3, 3, 35, 35, 36, 68, 100, 131, 163, 300}, 1);
  check_ragged<double, std::int64_t>(y, {}, {31, 33, 64, 65, 96, 97, 97, 129}, 1);
  check_ragged<double, std::int64_t>(y, {}, {300, 300, 300}, 1);
}

TEST_CASE("offsets of 32 bits are read as such") {
  const std::vector<float> y = reference::values<float>("noise", 500, 1);
  check_ragged<float, std::int32_t>(y, {}, random_offsets<std::int32_t>(4, 10, 500), 1);
}

TEST_CASE("a row long enough for all threads may stand among short ones") {
  const std::vector<float> y = reference::values<float>("pieces", 300200, 2);
  const std::vector<std::int64_t> offsets = {5, 40, 300140, 300140, 300190};
  check_ragged(y, {}, offsets, 1);
  check_ragged(y, {}, offsets, 3);
}

TEST_CASE("no ragged rows are a success") {
  const std::vector<std::int64_t> offsets = {7};
  const float* none = nullptr;
  float* nowhere = nullptr;
  CHECK(iso::host::solve<float, false>(none, nowhere, offsets.begin(), 0));
  const std::vector<std::int64_t> empty = {0, 0, 0};
  CHECK(iso::host::solve<float, false>(none, nowhere, empty.begin(), 2));
}

TEST_CASE("positions beyond 2^32 are counted in 64 bits") {
  const std::int64_t far_out = std::int64_t{1} << 33;
  const std::vector<std::int64_t> offsets = {far_out + 5, far_out + 8, far_out + 8, far_out + 10};
  const auto values_at = [=](std::int64_t at) { return static_cast<double>(far_out + 10 - at); };
  const generated values(values_at);
  const auto weights_at = [](std::int64_t at) { return static_cast<double>(at % 2 + 1); };
  const generated weights(weights_at);
  std::vector<double> fit;
  const auto keep = [&](std::int64_t at, double v) {
    CHECK(at == offsets[0] + static_cast<std::int64_t>(fit.size()));
    fit.push_back(v);
  };
  CHECK(iso::host::solve<double, false>(values, sink(keep), offsets.begin(), 3, {}, 1));
  CHECK(fit == std::vector<double>{4, 4, 4, 1.5, 1.5});
  fit.clear();
  CHECK(iso::host::solve<double, true>(values, weights, sink(keep), offsets.begin(), 3, {}, 1));
  CHECK(fit == std::vector<double>{4, 4, 4, 4.0 / 3, 4.0 / 3});
}
