// The shared memory of a warp whose lanes have a short row each, and how rows get there and back.
//
// Where the rows lie one after the other in memory they are moved 16 bytes at a time, several loads under
// way. In shared memory a row begins an odd number of words after the one before it, so that lanes that walk
// through their rows in step meet no bank conflict.
//
// Example, floats of length 6, whose pools have memory of their own: rows begin 7 words apart. Element 8 of
// the rows, which is element 2 of row 1, is put into word 8 + 1 * (7 - 6) = 9; a pair from there on is of one
// row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <iso/block/tile_storage.cuh>
#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/lane/pool_place.cuh>
#include <iso/numeric/format.hpp>

namespace iso {

// The longest rows that a lane fits: there is a form for rows of up to 32 elements, and one for those whose
// elements a byte can tell apart.
inline constexpr int short_lane_row = 32, long_lane_row = 256;

// 16 bytes of memory.
template <class T>
struct alignas(16) lane_rows_piece {
  static constexpr int size = 16 / sizeof(T);
  T element[size];
};

// What a warp needs of the same shared memory to solve a row that its lane cannot fit.
template <class T>
struct wide_row_storage {
  using memory = tile_memory<T, false, short_lane_row>;

  std::uint32_t mask[32];
  T y[elements<T, false>::room(long_lane_row)];

  // What it takes for a row of `length` elements.
  static constexpr int bytes(int length) {
    return static_cast<int>(offsetof(wide_row_storage, y)) +
           elements<T, false>::room(length) * static_cast<int>(sizeof(T));
  }
  // Of the first `lanes` lanes.
  ISO_HOST_DEVICE memory part(int /* first */, int lanes) {
    return {y, nullptr, nullptr, nullptr, nullptr, mask, nullptr, lanes, 0};
  }
};

// What is the same for all warps: worked out once, by the host.
struct lane_rows_plan {
  int length;           // of a row, 1 to Most
  int rows;             // that a warp has, 32 or fewer
  int stride;           // from row to row in shared memory, in elements; odd
  unsigned inverse;     // of the length, in units of 2^-20, rounded up
  int bytes;            // of shared memory, a warp; a multiple of 16
  bool y_run, fit_run;  // rows follow each other in memory, from an address for pieces on
  bool plain;           // values are finished as they are

  // `Most`: elements that a row may have, which the rows' lanes know: short_lane_row or long_lane_row.
  template <int Most, class Rows>
  static lane_rows_plan of(const Rows& rows) {
    using T = typename Rows::value_type;
    const int length = static_cast<int>(rows.size.length);
    return of(rows, stride_of<T, Most>(length), usual_bytes,
              [=](int warp_rows) { return bytes_of<T, Most>(length, warp_rows); });
  }
  // The longer rows are, the fewer lanes of a warp have one, so that shared memory holds more warps: they
  // take about as much as `most_bytes`, or less. bytes_of(rows): what so many take.
  template <class Rows, class Bytes>
  static lane_rows_plan of(const Rows& rows, int stride, int most_bytes, const Bytes& bytes_of) {
    using T = typename Rows::value_type;
    const int length = static_cast<int>(rows.size.length);
    int warp_rows = 32;
    while (warp_rows > 8 && bytes_of(warp_rows) > most_bytes) warp_rows /= 2;
    return {length,
            warp_rows,
            stride,
            (1u << 20) / static_cast<unsigned>(length) + 1,
            bytes_of(warp_rows),
            is_run<T>(rows.y, rows.y_steps.row, rows.y_steps.element, length),
            is_run<T>(rows.fit, rows.fit_steps.row, rows.fit_steps.element, length),
            rows.increasing && rows.y_min == numeric::format<T>::infinity(true) &&
                rows.y_max == numeric::format<T>::infinity(false)};
  }

