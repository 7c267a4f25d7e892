// One row solved: scanned, hulled chunk by chunk, joined, written.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <iso/host/diagram.hpp>
#include <iso/host/memory.hpp>
#include <iso/host/parallel.hpp>
#include <iso/host/partition.hpp>
#include <iso/host/row.hpp>
#include <iso/host/scan.hpp>
#include <iso/numeric/sums.hpp>
#include <iso/status.hpp>

namespace iso::host::detail {

// Where a row's pools are reported: bit (first + i) % 32 of word (first + i) / 32 for element i, or nowhere.
struct pool_bits {
  std::uint32_t* words = nullptr;
  std::int64_t first = 0;

  void set(std::int64_t i) const {
    if (words) words[(first + i) / 32] |= std::uint32_t{1} << ((first + i) % 32);
  }
  pool_bits from(std::int64_t begin) const { return {words, first + begin}; }
};

// Solves a row, given by a source of values, one of weights if there are any, and a sink.
template <class T, bool Weighted>
class row_solver {
 public:
  row_solver(const source<T>& y, const source<T>& w, const sink<T>& fit, const pool_bits& pools,
             std::int64_t length)
      : y_(y), w_(w), fit_(fit), pools_(pools), length_(length) {}

  // Solves the row on the calling thread, which may use the given scratch, and on others that use those after
  // it.
  row_status solve(scratch<T, Weighted>* first, row_memory<T, Weighted>& shared, int threads) const {
    if (length_ == 0) return row_status::ok;
    const work on{first, &shared, threads, sections(threads)};
    const findings found = scan_row(on);
    row_status status = found.status();
    if (status == row_status::ok) {
      if (found.infinite) {
        status = solve_extended(on);
      } else {
        solve_finite(on, found.grid);
      }
    }
    if (status != row_status::ok) fit_.fill(0, length_, numeric::format<T>::nan());
    return status;
  }

 private:
  // Who works on a row: the scratch of the first worker, the memory of the row, and into how many sections of
  // whole chunks the row is cut.
  struct work {
    scratch<T, Weighted>* scratch_of;
    row_memory<T, Weighted>* row;
    int threads;
    std::int64_t sections;
  };

  std::int64_t chunks() const { return (length_ + chunk_elements - 1) / chunk_elements; }
  std::int64_t sections(int threads) const {
    return threads == 1 ? 1 : (std::min)(chunks(), std::int64_t{4} * threads);
  }
  std::int64_t section_begin(const work& on, std::int64_t section) const {
    return (std::min)(chunks() * section / on.sections * chunk_elements, length_);
  }

  // Calls f(begin, count, y, w) for every chunk of a section.
  template <class F>
  void for_chunks(const work& on, std::int64_t section, scratch<T, Weighted>& own, F&& f) const {
    const std::int64_t end = section_begin(on, section + 1);
    for (std::int64_t i = section_begin(on, section); i < end; i += chunk_elements) {
      const int count = static_cast<int>((std::min)(end - i, std::int64_t{chunk_elements}));
      f(i, count, y_.load(i, count, own.y()), w_.load(i, count, own.w()));
    }
  }

  // Scans the row and keeps the grids of its chunks.
  findings scan_row(const work& on) const {
    for (int worker = 0; worker < on.threads; ++worker) on.scratch_of[worker].found = {};
    parallel_for(on.threads, on.sections, [&](std::int64_t section, int worker) {
      scratch<T, Weighted>& own = on.scratch_of[worker];
      for_chunks(on, section, own, [&](std::int64_t i, int count, const T* y, const T* w) {
        const findings chunk = Weighted ? scan(y, w, count) : scan(y, count);
        if (length_ > chunk_elements) on.row->grids.get()[i / chunk_elements] = chunk.grid;
        own.found.include(chunk);
      });
    });
    findings all;
    for (int worker = 0; worker < on.threads; ++worker) all.include(on.scratch_of[worker].found);
    return all;
  }

  // A row with infinite values of positive weight: all up to the last -infinity is -infinity, all from the
  // first +infinity is +infinity, and what lies between is a row of its own.
  row_status solve_extended(const work& on) const {
    using f = numeric::format<T>;
    std::int64_t low = 0, high = length_, first_weight = length_;
    for (std::int64_t section = 0; section < on.sections; ++section) {
      for_chunks(on, section, *on.scratch_of, [&](std::int64_t i, int count, const T* y, const T* w) {
        for (int k = 0; k < count; ++k) {
          if (Weighted && f::size_bits(w[k]) == 0) continue;
          first_weight = (std::min)(first_weight, i + k);
          if (f::size_bits(y[k]) != f::infinity_bits) continue;
          if (f::is_negative(y[k])) low = i + k + 1;
          if (!f::is_negative(y[k])) high = (std::min)(high, i + k);
        }
      });
    }
    if (low > high) return row_status::indeterminate;
    // Elements without weight go with the pool on their left, or with the first.
    if (low > 0) low = skip_weightless(on, low, high);
    if (low == 0 && first_weight == high) high = 0;
    if (low > 0) {
      pools_.set(0);
      fit_.fill(0, low, f::infinity(true));
    }
    if (high < length_) {
      pools_.set(high);
      fit_.fill(high, length_, f::infinity(false));
    }
    return row_solver(y_.from(low), w_.from(low), fit_.from(low), pools_.from(low), high - low)
        .solve(on.scratch_of, *on.row, on.threads);
  }

  std::int64_t skip_weightless(const work& on, std::int64_t low, std::int64_t high) const {
    if constexpr (Weighted) {
      while (low < high && numeric::format<T>::size_bits(*w_.load(low, 1, on.scratch_of->w())) == 0) ++low;
    }
    return low;
  }

