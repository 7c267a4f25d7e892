// How the tests call the library with iterators of Thrust.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <iso/solve.cuh>

#include "generated.hpp"

namespace device_test {

template <class T>
iso::status solve_generated(stream s, const T* y, T* fit, iso::shape size, iso::options<T> opt) {
  const thrust::counting_iterator<std::int64_t> positions(0);
  return iso::solve<T, true>(s, thrust::make_transform_iterator(positions, repeated_row<T>{y, size.length}),
                             thrust::make_transform_iterator(positions, hashed_weight<T>{}),
                             thrust::make_transform_output_iterator(fit, doubled<T>{}), size, opt);
}

}  // namespace device_test
