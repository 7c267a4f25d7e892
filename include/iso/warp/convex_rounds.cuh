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

// The points of the tile that are left: its starts, and its end. All lanes of the tile call.
template <warp_tile Tile, class View>
ISO_DEVICE int count_points(const Tile& tile, const View& v, int lane) {
  int points = count_bits(v.mask[lane]);
  for (unsigned mask = tile.num_threads() / 2; mask > 0; mask /= 2) points += tile.shfl_xor(points, mask);
  return points + 1;
}

// Writes the tile's starts and its end to the list, which has room for them, and sums every lane into
// v.total. All lanes of the tile call.
template <warp_tile Tile, class View, class List>
ISO_DEVICE void list_points(const Tile& tile, const View& v, int lane, const List& list) {
  using sums = typename View::sums;
  constexpr int p = View::lane_elements;
  const std::uint32_t mask = v.mask[lane];
  const int own_points = count_bits(mask), first = count_before(tile, own_points);
  int j = first;
  auto sum = sums::zero();
  for (int k = v.begin(lane) - lane * p; k < v.end(lane) - lane * p; ++k) {
    if ((mask >> k & 1u) != 0) {
      list.at[j] = sum;
      list.element[j++] = static_cast<std::int16_t>(lane * p + k);
    }
    v.e.add(sum, lane * p + k, v.on);
  }
  v.total[lane] = sum;
  // What a lane has written counts from its own first point.
  sums before = sums_before(tile, sum);
  for (j = first; j < first + own_points; ++j) list.at[j] += before;
  if (tile.thread_rank() + 1 == tile.num_threads()) {
    before += sum;
    list.at[j] = before;
    list.element[j] = static_cast<std::int16_t>(v.high);
  }
  tile.sync();
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

// Thins the starts of a tile out by at most `rounds` rounds, if the list has room for them. If they are then
// the tile's hull, returns how many points the list has, else 0: the masks may then have lost some starts,
// and lanes their first. All lanes of the tile call.
template <warp_tile Tile, class View, class List>
ISO_DEVICE int convex_rounds(const Tile& tile, const View& v, int lane, const List& list, int rounds) {
  int points = count_points(tile, v, lane);
  if (points > list.capacity) return 0;
  list_points(tile, v, lane, list);
  bool convex = false;
  for (; rounds > 0 && !convex; --rounds) {
    const int kept = convex_round(tile, list, points);
    convex = kept == points;
    points = kept;
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
