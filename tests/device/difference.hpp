// The device against the host.
//
// Both get the same images of memory, byte for byte. The device keeps its promise if it leaves the host's
// image behind: values, row status, pools, and everything around and between them untouched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "call.hpp"
#include "host/check.hpp"

namespace device_test {

// Where two images of output differ, if they do: the index of the first element.
template <class T>
std::optional<std::size_t> first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  if (same_bytes(a, b)) return {};
  for (std::size_t k = 0; k < (std::min)(a.size(), b.size()); ++k) {
    if constexpr (std::is_floating_point_v<T>) {
      if (!host_test::same(a[k], b[k])) return k;
    } else if (a[k] != b[k]) {
      return k;
    }
  }
  if (a.size() == b.size()) return {};
  return (std::min)(a.size(), b.size());
}

// What differs first, and in which row, -1 if in none.
struct fault {
  std::string text = {};
  std::int64_t row = -1;
};

template <class T>
fault memory_fault(const call<T>& c, const outcome<T>& got, const outcome<T>& owed) {
  const auto at = first_difference(got.memory, owed.memory);
  if (!at) return {};
  std::ostringstream out;
  const image<T>& fit = c.target();
  for (std::int64_t r = 0; r < fit.rows; ++r) {
    const std::int64_t distance = static_cast<std::int64_t>(*at) - fit.origin - r * fit.row_stride;
    if (fit.stride == 0 || distance % fit.stride != 0) continue;
    const std::int64_t i = distance / fit.stride;
    if (i < 0 || i >= fit.length) continue;
    out << "fit[" << r << "][" << i << "] is " << std::hexfloat << got.memory[*at] << ", owed "
        << owed.memory[*at];
    return {out.str(), r};
  }
  out << "memory outside the rows was written, " << static_cast<std::int64_t>(*at) - fit.origin
      << " elements from their first";
  return {out.str()};
}

template <class T>
fault first_fault(const call<T>& c, const outcome<T>& got, const outcome<T>& owed) {
  const auto before = static_cast<std::int64_t>(margin());
  std::ostringstream out;
  if (got.called.code() != owed.called.code()) {
    out << "returned \"" << got.called.message() << "\", the host \"" << owed.called.message() << '"';
    return {out.str()};
  }
  if (const auto at = first_difference(got.status, owed.status)) {
    out << "status[" << static_cast<std::int64_t>(*at) - before << "] is " << reference::name(got.status[*at])
        << ", owed " << reference::name(owed.status[*at]);
    return {out.str(), static_cast<std::int64_t>(*at) - before};
  }
  if (fault f = memory_fault(c, got, owed); !f.text.empty()) return f;
  if (const auto at = first_difference(got.pools, owed.pools)) {
    const std::int64_t word = static_cast<std::int64_t>(*at) - before;
    out << "pools[" << word << "] is " << std::hex << got.pools[*at] << ", owed " << owed.pools[*at];
    return {out.str(), word / (std::max)(std::int64_t{1}, iso::pool_words(c.y.length))};
  }
  return {got.stray};
}

// Empty, or what the device did other than the host; of a row that goes wrong alone too, the shortest that
// does.
template <class T>
std::string difference(const call<T>& c, const outcome<T>& got, const outcome<T>& owed) {
  const fault found = first_fault(c, got, owed);
  if (found.text.empty() || found.row < 0 || found.row >= c.y.rows || c.y.length > 200000) return found.text;
  const auto alone = [](const reference::problem<T>& p) {
    const call<T> row = single(p);
    return first_fault(row, on_device(row), on_host(row, 1)).text;
  };
  const reference::problem<T> p = c.problem(found.row);
  if (alone(p).empty()) return found.text + "\nthe row alone is right";
  const auto least = host_test::minimised(p, [&](const auto& q) { return !alone(q).empty(); });
  return found.text + "\nshortest: " + alone(least) + "\n" + reference::describe(least);
}

// Fails unless the device leaves behind what the host does.
template <class T>
void check_call(const call<T>& c, const std::string& what, stream s = nullptr) {
  std::string found = difference(c, on_device(c, s), on_host(c));
  if (!found.empty()) found = what + ": " + found;
  CHECK(found == "");
}

}  // namespace device_test
