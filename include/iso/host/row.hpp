// How a row is read and written: sources and sinks over pointers, strides and iterators.
#pragma once

#include <cstdint>
#include <iterator>
#include <type_traits>

#include <iso/numeric/format.hpp>

namespace iso::host {

// Elements of a row at a stride; the part of an iterator that sources and sinks need.
template <class T>
struct strided {
  T* data;
  std::int64_t stride;

  T& operator[](std::int64_t i) const { return data[i * stride]; }
};

template <class It>
decltype(auto) element(const It& it, std::int64_t i) {
  if constexpr (requires { typename std::iter_difference_t<It>; }) {
    return it[static_cast<std::iter_difference_t<It>>(i)];
  } else {
    return it[i];
  }
}

// The values of one row as elements of T, element i at it[base + i]; negated for a non-increasing fit, which
// is the negated fit of the negated values.
template <class T, class It>
struct source {
  using value_type = T;

  It it;
  std::int64_t base;
  bool negate;

  // The elements [begin, begin + count): where they lie, if that serves, else copied to `buffer`.
  const T* load(std::int64_t begin, int count, T* buffer) const {
    if constexpr (std::is_same_v<It, const T*>) {
      if (!negate) return it + base + begin;
    }
    for (int k = 0; k < count; ++k) {
      const T value = static_cast<T>(element(it, base + begin + k));
      buffer[k] = negate ? numeric::format<T>::negate(value) : value;
    }
    return buffer;
  }

  source from(std::int64_t begin) const { return {it, base + begin, negate}; }
};

// In place of a source where there are no weights.
struct unweighted {
  template <class T>
  const T* load(std::int64_t, int, T*) const {
    return nullptr;
  }
  unweighted from(std::int64_t) const { return {}; }
};

// Where the fit of one row goes: negated if the row was, clipped, and every zero +0.
template <class T, class It>
struct sink {
  It it;
  std::int64_t base;
  bool negate;
  T low, high;

  T finish(T value) const {
    if (negate) value = numeric::format<T>::negate(value);
    if (value < low) value = low;
    if (high < value) value = high;
    return value == T(0) ? T(0) : value;
  }

  void copy(std::int64_t begin, int count, const T* values) const {
    for (int k = 0; k < count; ++k) put(begin + k, finish(values[k]));
  }
  void fill(std::int64_t begin, std::int64_t end, T value) const {
    const T finished = finish(value);
    for (std::int64_t i = begin; i < end; ++i) put(i, finished);
  }

  void fill_nan(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t i = begin; i < end; ++i) put(i, numeric::format<T>::nan());
  }

  sink from(std::int64_t begin) const { return {it, base + begin, negate, low, high}; }

 private:
  void put(std::int64_t i, T value) const { element(it, base + i) = value; }
};

}  // namespace iso::host
