// A hull by rounds of local convexity, for when few points are left.
//
// The points that are left stand in a list. In a round every point on or above the chord of its two
// neighbours in the list goes, all such points at once, and the list closes up; when no point goes, the list
// is the hull. Noise takes a few rounds. Adversarial data lose one point a round (a long convex run, then a
// drop), so rounds are bounded, and what is left is still a superset of the hull's vertices: the merges of
// lanes finish it.
//
// Example: of the points 0 3 2 5 4 over 0..4 the first round removes 3, above the chord 0-2, and 5, above the
// chord 2-4; the second removes 2, on the chord 0-4.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// The list, in shared memory. Entry j is a point of the tile: the element that it is before, and the sums of
// all elements before it.
template <class Sums>
struct point_list {
  int capacity;
  Sums* at;
  std::int16_t* element;

  // As long a list as fits some words of memory.
  ISO_HOST_DEVICE static point_list in(std::uint64_t* words, int count) {
    const int capacity = count * 8 / static_cast<int>(sizeof(Sums) + sizeof(std::int16_t));
    const auto at = reinterpret_cast<Sums*>(words);
    return {capacity, at, reinterpret_cast<std::int16_t*>(at + capacity)};
  }
};

// Writes the tile's starts and its end to the list, and returns how many they are; writes nothing if there
// are more than it has room for, and returns 0. All lanes of the tile call, with the sums of the lanes before
// theirs.
template <warp_tile Tile, class View, class List>
ISO_DEVICE int list_points(const Tile& tile, const View& v, int lane, const typename View::sums& before,
                           const List& list) {
  const std::uint32_t mask = v.mask[lane];
  const int last_rank = static_cast<int>(tile.num_threads()) - 1;
  int j = count_before(tile, count_bits(mask));
  const int points = tile.shfl(j + count_bits(mask), last_rank) + 1;
  if (points > list.capacity) return 0;
  auto sum = before;
  std::uint32_t rest = mask;
  int i = v.begin(lane);
  while (rest != 0) {
    const int start = lane * View::lane_elements + lowest_bit(rest);
    rest &= rest - 1;
    for (; i < start; ++i) v.e.add(sum, i, v.on);
    list.at[j] = sum;
    list.element[j++] = static_cast<std::int16_t>(start);
  }
  if (static_cast<int>(tile.thread_rank()) == last_rank) {
    sum = before;
    sum += v.total[lane];
    list.at[j] = sum;
    list.element[j] = static_cast<std::int16_t>(v.high);
  }
  tile.sync();
  return points;
}

// One round; returns how many points are left. All lanes of the tile call.
template <warp_tile Tile, class List>
ISO_DEVICE int convex_round(const Tile& tile, const List& list, int points) {
  const int rank = static_cast<int>(tile.thread_rank()), size = static_cast<int>(tile.num_threads());
  int kept = 0;
  for (int base = 0; base < points; base += size) {
    const int j = base + rank;
    bool keep = j < points;
    // A point moves to its place or a lower one, and no lower than the points of this pass: those that are
    // still to be read stay as they are.
    auto at = list.at[keep ? j : 0];
    const std::int16_t element = list.element[keep ? j : 0];
    if (keep && j > 0 && j + 1 < points) {
      auto left = at, right = list.at[j + 1];
      left.s -= list.at[j - 1].s;
      left.w -= list.at[j - 1].w;
      right.s -= at.s;
      right.w -= at.w;
      keep = !mean_not_less(left, right);
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

// Thins the starts of a tile out by at most `rounds` rounds. Returns whether they are now the tile's hull.
// All lanes of the tile call; lane l of the tile changes mask[first_lane + l] only.
template <warp_tile Tile, class View, class List>
ISO_DEVICE bool convex_rounds(const Tile& tile, const View& v, int lane, const typename View::sums& before,
                              const List& list, int rounds) {
  int points = list_points(tile, v, lane, before, list);
  if (points == 0) return false;
  bool convex = false;
  for (; rounds > 0 && !convex; --rounds) {
    const int kept = convex_round(tile, list, points);
    convex = kept == points;
    points = kept;
  }
  // Each lane finds the first of its own points.
  int j = 0;
  for (int step = list.capacity; step > 0; step /= 2) {
    if (j + step < points && list.element[j + step - 1] < v.begin(lane)) j += step;
  }
  while (j + 1 < points && list.element[j] < v.begin(lane)) ++j;
  std::uint32_t mask = 0;
  for (; j + 1 < points && list.element[j] < v.end(lane); ++j) {
    mask |= 1u << (list.element[j] - lane * View::lane_elements);
  }
  v.mask[lane] = mask;
  tile.sync();
  return convex;
}

}  // namespace iso
