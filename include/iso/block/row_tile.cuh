// A whole row, or a chunk of one, in shared memory: looked at, hulled, fitted.
//
// The steps are separate, since a warp may hold several short rows: rows whose sums are too wide for the
// registers of a thread are solved by the whole warp, between the steps that each row's lanes take by
// themselves (see wide_tile.cuh).
//
// Exact sums of weighted doubles take seven words: additions and comparisons of them are dear, and a list has
// room for few. So of such a tile's points those that certainly go in numbers of twice the digits go first
// (see twofold_list.cuh), and the integers have the others.
#pragma once

#include <cstdint>
#include <type_traits>

#include <iso/block/fit_tile.cuh>
#include <iso/block/load_tile.cuh>
#include <iso/block/merge_lanes.cuh>
#include <iso/block/tile_storage.cuh>
#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/lane/findings.cuh>
#include <iso/lane/split_sums.cuh>
#include <iso/options.hpp>
#include <iso/status.hpp>
#include <iso/warp/convex_rounds.cuh>
#include <iso/warp/lane_order.cuh>
#include <iso/warp/tile.cuh>
#include <iso/warp/twofold_list.cuh>
#include <iso/warp/warp_hull.cuh>

namespace iso {

// Looks at a tile that has been loaded with these findings; `whole`: it is a row. All threads of the group
// call.
template <class T, bool Weighted, class Group, class Memory>
ISO_DEVICE tile_facts examine_tile(const Group& group, const Memory& s, int count, const findings& found,
                                   bool whole) {
  tile_facts facts{found.status(), false, count, 0, count, found.grid<Weighted>()};
  if (facts.status == row_status::ok && (found.flags & findings::infinite) != 0) {
    find_infinities<T, Weighted>(group, s, whole, facts);
    if (whole && facts.low > facts.high) facts.status = row_status::indeterminate;
  }
  facts.wide = facts.status == row_status::ok && is_wide<T, Weighted>(facts);
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
    using fewer = tile_view<T, Weighted, p, words::small_n, words::small_m>;
    if (sums_fit<words::small_n, words::small_m>(facts.on, facts.count) &&
        (!fewer::splits || split_grid::of(facts.on).fits())) {
      return f(view_of<words::small_n, words::small_m, T, Weighted, p>(s, facts));
    }
  }
  f(view_of<words::large_n, words::large_m, T, Weighted, p>(s, facts));
}

// The masks of a tile, whatever its sums.
template <class T, bool Weighted, class Memory>
ISO_HOST_DEVICE auto marks_of(const Memory& s, const tile_facts& facts) {
  return view_of<1, 1, T, Weighted, Memory::lane_elements>(s, facts);
}

// The list of points of one of a tile's warps.
template <class Sums, class Memory>
ISO_HOST_DEVICE auto list_of(const Memory& s, int warp) {
  return point_list<Sums, Memory::weighted>::in(s.list + warp * s.list_words, s.list_words);
}

template <class T, bool Weighted, class Memory>
ISO_HOST_DEVICE twofold_list<T> twofold_list_of(const Memory& s, const tile_facts& facts) {
  return twofold_list<T>::in(s.list, s.list_words, facts.on, s.lanes * Memory::lane_elements);
}

// Calls f(warp, part, number) for each warp of the group with the part of the view that its lanes have; a
// tile of one warp is part 0. All threads of the group call.
template <class Group, class View, class F>
ISO_DEVICE auto by_warps(const Group& group, const View& v, const F& f) {
  if constexpr (warp_tile<Group>) {
    return f(group, v, 0);
  } else {
    constexpr int warp_elements = 32 * View::lane_elements;
    const int number = static_cast<int>(group.thread_rank()) / 32;
    View part = v;
    part.low = number * warp_elements > v.low ? number * warp_elements : v.low;
    part.high = (number + 1) * warp_elements < v.high ? (number + 1) * warp_elements : v.high;
    return f(tiled_partition<32>(group), part, number);
  }
}

// Sets the masks to those points that may be vertices, whatever the sums; returns whether those of the
// thread's warp are all there are. All threads of the group call, one a lane.
template <class T, bool Weighted, class Group, class Memory>
ISO_DEVICE bool filter_tile(const Group& group, const Memory& s, const tile_facts& facts) {
  const int lane = static_cast<int>(group.thread_rank());
  bool rising = false;
  by_warps(group, marks_of<T, Weighted>(s, facts),
           [&](const auto& warp, const auto& part, int) { rising = filter_points(warp, part, lane); });
  return rising;
}

