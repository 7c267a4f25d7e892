// The solver that one writes in an afternoon: one thread a row, pool adjacent violators in floating point.
//
// `fit` serves as the stack of the pools' means; the pools' sizes, and their weights where rows have any, lie
// in scratch memory. An element is pushed as a pool of its own, and as long as the last two pools decrease,
// they become one. At the end each pool's mean is written over its elements, from the last pool to the first,
// since the stack is never longer than the elements that went into it.
//
// Worked example: 1 3 2 4. Pools 1 | 3; the 2 is less than the 3: 1 | 2.5 (two elements); 4. Written
// backwards: 4, then 2.5 2.5, then 1.
#pragma once

#include <cstdint>

namespace bench {

// y, w (not read unless Weighted), fit: rows * n elements, dense. weights, sizes: scratch of rows * n
// elements (weights is not touched unless Weighted).
template <class T, bool Weighted>
__global__ void thread_per_row(const T* y, const T* w, T* fit, T* weights, int* sizes, std::int64_t rows,
                               int n) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  y += row * n, w += Weighted ? row * n : 0, fit += row * n, sizes += row * n;
  if (Weighted) weights += row * n;
  int top = -1;
  for (int i = 0; i < n; ++i) {
    T mean = y[i], mass = Weighted ? w[i] : T(1);
    int size = 1;
    for (; top >= 0 && fit[top] >= mean; --top) {
      const T other = Weighted ? weights[top] : static_cast<T>(sizes[top]);
      mean = (fit[top] * other + mean * mass) / (other + mass);
      mass += other;
      size += sizes[top];
    }
    ++top;
    fit[top] = mean;
    sizes[top] = size;
    if (Weighted) weights[top] = mass;
  }
  for (int i = n; top >= 0; --top) {
    const T mean = fit[top];
    for (const int first = i - sizes[top]; i > first;) fit[--i] = mean;
  }
}

}  // namespace bench
