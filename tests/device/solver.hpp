// The solver on the device, compiled once for all tests, in solver_*.cu: one file for each value type, with
// weights and without.
#pragma once

#include <cstddef>
#include <span>

#include <iso/options.hpp>
#include <iso/status.hpp>

#include "runtime.hpp"

namespace device_test {

// The public forms, all memory device memory. `w` is not looked at unless Weighted.
template <class T, bool Weighted>
struct solver {
  static iso::status row(stream s, std::span<const T> y, std::span<const T> w, std::span<T> fit,
                         iso::options<T> opt);
  static iso::status rows(stream s, iso::batch<const T> y, iso::batch<const T> w, iso::batch<T> fit,
                          iso::options<T> opt);
  static iso::status pointers(stream s, const T* y, const T* w, T* fit, iso::shape size, iso::options<T> opt);
  static std::size_t workspace_bytes(iso::shape size);
};

template <class T>
std::size_t workspace_bytes(bool weighted, iso::shape size) {
  return weighted ? solver<T, true>::workspace_bytes(size) : solver<T, false>::workspace_bytes(size);
}

}  // namespace device_test
