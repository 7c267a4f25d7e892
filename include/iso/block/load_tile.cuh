// Elements brought to shared memory, and looked at on the way.
#pragma once

#include <cstdint>
#include <type_traits>

#include <iso/block/reduce.cuh>
#include <iso/block/tile_storage.cuh>
#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/lane/findings.cuh>
#include <iso/numeric/format.hpp>
#include <iso/warp/begin_copy.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// Loads of a thread that are under way at a time, as a rule.
inline constexpr int usual_batch = 8;

// Brings elements to shared memory that are handed in by index: y and w each take one and return a T.
// look(y, w) is called with those of the thread, of which `Batch` are under way at a time. The caller
// synchronises the group.
//
// `Steps`: places in memory are told from the first one where the compiler knows how far apart they are. That
// is quicker, but where elements are seldom loaded its registers cost more.
template <class T, bool Weighted, int Batch, bool Steps, class Group, class Memory, class Y, class W,
          class Look>
ISO_DEVICE void bring_tile(const Group& group, const Memory& s, int count, const Y& y, const W& w,
                           const Look& look) {
  const auto e = s.data();
  const int threads = static_cast<int>(group.num_threads()), rank = static_cast<int>(group.thread_rank());
  // The last elements come several at a time too.
  const auto load = [&](auto all, int first) {
    constexpr bool full = decltype(all)::value;
    T values[Batch], weights[Batch];
    for (int k = 0; k < Batch; ++k) {
      const int i = first + k * threads;
      if (!full && i >= count) continue;
      values[k] = y(i);
      weights[k] = Weighted ? w(i) : T(1);
    }
    for (int k = 0; k < Batch; ++k) {
      const int i = first + k * threads;
      const int at = Steps && threads % 32 == 0 ? e.at(first) + k * e.at(threads) : e.at(i);
      if (!full && i >= count) continue;
      e.y[at] = values[k];
      if constexpr (Weighted) e.w[at] = weights[k];
      look(values[k], weights[k]);
    }
  };
  int first = rank;
  for (; first - rank + Batch * threads <= count; first += Batch * threads) load(std::true_type(), first);
  if (first < count) load(std::false_type(), first);
}

// The same, and what a look at the elements finds. All threads of the group call.
template <class T, bool Weighted, int Batch = usual_batch, class Group, class Memory, class Y, class W>
ISO_DEVICE findings load_tile(const Group& group, const Memory& s, int count, const Y& y, const W& w) {
  quick_look<T, Weighted> look;
  bring_tile<T, Weighted, Batch, true>(group, s, count, y, w,
                                       [&](const T& value, const T& weight) { look.include(value, weight); });
  const auto e = s.data();
  const int threads = static_cast<int>(group.num_threads()), rank = static_cast<int>(group.thread_rank());
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

// Calls f(y, w) with readers by index of the elements of row r from `begin` on: simple ones, where they lie
// next to each other in memory.
template <class Rows, class F>
ISO_DEVICE decltype(auto) with_elements(const Rows& rows, std::int64_t r, std::int64_t begin, const F& f) {
  using T = typename Rows::value_type;
  if constexpr (std::is_pointer_v<decltype(rows.y)>) {
    if (rows.contiguous()) {
      const auto* y = rows.y + (r * rows.y_steps.row + begin);
      using format = numeric::format<T>;
      using bits = typename format::bits_type;
      const bits flipped = rows.increasing ? 0 : format::sign_bit;
      const auto value = [&](int i) {
        return format::from_bits(static_cast<bits>(format::to_bits(static_cast<T>(y[i])) ^ flipped));
      };
      if constexpr (!Rows::weighted) {
        return f(value, [](int) { return T(1); });
      } else if constexpr (std::is_pointer_v<decltype(rows.w)>) {
        const auto* w = rows.w + (r * rows.w_steps.row + begin);
        return f(value, [&](int i) { return static_cast<T>(w[i]); });
      }
    }
  }
  return f([&](int i) { return rows.value(r, begin + i); }, [&](int i) { return rows.weight(r, begin + i); });
}

// Loads the elements [begin, begin + count) of row r. All threads of the group call.
template <int Batch = usual_batch, class Group, class Memory, class Rows>
ISO_DEVICE findings load_row(const Group& group, const Memory& s, const Rows& rows, std::int64_t r,
                             std::int64_t begin, int count) {
  return with_elements(rows, r, begin, [&](const auto& y, const auto& w) {
    return load_tile<typename Rows::value_type, Rows::weighted, Batch>(group, s, count, y, w);
  });
}

// The same of elements that have been looked at before.
template <class Group, class Memory, class Rows>
ISO_DEVICE void load_row_again(const Group& group, const Memory& s, const Rows& rows, std::int64_t r,
                               std::int64_t begin, int count) {
  using T = typename Rows::value_type;
  with_elements(rows, r, begin, [&](const auto& y, const auto& w) {
    bring_tile<T, Rows::weighted, usual_batch, false>(group, s, count, y, w, [](const T&, const T&) {});
  });
  group.sync();
}

// Brings 32 * Count elements of row r from `begin` on without registers, and values as the caller has them:
// not negated. Returns whether that was possible: they lie next to each other, and are no other type's. All
// lanes of the warp call.
template <int Count, warp_tile Warp, class Memory, class Rows>
ISO_DEVICE bool copy_row([[maybe_unused]] const Warp& warp, [[maybe_unused]] const Memory& s,
                         [[maybe_unused]] const Rows& rows, [[maybe_unused]] std::int64_t r,
                         [[maybe_unused]] std::int64_t begin) {
  using T = typename Rows::value_type;
  constexpr bool plain = std::is_convertible_v<decltype(rows.y), const T*> &&
                         (!Rows::weighted || std::is_convertible_v<decltype(rows.w), const T*>);
  if constexpr (plain) {
    if (rows.contiguous()) {
      const auto e = s.data();
      const auto lane = static_cast<int>(warp.thread_rank());
      int at[Count];
      for (int k = 0; k < Count; ++k) at[k] = e.at(32 * k);
      begin_copies(e.y + lane, at, static_cast<const T*>(rows.y) + (r * rows.y_steps.row + begin + lane));
      if constexpr (Rows::weighted) {
        begin_copies(e.w + lane, at, static_cast<const T*>(rows.w) + (r * rows.w_steps.row + begin + lane));
      }
      end_copies(warp);
      return true;
    }
  }
  return false;
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

}  // namespace iso