  static constexpr int usual_bytes = 28 * 1024;
  // Of the memory of so many rows, or of a single one that lanes leave.
  template <class T, int Most>
  static constexpr int bytes_of(int length, int warp_rows) {
    using place = pool_place<T, Most>;
    const int pools = place::words(length) * static_cast<int>(sizeof(typename place::word));
    const int values = place::in_place ? 0 : stride_of<T, Most>(length) * static_cast<int>(sizeof(T));
    const int all = warp_rows * (pools + values), wide = (wide_row_storage<T>::bytes(length) + 15) / 16 * 16;
    return all > wide ? all : wide;
  }
  // Elements from one lane's values to the next one's. If the values have memory of their own there is a gap
  // of one element after rows of an even length.
  template <class T, int Most>
  static constexpr int stride_of(int length) {
    using place = pool_place<T, Most>;
    return place::in_place ? place::words(length) : length + (length + 1) % 2;
  }

  // The row of the rows' element e < rows * length.
  ISO_HOST_DEVICE int row(int e) const { return static_cast<int>(static_cast<unsigned>(e) * inverse >> 20); }

 private:
  template <class T, class It>
  static bool is_run(const It& it, std::int64_t row_step, std::int64_t step, int length) {
    if constexpr (std::is_convertible_v<It, const T*>) {
      const auto address = reinterpret_cast<std::uintptr_t>(static_cast<const T*>(it));
      return row_step == length && step == 1 && address % sizeof(lane_rows_piece<T>) == 0;
    } else {
      return false;
    }
  }
};

// Where a warp's rows are, a stride of the plan apart, and where they are fitted by solve_counted_row: values
// `fitted_stride` apart, and starts as far as the rows.
template <class T>
struct counted_rows_memory {
  T* values;
  T* fitted;
  std::uint8_t* starts;
  int fitted_stride;
};

// Shared memory of a warp, 16-byte aligned, `bytes` of the plan.
template <class T, int Most>
struct lane_rows_memory {
  using value_type = T;
  using place = pool_place<T, Most>;
  // Whether rows of an odd length follow each other in it without a gap.
  static constexpr bool dense = !place::in_place;

  typename place::word* words;
  T* values;
  int length, stride;

  ISO_HOST_DEVICE static lane_rows_memory in(void* memory, const lane_rows_plan& plan) {
    const auto words = static_cast<typename place::word*>(memory);
    if constexpr (place::in_place) {
      return {words, words + place::first_value(plan.length), plan.length, plan.stride};
    } else {
      const auto values = reinterpret_cast<T*>(words + 32 * place::words(plan.length));
      return {words, values, plan.length, plan.stride};
    }
  }

