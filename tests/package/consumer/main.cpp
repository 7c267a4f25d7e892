// A stranger's program: solves a row with and without weights, exit code 0 if both fits are right.
#include <array>
#include <cstdio>
#include <span>

#include <iso/host.hpp>

#include "solve_row.hpp"

bool weighted_row_is_right() {
  const std::array<float, 4> y{3, 1, 4, 2}, w{1, 3, 1, 1};
  std::array<float, 4> fit{};
  iso::host::solve<float, true>(std::span<const float>(y), std::span<const float>(w), std::span<float>(fit))
      .check();
  return fit == std::array<float, 4>{1.5f, 1.5f, 3, 3};
}

int main() {
  const bool unweighted = unweighted_row_is_right(), weighted = weighted_row_is_right();
  std::printf("unweighted %s, weighted %s\n", unweighted ? "right" : "wrong", weighted ? "right" : "wrong");
  return unweighted && weighted ? 0 : 1;
}
