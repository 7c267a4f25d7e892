// What every solve accepts: options, batches and their shapes, iterators.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>

#include <iso/detail/config.hpp>
#include <iso/numeric/format.hpp>
#include <iso/status.hpp>

namespace iso {

// Options of a solve. The solver of a GPU copies all of this before it returns; `workspace`, `status` and
// `pools` are then device memory, used by the enqueued work in stream order. For the host solver they are
// host memory.
//
//   iso::host::solve<float, false>(y, fit, {.increasing = false, .y_min = 0.0f});
template <numeric::floating T>
struct options {
  // Non-decreasing fit, or non-increasing.
  bool increasing = true;
  // Bounds the solved fit is clipped to, in the units of y. Refused if NaN or if y_min > y_max.
  T y_min = numeric::format<T>::infinity(true);
  T y_max = numeric::format<T>::infinity(false);
  // Working memory of a solve on a GPU, at any address, of at least iso::workspace_bytes<T, Weighted>(shape)
  // bytes; what it holds before and after means nothing. Solves on one stream may share it, solves that may
  // run at the same time may not. Empty: the solve allocates and frees in stream order. The host solver does
  // not read it.
  std::span<std::byte> workspace = {};
  // Empty, or one entry a row: how the row went.
  std::span<row_status> status = {};
  // Empty, or the pools of the fit before clipping: bit i % 32 of a row's word i / 32 is set if element i
  // starts a pool. Unused bits of a row's words, and all bits of a row that is not ok, are zero. Row r begins
  // at word
  //   r * pool_words(length)      for a single row (r = 0), a batch, or iterators with a shape,
  //   offsets[r] / 32 - offsets[0] / 32 + r
  //                               for ragged rows, pool_words(offsets[0], offsets[rows], rows) words in all,
  // so no two rows share a word.
  std::span<std::uint32_t> pools = {};
  // Null, or a counter in device memory. A solve on a GPU adds 1 to it for every row that it solves in exact
  // sums too wide for the registers of a thread, as where values or weights are of all exponents: such rows
  // take longer. Results do not depend on it. The host solver does not read it.
  std::uint64_t* wide_rows = nullptr;
};

// Words of `options::pools` that one row of `length` elements takes.
ISO_HOST_DEVICE constexpr std::int64_t pool_words(std::int64_t length) {
  return length / 32 + (length % 32 != 0);
}

// Words of `options::pools` that ragged rows take, whose offsets run from `first` to `last`.
ISO_HOST_DEVICE constexpr std::int64_t pool_words(std::int64_t first, std::int64_t last, std::int64_t rows) {
  return rows == 0 ? 0 : last / 32 - first / 32 + rows;
}

// The size of a batch that iterators name: element i of row r is at position r * length + i.
struct shape {
  std::int64_t rows = 0;
  std::int64_t length = 0;
};

// `rows` rows of `length` elements with any strides, counted in elements of T: element i of row r is at
// data[r * row_stride + i * stride]. A stride of 0 broadcasts (input only).
template <class T>
struct batch {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t length = 0;
  std::int64_t row_stride = 0;
  std::int64_t stride = 1;

  batch() = default;
  // Dense row-major.
  batch(T* first, std::int64_t row_count, std::int64_t row_length)
      : batch(first, row_count, row_length, row_length, 1) {}
  batch(T* first, std::int64_t row_count, std::int64_t row_length, std::int64_t row_step,
        std::int64_t step = 1)
      : data(first), rows(row_count), length(row_length), row_stride(row_step), stride(step) {}

  // From a batch of less qualified elements.
  template <class U>
  requires(std::convertible_to<U (*)[], T (*)[]> && !std::same_as<U, T>) batch(const batch<U>& other)
      : batch(other.data, other.rows, other.length, other.row_stride, other.stride) {}

  // From any two-dimensional mdspan (std, cuda::std or Kokkos) with strided layout.
  template <class Mdspan>
  requires requires(const Mdspan& m) {
    requires Mdspan::rank()
    == 2;
    { m.data_handle() } -> std::convertible_to<T*>;
    { m.extent(0) } -> std::convertible_to<std::int64_t>;
    { m.stride(0) } -> std::convertible_to<std::int64_t>;
  }
  batch(const Mdspan& m)
      : batch(m.data_handle(), static_cast<std::int64_t>(m.extent(0)), static_cast<std::int64_t>(m.extent(1)),
              static_cast<std::int64_t>(m.stride(0)), static_cast<std::int64_t>(m.stride(1))) {}
};

// What the forms with iterators take: element i of `it` is it[i]. It need not be assignable.
template <class It>
concept indexable_iterator = std::copy_constructible<It> && requires(It it, std::iter_difference_t<It> i) {
  *it;
  ++it;
  it[i];
};

// Whose elements convert to T, or can be assigned a T.
template <class It, class T>
concept readable_iterator = indexable_iterator<It> && requires(const It& it, std::iter_difference_t<It> i) {
  { it[i] } -> std::convertible_to<T>;
};
template <class It, class T>
concept writable_iterator = indexable_iterator<It> &&
    requires(const It& it, std::iter_difference_t<It> i, const T& value) {
  it[i] = value;
};

}  // namespace iso
