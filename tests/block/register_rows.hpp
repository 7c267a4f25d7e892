// Rows that threads hold in registers: how the tests hand them out, gather them and judge them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "block/emulated_row.hpp"
#include "catch.hpp"
#include "host/check.hpp"
#include "host/rows.hpp"
#include "reference/families.hpp"
#include "reference/problem.hpp"
#include "sanitized.hpp"

namespace block_test {

// What the elements after a row hold, which are nobody's.
template <class T>
inline constexpr T unread = T(-12345);

// Calls fit(values, weights) with the elements of a row that thread `thread` holds, and stores what it leaves
// there. `fit` returns the status and the starts.
template <int Items, class T, class Fit>
void fit_items(const reference::problem<T>& p, int thread, host_test::outcome<T>& out, bool& untouched,
               Fit&& fit) {
  T values[Items], weights[Items];
  const auto n = p.y.size();
  const auto at = [&](int k) { return static_cast<std::size_t>(thread * Items + k); };
  for (int k = 0; k < Items; ++k) {
    values[k] = at(k) < n ? p.y[at(k)] : unread<T>;
    weights[k] = p.weighted && at(k) < n ? p.w[at(k)] : unread<T>;
  }
  const auto [status, starts] = fit(values, weights);
  reference::problem<T> bounds;
  bounds.y_min = p.y_min;
  bounds.y_max = p.y_max;
  const auto rows = rows_of<T, false>(bounds, out);
  for (int k = 0; k < Items; ++k) {
    const bool start = (starts >> k & 1u) != 0;
    if (at(k) < n) {
      out.fit[at(k)] = rows.finished(values[k]);
      if (start) std::atomic_ref(out.pools[at(k) / 32]).fetch_or(1u << at(k) % 32);
    } else if (values[k] != unread<T> || start) {
      untouched = false;
    }
  }
  if (thread == 0) out.status = status;
}

template <class T>
host_test::outcome<T> nothing_yet(const reference::problem<T>& p) {
  host_test::outcome<T> out;
  out.fit.assign(p.y.size(), T(99));
  out.pools.assign((p.y.size() + 31) / 32, 0);
  return out;
}

// What is wrong with what came back; empty if nothing is.
template <class T>
std::string fault_of(const reference::problem<T>& p, const host_test::outcome<T>& got, bool untouched) {
  if (!untouched) return "elements after the row were written";
  if (p.y.empty()) return got.status == iso::row_status::ok ? "" : "a row of no elements is not ok";
  return host_test::difference(got, reference::solve(p));
}

// Calls body(row, label, seed) for rows of every family of values and of weights, of lengths up to `room`.
template <class T, bool Weighted, class Body>
void for_all_families(std::size_t room, Body&& body) {
  std::uint64_t seed = room;
  for (const std::string_view values : reference::value_families) {
    for (const std::string_view weights : reference::weight_families) {
      if (!Weighted && weights != reference::weight_families[0]) continue;
      const std::string_view w = Weighted ? weights : std::string_view();
      for (const std::size_t n : {std::size_t{1}, room / 3 + 1, room}) {
        if (n > room || left_out(++seed)) continue;
        body(host_test::seeded_row<T>(values, w, n, seed), host_test::label(values, w, n, seed), seed);
      }
    }
  }
}

// Rows that are not finite, or not ok.
template <class T>
std::vector<reference::problem<T>> odd_rows(bool weighted) {
  constexpr T inf = reference::infinity<T>, nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<reference::problem<T>> rows;
  for (const bool increasing : {true, false}) {
    for (const std::vector<T>& y : std::vector<std::vector<T>>{{},
                                                               {2, nan, 1, 0, 5},
                                                               {-inf, 3, 1, 2, inf, inf},
                                                               {inf, 3, 1, 2, -inf},
                                                               {3, 1, -inf, 2, 4},
                                                               {0, T(-0.0), -1, 1}}) {
      reference::problem<T> p = reference::row(y);
      p.increasing = increasing;
      p.weighted = weighted;
      if (weighted) p.w.assign(y.size(), T(1));
      rows.push_back(p);
      if (!weighted || y.empty()) continue;
      for (const T bad : {T(-1), inf, nan}) {
        rows.push_back(p);
        rows.back().w.back() = bad;
      }
      rows.push_back(p);
      rows.back().w.assign(y.size(), T(0));
    }
  }
  return rows;
}

}  // namespace block_test
