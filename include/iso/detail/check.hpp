// What is refused before anything is written or enqueued, on the CPU and on a GPU alike: only sizes, strides
// and addresses are looked at, never what is behind them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <iso/numeric/format.hpp>
#include <iso/options.hpp>
#include <iso/status.hpp>

namespace iso::detail {

// A piece of a message: text, or a number as a message shows it.
class message_part {
 public:
  message_part(const char* text) : text_(text) {}
  template <std::integral Number>
  message_part(Number number) : integer_(static_cast<long long>(number)) {}
  template <std::floating_point Number>
  message_part(Number number) : real_(static_cast<double>(number)), is_real_(true) {}

  void append_to(std::string& to) const {
    if (text_ != nullptr) {
      to += text_;
      return;
    }
    char digits[32];
    if (is_real_) {
      std::snprintf(digits, sizeof digits, "%.9g", real_);
    } else {
      std::snprintf(digits, sizeof digits, "%lld", integer_);
    }
    to += digits;
  }

 private:
  const char* text_ = nullptr;
  long long integer_ = 0;
  double real_ = 0;
  bool is_real_ = false;
};

// One function for all messages: strings put together in place by `+` take a compiler its time.
inline std::string joined(std::span<const message_part> parts) {
  std::string r;
  for (const message_part& part : parts) part.append_to(r);
  return r;
}

// Of text and numbers.
template <class... Parts>
std::string message(const Parts&... parts) {
  const message_part all[] = {message_part(parts)...};
  return joined(all);
}

template <class... Parts>
status refused(const Parts&... parts) {
  return {errc::invalid_argument, message(parts...)};
}

inline status check_equal(const char* what, const char* a_name, std::int64_t a, const char* b_name,
                          std::int64_t b) {
  if (a == b) return {};
  return refused(a_name, " has ", a, " ", what, ", ", b_name, " has ", b);
}

inline status check_equal_sizes(const char* a_name, std::size_t a, const char* b_name, std::size_t b) {
  return check_equal("elements", a_name, static_cast<std::int64_t>(a), b_name, static_cast<std::int64_t>(b));
}

inline status check_not_negative(const char* what, std::int64_t value) {
  if (value >= 0) return {};
  return refused(what, " must be at least 0, is ", value);
}

inline status check_pointer(const char* name, bool null, std::int64_t elements) {
  if (!null || elements == 0) return {};
  return refused(name, " is a null pointer, for ", elements, " elements");
}

// Sizes are not negative, and 64 bits count the elements.
inline status check_shape(shape size) {
  if (status s = check_not_negative("the number of rows", size.rows); !s) return s;
  if (status s = check_not_negative("the length of a row", size.length); !s) return s;
  if (size.length > 0 && size.rows > INT64_MAX / size.length) {
    return refused(size.rows, " rows of ", size.length, " elements are more than 64 bits can count");
  }
  return {};
}

// What a caller gave room for, or nothing.
inline status check_room(const char* name, std::size_t size, std::int64_t needed, const char* what) {
  if (size == 0 || static_cast<std::int64_t>(size) == needed) return {};
  return refused(name, " has ", size, " ", what, ", and ", needed, " are needed");
}

template <class T>
status check_options(const options<T>& opt, std::int64_t rows, std::int64_t words) {
  // Written so that NaN fails.
  if (!(opt.y_min <= opt.y_max)) {
    return refused("y_min must not exceed y_max, and neither be NaN: y_min is ", opt.y_min, ", y_max is ",
                   opt.y_max);
  }
  if (status s = check_room("options.status", opt.status.size(), rows, "entries"); !s) return s;
  return check_room("options.pools", opt.pools.size(), words, "words");
}

// The bytes a batch spans, from its least address to one past its greatest.
struct extent {
  std::uintptr_t begin;
  std::uintptr_t end;
};

template <class T>
extent extent_of(const batch<T>& b) {
  std::int64_t first = 0, last = 0;
  for (const std::int64_t reach : {(b.rows - 1) * b.row_stride, (b.length - 1) * b.stride}) {
    (reach < 0 ? first : last) += reach;
  }
  return {reinterpret_cast<std::uintptr_t>(b.data + first),
          reinterpret_cast<std::uintptr_t>(b.data + last + 1)};
}

// Whether the layout's rows, or its columns, are apart from each other as nested steps are: the greater step
// passes over all that the smaller ones reach.
template <class T>
bool nested(const batch<T>& b) {
  if (b.rows == 1 || b.length == 1) return true;
  const std::int64_t row = std::abs(b.row_stride), element = std::abs(b.stride);
  return row >= element ? row > element * (b.length - 1) : element > row * (b.rows - 1);
}

// Whether `distance` is k outer steps and j inner steps of a nested layout, for k and j from 0 (or,
// `both_ways`, from minus the greatest) to the greatest that the layout has.
template <class T>
bool holds(const batch<T>& b, std::int64_t distance, bool both_ways = false) {
  std::int64_t outer = b.row_stride, outer_count = b.rows, inner = b.stride, inner_count = b.length;
  if (outer_count == 1 || (inner_count > 1 && std::abs(inner) > std::abs(outer))) {
    std::swap(outer, inner);
    std::swap(outer_count, inner_count);
  }
  const auto counted = [both_ways](std::int64_t k, std::int64_t count) {
    return k < count && k > (both_ways ? -count : -1);
  };
  if (outer_count == 1) return distance == 0;
  if (inner_count == 1) inner = 1;
  for (const std::int64_t k : {distance / outer - 1, distance / outer, distance / outer + 1}) {
    const std::int64_t rest = distance - k * outer;
    if (counted(k, outer_count) && rest % inner == 0 && counted(rest / inner, inner_count)) return true;
  }
  return false;
}

// The greatest common divisor, as std::gcd gives it; <numeric> would cost every translation unit some time.
inline std::int64_t common_divisor(std::int64_t a, std::int64_t b) {
  while (b != 0) {
    const std::int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

// Whether output would overwrite input that is read later: shared memory, unless it is element for element.
// Output is nested. Looks at every element only where the bytes they span overlap, the steps differ, and no
// common divisor of the steps keeps the two apart.
template <class T>
bool overlaps_partly(const batch<const T>& in, const batch<T>& out) {
  const extent a = extent_of(in), b = extent_of(out);
  if (a.end <= b.begin || b.end <= a.begin) return false;
  const bool rows_alike = in.rows == 1 || in.row_stride == out.row_stride;
  const bool elements_alike = in.length == 1 || in.stride == out.stride;
  const bool alike = rows_alike && elements_alike;
  if (alike && in.data == out.data) return false;

  const auto bytes = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(in.data) -
                                               reinterpret_cast<std::uintptr_t>(out.data));
  if (bytes % static_cast<std::int64_t>(sizeof(T)) != 0) return true;
  const std::int64_t distance = bytes / static_cast<std::int64_t>(sizeof(T));
  if (alike) return holds(out, distance, true);
  std::int64_t divisor = 0;
  if (in.rows > 1) divisor = common_divisor(divisor, common_divisor(in.row_stride, out.row_stride));
  if (in.length > 1) divisor = common_divisor(divisor, common_divisor(in.stride, out.stride));
  if (divisor != 0 && distance % divisor != 0) return false;
  const std::int64_t rows = in.row_stride == 0 ? 1 : in.rows, length = in.stride == 0 ? 1 : in.length;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < length; ++i) {
      if (holds(out, distance + r * in.row_stride + i * in.stride)) return true;
    }
  }
  return false;
}

