// A second road to the exact fit, for short rows: f_i is the largest over a <= i of the smallest over b >= i
// of the mean of elements a..b. It shares neither the algorithm nor the arithmetic (rationals) with the
// oracle.
#pragma once

#include <cstddef>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

namespace reference {

using rational = boost::multiprecision::cpp_rational;

// The exact fit of the finite values `y` under positive weights `w`.
inline std::vector<rational> max_min(const std::vector<rational>& y, const std::vector<rational>& w) {
  const std::size_t n = y.size();
  std::vector<rational> fit(n);
  std::vector<rational> lowest(n);  // over b >= i, of the mean of a..b
  for (std::size_t a = 0; a < n; ++a) {
    rational sum = 0;
    rational weight = 0;
    for (std::size_t b = a; b < n; ++b) {
      sum += w[b] * y[b];
      weight += w[b];
      lowest[b] = sum / weight;
    }
    for (std::size_t i = n - 1; i-- > a;) {
      if (lowest[i + 1] < lowest[i]) lowest[i] = lowest[i + 1];
    }
    for (std::size_t i = a; i < n; ++i) {
      if (a == 0 || lowest[i] > fit[i]) fit[i] = lowest[i];
    }
  }
  return fit;
}

}  // namespace reference
