// Memory that rows lie in, with any strides, filled with sentinels wherever no element lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <iso/options.hpp>

namespace device_test {

// Whether only tiny cases are wanted, as under a tool that makes the device slow: ISO_TEST_SMALL is set.
inline bool small() {
  static const bool set = std::getenv("ISO_TEST_SMALL") != nullptr;
  return set;
}

// Sentinels before and after all output. None in small runs, so that a memory checker sees where memory ends.
inline std::size_t margin() {
  return small() ? 0 : 37;
}

// `rows` rows of `length` elements with these strides, the first at `origin`, in memory full of sentinels.
template <class T>
struct image {
  static constexpr T sentinel = -4242;

  std::int64_t rows = 0, length = 0, row_stride = 0, stride = 1, origin = 0;
  std::vector<T> memory;

  image() = default;
  // With `before` sentinels before the first element and `after` after the last.
  image(std::int64_t row_count, std::int64_t row_length, std::int64_t row_step, std::int64_t step,
        std::size_t before, std::size_t after)
      : rows(row_count), length(row_length), row_stride(row_step), stride(step) {
    std::int64_t low = 0, high = -1;
    if (rows > 0 && length > 0) {
      high = 0;
      for (const std::int64_t reach : {(rows - 1) * row_stride, (length - 1) * stride}) {
        (reach < 0 ? low : high) += reach;
      }
    }
    origin = static_cast<std::int64_t>(before) - low;
    memory.assign(static_cast<std::size_t>(origin + high + 1) + after, sentinel);
  }

  T& at(std::int64_t r, std::int64_t i) {
    return memory[static_cast<std::size_t>(origin + r * row_stride + i * stride)];
  }
  T at(std::int64_t r, std::int64_t i) const {
    return memory[static_cast<std::size_t>(origin + r * row_stride + i * stride)];
  }
  void assign(std::int64_t r, const std::vector<T>& values) {
    for (std::int64_t i = 0; i < length; ++i) at(r, i) = values[static_cast<std::size_t>(i)];
  }
  std::vector<T> row(std::int64_t r) const {
    std::vector<T> out;
    for (std::int64_t i = 0; i < length; ++i) out.push_back(at(r, i));
    return out;
  }
  // The rows if the image lies at `base`.
  iso::batch<T> view(T* base) const { return {base + origin, rows, length, row_stride, stride}; }
};

// Dense rows as input: nothing behind them, so that a memory checker sees where they end. `misaligned`
// elements lie before them.
template <class T>
image<T> dense_input(std::int64_t rows, std::int64_t length, std::size_t misaligned = 0) {
  return {rows, length, length, 1, misaligned, 0};
}

template <class T>
image<T> dense_output(std::int64_t rows, std::int64_t length) {
  return {rows, length, length, 1, margin(), margin()};
}

}  // namespace device_test
