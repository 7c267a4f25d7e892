// Data whose sums are too wide for the registers of a thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <iso/block/wide_tile.cuh>

#include "reference/problem.hpp"

namespace block_test {

// Families whose rows usually are.
inline constexpr std::array<std::string_view, 4> wide_values = {"exponents", "sorted exponents", "huge",
                                                                "subnormals"};
inline constexpr std::array<std::string_view, 5> wide_weights = {"exponents", "decades", "huge", "subnormal",
                                                                 "decades and zeros"};

// Whether the sums of a row take more words than a thread has registers for, and the row is ok: surely, or
// perhaps, since a solver may take the bits of products to reach from those of the least value and weight to
// those of the greatest.
struct wideness {
  bool sure, possible;
};

template <bool Weighted, class T>
wideness wide_sums(const reference::problem<T>& p) {
  using words = iso::sum_words<T, Weighted>;
  const auto count = static_cast<std::int64_t>(p.y.size());
  iso::findings found = iso::findings::nothing();
  iso::numeric::grid apart{};
  const auto include = [](iso::numeric::range& r, const T& x) {
    using f = iso::numeric::format<T>;
    const auto size = f::size_bits(x);
    if (size != 0 && size < f::infinity_bits) r.include(f::position(size), f::position(size) + f::digits);
  };
  for (std::size_t i = 0; i < p.y.size(); ++i) {
    const T w = Weighted ? p.w[i] : T(1);
    found.template include_element<T, Weighted>(p.y[i], w);
    include(apart.products, p.y[i]);
    if (Weighted) include(apart.weights, w);
  }
  if (!apart.products.empty() && Weighted && !apart.weights.empty()) {
    apart.products = {static_cast<std::int16_t>(apart.products.low + apart.weights.low),
                      static_cast<std::int16_t>(apart.products.high + apart.weights.high)};
  }
  const bool ok = found.status() == iso::row_status::ok;
  return {ok && !iso::sums_fit<words::large_n, words::large_m>(found.grid<Weighted>(), count),
          ok && !iso::sums_fit<words::large_n, words::large_m>(apart, count)};
}

}  // namespace block_test
