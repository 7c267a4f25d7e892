// The second translation unit that includes iso: symbols must not clash with main.cpp's.
#include <array>
#include <span>

#include <iso/host.hpp>

#include "solve_row.hpp"

bool unweighted_row_is_right() {
  const std::array<float, 5> y{1, 3, 2, 5, 4};
  std::array<float, 5> fit{};
  iso::host::solve<float, false>(std::span<const float>(y), std::span<float>(fit)).check();
  return fit == std::array<float, 5>{1, 2.5f, 2.5f, 4.5f, 4.5f};
}
