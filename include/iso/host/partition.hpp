// The pools of a row of many chunks, as they merge.
//
// Each chunk contributes the pools of its own fit, as one bit an element: set where a pool starts.
// Neighbouring hulls are then joined at the boundary between them, by pooling the two pools that meet there
// for as long as their neighbours violate the order; every other pool stays as it is. Only a pool that
// crosses a boundary has its sums stored, at most one a chunk at its left and one at its right end; those of
// a pool inside a chunk are summed from the elements again when they are asked for. Each join asks for at
// most two pools that it then leaves alone, and an element is pooled across a boundary once, so all joins
// take time linear in the elements.
//
// Example, chunks of four: 1 5 2 3 | 0 4 6 7. Within the chunks the pools are 1, {5 2 3} with mean 10/3, and
// 0, 4, 6 and 7. At the boundary 10/3 >= 0, so {5 2 3 0} of mean 10/4; on its left 1 is less than 10/4, on
// its right 4 is more: joined.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <iso/host/diagram.hpp>
#include <iso/host/doubles.hpp>
#include <iso/host/memory.hpp>
#include <iso/host/row.hpp>
#include <iso/numeric/quotient.hpp>
#include <iso/numeric/sums.hpp>

namespace iso::host::detail {

// A row's data: sources of its values and weights, and the grids of the whole row and of each of its chunks.
template <class T, bool Weighted>
struct row_data {
  source<T> y;
  source<T> w;
  std::int64_t length;
  numeric::grid grid;
  const numeric::grid* grids;

  std::int64_t chunk_end(std::int64_t chunk) const {
    return (std::min)((chunk + 1) * chunk_elements, length);
  }

  // The mean of the elements [a, b) of a chunk, rounded once.
  T mean(std::int64_t chunk, std::int64_t a, std::int64_t b, scratch<T, Weighted>& own) const {
    const int count = static_cast<int>(b - a);
    return mean_of_elements<T, Weighted>(y.load(a, count, own.y()), w.load(a, count, own.w()), 0, count,
                                         grids[chunk]);
  }
};

// The state of a partition into pools whose sums, on the row's grid, take N and M words. Element i starts a
// pool if bit i % 64 of starts[i / 64] is set.
template <class T, bool Weighted, int N, int M>
class partition {
 public:
  using sums = numeric::sums<N, M>;

  // The pool that leaves a chunk begins there and ends at `leaves_to`; the pool that enters a chunk and ends
  // there begins at `enters_from`, and has these sums.
  struct crossing {
    std::int64_t leaves_to;
    std::int64_t enters_from;
    sums entered;
  };

  struct pool {
    std::int64_t begin;
    std::int64_t end;
    sums sum;
  };

  partition(const row_data<T, Weighted>& row, std::uint64_t* starts, void* crossings)
      : row_(row), starts_(starts), crossings_(static_cast<crossing*>(crossings)) {}

  void start(std::int64_t i) { starts_[i / 64] |= std::uint64_t{1} << (i % 64); }
  bool starts(std::int64_t i) const { return (starts_[i / 64] >> (i % 64) & 1) != 0; }

  // The first start in [i, end), or `end`.
  std::int64_t next_start(std::int64_t i, std::int64_t end) const {
    while (i < end) {
      const std::uint64_t word = starts_[i / 64] >> (i % 64);
      if (word != 0) return (std::min)(i + std::countr_zero(word), end);
      i = (i / 64 + 1) * 64;
    }
    return end;
  }

  // At least how many elements from i on are pools by themselves, given that i is. They are of one chunk.
  int singles(std::int64_t i) const {
    const int run = std::countr_one(starts_[i / 64] >> (i % 64));
    return run > 1 ? run - 1 : 1;
  }

  // The mean of the pool that crosses into a chunk and ends there.
  T entered_mean(std::int64_t chunk) const {
    const sums& sum = crossings_[chunk].entered;
    return numeric::rounded_mean<T>(sum.s, sum.w, row_.grid.mean_position());
  }

  // Where the pool that starts at i, in a row whose joins are done, ends.
  std::int64_t pool_end(std::int64_t i, std::int64_t length) const {
    const std::int64_t chunk = i / chunk_elements, end = row_.chunk_end(chunk);
    const std::int64_t next = next_start(i + 1, end);
    return next < end || end == length || starts(end) ? next : crossings_[chunk].leaves_to;
  }

