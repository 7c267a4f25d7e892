// Many rows solved: who works on which.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <iso/host/check.hpp>
#include <iso/host/memory.hpp>
#include <iso/host/parallel.hpp>
#include <iso/host/row.hpp>
#include <iso/host/solver.hpp>
#include <iso/options.hpp>

namespace iso::host {

// Rows of at least this many elements are worked on by all threads together.
inline constexpr std::int64_t long_row = std::int64_t{1} << 18;
// Elements that are worth another thread, and that a thread takes at a time.
inline constexpr std::int64_t task_elements = std::int64_t{1} << 14;

// Solves `rows` rows. `layout` tells where they are: length(r) and longest(), y(r), w(r), fit(r) as a
// row_solver takes them, and pools(r).
template <class T, bool Weighted, class Layout>
status solve_rows(std::int64_t rows, const Layout& layout, const options<T>& opt, int threads) {
  std::int64_t longest = 0, longest_short = 0, total = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t length = layout.length(r);
    longest = (std::max)(longest, length);
    if (length < long_row) longest_short = (std::max)(longest_short, length);
    total += length;
  }
  if (total == 0) {
    std::fill(opt.status.begin(), opt.status.end(), row_status::ok);
    return {};
  }
  threads = static_cast<int>((std::min)(std::int64_t{thread_count(threads)}, total / task_elements + 1));

  std::vector<scratch<T, Weighted>> own;
  std::vector<row_memory<T, Weighted>> memory;
  try {
    for (int worker = 0; worker < threads; ++worker) {
      own.emplace_back(longest);
      memory.emplace_back(worker == 0 ? longest : longest_short);
    }
  } catch (const std::bad_alloc&) {
    return {errc::out_of_memory, "no working memory for rows of " + std::to_string(longest) + " elements, " +
                                     std::to_string(threads) + " threads"};
  }

  std::fill(opt.pools.begin(), opt.pools.end(), 0u);
  const auto solve_row = [&](std::int64_t r, int worker, int within) {
    const auto w = static_cast<std::size_t>(worker);
    const row_solver solver(layout.y(r), layout.w(r), layout.fit(r), layout.pools(r), layout.length(r));
    const row_status found = solver.solve(&own[w], memory[w], within);
    if (!opt.status.empty()) opt.status[static_cast<std::size_t>(r)] = found;
  };
  if (longest >= long_row) {
    for (std::int64_t r = 0; r < rows; ++r) {
      if (layout.length(r) >= long_row) solve_row(r, 0, threads);
    }
  }
  const std::int64_t at_once =
      (std::max)(std::int64_t{1}, task_elements / (std::max)(std::int64_t{1}, total / rows));
  parallel_for(threads, (rows - 1) / at_once + 1, [&](std::int64_t task, int worker) {
    const std::int64_t end = (std::min)((task + 1) * at_once, rows);
    for (std::int64_t r = task * at_once; r < end; ++r) {
      if (layout.length(r) < long_row) solve_row(r, worker, 1);
    }
  });
  return {};
}

// Rows of batches: pointers where elements are adjacent, strides elsewhere.
template <class T, bool Weighted, bool Adjacent>
struct batch_layout {
  batch<const T> y_batch, w_batch;
  batch<T> fit_batch;
  const options<T>* opt;

  template <class U>
  static auto row(const batch<U>& b, std::int64_t r) {
    U* data = b.data + r * b.row_stride;
    if constexpr (Adjacent) {
      return data;
    } else {
      return strided<U>{data, b.stride};
    }
  }

  std::int64_t length(std::int64_t) const { return y_batch.length; }
  auto y(std::int64_t r) const {
    return source<T, decltype(row(y_batch, r))>{row(y_batch, r), 0, !opt->increasing};
  }
  auto w(std::int64_t r) const {
    if constexpr (Weighted) {
      return source<T, decltype(row(w_batch, r))>{row(w_batch, r), 0, false};
    } else {
      return unweighted{};
    }
  }
  auto fit(std::int64_t r) const {
    return sink<T, decltype(row(fit_batch, r))>{row(fit_batch, r), 0, !opt->increasing, opt->y_min,
                                                opt->y_max};
  }
  pool_bits pools(std::int64_t r) const {
    return {opt->pools.empty() ? nullptr : opt->pools.data() + r * pool_words(y_batch.length), 0};
  }
};

// Rows that iterators name. `Rows` gives begin(r), length(r) and word(r), the row's first word of the pools.
template <class T, bool Weighted, class Y, class W, class Fit, class Rows>
struct iterator_layout {
  Y y_it;
  W w_it;
  Fit fit_it;
  Rows rows;
  const options<T>* opt;

