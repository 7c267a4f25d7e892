// The solver for rows and batches is compiled once for all tests, in instances_*.cpp.
#pragma once

#include <iso/host.hpp>

namespace iso::host {

extern template status solve<float, false>(batch<const float>, batch<float>, options<float>, int);
extern template status solve<float, true>(batch<const float>, batch<const float>, batch<float>,
                                          options<float>, int);
extern template status solve<double, false>(batch<const double>, batch<double>, options<double>, int);
extern template status solve<double, true>(batch<const double>, batch<const double>, batch<double>,
                                           options<double>, int);

}  // namespace iso::host
