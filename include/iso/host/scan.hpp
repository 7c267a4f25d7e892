// The first look at a chunk: is its data sound, and on which grid does it lie?
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <iso/numeric/format.hpp>
#include <iso/numeric/sums.hpp>
#include <iso/status.hpp>

namespace iso::host::detail {

// What a scan finds. `grid` describes the finite elements of positive weight.
struct findings {
  numeric::grid grid;
  bool bad_weight = false;
  bool nan = false;
  bool infinite = false;  // an infinite value of positive weight
  bool weight = false;    // a positive weight

  void include(const findings& other) {
    grid.include(other.grid);
    bad_weight |= other.bad_weight;
    nan |= other.nan;
    infinite |= other.infinite;
    weight |= other.weight;
  }

  // Infinities are looked into elsewhere.
  row_status status() const {
    if (bad_weight) return row_status::bad_weight;
    if (nan) return row_status::nan;
    return weight ? row_status::ok : row_status::no_weight;
  }
};

// Raises the lowest position of a grid to the lowest bit that is set, if then one double holds every sum of
// products (see doubles.hpp) and did not before: so it is with labels, counts and other short numbers. Left
// as soon as an element of many bits is met.
template <class T>
void tighten(const T* y, const T* w, int count, numeric::grid& on) {
  using f = numeric::format<T>;
  const int most = 53 - numeric::bit_length(static_cast<std::uint64_t>(count));
  if (on.products.bits() <= most) return;
  const auto lowest = [](const numeric::decoded& d) { return d.position + std::countr_zero(d.mantissa); };
  int low = on.products.high, low_w = on.weights.high;
  for (int k = 0; k < count; ++k) {
    int at = 0;
    if (w) {
      const numeric::decoded weight = f::decode(w[k]);
      if (weight.mantissa == 0) continue;
      at = lowest(weight);
      low_w = (std::min)(low_w, at);
    }
    const numeric::decoded value = f::decode(y[k]);
    if (value.mantissa == 0) continue;
    low = (std::min)(low, at + lowest(value));
    if (on.products.high - low > most) return;
  }
  on.products.low = static_cast<std::int16_t>(low);
  if (w) on.weights.low = static_cast<std::int16_t>(low_w);
}

// Scans `count` > 0 values without weights.
template <class T>
findings scan(const T* y, int count) {
  using f = numeric::format<T>;
  using bits = typename f::bits_type;
  bits most = 0, least = static_cast<bits>(~bits{0});  // of all sizes; of those above 0, less 1
  for (int k = 0; k < count; ++k) {
    const bits size = f::size_bits(y[k]);
    most = (std::max)(most, size);
    least = (std::min)(least, static_cast<bits>(size - 1));
  }
  findings found;
  found.weight = true;
  if (most >= f::infinity_bits) {
    most = 0;
    for (int k = 0; k < count; ++k) {
      const bits size = f::size_bits(y[k]);
      found.nan |= size > f::infinity_bits;
      found.infinite |= size == f::infinity_bits;
      if (size < f::infinity_bits) most = (std::max)(most, size);
    }
  }
  if (most > 0) {
    found.grid.products.include(f::position(static_cast<bits>(least + 1)), f::position(most) + f::digits);
  }
  found.grid.weights.include(0, 1);
  if (!found.infinite && !found.nan) tighten<T>(y, nullptr, count, found.grid);
  return found;
}

// Scans `count` > 0 values with weights.
template <class T>
findings scan(const T* y, const T* w, int count) {
  using f = numeric::format<T>;
  using bits = typename f::bits_type;
  constexpr int none = 2 * f::positions;
  int least_w = none, most_w = -1, least = none, most = -1;
  unsigned bad = 0, nan = 0, infinite = 0;
  for (int k = 0; k < count; ++k) {
    const bits size = f::size_bits(y[k]), weight = f::size_bits(w[k]);
    bad |= static_cast<unsigned>(weight >= f::infinity_bits) |
           (static_cast<unsigned>(weight != 0) & static_cast<unsigned>(f::is_negative(w[k])));
    nan |= static_cast<unsigned>(size > f::infinity_bits);
    infinite |= static_cast<unsigned>(size == f::infinity_bits) & static_cast<unsigned>(weight != 0);
    const int at = f::position(weight);
    const bool heavy = weight != 0;
    least_w = (std::min)(least_w, heavy ? at : none);
    most_w = (std::max)(most_w, heavy ? at : -1);
    const bool counts = heavy && size != 0 && size < f::infinity_bits;
    const int product = at + f::position(size);
    least = (std::min)(least, counts ? product : none);
    most = (std::max)(most, counts ? product : -1);
  }
  findings found;
  found.bad_weight = bad != 0;
  found.nan = nan != 0;
  found.infinite = infinite != 0;
  found.weight = most_w >= 0;
  if (most_w >= 0) found.grid.weights.include(least_w, most_w + f::digits);
  if (most >= 0) found.grid.products.include(least, most + 2 * f::digits);
  if (!found.infinite && !found.nan && !found.bad_weight) tighten(y, w, count, found.grid);
  return found;
}

}  // namespace iso::host::detail