  // Joins the pools of [low, x), whose joins are done, with those of [x, high), done too.
  void join(std::int64_t low, std::int64_t x, std::int64_t high, scratch<T, Weighted>& own) {
    pool joined = ending_at(x, own);
    pool right = starting_at(x, high, own);
    if (!violates(joined, right)) return;
    take_right(joined, right);
    pool left = joined;
    bool left_known = false;
    for (bool again = true; again;) {
      again = false;
      while (joined.begin > low) {
        if (!left_known) left = ending_at(joined.begin, own);
        left_known = true;
        if (!violates(left, joined)) break;
        take_left(joined, left);
        left_known = false;
      }
      while (joined.end < high) {
        right = starting_at(joined.end, high, own);
        if (!violates(joined, right)) break;
        take_right(joined, right);
        again = true;
      }
    }
    crossings_[joined.begin / chunk_elements].leaves_to = joined.end;
    crossing& last = crossings_[(joined.end - 1) / chunk_elements];
    last.enters_from = joined.begin;
    last.entered = joined.sum;
  }

 private:
  // Whether two neighbouring pools are one in the fit. A pool without weight takes the value on its left;
  // where the row begins with it, that on its right.
  static bool violates(const pool& left, const pool& right) {
    if (right.sum.w.is_zero()) return true;
    if (left.sum.w.is_zero()) return left.begin == 0;
    return numeric::mean_not_less(left.sum.s, left.sum.w, right.sum.s, right.sum.w);
  }

  void take_right(pool& joined, const pool& right) {
    clear(right.begin);
    joined.end = right.end;
    joined.sum += right.sum;
  }
  void take_left(pool& joined, const pool& left) {
    clear(joined.begin);
    joined.begin = left.begin;
    joined.sum += left.sum;
  }
  void clear(std::int64_t i) { starts_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }

  pool ending_at(std::int64_t end, scratch<T, Weighted>& own) const {
    const std::int64_t chunk = (end - 1) / chunk_elements, first = chunk * chunk_elements;
    std::int64_t word = (end - 1) / 64;
    std::uint64_t bits = starts_[word] & (~std::uint64_t{0} >> (63 - (end - 1) % 64));
    while (bits == 0 && word > first / 64) bits = starts_[--word];
    if (bits == 0) return {crossings_[chunk].enters_from, end, crossings_[chunk].entered};
    const std::int64_t begin = word * 64 + numeric::bit_length(bits) - 1;
    return {begin, end, inside(chunk, begin, end, own)};
  }

  pool starting_at(std::int64_t begin, std::int64_t high, scratch<T, Weighted>& own) const {
    const std::int64_t end = pool_end(begin, high);
    const std::int64_t chunk = begin / chunk_elements;
    if (end <= row_.chunk_end(chunk)) return {begin, end, inside(chunk, begin, end, own)};
    return {begin, end, crossings_[(end - 1) / chunk_elements].entered};
  }

  // Sums of elements of one chunk, on the row's grid.
  sums inside(std::int64_t chunk, std::int64_t a, std::int64_t b, scratch<T, Weighted>& own) const {
    const numeric::grid& on = row_.grids[chunk];
    const int count = static_cast<int>(b - a);
    const T* y = row_.y.load(a, count, own.y());
    const T* w = row_.w.load(a, count, own.w());
    if (count <= 4) return numeric::sum_elements<T, Weighted, N, M>(y, w, 0, count, row_.grid);
    return numeric::with_words<T, Weighted>(on, count, [&]<int N1, int M1>() {
      auto r = sums::zero();
      if constexpr (N1 <= N && M1 <= M) {
        const auto total = sum_in_doubles<T, Weighted, N1, M1>(y, w, 0, count, on);
        r.s = numeric::widen<N>(total.s);
        r.w = numeric::widen<M>(total.w);
        r.s <<= on.products.empty() ? 0 : on.products.low - row_.grid.products.low;
        r.w <<= on.weights.empty() ? 0 : on.weights.low - row_.grid.weights.low;
      }
      return r;
    });
  }

  const row_data<T, Weighted>& row_;
  std::uint64_t* starts_;
  crossing* crossings_;
};

}  // namespace iso::host::detail
