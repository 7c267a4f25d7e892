// How the solver of the tests calls the library.
#pragma once

#include <iso/solve.cuh>

#include "solver.hpp"

namespace device_test {

template <class T, bool Weighted>
iso::status solver<T, Weighted>::row(stream s, std::span<const T> y, std::span<const T> w, std::span<T> fit,
                                     iso::options<T> opt) {
  if constexpr (Weighted) {
    return iso::solve<T, true>(s, y, w, fit, opt);
  } else {
    return iso::solve<T, false>(s, y, fit, opt);
  }
}

template <class T, bool Weighted>
iso::status solver<T, Weighted>::rows(stream s, iso::batch<const T> y, iso::batch<const T> w,
                                      iso::batch<T> fit, iso::options<T> opt) {
  if constexpr (Weighted) {
    return iso::solve<T, true>(s, y, w, fit, opt);
  } else {
    return iso::solve<T, false>(s, y, fit, opt);
  }
}

template <class T, bool Weighted>
iso::status solver<T, Weighted>::pointers(stream s, const T* y, const T* w, T* fit, iso::shape size,
                                          iso::options<T> opt) {
  if constexpr (Weighted) {
    return iso::solve<T, true>(s, y, w, fit, size, opt);
  } else {
    return iso::solve<T, false>(s, y, fit, size, opt);
  }
}

template <class T, bool Weighted>
std::size_t solver<T, Weighted>::workspace_bytes(iso::shape size) {
  return iso::workspace_bytes<T, Weighted>(size);
}

}  // namespace device_test