// Whether addresses of a layout can be computed.
template <class T>
status check_strides(const char* name, const batch<T>& b) {
  const auto reaches = [](std::int64_t count, std::int64_t stride) {
    const std::int64_t most = INT64_MAX / 4 / static_cast<std::int64_t>(sizeof(T)) / count;
    return stride >= -most && stride <= most;
  };
  if ((b.rows == 1 || reaches(b.rows, b.row_stride)) && (b.length == 1 || reaches(b.length, b.stride)))
    return {};
  return refused(name, " has strides of ", b.row_stride, " and ", b.stride,
                 " elements, beyond what an address can be");
}

template <class T>
status check_overlap(const char* name, const batch<const T>& in, const batch<T>& fit) {
  if (!overlaps_partly(in, fit)) return {};
  return refused("fit overlaps ", name, " otherwise than element for element");
}

// An input batch against the output one.
template <class T>
status check_batch(const char* name, const batch<const T>& in, const batch<T>& fit) {
  if (status s = check_shape({in.rows, in.length}); !s) return s;
  if (status s = check_equal("rows", name, in.rows, "fit", fit.rows); !s) return s;
  if (status s = check_equal("elements a row", name, in.length, "fit", fit.length); !s) return s;
  const std::int64_t elements = in.rows * in.length;
  if (status s = check_pointer(name, in.data == nullptr, elements); !s) return s;
  if (status s = check_pointer("fit", fit.data == nullptr, elements); !s) return s;
  if (elements == 0) return {};
  if (status s = check_strides(name, in); !s) return s;
  if (status s = check_strides("fit", fit); !s) return s;
  if ((fit.rows > 1 && fit.row_stride == 0) || (fit.length > 1 && fit.stride == 0) || !nested(fit)) {
    return refused("fit has strides of ", fit.row_stride, " and ", fit.stride, ", with which ", fit.rows,
                   " rows of ", fit.length, " elements run into each other");
  }
  return check_overlap(name, in, fit);
}

// A batch of y and, if weighted, one of w.
template <class T>
status check_batches(const batch<const T>& y, const batch<const T>& w, bool weighted, const batch<T>& fit) {
  if (status s = check_batch("y", y, fit); !s) return s;
  return weighted ? check_batch("w", w, fit) : status{};
}

// One row as a batch.
template <class T>
batch<T> as_batch(std::span<T> row) {
  return {row.data(), 1, static_cast<std::int64_t>(row.size())};
}

// What can be told of iterators that are pointers.
template <class T, class It, class Fit>
status check_iterator(const char* name, const It& it, const Fit& fit, std::int64_t first,
                      std::int64_t elements) {
  if constexpr (std::is_pointer_v<It>) {
    if (status s = check_pointer(name, it == nullptr, elements); !s) return s;
    if constexpr (std::is_convertible_v<It, const T*> && std::is_same_v<Fit, T*>) {
      if (elements == 0) return {};
      return check_overlap(name, batch<const T>(it + first, 1, elements), batch<T>(fit + first, 1, elements));
    }
  }
  return {};
}

// All three of a call; w may be of any type where there are no weights. `elements` of each from `first` on
// are used.
template <class T, class Y, class W, class Fit>
status check_iterators(const Y& y, const W& w, const Fit& fit, std::int64_t first, std::int64_t elements) {
  if (status s = check_iterator<T>("fit", fit, fit, first, elements); !s) return s;
  if (status s = check_iterator<T>("y", y, fit, first, elements); !s) return s;
  return check_iterator<T>("w", w, fit, first, elements);
}

}  // namespace iso::detail
