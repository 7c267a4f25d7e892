// A hull by rounds of local convexity, for when few points are left.
//
// The points that are left stand in a list. In a round every point on or above the chord of its two
// neighbours in the list goes, all such points at once, and the list closes up; when no point goes, the list
// is the hull. Noise takes a few rounds. Adversarial data lose one point a round (a long convex run, then a
// drop), so rounds are bounded, and what is left is still a superset of the hull's vertices: the merges of
// lanes finish it. As soon as every lane has one point at most, the points stay in registers, and the rounds,
// which are no more than the points then, go on to the end.
//
// Example: of the points 0 3 2 5 4 over 0..4 the first round removes 3, above the chord 0-2, and 5, above the
// chord 2-4; the second removes 2, on the chord 0-4.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/lane/split_sums.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// The list, in shared memory. Entry j is a point of the tile: the element that it is before, and the sums of
// all elements before it, as kept_sums has them.
template <class Sums, bool Weighted>
struct point_list {
  using sums = Sums;
  using kept = kept_sums<Sums, Weighted>;
  using entry = typename kept::type;
  static constexpr bool exact = true;  // so are the sums

  int capacity;
  entry* at;
  std::uint16_t* element;

  // As long a list as fits some words of memory.
  ISO_HOST_DEVICE static point_list in(std::uint64_t* words, int count) {
    const int capacity = count * 8 / static_cast<int>(sizeof(entry) + sizeof(std::uint16_t));
    const auto at = reinterpret_cast<entry*>(words);
    return {capacity, at, reinterpret_cast<std::uint16_t*>(at + capacity)};
  }

  // Of the pool between two points.
  ISO_HOST_DEVICE static Sums between(const entry& a, int a_element, const entry& b, int b_element) {
    entry e = b;
    e -= a;
    return kept::whole(e, b_element - a_element);
  }
  ISO_HOST_DEVICE Sums pool(int j) const { return between(at[j], element[j], at[j + 1], element[j + 1]); }
  // Whether a point goes: the mean of the pool before it is not less than that after it.
  ISO_HOST_DEVICE static bool is_concave(const entry& left, int left_element, const entry& at, int element,
                                         const entry& right, int right_element) {
    return mean_not_less(between(left, left_element, at, element),
                         between(at, element, right, right_element));
  }
  ISO_HOST_DEVICE static Sums zero() { return Sums::zero(); }
  // Adds element i of a tile.
  template <class Elements>
  ISO_HOST_DEVICE static void add(Sums& to, const Elements& e, int i, const numeric::grid& on) {
    e.add(to, i, on);
  }
};

// Rounds that more points than lanes may take; noise takes one or two.
inline constexpr int most_convex_rounds = 16;

// Writes the points of one lane to the list from place `to` on, with sums from the lane's own beginning, and
// returns those of all of it; `Full`: all of the lane's elements play a part.
template <bool Full, class View, class List>
ISO_DEVICE auto list_lane(const View& v, int lane, std::uint32_t points, const List& list, int to) {
  constexpr int p = View::lane_elements;
  const int base = lane * p, begin = v.begin(lane) - base, end = v.end(lane) - base;
  auto sum = List::zero();
  for (int k = Full ? 0 : begin; k < (Full ? p : end); ++k) {
    if ((points >> k & 1u) != 0) {
      list.at[to] = List::kept::of(sum);
      list.element[to++] = static_cast<std::uint16_t>(base + k);
    }
    list.add(sum, v.e, base + k, v.on);
  }
  return List::kept::of(sum);
}

// The same for split sums, as the words that hold them.
template <bool Full, class View, class List>
ISO_DEVICE std::uint64_t list_split_lane(const View& v, int lane, std::uint32_t points, const List& list,
                                         int to, const split_grid& on) {
  constexpr int p = View::lane_elements;
  const int base = lane * p, begin = v.begin(lane) - base, end = v.end(lane) - base;
  std::uint16_t* element = list.element + to;
  for (std::uint32_t rest = points; rest != 0; rest &= rest - 1) {
    *element++ = static_cast<std::uint16_t>(base + lowest_bit(rest));
  }
  const float* const y = v.e.y + v.e.at(base);
  auto* word = list.at + to;
  auto sum = split_sums::zero();
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int k = 0; k < p; ++k) {
    if ((points >> k & 1u) != 0) (word++)->word[0] = sum.word();
    sum.add(Full || (k >= begin && k < end) ? y[k] : 0.0f, on);
  }
  return sum.word();
}

