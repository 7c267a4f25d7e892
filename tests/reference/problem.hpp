// One row of a test: its data and the options that change its fit. The oracle, the checks and the tests of
// the solvers all speak of rows in this form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <iso/status.hpp>

namespace reference {

template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();

template <class T>
struct problem {
  std::vector<T> y;
  std::vector<T> w = {};  // read only if weighted
  bool weighted = false;
  bool increasing = true;
  T y_min = -infinity<T>;
  T y_max = infinity<T>;
};

// An unweighted and a weighted row.
template <class T>
problem<T> row(std::vector<T> y) {
  return {.y = std::move(y)};
}

template <class T>
problem<T> row(std::vector<T> y, std::vector<T> w) {
  return {.y = std::move(y), .w = std::move(w), .weighted = true};
}

// What a solver owes for one row: the fit and, for each element, whether it starts a pool.
template <class T>
struct answer {
  iso::row_status status = iso::row_status::ok;
  std::vector<T> fit;
  std::vector<bool> starts;
};

// The bits of `starts` as the words of `options::pools`.
inline std::vector<std::uint32_t> words(const std::vector<bool>& starts) {
  std::vector<std::uint32_t> out((starts.size() + 31) / 32);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (starts[i]) out[i / 32] |= std::uint32_t{1} << (i % 32);
  }
  return out;
}

inline const char* name(iso::row_status s) {
  switch (s) {
    case iso::row_status::ok:
      return "ok";
    case iso::row_status::bad_weight:
      return "bad_weight";
    case iso::row_status::nan:
      return "nan";
    case iso::row_status::no_weight:
      return "no_weight";
    case iso::row_status::indeterminate:
      return "indeterminate";
  }
  return "not a row_status";
}

// Values as C++ literals, so that a failure can be pasted into a test; long rows are cut.
template <class T>
void print(std::ostream& out, std::span<const T> values) {
  constexpr std::size_t most = 64;
  out << '{' << std::hexfloat;
  for (std::size_t i = 0; i < values.size() && i < most; ++i) out << (i == 0 ? "" : ", ") << +values[i];
  if (values.size() > most) out << ", ... " << std::defaultfloat << values.size() << " in all";
  out << '}' << std::defaultfloat;
}

template <class T>
std::string describe(const problem<T>& p) {
  std::ostringstream out;
  out << (sizeof(T) == 4 ? "float" : "double") << (p.increasing ? " increasing" : " decreasing") << " in ["
      << std::hexfloat << p.y_min << ", " << p.y_max << std::defaultfloat << "], n = " << p.y.size()
      << "\n  y = ";
  print<T>(out, p.y);
  if (p.weighted) {
    out << "\n  w = ";
    print<T>(out, p.w);
  }
  return out.str();
}

}  // namespace reference
