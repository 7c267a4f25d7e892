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

#include <iso/detail/check.hpp>
#include <iso/detail/steps.hpp>
#include <iso/host/memory.hpp>
#include <iso/host/parallel.hpp>
#include <iso/host/row.hpp>
#include <iso/host/solver.hpp>
#include <iso/options.hpp>

namespace iso::host::detail {

// Rows of at least this many elements are worked on by all threads together.
inline constexpr std::int64_t long_row = std::int64_t{1} << 18;
// Elements that are worth another thread, and that a thread takes at a time.
inline constexpr std::int64_t task_elements = std::int64_t{1} << 14;

using iso::detail::no_weights;
using iso::detail::steps;

// How many elements rows have: the longest, the longest of those that are not long, and all together.
struct lengths {
  std::int64_t longest = 0;
  std::int64_t longest_short = 0;
  std::int64_t total = 0;

  void include(std::int64_t length, std::int64_t rows) {
    longest = (std::max)(longest, length);
    if (length < long_row) longest_short = (std::max)(longest_short, length);
    total += length * rows;
  }
};

// Rows of one length.
struct equal_rows {
  shape size;

  lengths all(std::int64_t rows) const {
    lengths r;
    r.include(size.length, rows);
    return r;
  }

  std::int64_t length(std::int64_t) const { return size.length; }
  std::int64_t begin(std::int64_t r, const steps& by) const { return r * by.row; }
  std::int64_t first_word(std::int64_t r) const { return r * pool_words(size.length); }
};

// Rows between offsets.
template <class Offsets>
struct ragged_rows {
  Offsets offsets;

  lengths all(std::int64_t rows) const {
    lengths r;
    for (std::int64_t row = 0; row < rows; ++row) r.include(length(row), 1);
    return r;
  }
  std::int64_t offset(std::int64_t r) const { return static_cast<std::int64_t>(element(offsets, r)); }
  std::int64_t length(std::int64_t r) const { return offset(r + 1) - offset(r); }
  std::int64_t begin(std::int64_t r, const steps& by) const { return offset(r) * by.element; }
  std::int64_t first_word(std::int64_t r) const { return offset(r) / 32 - offset(0) / 32 + r; }
};

// Where the rows' elements are: of each array an iterator and its steps.
template <class T, class Y, class W, class Fit, class Rows>
struct layout {
  static constexpr bool weighted = !std::is_same_v<W, no_weights>;

  Y y;
  W w;
  Fit fit;
  steps y_steps, w_steps, fit_steps;
  Rows rows;
  const options<T>& opt;

