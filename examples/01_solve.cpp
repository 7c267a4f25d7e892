// The first steps: one row, a weighted row, a batch, and what comes back.
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <iso/host.hpp>

namespace {

void print(const char* name, std::span<const float> values) {
  std::printf("%-10s", name);
  for (const float value : values) std::printf(" %6.3f", static_cast<double>(value));
  std::printf("\n");
}

}  // namespace

int main() {
  // One row: the non-decreasing sequence closest to y.
  const std::vector<float> y = {1, 3, 2, 4, 3.5f, 6};
  std::vector<float> fit(y.size());
  iso::host::solve<float, false>(y, fit).check();
  print("y", y);
  print("fit", fit);

  // With weights, non-increasing, within bounds, and with the pools: bit i is set if element i starts one.
  const std::vector<float> w = {1, 1, 2, 1, 1, 0};
  std::vector<std::uint32_t> pools(1);
  const iso::options<float> opt{.increasing = false, .y_min = 0, .y_max = 3, .pools = pools};
  iso::host::solve<float, true>(y, w, fit, opt).check();
  print("decreasing", fit);
  std::printf("pools start at");
  for (unsigned i = 0; i < y.size(); ++i) {
    if (pools[0] >> i & 1) std::printf(" %u", i);
  }
  std::printf("\n");

  // A batch, row-major, in place; the columns of the same matrix would be iso::batch<float>(m.data(), 2, 3,
  // 1, 2).
  std::vector<float> m = {3, 1,  //
                          2, 5,  //
                          4, 4};
  const iso::batch<float> rows(m.data(), 3, 2);
  std::vector<iso::row_status> status(3);
  iso::host::solve<float, false>(rows, rows, {.status = status}).check();
  for (int r = 0; r < 3; ++r) print("row", std::span(m).subspan(static_cast<std::size_t>(2 * r), 2));

  // A call that cannot be right says why, and writes nothing.
  const iso::status refused = iso::host::solve<float, false>(y, std::span(fit).first(4));
  std::printf("refused: %s\n", refused.message().c_str());
  return refused ? 1 : 0;
}
