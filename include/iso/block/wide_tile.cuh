// Rows and chunks in shared memory whose sums take more words than a thread has registers for: values or
// weights of all exponents. A whole warp works on one of them at a time, with sums spread over its lanes.
// This is rare: it is to be exact and bounded in time, and to cost other rows nothing.
//
// The hull is found by joining neighbouring hulls at the boundary between them, of single elements first,
// then of two, four, ...: the two pools that meet are one if the left mean is not less than the right, and
// the joined pool then absorbs its neighbours for as long as they violate the order. Sums of a pool are
// formed from its elements whenever they are asked for. A join asks for those of pools that it absorbs and of
// at most two others that it asks for twice, so all joins of n elements add up at most about 2 n log2 n
// elements and compare at most about 4 n means, whatever the data. Boundaries at which single elements
// increase are found 32 at a time, and need no sums.
//
// Example: 1 5 2 3 | 0 4 6 7. The left pools are 1 and {5 2 3}, the right ones 0, 4, 6 and 7. At the boundary
// 10/3 >= 0: {5 2 3 0} of mean 10/4; 4 is more and 1 is less: joined.
#pragma once

#include <cstdint>

#include <iso/block/merge_lanes.cuh>
#include <iso/block/row_tile.cuh>
#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/warp/spread_sums.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// A view of a wide tile. All lanes of the warp call every function together and get the same.
template <class T, bool Weighted, int P, class Warp>
struct wide_tile {
  using sums = warp::spread_sums<T, Weighted, Warp>;

  Warp lanes;
  tile_view<T, Weighted, P, 1, 1> v;

  // The first start in [i, end); `end` if there is none.
  ISO_DEVICE int start_from(int i, int end) const {
    const int start = i < end ? v.start_from(i, (end + P - 1) / P) : end;
    return start < 0 || start > end ? end : start;
  }
  // The last start in [begin, i); -1 if there is none.
  ISO_DEVICE int start_before(int i, int begin) const {
    const int start = i > begin ? v.start_before(i, begin / P) : -1;
    return start < begin ? -1 : start;
  }
  ISO_DEVICE void clear(int i) const {
    lanes.sync();
    if (lanes.thread_rank() == 0) v.clear(i);
    lanes.sync();
  }
  ISO_DEVICE sums sum(int begin, int end) const {
    return warp::sum_elements<T, Weighted>(
        lanes, begin, end, v.on, [&](int i) { return v.e.y[v.e.at(i)]; },
        [&](int i) { return v.e.w[v.e.at(i)]; });
  }

  // The pools of the elements [first, last), as join_pools has them.
  struct pools {
    const wide_tile& tile;
    int first, last;

    ISO_DEVICE int before(int i) const { return tile.start_before(i, first); }
    ISO_DEVICE int after(int i) const { return i < last ? tile.start_from(i + 1, last) : -1; }
    ISO_DEVICE sums zero() const { return sums::zero(tile.lanes); }
    ISO_DEVICE sums sum(int begin, int end) const { return tile.sum(begin, end); }
    ISO_DEVICE void clear(int i) const { tile.clear(i); }
  };
  // Joins the pools of [first, middle) with those of [middle, last).
  ISO_DEVICE void join(int first, int middle, int last) const {
    const int start = start_from(middle, last);
    if (start < last) join_pools(pools{*this, first, last}, start);  // else there is no weight on the right
  }
};

// Of a tile of the lanes [first, first + lanes) of some shared memory. That is handed from function to
// function rather than the tile's part of it, which would take local memory.
template <class T, bool Weighted, class Warp, class Storage>
ISO_DEVICE auto wide_tile_of(const Warp& warp, Storage& storage, int first, int lanes,
                             const tile_facts& facts) {
  constexpr int p = Storage::memory::lane_elements;
  return wide_tile<T, Weighted, p, Warp>{warp, marks_of<T, Weighted>(storage.part(first, lanes), facts)};
}

// Sets the masks of a tile of any number of lanes to the starts of its pools. All lanes of the warp call.
template <class T, bool Weighted, class Warp, class Storage>
[[gnu::noinline]] ISO_DEVICE void wide_hull(const Warp& warp, Storage& storage, int first, int lanes,
                                            tile_facts facts) {
  constexpr int p = Storage::memory::lane_elements;
  const auto tile = wide_tile_of<T, Weighted>(warp, storage, first, lanes, facts);
  const auto& v = tile.v;
  const int rank = static_cast<int>(warp.thread_rank()), high = v.high;
  for (int lane = rank; lane < lanes; lane += 32) {
    std::uint32_t mask = 0;
    for (int i = v.begin(lane); i < v.end(lane); ++i) mask |= v.e.counts(i) ? 1u << i % p : 0u;
    v.mask[lane] = mask;
  }
  warp.sync();
  for (int width = 1; width < high; width *= 2) {
    const auto end_of = [&](int middle) { return middle + width < high ? middle + width : high; };
    for (int base = width; base < high; base += 64 * width) {
      const int own = base + 2 * width * rank;
      const bool meet = own > v.low && own < high && !v.rises(own, end_of(own));
      for (unsigned left = warp.ballot(static_cast<int>(meet)); left != 0; left &= left - 1) {
        const int middle = base + 2 * width * lowest_bit(left);
        tile.join(middle - width, middle, end_of(middle));
      }
    }
  }
  warp.sync();
}