  std::int64_t length(std::int64_t r) const { return rows.length(r); }
  auto y(std::int64_t r) const { return source<T, Y>{y_it, rows.begin(r), !opt->increasing}; }
  auto w(std::int64_t r) const {
    if constexpr (Weighted) {
      return source<T, W>{w_it, rows.begin(r), false};
    } else {
      return unweighted{};
    }
  }
  auto fit(std::int64_t r) const {
    return sink<T, Fit>{fit_it, rows.begin(r), !opt->increasing, opt->y_min, opt->y_max};
  }
  pool_bits pools(std::int64_t r) const {
    return {opt->pools.empty() ? nullptr : opt->pools.data() + rows.word(r), 0};
  }
};

struct equal_rows {
  shape size;

  std::int64_t begin(std::int64_t r) const { return r * size.length; }
  std::int64_t length(std::int64_t) const { return size.length; }
  std::int64_t word(std::int64_t r) const { return r * pool_words(size.length); }
};

template <class Offsets>
struct ragged_rows {
  Offsets offsets;

  std::int64_t begin(std::int64_t r) const { return static_cast<std::int64_t>(element(offsets, r)); }
  std::int64_t length(std::int64_t r) const { return begin(r + 1) - begin(r); }
  std::int64_t word(std::int64_t r) const { return begin(r) / 32 - begin(0) / 32 + r; }
};

template <class T>
batch<T> as_batch(std::span<T> row) {
  return {row.data(), 1, static_cast<std::int64_t>(row.size())};
}

// The front door's forms, checked and laid out.

template <class T, bool Weighted>
status solve_batch(const batch<const T>& y, const batch<const T>& w, const batch<T>& fit,
                   const options<T>& opt, int threads) {
  if (status s = check_batch("y", y, fit); !s) return s;
  if (status s = check_options(opt, y.rows, y.rows * pool_words(y.length), threads); !s) return s;
  const bool adjacent = y.length == 1 || (y.stride == 1 && fit.stride == 1 && (!Weighted || w.stride == 1));
  if (adjacent) {
    return solve_rows<T, Weighted>(y.rows, batch_layout<T, Weighted, true>{y, w, fit, &opt}, opt, threads);
  }
  return solve_rows<T, Weighted>(y.rows, batch_layout<T, Weighted, false>{y, w, fit, &opt}, opt, threads);
}

template <class T, bool Weighted, class Y, class W, class Fit, class Rows>
status solve_iterators(const Y& y, const W& w, const Fit& fit, std::int64_t rows, const Rows& which,
                       std::int64_t elements, const options<T>& opt, int threads) {
  if constexpr (std::is_pointer_v<Y>) {
    if (status s = check_pointer("y", y == nullptr, elements); !s) return s;
  }
  if constexpr (std::is_pointer_v<W>) {
    if (status s = check_pointer("w", w == nullptr, elements); !s) return s;
  }
  if constexpr (std::is_pointer_v<Fit>) {
    if (status s = check_pointer("fit", fit == nullptr, elements); !s) return s;
  }
  return solve_rows<T, Weighted>(rows, iterator_layout<T, Weighted, Y, W, Fit, Rows>{y, w, fit, which, &opt},
                                 opt, threads);
}

template <class T, bool Weighted, class Y, class W, class Fit>
status solve_shape(const Y& y, const W& w, const Fit& fit, shape size, const options<T>& opt, int threads) {
  if (status s = check_shape(size); !s) return s;
  if (status s = check_options(opt, size.rows, size.rows * pool_words(size.length), threads); !s) return s;
  return solve_iterators<T, Weighted>(y, w, fit, size.rows, equal_rows{size}, size.rows * size.length, opt,
                                      threads);
}

template <class T, bool Weighted, class Y, class W, class Fit, class Offsets>
status solve_ragged(const Y& y, const W& w, const Fit& fit, const Offsets& offsets, std::int64_t rows,
                    const options<T>& opt, int threads) {
  if (status s = check_not_negative("the number of rows", rows); !s) return s;
  if constexpr (std::is_pointer_v<Offsets>) {
    if (status s = check_pointer("offsets", offsets == nullptr, rows); !s) return s;
  }
  std::int64_t first = 0, last = 0;
  for (std::int64_t r = 0; r <= rows && rows > 0; ++r) {
    const auto offset = static_cast<std::int64_t>(element(offsets, r));
    if (r == 0) first = offset;
    if (offset < last) {
      return refused("offsets must be at least 0 and not decrease: " + std::to_string(last) +
                     " is followed by " + std::to_string(offset) + " at the end of row " +
                     std::to_string(r - 1));
    }
    last = offset;
  }
  if (status s = check_options(opt, rows, pool_words(first, last, rows), threads); !s) return s;
  return solve_iterators<T, Weighted>(y, w, fit, rows, ragged_rows<Offsets>{offsets}, last - first, opt,
                                      threads);
}

}  // namespace iso::host