  row_solver<T, weighted> solver(std::int64_t r) const {
    source<T> weights;
    if constexpr (weighted) weights = source<T>(w, rows.begin(r, w_steps), w_steps.element, false);
    return {source<T>(y, rows.begin(r, y_steps), y_steps.element, !opt.increasing), weights,
            sink<T>(fit, rows.begin(r, fit_steps), fit_steps.element, !opt.increasing, opt.y_min, opt.y_max),
            pool_bits{opt.pools.empty() ? nullptr : opt.pools.data() + rows.first_word(r), 0},
            rows.length(r)};
  }
};

// Solves `rows` rows.
template <class T, class Y, class W, class Fit, class Rows>
status solve_rows(std::int64_t rows, const layout<T, Y, W, Fit, Rows>& at, int threads) {
  constexpr bool weighted = layout<T, Y, W, Fit, Rows>::weighted;
  const options<T>& opt = at.opt;
  const auto [longest, longest_short, total] = at.rows.all(rows);
  if (total == 0) {
    std::fill(opt.pools.begin(), opt.pools.end(), 0u);
    std::fill(opt.status.begin(), opt.status.end(), row_status::ok);
    return {};
  }
  threads = static_cast<int>((std::min)(std::int64_t{thread_count(threads)}, total / task_elements + 1));

  std::vector<scratch<T, weighted>> own;
  std::vector<row_memory<T, weighted>> memory;
  try {
    for (int worker = 0; worker < threads; ++worker) {
      own.emplace_back(longest);
      memory.emplace_back(worker == 0 ? longest : longest_short);
    }
  } catch (const std::bad_alloc&) {
    return {errc::out_of_memory, iso::detail::message("no working memory for rows of ", longest,
                                                      " elements, ", threads, " threads")};
  }

  std::fill(opt.pools.begin(), opt.pools.end(), 0u);
  const auto solve_row = [&](std::int64_t r, int worker, int within) {
    const auto w = static_cast<std::size_t>(worker);
    const row_status found = at.solver(r).solve(&own[w], memory[w], within);
    if (!opt.status.empty()) opt.status[static_cast<std::size_t>(r)] = found;
  };
  if (longest >= long_row) {
    for (std::int64_t r = 0; r < rows; ++r) {
      if (at.rows.length(r) >= long_row) solve_row(r, 0, threads);
    }
  }
  const std::int64_t at_once =
      (std::max)(std::int64_t{1}, task_elements / (std::max)(std::int64_t{1}, total / rows));
  parallel_for(threads, (rows - 1) / at_once + 1, [&](std::int64_t task, int worker) {
    const std::int64_t end = (std::min)((task + 1) * at_once, rows);
    for (std::int64_t r = task * at_once; r < end; ++r) {
      if (at.rows.length(r) < long_row) solve_row(r, worker, 1);
    }
  });
  return {};
}

template <class T>
status check_call(const options<T>& opt, std::int64_t rows, std::int64_t words, int threads) {
  if (status s = iso::detail::check_not_negative("the number of threads", threads); !s) return s;
  return iso::detail::check_options(opt, rows, words);
}

// The front door's forms, checked and laid out.

template <class T, bool Weighted>
status solve_batch(const batch<const T>& y, const batch<const T>& w, const batch<T>& fit,
                   const options<T>& opt, int threads) {
  if (status s = iso::detail::check_batches(y, w, Weighted, fit); !s) return s;
  if (status s = check_call(opt, y.rows, y.rows * pool_words(y.length), threads); !s) return s;
  const auto steps_of = [](const auto& b) { return steps{b.row_stride, b.stride}; };
  using weights = std::conditional_t<Weighted, const T*, no_weights>;
  weights first_weight{};
  if constexpr (Weighted) first_weight = w.data;
  return solve_rows(
      y.rows,
      layout<T, const T*, weights, T*, equal_rows>{
          y.data, first_weight, fit.data, steps_of(y), steps_of(w), steps_of(fit), {{y.rows, y.length}}, opt},
      threads);
}

template <class T, class Y, class W, class Fit, class Rows>
status solve_iterators(const Y& y, const W& w, const Fit& fit, std::int64_t rows, const Rows& which,
                       std::int64_t length, std::int64_t first, std::int64_t elements, const options<T>& opt,
                       int threads) {
  if (status s = iso::detail::check_iterators<T>(y, w, fit, first, elements); !s) return s;
  const steps by{length, 1};
  return solve_rows(rows, layout<T, Y, W, Fit, Rows>{y, w, fit, by, by, by, which, opt}, threads);
}

template <class T, class Y, class W, class Fit>
status solve_shape(const Y& y, const W& w, const Fit& fit, shape size, const options<T>& opt, int threads) {
  if (status s = iso::detail::check_shape(size); !s) return s;
  if (status s = check_call(opt, size.rows, size.rows * pool_words(size.length), threads); !s) return s;
  return solve_iterators(y, w, fit, size.rows, equal_rows{size}, size.length, 0, size.rows * size.length, opt,
                         threads);
}

template <class T, class Y, class W, class Fit, class Offsets>
status solve_ragged(const Y& y, const W& w, const Fit& fit, const Offsets& offsets, std::int64_t rows,
                    const options<T>& opt, int threads) {
  if (status s = iso::detail::check_not_negative("the number of rows", rows); !s) return s;
  if constexpr (std::is_pointer_v<Offsets>) {
    if (status s = iso::detail::check_pointer("offsets", offsets == nullptr, rows); !s) return s;
  }
  std::int64_t first = 0, last = 0;
  for (std::int64_t r = 0; r <= rows && rows > 0; ++r) {
    const auto offset = static_cast<std::int64_t>(element(offsets, r));
    if (r == 0) first = offset;
    if (r == 0 && offset < 0) return iso::detail::check_not_negative("the first offset", offset);
    if (offset < last) {
      return iso::detail::refused("offsets must not decrease: ", last, " is followed by ", offset,
                                  " at the end of row ", r - 1);
    }
    last = offset;
  }
  if (status s = check_call(opt, rows, pool_words(first, last, rows), threads); !s) return s;
  return solve_iterators(y, w, fit, rows, ragged_rows<Offsets>{offsets}, 0, first, last - first, opt,
                         threads);
}

}  // namespace iso::host::detail