// Replaces the values of a tile's elements by their fit, as fit_tile does, from the masks: each pool's mean,
// rounded once. Elements before the first start stay. All lanes of the warp call.
template <class T, bool Weighted, class Warp, class Storage>
[[gnu::noinline]] ISO_DEVICE void wide_fit(const Warp& warp, Storage& storage, int first, int lanes,
                                           tile_facts facts) {
  const auto tile = wide_tile_of<T, Weighted>(warp, storage, first, lanes, facts);
  const auto& v = tile.v;
  const int rank = static_cast<int>(warp.thread_rank());
  warp.sync();
  for (int start = tile.start_from(v.low, v.high); start < v.high;) {
    const int next = tile.start_from(start + 1, v.high);
    if (next > start + 1) {
      const auto sum = tile.sum(start, next);
      const T mean = rounded_mean<T>(sum.s, sum.w, v.on.mean_position());
      warp.sync();
      for (int i = start + rank; i < next; i += 32) v.e.y[v.e.at(i)] = mean;
    }
    start = next;
  }
  warp.sync();
}

// Hull and fit of a wide row, as fit_row. All lanes of the warp call, for a tile of any number of lanes.
template <class T, bool Weighted, class Warp, class Storage>
ISO_DEVICE void fit_wide_row(const Warp& warp, Storage& storage, int first, int lanes,
                             const tile_facts& facts) {
  wide_hull<T, Weighted>(warp, storage, first, lanes, facts);
  if (Weighted && facts.low == 0) {
    if (warp.thread_rank() == 0) {
      extend_first_pool(marks_of<T, Weighted>(storage.part(first, lanes), facts), lanes);
    }
    warp.sync();
  }
  wide_fit<T, Weighted>(warp, storage, first, lanes, facts);
}

// Adds to a counter that other warps add to too, or to none. One lane calls.
ISO_DEVICE inline void add_wide_rows(std::uint64_t* counter, int rows) {
  if (counter == nullptr) return;
#if defined(__CUDA_ARCH__)
  atomicAdd(reinterpret_cast<unsigned long long*>(counter), static_cast<unsigned long long>(rows));
#else
  *counter += static_cast<std::uint64_t>(rows);
#endif
}

// Fits the wide ones of the rows of a warp's tiles, of `row_lanes` lanes each, that have been looked at; each
// lane brings the facts of its tile. All lanes of the warp call.
template <class T, bool Weighted, class Warp, class Storage>
[[gnu::noinline]] ISO_DEVICE void fit_wide_rows(const Warp& warp, Storage& storage, int row_lanes,
                                                tile_facts facts, std::uint64_t* counter) {
  const bool first = static_cast<int>(warp.thread_rank()) % row_lanes == 0;
  unsigned left = warp.ballot(static_cast<int>(facts.wide && first));
  if (warp.thread_rank() == 0) add_wide_rows(counter, count_bits(left));
  warp.sync();
  for (; left != 0; left &= left - 1) {
    const int lane = lowest_bit(left);
    fit_wide_row<T, Weighted>(warp, storage, lane, row_lanes, warp.shfl(facts, lane));
  }
}

// Solves short rows, one with every `tile` of a warp: row r, if there is one. The tiles of a warp have rows
// that follow each other. `warp`: all its lanes, which call together.
template <class Tile, class Warp, class Storage, class Rows>
ISO_DEVICE void solve_short_row(const Tile& tile, const Warp& warp, Storage& storage, const Rows& rows,
                                std::int64_t r) {
  const int row_lanes = static_cast<int>(tile.num_threads());
  const int first = static_cast<int>(warp.thread_rank() - tile.thread_rank());
  const auto memory = storage.part(first, row_lanes);
  const bool present = r < rows.size.rows;
  tile_facts facts{};
  if (present) facts = begin_row(tile, memory, rows, r);
  if (warp.any(static_cast<int>(facts.wide)) != 0) {
    fit_wide_rows<typename Rows::value_type, Rows::weighted>(warp, storage, row_lanes, facts, rows.wide_rows);
  }
  if (present) end_row(tile, memory, facts, rows, r);
}

}  // namespace iso
