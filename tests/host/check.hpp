// Runs the CPU solver on one row and compares what comes back with what is owed, bit for bit.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <iso/host.hpp>

#include "catch.hpp"
#include "instances.hpp"
#include "reference/oracle.hpp"
#include "reference/problem.hpp"

namespace host_test {

using reference::infinity;
using reference::problem;

template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// The same bits; any NaN is as good as another.
template <class T>
bool same(T a, T b) {
  return std::bit_cast<bits_of<T>>(a) == std::bit_cast<bits_of<T>>(b) || (std::isnan(a) && std::isnan(b));
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return false;
  }
  return true;
}

// What the solver said of one row.
template <class T>
struct outcome {
  iso::status called;
  iso::row_status status = iso::row_status::ok;
  std::vector<T> fit;
  std::vector<std::uint32_t> pools;
};

template <class T>
bool operator==(const outcome<T>& a, const outcome<T>& b) {
  return bool(a.called) == bool(b.called) && a.status == b.status && same(a.fit, b.fit) && a.pools == b.pools;
}

// Calls the solver. All outputs hold rubbish before.
template <class T>
outcome<T> run(const problem<T>& p, int threads = 1) {
  outcome<T> out;
  out.fit.assign(p.y.size(), T(-12345));
  out.pools.assign((p.y.size() + 31) / 32, 0xdeadbeef);
  out.status = static_cast<iso::row_status>(99);
  const iso::options<T> options = {.increasing = p.increasing,
                                   .y_min = p.y_min,
                                   .y_max = p.y_max,
                                   .workspace = {},
                                   .status = std::span(&out.status, 1),
                                   .pools = out.pools};
  out.called = p.weighted ? iso::host::solve<T, true>(p.y, p.w, out.fit, options, threads)
                          : iso::host::solve<T, false>(p.y, out.fit, options, threads);
  return out;
}

// The fit alone of a row that must be ok.
template <class T>
std::vector<T> fit_of(const problem<T>& p, int threads = 1) {
  const outcome<T> out = run(p, threads);
  CHECK(out.called);
  CHECK(out.status == iso::row_status::ok);
  return out.fit;
}

// Empty, or the first difference between what came back and what is owed.
template <class T>
std::string difference(const outcome<T>& got, const reference::answer<T>& owed) {
  std::ostringstream out;
  if (!got.called) {
    out << "refused: " << got.called.message();
  } else if (got.status != owed.status) {
    out << "status " << reference::name(got.status) << ", owed " << reference::name(owed.status);
  } else if (got.fit.size() != owed.fit.size()) {
    out << got.fit.size() << " elements, owed " << owed.fit.size();
  }
  if (!out.str().empty()) return out.str();
  for (std::size_t i = 0; i < owed.fit.size(); ++i) {
    if (same(got.fit[i], owed.fit[i])) continue;
    out << "fit[" << i << "] is " << std::hexfloat << got.fit[i] << ", owed " << owed.fit[i];
    return out.str();
  }
  const std::vector<std::uint32_t> words = reference::words(owed.starts);
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (got.pools[k] == words[k]) continue;
    out << "pools[" << k << "] is " << std::hex << got.pools[k] << ", owed " << words[k];
    return out.str();
  }
  return {};
}

template <class T>
std::string difference(const problem<T>& p, int threads) {
  return difference(run(p, threads), reference::solve(p));
}

// A row as short as can be had by leaving out runs of elements while `fails` holds.
template <class T, class Fails>
problem<T> minimised(problem<T> p, Fails fails) {
  int tries = 4000;
  for (std::size_t run = p.y.size() / 2; run > 0; run /= 2) {
    for (std::size_t first = 0; first + run <= p.y.size() && tries > 0; --tries) {
      problem<T> shorter = p;
      const auto cut = [&](std::vector<T>& v) {
        const auto at = v.begin() + static_cast<std::ptrdiff_t>(first);
        v.erase(at, at + static_cast<std::ptrdiff_t>(run));
      };
      cut(shorter.y);
      if (p.weighted) cut(shorter.w);
      if (fails(shorter)) {
        p = std::move(shorter);
      } else {
        first += run;
      }
    }
  }
  return p;
}

// Fails, with a minimal row that shows it, unless the solver's answer is the oracle's to the last bit.
template <class T>
void check_exact(const problem<T>& p, const std::string& what, int threads = 1) {
  std::string fault = difference(p, threads);
  if (!fault.empty()) {
    const auto fails = [&](const problem<T>& q) { return !difference(q, threads).empty(); };
    const problem<T> least = minimised(p, fails);
    fault =
        what + ": " + fault + "\nshortest: " + difference(least, threads) + "\n" + reference::describe(least);
  }
  CHECK(fault == "");
}

// Fails unless a row comes back as these values, and as the oracle says if its data are rounded to float.
inline void check_fit(const problem<double>& p, const std::vector<double>& owed) {
  CHECK(fit_of(p) == owed);
  check_exact(p, "double");
  problem<float> narrow;
  narrow.y.assign(p.y.begin(), p.y.end());
  narrow.w.assign(p.w.begin(), p.w.end());
  narrow.weighted = p.weighted;
  narrow.increasing = p.increasing;
  narrow.y_min = static_cast<float>(p.y_min);
  narrow.y_max = static_cast<float>(p.y_max);
  check_exact(narrow, "float");
}

// Fails unless the pools that came back start at these elements, given in increasing order.
template <class T>
void check_pools(const problem<T>& p, const std::vector<std::size_t>& starts) {
  std::vector<bool> owed(p.y.size());
  for (const std::size_t i : starts) owed[i] = true;
  CHECK(run(p).pools == reference::words(owed));
}

}  // namespace host_test