  ISO_HOST_DEVICE T* row(int lane) const { return values + lane * stride; }
  ISO_HOST_DEVICE place pools(int lane) const {
    return place(words + (place::in_place ? lane * stride : lane));
  }
  // The same memory for solve_counted_row. If pools have memory of their own, values are fitted there, and
  // starts lie where the values were; else starts lie before the values.
  ISO_HOST_DEVICE counted_rows_memory<T> counted() const {
    if constexpr (place::in_place) {
      return {values, values, reinterpret_cast<std::uint8_t*>(words) + 1, stride};
    } else {
      return {values, reinterpret_cast<T*>(words) + 2, reinterpret_cast<std::uint8_t*>(values) + 1,
              2 * length + 3};
    }
  }
};

// The number of rows from `first` on, or `most`, those of a warp.
template <class Rows>
ISO_HOST_DEVICE int lane_rows_from(const Rows& rows, std::int64_t first, int most) {
  const std::int64_t left = rows.size.rows - first;
  return left < most ? static_cast<int>(left) : most;
}

// Where element e of rows that follow each other in memory is in shared memory.
template <class Memory>
ISO_DEVICE auto* place_of(const Memory& s, const lane_rows_plan& plan, int e) {
  return s.values + e + plan.row(e) * (plan.stride - plan.length);
}

// Calls move(element of the piece, its place) for a piece of rows that follow each other, the one from
// element `e` of them on. `Together`: as many elements, from a multiple of that on, are of one row.
template <int Together, class Memory, class Move, class T = typename Memory::value_type>
ISO_DEVICE void move_piece(const Memory& s, const lane_rows_plan& plan, int e, lane_rows_piece<T>& piece,
                           const Move& move) {
  for (int j = 0; j < lane_rows_piece<T>::size; j += Together) {
    T* at = place_of(s, plan, e + j);
    for (int k = 0; k < Together; ++k) move(piece.element[j + k], at[k]);
  }
}

// Brings the whole pieces of rows of so many elements to shared memory, or takes them from there; the rows
// follow each other from an address for pieces on. `Together` as above, or 0: the rows follow each other in
// shared memory too.
template <int Together, class T, int Most, class Warp>
ISO_DEVICE void load_pieces(const Warp& warp, const lane_rows_memory<T, Most>& s, const lane_rows_plan& plan,
                            const T* rows, int elements) {
  using piece = lane_rows_piece<T>;
  constexpr int batch = 4;
  const auto from = reinterpret_cast<const piece*>(rows);
  const int pieces = elements / piece::size;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int base = static_cast<int>(warp.thread_rank()); base < pieces; base += 32 * batch) {
    piece p[batch];
    for (int k = 0; k < batch; ++k) {
      if (base + 32 * k < pieces) p[k] = from[base + 32 * k];
    }
    for (int k = 0; k < batch; ++k) {
      const int i = base + 32 * k;
      if (i >= pieces) break;
      if constexpr (Together == 0) {
        reinterpret_cast<piece*>(s.values)[i] = p[k];
      } else {
        move_piece<Together>(s, plan, i * piece::size, p[k], [](const T& element, T& at) { at = element; });
      }
    }
  }
}
template <int Together, class Memory, class Warp, class T = typename Memory::value_type>
ISO_DEVICE void store_pieces(const Warp& warp, const Memory& s, const lane_rows_plan& plan, T* rows,
                             int elements) {
  using piece = lane_rows_piece<T>;
  constexpr int batch = 4;
  const auto to = reinterpret_cast<piece*>(rows);
  const int pieces = elements / piece::size;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (int base = static_cast<int>(warp.thread_rank()); base < pieces; base += 32 * batch) {
    for (int k = 0; k < batch; ++k) {
      const int i = base + 32 * k;
      if (i >= pieces) break;
      if constexpr (Together == 0) {
        to[i] = reinterpret_cast<const piece*>(s.values)[i];
      } else {
        piece p;
        move_piece<Together>(s, plan, i * piece::size, p, [](T& element, const T& at) { element = at; });
        to[i] = p;
      }
    }
  }
}

// Calls move(e) for the elements after the whole pieces of some rows, each lane another; all rows of a warp
// have none.
template <class T, class Warp, class Move>
ISO_DEVICE void move_rest(const Warp& warp, const lane_rows_plan& plan, int present, const Move& move) {
  if (present == plan.rows) return;
  const int elements = present * plan.length, rank = static_cast<int>(warp.thread_rank());
  if (rank < elements % lane_rows_piece<T>::size) move(elements - 1 - rank);
}

// Calls f with a constant, what is `Together` above for rows of this length.
template <class Memory, class F>
ISO_DEVICE void with_together(const lane_rows_plan& plan, const F& f) {
  if constexpr (Memory::dense) {
    if (plan.length % 2 != 0) return f(std::integral_constant<int, 0>());
  }
  if constexpr (lane_rows_piece<typename Memory::value_type>::size == 4) {
    if (plan.length % 4 == 0) return f(std::integral_constant<int, 4>());
  }
  if (Memory::dense || plan.length % 2 == 0) return f(std::integral_constant<int, 2>());
  f(std::integral_constant<int, 1>());
}

// Calls put(row, element, get(row, element)) for all elements of `present` rows, each lane others, so that
// lanes take the steps that are the shorter in memory; several are under way at a time.
template <class T, class Warp, class Steps, class Get, class Put>
ISO_DEVICE void move_apart(const Warp& warp, const lane_rows_plan& plan, const Steps& steps, int present,
                           const Get& get, const Put& put) {
  const int rank = static_cast<int>(warp.thread_rank());
  const auto size = [](std::int64_t step) { return step < 0 ? -step : step; };
  const bool own_row = size(steps.row) < size(steps.element);
  const int count = !own_row ? (present * plan.length - rank + 31) / 32 : rank < present ? plan.length : 0;
  const auto row_of = [&](int turn) { return own_row ? rank : plan.row(rank + 32 * turn); };
  const auto element_of = [&](int turn, int row) {
    return own_row ? turn : rank + 32 * turn - row * plan.length;
  };
  constexpr int batch = 4;
  for (int turn = 0; turn < count; turn += batch) {
    T values[batch];
    for (int k = 0; k < batch && turn + k < count; ++k) {
      const int row = row_of(turn + k);
      values[k] = get(row, element_of(turn + k, row));
    }
    for (int k = 0; k < batch && turn + k < count; ++k) {
      const int row = row_of(turn + k);
      put(row, element_of(turn + k, row), values[k]);
    }
  }
}

