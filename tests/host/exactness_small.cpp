// Every short row over a few values and weights, against the oracle.
#include <array>
#include <cstddef>
#include <cstdint>

#include "check.hpp"

namespace {

using host_test::check_exact;
using host_test::infinity;
using host_test::not_a_number;
using reference::problem;

// Every row of n elements over `values`, under every row of weights over `weights` (none: unweighted).
template <class T>
void check_all(const std::vector<T>& values, const std::vector<T>& weights, std::size_t n) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < n; ++i) count *= values.size() * (weights.empty() ? 1 : weights.size());
  for (std::size_t code = 0; code < count; ++code) {
    problem<T> p;
    p.weighted = !weights.empty();
    std::size_t rest = code;
    for (std::size_t i = 0; i < n; ++i) {
      p.y.push_back(values[rest % values.size()]);
      rest /= values.size();
      if (!p.weighted) continue;
      p.w.push_back(weights[rest % weights.size()]);
      rest /= weights.size();
    }
    p.increasing = code % 2 == 0;
    check_exact(p, "all short rows");
  }
}

}  // namespace

TEMPLATE_TEST_CASE("every row of up to six small integers comes back exact", "", float, double) {
  for (std::size_t n = 0; n <= 6; ++n) check_all<TestType>({-1, 0, 1, 3}, {}, n);
}

TEMPLATE_TEST_CASE("every weighted row of up to four small integers comes back exact", "", float, double) {
  for (std::size_t n = 0; n <= 4; ++n) check_all<TestType>({0, 1, 2}, {0, 1, 2}, n);
}

TEMPLATE_TEST_CASE("every short row with infinities and NaN has its status and its fit", "", float, double) {
  using T = TestType;
  for (std::size_t n = 0; n <= 5; ++n) check_all<T>({-infinity<T>, 0, 1, infinity<T>}, {}, n);
  for (std::size_t n = 0; n <= 3; ++n) {
    check_all<T>({-infinity<T>, 1, infinity<T>, not_a_number<T>}, {0, 1, -1, not_a_number<T>, infinity<T>},
                 n);
  }
}