// Thins such masks out to the starts of the tile's pools. If the list of the tile's warp then holds the
// vertices, returns how many, else 0. `rising` is what filter_tile returned. All threads of the group
// call, which is a tile of one warp or a thread block of whole warps; one thread a lane.
template <class Group, class Memory, class View>
ISO_DEVICE int tile_hull(const Group& group, const Memory& s, const View& v, bool rising) {
  const int points = by_warps(group, v, [&](const auto& warp, const auto& part, int number) {
    return warp_hull(warp, part, 32 * number, list_of<typename View::sums>(s, number), rising);
  });
  if constexpr (warp_tile<Group>) {
    return points;
  } else {
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

// The fit of a tile from its hull, whose list holds `points` vertices, or, if that is 0, whose masks alone
// tell it; the fit replaces the values, or the list. All threads of the group call.
template <class Group, class Memory, class View>
ISO_DEVICE void fit_hull(const Group& group, const Memory& s, const View& v, int points, tile_facts& facts) {
  using T = typename Memory::value_type;
  if constexpr (warp_tile<Group>) {
    if (pools_are_level(group, v, static_cast<int>(group.thread_rank()))) return;
    if (points > 0) {
      list_means<T>(group, v, list_of<typename View::sums>(s, 0), points);
      count_pools(group, v, s.scratch);
      facts.listed = points - 1;
      return;
    }
  }
  fit_tile<T>(group, v, s.lanes, T(0), s.carry);
}

// Finds the hull of a tile that is neither bad nor wide, and calls f(view, points) as fit_hull takes them.
// `first`: the tile is the beginning of a row. All threads of the group call.
template <class T, bool Weighted, class Group, class Memory, class F>
ISO_DEVICE void with_hull(const Group& group, const Memory& s, const tile_facts& facts, bool first, F&& f) {
  const bool rising = filter_tile<T, Weighted>(group, s, facts);
  if constexpr (warp_tile<Group> && tries_twofold<T, Weighted, Memory::lane_elements>) {
    if (!rising) {
      thin_certainly(group, marks_of<T, Weighted>(s, facts), static_cast<int>(group.thread_rank()),
                     twofold_list_of<T, Weighted>(s, facts));
    }
  }
  with_view<T, Weighted>(s, facts, [&](const auto& v) {
    const int points = tile_hull(group, s, v, rising);
    group.sync();
    if (Weighted && first && facts.low == 0) {
      if (group.thread_rank() == 0) {
        extend_first_pool(v, s.lanes);
        if (points > 0) list_of<typename std::remove_cvref_t<decltype(v)>::sums>(s, 0).element[0] = 0;
      }
      group.sync();
    }
    f(v, points);
  });
}

// Hull and fit of a row that is neither bad nor wide; the fit replaces the values, or the list. All threads
// of the group call.
template <class T, bool Weighted, class Group, class Memory>
ISO_DEVICE void fit_row(const Group& group, const Memory& s, tile_facts& facts) {
  if (group.num_threads() > 1) {
    with_hull<T, Weighted>(group, s, facts, true,
                           [&](const auto& v, int points) { fit_hull(group, s, v, points, facts); });
    return;
  }
  with_view<T, Weighted>(s, facts, [&](const auto& v) {
    fit_lane<T>(v, list_of<typename std::remove_cvref_t<decltype(v)>::sums>(s, 0));
    if (Weighted && facts.low == 0) extend_first_pool(v, s.lanes);
  });
}

// Puts a fit that is in the place of the list into that of y. All threads of the group call.
template <class T, class Group, class Memory>
ISO_DEVICE void unlist_row(const Group& group, const Memory& s, const tile_facts& facts) {
  if constexpr (warp_tile<Group>) {
    if (facts.listed > 0) {
      const auto v = marks_of<T, Memory::weighted>(s, facts);
      spread_means(group, v, reinterpret_cast<const T*>(s.list), s.scratch);
    }
  }
}

// Writes what is not finite, and marks the pools of infinities: after the fit. All threads of the group call.
template <class T, class Group, class Memory>
ISO_DEVICE void finish_row(const Group& group, const Memory& s, const tile_facts& facts) {
  using f = numeric::format<T>;
  constexpr int p = Memory::lane_elements;
  const int threads = static_cast<int>(group.num_threads()), rank = static_cast<int>(group.thread_rank());
  const bool bad = facts.status != row_status::ok;
  unlist_row<T>(group, s, facts);
  if (!bad && facts.low == 0 && facts.high == facts.count) return;
  const auto e = s.data();
  for (int i = rank; i < facts.count; i += threads) {
    if (bad || i < facts.low || i >= facts.high) {
      e.y[e.at(i)] = bad ? f::nan() : f::infinity(i < facts.low);
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
  tile_facts facts = examine_tile<T, weighted>(group, s, count, load_row(group, s, rows, r, 0, count), true);
  if (facts.status == row_status::ok && !facts.wide) fit_row<T, weighted>(group, s, facts);
  return facts;
}

// Writes the fit of the elements [begin, begin + count) of row r from means in the place of the tile's list,
// `last` that of the last pool: see list_means. All lanes of the tile call.
template <class T, warp_tile Tile, class Memory, class Rows>
ISO_DEVICE void store_listed(const Tile& tile, const Memory& s, int last, const Rows& rows, std::int64_t r,
                             std::int64_t begin, int count) {
  const int threads = static_cast<int>(tile.num_threads()), rank = static_cast<int>(tile.thread_rank());
  T* const means = reinterpret_cast<T*>(s.list);
  for (int j = rank; j <= last; j += threads) means[j] = rows.finished(means[j]);
  tile.sync();
  rows.store(r, begin, count, rank, threads,
             [&](int i) { return means[pool_of<Memory::lane_elements>(s.mask, s.scratch, i)]; });
}

// Writes the fit of row r, its status and its pools. All threads of the group call.
template <class Group, class Memory, class Rows>
ISO_DEVICE void end_row(const Group& group, const Memory& s, const tile_facts& facts, const Rows& rows,
                        std::int64_t r) {
  using T = typename Rows::value_type;
  constexpr int p = Memory::lane_elements;
  const int threads = static_cast<int>(group.num_threads()), rank = static_cast<int>(group.thread_rank());
  bool stored = false;
  if constexpr (warp_tile<Group>) {
    stored = facts.listed > 0 && facts.low == 0 && facts.high == facts.count;
    if (stored) store_listed<T>(group, s, facts.listed, rows, r, 0, facts.count);
  }
  if (!stored) {
    finish_row<T>(group, s, facts);
    const auto e = s.data();
    rows.store(r, 0, facts.count, rank, threads, [&](int i) { return rows.finished(e.y[e.at(i)]); });
  }
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