  void solve_finite(const work& on, const numeric::grid& grid) const {
    if (length_ <= chunk_elements) return solve_chunk(*on.scratch_of, grid);
    std::fill_n(on.row->starts.get(), static_cast<std::size_t>(chunks()) * (chunk_elements / 64), 0);
    numeric::with_words<T, Weighted>(grid, length_, [&]<int N, int M>() { solve_chunks<N, M>(on, grid); });
  }

  // A row that is one chunk.
  void solve_chunk(scratch<T, Weighted>& own, const numeric::grid& grid) const {
    const int count = static_cast<int>(length_);
    const T* y = y_.load(0, count, own.y());
    const T* w = w_.load(0, count, own.w());
    with_hull(y, w, count, grid, true, own, [&](const auto& points, const int* vertex, int vertices) {
      for (int j = 0; j + 1 < vertices; ++j) pools_.set(vertex[j]);
      for (int j = 0; j + 1 < vertices;) {
        const int a = vertex[j++];
        if (vertex[j] > a + 1) {
          fit_.fill(a, vertex[j], points.mean(a, vertex[j]));
        } else {  // pools of one element, as many as follow each other
          while (j + 1 < vertices && vertex[j + 1] == vertex[j] + 1) ++j;
          fit_.copy(a, vertex[j] - a, y + a);
        }
      }
    });
  }

  // Calls f(diagram, vertices, count) with the hull of a chunk. Leading elements without weight are a pool of
  // their own, unless the row begins with them.
  template <class F>
  static void with_hull(const T* y, const T* w, int count, const numeric::grid& grid, bool row_begin,
                        scratch<T, Weighted>& own, F&& f) {
    numeric::with_words<T, Weighted>(grid, count, [&]<int N, int M>() {
      diagram<T, Weighted, N, M> points(y, w, count, grid, own.points.get());
      int begin = 0;
      if constexpr (Weighted) {
        while (begin < count && numeric::format<T>::size_bits(w[begin]) == 0) ++begin;
        if (begin == count) begin = 0;
      }
      int* vertex = own.vertex.get() + 1;
      int vertices = points.hull(begin, count, vertex);
      if (begin > 0 && row_begin) {
        vertex[0] = 0;
      } else if (begin > 0) {
        *--vertex = 0;
        ++vertices;
      }
      f(points, vertex, vertices);
    });
  }

  template <int N, int M>
  void solve_chunks(const work& on, const numeric::grid& grid) const {
    const row_data<T, Weighted> row{y_, w_, length_, grid, on.row->grids.get()};
    partition<T, Weighted, N, M> pools(row, on.row->starts.get(), on.row->crossings.get());
    parallel_for(on.threads, on.sections, [&](std::int64_t section, int worker) {
      scratch<T, Weighted>& own = on.scratch_of[worker];
      const std::int64_t low = section_begin(on, section);
      for_chunks(on, section, own, [&](std::int64_t i, int count, const T* y, const T* w) {
        with_hull(y, w, count, row.grids[i / chunk_elements], i == 0, own,
                  [&](const auto&, const int* vertex, int vertices) {
                    for (int j = 0; j + 1 < vertices; ++j) pools.start(i + vertex[j]);
                  });
        if (i > low) pools.join(low, i, i + count, own);
      });
    });
    for (std::int64_t section = 1; section < on.sections; ++section) {
      const std::int64_t x = section_begin(on, section);
      pools.join(0, x, section_begin(on, section + 1), *on.scratch_of);
    }
    report(on.row->starts.get());
    parallel_for(on.threads, on.sections, [&](std::int64_t section, int worker) {
      write(row, pools, section_begin(on, section), section_begin(on, section + 1), on.scratch_of[worker]);
    });
  }

  // Writes the fit of the elements [begin, end), whole chunks.
  template <int N, int M>
  void write(const row_data<T, Weighted>& row, const partition<T, Weighted, N, M>& pools, std::int64_t begin,
             std::int64_t end, scratch<T, Weighted>& own) const {
    std::int64_t i = begin;
    if (!pools.starts(i)) {  // in the middle of a pool from an earlier chunk
      const std::int64_t next = pools.next_start(i, length_);
      const std::int64_t stop = (std::min)(next, end);
      fit_.fill(i, stop, pools.entered_mean((next - 1) / chunk_elements));
      i = stop;
    }
    while (i < end) {
      const std::int64_t next = pools.pool_end(i, length_), chunk = i / chunk_elements;
      if (next > row.chunk_end(chunk)) {
        const std::int64_t stop = (std::min)(next, end);
        fit_.fill(i, stop, pools.entered_mean((next - 1) / chunk_elements));
        i = stop;
      } else if (next == i + 1) {
        const int run = pools.singles(i);
        fit_.copy(i, run, y_.load(i, run, own.y()));
        i += run;
      } else {
        fit_.fill(i, next, row.mean(chunk, i, next, own));
        i = next;
      }
    }
  }

  void report(const std::uint64_t* starts) const {
    if (!pools_.words) return;
    const std::int64_t words = (length_ + 63) / 64;
    for (std::int64_t k = 0; k < words; ++k) {
      for (std::uint64_t bits = starts[k]; bits != 0; bits &= bits - 1) {
        pools_.set(k * 64 + std::countr_zero(bits));
      }
    }
  }

  source<T> y_;
  source<T> w_;
  sink<T> fit_;
  pool_bits pools_;
  std::int64_t length_;
};

}  // namespace iso::host::detail