// Writes the points of all lanes, and the tile's end, to the list. Returns how many they are; 0 if the list
// has no room for them. Sets the totals if sums are exact. All lanes of the tile call.
template <warp_tile Tile, class View, class List>
ISO_DEVICE int list_points(const Tile& tile, const View& v, int lane, std::uint32_t own, const List& list) {
  using entry = typename List::entry;
  constexpr int p = View::lane_elements;
  const int rank = static_cast<int>(tile.thread_rank()), size = static_cast<int>(tile.num_threads());
  const int count = count_bits(own), first = count_before(tile, count);
  const int points = tile.shfl(first + count, size - 1) + 1;
  if (points > list.capacity) return 0;
  // Where an addition is cheap, one loop serves all lanes.
  const bool full = List::exact && tile.all(static_cast<int>(v.end(lane) - v.begin(lane) == p)) != 0;
  entry total, before;
  if constexpr (View::splits && List::exact) {
    const auto on = split_grid::of(v.on);
    const std::uint64_t word = full ? list_split_lane<true>(v, lane, own, list, first, on)
                                    : list_split_lane<false>(v, lane, own, list, first, on);
    total.word[0] = static_cast<std::uint64_t>(split_sums::of(word).value(on));
    before = sums_before(tile, total);
    tile.sync();
    for (int base = 0; base < points - 1; base += size) {
      const int j = base + rank < points - 1 ? base + rank : points - 2, element = list.element[j];
      const std::uint64_t lane_before = tile.shfl(before.word[0], element / p - (lane - rank));
      if (j == base + rank) {
        list.at[j].word[0] =
            static_cast<std::uint64_t>(split_sums::of(list.at[j].word[0]).value(on)) + lane_before;
      }
    }
  } else {
    total = full ? list_lane<true>(v, lane, own, list, first) : list_lane<false>(v, lane, own, list, first);
    before = sums_before(tile, total);
    for (int j = first; j < first + count; ++j) list.at[j] += before;
  }
  if constexpr (List::exact) v.total[lane] = List::kept::whole(total, count_bits(v.part(lane)));
  if (rank == size - 1) {
    before += total;
    list.at[points - 1] = before;
    list.element[points - 1] = static_cast<std::uint16_t>(v.high);
  }
  tile.sync();
  return points;
}

// One round in shared memory; returns how many points are left. All lanes of the tile call.
template <warp_tile Tile, class List>
ISO_DEVICE int convex_round(const Tile& tile, const List& list, int points) {
  const int rank = static_cast<int>(tile.thread_rank()), size = static_cast<int>(tile.num_threads());
  int kept = 0;
  for (int base = 0; base < points; base += size) {
    const int j = base + rank;
    bool keep = j < points;
    // A point moves to its place or a lower one, and no lower than the points of this pass: those that are
    // still to be read stay as they are.
    const auto at = list.at[keep ? j : 0];
    const std::uint16_t element = list.element[keep ? j : 0];
    if (keep && j > 0 && j + 1 < points) {
      keep = !list.is_concave(list.at[j - 1], list.element[j - 1], at, element, list.at[j + 1],
                              list.element[j + 1]);
    }
    const unsigned votes = tile.ballot(keep);
    tile.sync();
    if (keep) {
      const int to = kept + count_bits(votes & ((1u << rank) - 1));
      list.at[to] = at;
      list.element[to] = element;
    }
    kept += count_bits(votes);
    tile.sync();
  }
  return kept;
}

// All rounds, of points that are no more than the tile's lanes; returns how many are left. All lanes of the
// tile call.
template <warp_tile Tile, class List>
ISO_DEVICE int convex_rounds_in_registers(const Tile& tile, const List& list, int points) {
  const int rank = static_cast<int>(tile.thread_rank());
  const auto own = list.at[rank < points ? rank : 0];
  const int element = list.element[rank < points ? rank : 0];
  const unsigned lower = (1u << rank) - 1, upper = ~(lower | 1u << rank);
  unsigned alive = bits_between(0, points);
  for (unsigned gone = alive; gone != 0;) {
    const unsigned below = alive & lower, above = alive & upper;
    const int left = below != 0 ? highest_bit(below) : 0, right = above != 0 ? lowest_bit(above) : 0;
    const auto left_at = shuffled(own, [&](std::uint64_t word) { return tile.shfl(word, left); });
    const auto right_at = shuffled(own, [&](std::uint64_t word) { return tile.shfl(word, right); });
    const int left_element = tile.shfl(element, left), right_element = tile.shfl(element, right);
    const bool inner = below != 0 && above != 0 && (alive >> rank & 1u) != 0;
    const bool goes = inner && list.is_concave(left_at, left_element, own, element, right_at, right_element);
    gone = tile.ballot(static_cast<int>(goes));
    alive &= ~gone;
  }
  tile.sync();
  if ((alive >> rank & 1u) != 0) {
    const int to = count_bits(alive & lower);
    list.at[to] = own;
    list.element[to] = static_cast<std::uint16_t>(element);
  }
  tile.sync();
  return count_bits(alive);
}

// Thins out the points of the list by rounds and sets the masks to those that are left. Returns how many
// points they are if they are the tile's hull, else 0: lanes may then have lost their first point. All lanes
// of the tile call.
template <warp_tile Tile, class View, class List>
ISO_DEVICE int convex_rounds(const Tile& tile, const View& v, int lane, const List& list, int points) {
  const int lanes = static_cast<int>(tile.num_threads());
  bool convex = false;
  for (int round = 0; points > lanes && !convex && round < most_convex_rounds; ++round) {
    const int kept = convex_round(tile, list, points);
    convex = kept == points;
    points = kept;
  }
  if (points <= lanes && !convex) {
    points = convex_rounds_in_registers(tile, list, points);
    convex = true;
  }
  // Each lane finds the first of its own points.
  int j = 0, end = points - 1;
  while (j < end) {
    const int middle = (j + end) / 2;
    if (list.element[middle] < v.begin(lane)) {
      j = middle + 1;
    } else {
      end = middle;
    }
  }
  std::uint32_t mask = 0;
  for (; j + 1 < points && list.element[j] < v.end(lane); ++j) {
    mask |= 1u << (list.element[j] - lane * View::lane_elements);
  }
  v.mask[lane] = mask;
  tile.sync();
  return convex ? points : 0;
}

}  // namespace iso
