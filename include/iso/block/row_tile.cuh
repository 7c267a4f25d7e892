// A whole row, or a chunk of one, in shared memory: looked at, hulled, fitted.
//
// The steps are separate, since a warp may hold several short rows: rows whose sums are too wide for the
// registers of a thread are solved by the whole warp, between the steps that each row's lanes take by
// themselves (see wide_tile.cuh).
#pragma once

#include <cstddef>
#include <cstdint>

#include <iso/block/fit_tile.cuh>
#include <iso/block/merge_lanes.cuh>
#include <iso/block/reduce.cuh>
#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/lane/findings.cuh>
#include <iso/options.hpp>
#include <iso/status.hpp>
#include <iso/warp/convex_rounds.cuh>
#include <iso/warp/tile.cuh>
#include <iso/warp/warp_hull.cuh>

namespace iso {

// A tile's part of shared memory: arrays of one entry a lane, or of P elements and a gap (see elements).
template <class T, bool Weighted, int P>
struct tile_memory {
  static constexpr int lane_elements = P;

  T* y;
  T* w;
  std::uint64_t* total;  // large_sums
  std::uint64_t* list;   // for the lists of points: of each warp, or of the tile if it is less
  T* carry;
  std::uint32_t* mask;
  std::int32_t* scratch;
  int lanes;
  int list_words;  // of `list`, a warp

  ISO_HOST_DEVICE elements<T, Weighted> data() const { return {y, Weighted ? w : nullptr}; }
};

// The shared memory of Lanes lanes, be they one tile or several.
template <class T, bool Weighted, int Lanes, int P>
struct tile_storage {
  using memory = tile_memory<T, Weighted, P>;
  static constexpr int sum_words = static_cast<int>(sizeof(large_sums<T, Weighted>) / 8);
  static constexpr int room = elements<T, Weighted>::room(Lanes * P);
  // A warp, or less; an odd number a lane, so that lanes that each use their part meet no bank conflict.
  static constexpr int list_words = 17 * (Lanes < 32 ? Lanes : 32);

  std::uint64_t total[Lanes * sum_words];
  std::uint64_t list[(Lanes + 31) / 32 * list_words];
  T y[room];
  T w[Weighted ? room : 1];
  T carry[Lanes];
  std::uint32_t mask[Lanes];
  std::int32_t scratch[Lanes];

