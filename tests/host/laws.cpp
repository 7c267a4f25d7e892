// Laws of the isotonic fit that need no oracle.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "rows.hpp"
#include "sanitized.hpp"

using host_test::fit_of;
using host_test::infinity;
using host_test::outcome;
using host_test::problem;
using host_test::run;
using host_test::same;

namespace {

const std::vector<std::string_view> some_weights = {"", "uniform", "decades", "counts"};
const std::vector<std::size_t> some_sizes = {1, 2, 5, 33, 1000, 1025, 3000};

// Shows a law on every family of values, without bounds. `law` says whether it holds.
template <class T>
void for_rows(const std::vector<std::string_view>& weights,
              const std::function<bool(const problem<T>&)>& law) {
  std::uint64_t seed = 0;
  for (const std::string_view values : reference::value_families) {
    for (const std::string_view w : weights) {
      for (const std::size_t n : some_sizes) {
        if (w == "decades" && n > 1100) continue;  // numbers of many words take long
        if (left_out(++seed)) continue;
        problem<T> p = host_test::seeded_row<T>(values, w, n, seed);
        p.y_min = -infinity<T>;
        p.y_max = infinity<T>;
        const bool holds = law(p);
        INFO(host_test::label(values, w, n, seed));
        CHECK(holds);
      }
    }
  }
}

// Whether every finite nonzero value stays normal when it is multiplied by 2^k for |k| <= 40.
template <class T>
bool scales(const std::vector<T>& values) {
  return std::ranges::all_of(values, [](T v) {
    return v == 0 || (std::isnormal(std::ldexp(v, -40)) && std::isfinite(std::ldexp(v, 40)));
  });
}

template <class T>
std::vector<T> scaled(std::vector<T> values, int k) {
  for (T& v : values) v = std::ldexp(v, k);
  return values;
}

template <class T>
std::vector<T> negated(std::vector<T> values) {
  for (T& v : values) v = v == 0 ? T(0) : -v;
  return values;
}

template <class T>
std::vector<T> reversed(std::vector<T> values) {
  std::ranges::reverse(values);
  return values;
}

template <class T>
problem<T> part(const problem<T>& p, std::size_t first, std::size_t end) {
  problem<T> out = p;
  const auto cut = [&](const std::vector<T>& v) {
    return std::vector<T>(v.begin() + static_cast<std::ptrdiff_t>(first),
                          v.begin() + static_cast<std::ptrdiff_t>(end));
  };
  out.y = cut(p.y);
  if (p.weighted) out.w = cut(p.w);
  return out;
}

bool starts_pool(const std::vector<std::uint32_t>& pools, std::size_t i) {
  return (pools[i / 32] >> (i % 32) & 1) != 0;
}

}  // namespace

TEMPLATE_TEST_CASE("the fit is monotone to the last bit", "", float, double) {
  using T = TestType;
  for_rows<T>(some_weights, [](const problem<T>& p) {
    const std::vector<T> fit = fit_of(p);
    return p.increasing ? std::ranges::is_sorted(fit) : std::ranges::is_sorted(fit, std::greater<>());
  });
}

TEMPLATE_TEST_CASE("the fit of a fit is that fit", "", float, double) {
  using T = TestType;
  for_rows<T>(some_weights, [](problem<T> p) {
    const std::vector<T> fit = fit_of(p);
    p.y = fit;
    return same(fit_of(p), fit);
  });
}

TEMPLATE_TEST_CASE("values times a power of two have the fit times that power", "", float, double) {
  using T = TestType;
  int shown = 0;
  for_rows<T>(some_weights, [&](problem<T> p) {
    const outcome<T> before = run(p);
    if (!scales(p.y) || !scales(before.fit)) return true;
    ++shown;
    const std::vector<T> y = p.y;
    for (const int k : {-40, -1, 1, 40}) {
      p.y = scaled(y, k);
      const outcome<T> after = run(p);
      if (!same(after.fit, scaled(before.fit, k)) || after.pools != before.pools) return false;
    }
    return true;
  });
  CHECK(shown > (sanitized ? 40 : 300));
}

TEMPLATE_TEST_CASE("weights times a power of two change nothing", "", float, double) {
  using T = TestType;
  for_rows<T>({"uniform", "decades", "counts", "zeros"}, [](problem<T> p) {
    const outcome<T> before = run(p);
    const std::vector<T> w = p.w;
    for (const int k : {-40, -1, 1, 40}) {
      p.w = scaled(w, k);
      if (!(run(p) == before)) return false;
    }
    return true;
  });
}

TEMPLATE_TEST_CASE("equal weights are no weights", "", float, double) {
  using T = TestType;
  for_rows<T>({""}, [](problem<T> p) {
    const outcome<T> without = run(p);
    p.weighted = true;
    for (const T weight :
         {T(1), T(0.1), std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max()}) {
      p.w.assign(p.y.size(), weight);
      if (!(run(p) == without)) return false;
    }
    return true;
  });
}

TEMPLATE_TEST_CASE("a weight is a repeat count", "", float, double) {
  using T = TestType;
  for_rows<T>({"counts"}, [](const problem<T>& p) {
    problem<T> repeated = p;
    repeated.weighted = false;
    repeated.y.clear();
    for (std::size_t i = 0; i < p.y.size(); ++i) {
      repeated.y.insert(repeated.y.end(), static_cast<std::size_t>(p.w[i]), p.y[i]);
    }
    const std::vector<T> fit = fit_of(p);
    std::vector<T> owed;
    for (std::size_t i = 0; i < fit.size(); ++i)
      owed.insert(owed.end(), static_cast<std::size_t>(p.w[i]), fit[i]);
    return same(fit_of(repeated), owed);
  });
}

TEMPLATE_TEST_CASE("a row reversed and negated has the fit reversed and negated", "", float, double) {
  using T = TestType;
  for_rows<T>(some_weights, [](const problem<T>& p) {
    problem<T> mirror = p;
    mirror.y = negated(reversed(p.y));
    mirror.w = reversed(p.w);
    return same(fit_of(mirror), negated(reversed(fit_of(p))));
  });
}

TEMPLATE_TEST_CASE("a row reversed has the fit of the other direction reversed", "", float, double) {
  using T = TestType;
  for_rows<T>(some_weights, [](const problem<T>& p) {
    problem<T> back = p;
    back.increasing = !p.increasing;
    back.y = reversed(p.y);
    back.w = reversed(p.w);
    return same(fit_of(back), reversed(fit_of(p)));
  });
}

TEMPLATE_TEST_CASE("a row split where a pool starts has the fits of its parts", "", float, double) {
  using T = TestType;
  reference::random_source random(5);
  for_rows<T>(some_weights, [&](const problem<T>& p) {
    const outcome<T> whole = run(p);
    for (int tries = 0; tries < 20; ++tries) {
      const std::size_t at = random.below(p.y.size());
      if (at == 0 || !starts_pool(whole.pools, at)) continue;
      std::vector<T> parts = fit_of(part(p, 0, at));
      const std::vector<T> rest = fit_of(part(p, at, p.y.size()));
      parts.insert(parts.end(), rest.begin(), rest.end());
      if (!same(parts, whole.fit)) return false;
    }
    return true;
  });
}