// Brings rows to shared memory that lie otherwise, and takes them from there; out of the way of the usual
// ones.
template <class Warp, class T, class Rows>
[[gnu::noinline]] ISO_DEVICE void load_apart(const Warp& warp, T* values, const Rows& rows,
                                             const lane_rows_plan& plan, std::int64_t first) {
  move_apart<T>(
      warp, plan, rows.y_steps, lane_rows_from(rows, first, plan.rows),
      [&](int row, int i) { return rows.value(first + row, i); },
      [&](int row, int i, const T& value) { values[row * plan.stride + i] = value; });
}
template <class Warp, class T, class Rows>
[[gnu::noinline]] ISO_DEVICE void store_apart(const Warp& warp, const T* values, const Rows& rows,
                                              const lane_rows_plan& plan, std::int64_t first,
                                              unsigned solved) {
  move_apart<T>(
      warp, plan, rows.fit_steps, lane_rows_from(rows, first, plan.rows),
      [&](int row, int i) { return values[row * plan.stride + i]; },
      [&](int row, int i, const T& value) {
        if ((solved >> row & 1u) != 0) rows.store(first + row, i, 1, 0, 1, [&](int) { return value; });
      });
}

// Turns a lane's row around for a non-increasing fit.
template <class T>
ISO_DEVICE void negate_lane_row(T* y, int length) {
#if defined(__CUDA_ARCH__)
#pragma unroll 4
#endif
  for (int i = 0; i < length; ++i) {
    const T value = y[i];
    y[i] = numeric::format<T>::negate(value);
  }
}

// Loads the `present` rows from `first` on, turned around for a non-increasing fit.
template <class T, int Most, class Warp, class Rows>
ISO_DEVICE void load_lane_rows(const Warp& warp, const lane_rows_memory<T, Most>& s, const Rows& rows,
                               const lane_rows_plan& plan, std::int64_t first, int present) {
  const int lane = static_cast<int>(warp.thread_rank());
  bool run = false;
  if constexpr (std::is_same_v<decltype(rows.y), const T*>) {
    run = plan.y_run;
    if (run) {
      with_together<lane_rows_memory<T, Most>>(plan, [&](auto together) {
        load_pieces<decltype(together)::value>(warp, s, plan, rows.y + first * plan.length,
                                               present * plan.length);
      });
      move_rest<T>(warp, plan, present,
                   [&](int e) { *place_of(s, plan, e) = rows.y[first * plan.length + e]; });
    }
  }
  if (!run) load_apart(warp, s.values, rows, plan, first);
  warp.sync();
  if (run && !rows.increasing && lane < present) negate_lane_row(s.row(lane), plan.length);
}

// Writes those of the `present` rows that are solved, a bit a row.
template <class Memory, class Warp, class Rows>
ISO_DEVICE void store_lane_rows(const Warp& warp, const Memory& s, const Rows& rows,
                                const lane_rows_plan& plan, std::int64_t first, int present,
                                unsigned solved) {
  using T = typename Memory::value_type;
  warp.sync();
  if constexpr (std::is_same_v<decltype(rows.fit), T*>) {
    if (plan.fit_run && solved == bits_between(0, present)) {
      with_together<Memory>(plan, [&](auto together) {
        store_pieces<decltype(together)::value>(warp, s, plan, rows.fit + first * plan.length,
                                                present * plan.length);
      });
      return move_rest<T>(warp, plan, present,
                          [&](int e) { rows.fit[first * plan.length + e] = *place_of(s, plan, e); });
    }
  }
  store_apart(warp, s.values, rows, plan, first, solved);
}

}  // namespace iso