  // The part of the lanes [first, first + lanes): whole warps, or 2^k lanes of one from a multiple of 2^k on.
  ISO_HOST_DEVICE memory part(int first, int lanes) {
    const int element = elements<T, Weighted>::at(first * P);
    const int words = lanes < 32 ? list_words * lanes / (Lanes < 32 ? Lanes : 32) : list_words;
    return {y + element,
            w + (Weighted ? element : 0),
            total + first * sum_words,
            list + (lanes < 32 ? first * words / lanes : first / 32 * list_words),
            carry + first,
            mask + first,
            scratch + first,
            lanes,
            words};
  }
};

// What a look at a tile found. `low` and `high` bound the finite elements that are to be fitted: all before
// are -infinity, and all from `high` on +infinity.
struct tile_facts {
  row_status status;
  bool wide;  // the sums take more words than a thread has registers for
  int count, low, high;
  numeric::grid on;
};

// Elements handed in by index; y and w each take one and return a T.
template <class T, bool Weighted, class Group, class Memory, class Y, class W>
ISO_DEVICE findings load_tile(const Group& group, const Memory& s, int count, const Y& y, const W& w) {
  quick_look<T, Weighted> look;
  const auto e = s.data();
  const int threads = static_cast<int>(group.num_threads()), rank = static_cast<int>(group.thread_rank());
  // Several loads are under way at a time.
  constexpr int batch = 8;
  int first = rank;
  for (; first + (batch - 1) * threads < count; first += batch * threads) {
    T values[batch], weights[batch];
    for (int k = 0; k < batch; ++k) {
      values[k] = y(first + k * threads);
      weights[k] = Weighted ? w(first + k * threads) : T(1);
    }
    for (int k = 0; k < batch; ++k) {
      const int at = e.at(first + k * threads);
      e.y[at] = values[k];
      if constexpr (Weighted) e.w[at] = weights[k];
      look.include(values[k], weights[k]);
    }
  }
  for (; first < count; first += threads) {
    const T value = y(first), weight = Weighted ? w(first) : T(1);
    e.y[e.at(first)] = value;
    if constexpr (Weighted) e.w[e.at(first)] = weight;
    look.include(value, weight);
  }
  // A closer look, where elements are not finite, or where the grid may be wider than need be.
  const auto look_at_each = [&] {
    findings found = findings::nothing();
    for (int i = rank; i < count; i += threads) {
      found.template include_element<T, Weighted>(e.y[e.at(i)], Weighted ? e.w[e.at(i)] : T(1));
    }
    return found;
  };
  findings found = reduce<Weighted>(group, look.odd() ? look_at_each() : look.found(rank < count), s.scratch);
  using words = sum_words<T, Weighted>;
  if (Weighted && !sums_fit<words::small_n, words::small_m>(found.template grid<Weighted>(), count)) {
    found = reduce<Weighted>(group, look_at_each(), s.scratch);
  }
  group.sync();
  return found;
}

// Loads the elements [begin, begin + count) of row r.
template <class Group, class Memory, class Rows>
ISO_DEVICE findings load_row(const Group& group, const Memory& s, const Rows& rows, std::int64_t r,
                             std::int64_t begin, int count) {
  using T = typename Rows::value_type;
  if constexpr (std::is_pointer_v<decltype(rows.y)>) {
    if (rows.contiguous()) {
      const auto* y = rows.y + (r * rows.y_steps.row + begin);
      const bool increasing = rows.increasing;
      const auto value = [&](int i) {
        const T v = static_cast<T>(y[i]);
        return increasing ? v : numeric::format<T>::negate(v);
      };
      if constexpr (!Rows::weighted) {
        return load_tile<T, false>(group, s, count, value, [](int) { return T(1); });
      } else if constexpr (std::is_pointer_v<decltype(rows.w)>) {
        const auto* w = rows.w + (r * rows.w_steps.row + begin);
        return load_tile<T, true>(group, s, count, value, [&](int i) { return static_cast<T>(w[i]); });
      }
    }
  }
  return load_tile<T, Rows::weighted>(
      group, s, count, [&](int i) { return rows.value(r, begin + i); },
      [&](int i) { return rows.weight(r, begin + i); });
}

// Bounds of the finite part of a tile that has infinite values of positive weight; `low` is above `high` if
// they meet in one pool. `whole`: the tile is a row, whose elements without weight go with the infinite pool
// on their left, or with the first.
template <class T, bool Weighted, class Group, class Memory>
ISO_DEVICE void find_infinities(const Group& group, const Memory& s, bool whole, tile_facts& facts) {
  using f = numeric::format<T>;
  const auto e = s.data();
  const int threads = static_cast<int>(group.num_threads()), rank = static_cast<int>(group.thread_rank());
  int low = 0, high = facts.count, first_weight = facts.count;
  for (int i = rank; i < facts.count; i += threads) {
    if (!e.counts(i)) continue;
    const T y = e.y[e.at(i)];
    first_weight = i < first_weight ? i : first_weight;
    if (f::size_bits(y) != f::infinity_bits) continue;
    if (f::is_negative(y)) low = i + 1;
    if (!f::is_negative(y)) high = i < high ? i : high;
  }
  low = reduce_max(group, low, s.scratch);
  high = reduce_min(group, high, s.scratch);
  first_weight = reduce_min(group, first_weight, s.scratch);
  if (whole && low <= high) {
    if (low > 0) {
      int next = high;
      for (int i = rank; i < high; i += threads) {
        if (i >= low && e.counts(i)) {
          next = i;
          break;
        }
      }
      low = reduce_min(group, next, s.scratch);
    } else if (first_weight == high) {
      high = 0;
    }
  }
  facts.low = low;
  facts.high = high;
}

// Looks at a row that has been loaded with these findings. All threads of the group call.
template <class T, bool Weighted, class Group, class Memory>
ISO_DEVICE tile_facts examine_row(const Group& group, const Memory& s, int count, const findings& found) {
  using words = sum_words<T, Weighted>;
  tile_facts facts{found.status(), false, count, 0, count, found.grid<Weighted>()};
  if (facts.status == row_status::ok && (found.flags & findings::infinite) != 0) {
    find_infinities<T, Weighted>(group, s, true, facts);
    if (facts.low > facts.high) facts.status = row_status::indeterminate;
  }
  facts.wide = facts.status == row_status::ok && !sums_fit<words::large_n, words::large_m>(facts.on, count);
  return facts;
}

// Calls f(view) with the view of a tile whose sums take N and M words.
template <int N, int M, class T, bool Weighted, int P, class Memory>
ISO_HOST_DEVICE tile_view<T, Weighted, P, N, M> view_of(const Memory& s, const tile_facts& facts) {
  return {s.data(), facts.on, facts.low, facts.high, s.mask, reinterpret_cast<numeric::sums<N, M>*>(s.total)};
}
template <class T, bool Weighted, class Memory, class F>
ISO_DEVICE void with_view(const Memory& s, const tile_facts& facts, F&& f) {
  using words = sum_words<T, Weighted>;
  constexpr int p = Memory::lane_elements;
  if constexpr (words::small_n != words::large_n) {
    if (sums_fit<words::small_n, words::small_m>(facts.on, facts.count)) {
      return f(view_of<words::small_n, words::small_m, T, Weighted, p>(s, facts));
    }
  }
  f(view_of<words::large_n, words::large_m, T, Weighted, p>(s, facts));
}

// The list of points of one of a tile's warps.
template <class Sums, class Memory>
ISO_HOST_DEVICE point_list<Sums> list_of(const Memory& s, int warp) {
  return point_list<Sums>::in(s.list + warp * s.list_words, s.list_words);
}

// Sets the masks to the starts of the tile's pools. If the list of the tile's warp then holds the vertices,
// returns how many, else 0. All threads of the group call, which is a tile of one warp or a thread block of
// whole warps; one thread a lane.
template <class Group, class Memory, class View>
[[gnu::noinline]] ISO_DEVICE int tile_hull(const Group& group, const Memory& s, const View& v) {
  using sums = typename View::sums;
  if constexpr (warp_tile<Group>) {
    return warp_hull(group, v, 0, list_of<sums>(s, 0));
  } else {
    constexpr int warp_elements = 32 * Memory::lane_elements;
    const auto warp = tiled_partition<32>(group);
    const int number = static_cast<int>(group.thread_rank()) / 32;
    View part = v;
    part.low = number * warp_elements > v.low ? number * warp_elements : v.low;
    part.high = (number + 1) * warp_elements < v.high ? (number + 1) * warp_elements : v.high;
    warp_hull(warp, part, 32 * number, list_of<sums>(s, number));
    merge_lanes(group, v, 0, 32, s.lanes);
    return 0;
  }
}

// Elements without weight at the beginning of a row are of its first pool. One thread calls.
template <class View>
ISO_HOST_DEVICE void extend_first_pool(const View& v, int lanes) {
  const int first = v.start_from(v.low, lanes);
  if (first < 0 || first == v.low) return;
  v.clear(first);
  v.mask[v.low / View::lane_elements] |= 1u << v.low % View::lane_elements;
}

// Hull and fit of a row that is neither bad nor wide; the fit replaces the values. All threads of the group
// call.
template <class T, bool Weighted, class Group, class Memory>
ISO_DEVICE void fit_row(const Group& group, const Memory& s, const tile_facts& facts) {
  with_view<T, Weighted>(s, facts, [&](const auto& v) {
    using sums = typename std::remove_cvref_t<decltype(v)>::sums;
    bool fitted = group.num_threads() == 1;
    if (fitted) {
      fit_lane<T>(v, list_of<sums>(s, 0));
    } else {
      const int points = tile_hull(group, s, v);
      if constexpr (warp_tile<Group>) {
        fitted = points > 0;
        if (fitted) fit_listed<T>(group, v, list_of<sums>(s, 0), points, s.scratch);
      }
    }
    if (Weighted && facts.low == 0) {
      group.sync();
      if (group.thread_rank() == 0) extend_first_pool(v, s.lanes);
    }
    group.sync();
    if (!fitted) fit_tile<T>(group, v, s.lanes, T(0), s.carry);
  });
}

// Writes what is not finite, and marks the pools of infinities: after the fit. All threads of the group call.
template <class T, class Group, class Memory>
ISO_DEVICE void finish_row(const Group& group, const Memory& s, const tile_facts& facts) {
  using f = numeric::format<T>;
  constexpr int p = Memory::lane_elements;
  const int threads = static_cast<int>(group.num_threads()), rank = static_cast<int>(group.thread_rank());
  const bool bad = facts.status != row_status::ok;
  if (!bad && facts.low == 0 && facts.high == facts.count) return;
  auto* y = s.y;
  for (int i = rank; i < facts.count; i += threads) {
    if (bad || i < facts.low || i >= facts.high) {
      y[i + i / 32] = bad ? f::nan() : f::infinity(i < facts.low);
    }
  }
  if (bad || facts.low >= facts.high) s.mask[rank] = 0;
  group.sync();
  if (rank == 0 && !bad) {
    if (facts.low > 0) s.mask[0] |= 1u;
    if (facts.high < facts.count) s.mask[facts.high / p] |= 1u << facts.high % p;
  }
  group.sync();
}

// Loads row r of `rows`, which is at most as long as the tile, and fits it, unless it is bad or wide. All
// threads of the group call.
template <class Group, class Memory, class Rows>
ISO_DEVICE tile_facts begin_row(const Group& group, const Memory& s, const Rows& rows, std::int64_t r) {
  using T = typename Rows::value_type;
  constexpr bool weighted = Rows::weighted;
  const int count = static_cast<int>(rows.size.length);
  const tile_facts facts = examine_row<T, weighted>(group, s, count, load_row(group, s, rows, r, 0, count));
  if (facts.status == row_status::ok && !facts.wide) fit_row<T, weighted>(group, s, facts);
  return facts;
}

// Writes the fit of row r, its status and its pools. All threads of the group call.
template <class Group, class Memory, class Rows>
ISO_DEVICE void end_row(const Group& group, const Memory& s, const tile_facts& facts, const Rows& rows,
                        std::int64_t r) {
  constexpr int p = Memory::lane_elements;
  const int threads = static_cast<int>(group.num_threads()), rank = static_cast<int>(group.thread_rank());
  finish_row<typename Rows::value_type>(group, s, facts);
  rows.store(r, 0, facts.count, rank, threads, [&](int i) { return rows.finished(s.y[i + i / 32]); });
  if (rows.status != nullptr && rank == 0) rows.status[r] = facts.status;
  if (rows.pools == nullptr) return;
  const auto words = static_cast<int>(pool_words(facts.count));
  for (int word = rank; word < words; word += threads) {
    std::uint32_t bits = 0;
    for (int lane = word * 32 / p; lane < (word + 1) * 32 / p && lane < s.lanes; ++lane) {
      bits |= s.mask[lane] << lane * p % 32;
    }
    rows.pools[r * words + word] = bits;
  }
}

}  // namespace iso
