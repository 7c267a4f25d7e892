// Where rows are and what is wanted of them: the source that kernels read from and the sink they write to.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include <iso/detail/config.hpp>
#include <iso/detail/steps.hpp>
#include <iso/numeric/format.hpp>
#include <iso/options.hpp>

namespace iso::device::detail {

using iso::detail::no_weights;
using iso::detail::steps;

// What memory takes at once.
template <class T>
struct alignas(16) packet {
  static constexpr int size = 16 / static_cast<int>(sizeof(T));
  T value[static_cast<std::size_t>(size)];
};

// Rows of one length: element i of row r of y is y[r * y_steps.row + i * y_steps.element], and so on.
template <class T, class Y, class W, class Fit>
struct rows {
  using value_type = T;
  static constexpr bool weighted = !std::is_same_v<W, no_weights>;

  Y y;
  W w;
  Fit fit;
  steps y_steps, w_steps, fit_steps;
  shape size;
  bool increasing;
  T y_min, y_max;
  row_status* status;                  // or null
  std::uint32_t* pools;                // or null; row r begins at word r * pool_words(length)
  std::uint64_t* wide_rows = nullptr;  // or a counter of the rows whose sums are wide

  // The value as it is fitted: negated for a non-increasing fit, which is the negated fit of the negated
  // values.
  ISO_HOST_DEVICE T value(std::int64_t r, std::int64_t i) const {
    const T v = static_cast<T>(element(y, y_steps, r, i));
    return increasing ? v : numeric::format<T>::negate(v);
  }
  ISO_HOST_DEVICE T weight(std::int64_t r, std::int64_t i) const {
    if constexpr (weighted) {
      return static_cast<T>(element(w, w_steps, r, i));
    } else {
      return T(1);
    }
  }

  // Whether the elements of a row lie next to each other in memory.
  ISO_HOST_DEVICE bool contiguous() const {
    return std::is_pointer_v<Y> && y_steps.element == 1 && (!weighted || w_steps.element == 1);
  }

  // A fitted value as it is written: negated if the row was, clipped, every zero +0, and NaN as it is.
  ISO_HOST_DEVICE T finished(T v) const {
    const T turned = increasing ? v : numeric::format<T>::negate(v);
    const T written = std::fmin(std::fmax(turned, y_min), y_max) + T(0);  // -0 + 0 is +0
    return v == v ? written : v;
  }

  // Writes finished values to the elements [begin, begin + count) of row r: value(i) to element begin + i.
  // Thread `rank` of `threads` writes its share of them. Where there are many and they lie next to each other
  // in memory, packets are written, but for those elements that are in a packet with others.
  template <class Value>
  ISO_HOST_DEVICE void store(std::int64_t r, std::int64_t begin, int count, int rank, int threads,
                             const Value& value) const {
    using difference = std::iter_difference_t<Fit>;
    const std::int64_t first = r * fit_steps.row + begin * fit_steps.element;
    if constexpr (std::is_pointer_v<Fit>) {
      if (fit_steps.element == 1) {
        store_contiguous(fit + first, count, rank, threads, value);
        return;
      }
    }
    for (int i = rank; i < count; i += threads) {
      fit[static_cast<difference>(first + i * fit_steps.element)] = value(i);
    }
  }

 private:
  template <class To, class Value>
  ISO_HOST_DEVICE static void store_contiguous(To* to, int count, int rank, int threads, const Value& value) {
    constexpr int size = packet<T>::size;
    if constexpr (std::is_same_v<To, T> && size > 1) {
      if (threads >= size && count >= size * threads) {
        const auto beyond = static_cast<int>(reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % size);
        const int head = beyond != 0 ? size - beyond : 0, packets = (count - head) / size;
        const int tail = head + packets * size + rank;
        if (rank < head) to[rank] = value(rank);
        for (int p = rank; p < packets; p += threads) {
          packet<T> whole;
          for (int k = 0; k < size; ++k) whole.value[k] = value(head + p * size + k);
          *reinterpret_cast<packet<T>*>(to + head + p * size) = whole;
        }
        if (tail < count) to[tail] = value(tail);
        return;
      }
    }
    for (int i = rank; i < count; i += threads) to[i] = value(i);
  }

  template <class It>
  ISO_HOST_DEVICE static decltype(auto) element(const It& it, const steps& by, std::int64_t r,
                                                std::int64_t i) {
    return it[static_cast<std::iter_difference_t<It>>(r * by.row + i * by.element)];
  }
};

}  // namespace iso::device::detail
