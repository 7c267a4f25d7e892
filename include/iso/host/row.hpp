// How a row is read and written, whatever the iterators: sources and sinks.
//
// The solver works on chunks of adjacent elements and calls a source once a chunk and a sink once a pool,
// through pointers to functions. So it is compiled once for a value type, and not for every iterator and
// layout.
#pragma once

#include <cstdint>
#include <iterator>
#include <type_traits>

#include <iso/numeric/format.hpp>

namespace iso::host::detail {

template <class It>
decltype(auto) element(const It& it, std::int64_t i) {
  return it[static_cast<std::iter_difference_t<It>>(i)];
}

// The values of one row as elements of T: element i at it[base + i * step], negated for a non-increasing fit,
// which is the negated fit of the negated values. Refers to the iterator. Default-constructed: no values, as
// of weights where there are none.
template <class T>
class source {
 public:
  source() = default;
  template <class It>
  source(const It& it, std::int64_t base, std::int64_t step, bool negate)
      : read_(&read<It>), it_(&it), base_(base), step_(step), negate_(negate) {}

  // The elements [begin, begin + count): where they lie, if that serves, else copied to `buffer`.
  const T* load(std::int64_t begin, int count, T* buffer) const {
    return read_ ? read_(*this, begin, count, buffer) : nullptr;
  }

  source from(std::int64_t begin) const {
    source r = *this;
    r.base_ += begin * step_;
    return r;
  }

 private:
  template <class It>
  static const T* read(const source& from, std::int64_t begin, int count, T* buffer) {
    const It& it = *static_cast<const It*>(from.it_);
    const std::int64_t first = from.base_ + begin * from.step_;
    if constexpr (std::is_same_v<It, const T*> || std::is_same_v<It, T*>) {
      if (!from.negate_ && from.step_ == 1) return it + first;
    }
    for (int k = 0; k < count; ++k) {
      const T value = static_cast<T>(element(it, first + k * from.step_));
      buffer[k] = from.negate_ ? numeric::format<T>::negate(value) : value;
    }
    return buffer;
  }

  const T* (*read_)(const source&, std::int64_t, int, T*) = nullptr;
  const void* it_ = nullptr;
  std::int64_t base_ = 0, step_ = 0;
  bool negate_ = false;
};

// Where the fit of one row goes: element i to it[base + i * step], negated if the row was, clipped, and every
// zero +0. Refers to the iterator.
template <class T>
class sink {
 public:
  template <class It>
  sink(const It& it, std::int64_t base, std::int64_t step, bool negate, T low, T high)
      : write_(&write<It>), it_(&it), base_(base), step_(step), negate_(negate), low_(low), high_(high) {}

  void copy(std::int64_t begin, std::int64_t count, const T* values) const {
    write_(*this, begin, count, values, 1);
  }
  void fill(std::int64_t begin, std::int64_t end, T value) const {
    write_(*this, begin, end - begin, &value, 0);
  }

  sink from(std::int64_t begin) const {
    sink r = *this;
    r.base_ += begin * step_;
    return r;
  }

 private:
  T finish(T value) const {
    if (negate_) value = numeric::format<T>::negate(value);
    if (value < low_) value = low_;
    if (high_ < value) value = high_;
    return value == T(0) ? T(0) : value;
  }

  // Writes `count` values, each `advance` after the one before.
  template <class It>
  static void write(const sink& to, std::int64_t begin, std::int64_t count, const T* values, int advance) {
    const It& it = *static_cast<const It*>(to.it_);
    const std::int64_t first = to.base_ + begin * to.step_;
    if (advance == 0) {
      const T value = *values == *values ? to.finish(*values) : *values;  // NaN as it is
      for (std::int64_t k = 0; k < count; ++k) element(it, first + k * to.step_) = value;
    } else {
      for (std::int64_t k = 0; k < count; ++k) element(it, first + k * to.step_) = to.finish(values[k]);
    }
  }

  void (*write_)(const sink&, std::int64_t, std::int64_t, const T*, int);
  const void* it_;
  std::int64_t base_, step_;
  bool negate_;
  T low_, high_;
};

}  // namespace iso::host::detail
