// A filter: points that lie on or above a chord between two points of the tile are no vertices of its hull
// (paper, Lemma 4.1), and of noisy data nearly all points do.
//
// The chords are the edges of the hull of the lanes' boundary points. That hull is found by rounds of local
// convexity on a mask of lanes, with shuffles; rounds may end early, since any chord serves. Then every lane
// walks through its points and keeps those strictly below the chord over it, in exact integers.
//
// Example, lanes of two elements, values 4 0 | 2 6 | 9 1: the boundary points are 0, 4, 12, 22 at 0, 2, 4, 6.
// 4 is below the chord from 0 to 12 and 12 below that from 4 to 22, so all stay. Of the inner points, 4 at 1
// is above 2 and goes, 6 at 3 is below 8 and stays, 21 at 5 is above 17 and goes.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// Of the candidates of each lane, those that are not certainly above a chord; for sums of one word without
// weights, on a tile whose elements all lanes have summed. All lanes of the tile call, with the sums of the
// lanes before theirs, and `end`, the sums of all. The first point of the tile is always kept.
template <warp_tile Tile, class View>
ISO_DEVICE std::uint32_t line_filter(const Tile& tile, const View& v, int lane, std::uint32_t candidates,
                                     const typename View::sums& before, const typename View::sums& all) {
  static_assert(!View::weighted && decltype(View::sums::s)::words == 1);
  const int rank = static_cast<int>(tile.thread_rank());
  const int begin = v.begin(lane), end = v.end(lane);
  const auto s = static_cast<std::int64_t>(before.s.word[0]);
  const auto last_s = static_cast<std::int64_t>(all.s.word[0]);
  const unsigned present = tile.ballot(begin < end);
  if (present == 0) return 0;
  const int first = lowest_bit(present);
  const unsigned lower = (1u << rank) - 1, upper = ~(lower | 1u << rank);

  // Boundary points: of every lane that is alive its first, and the end of the tile.
  unsigned alive = present;
  int left = first, right = first, left_x = 0, right_x = 0;
  std::int64_t left_s = 0, right_s = 0;
  for (int round = 0; round < 8; ++round) {
    left = (alive & lower) != 0 ? highest_bit(alive & lower) : first;
    right = (alive & upper) != 0 ? lowest_bit(alive & upper) : 32;
    left_s = tile.shfl(s, left);
    left_x = tile.shfl(begin, left);
    right_s = tile.shfl(s, right % 32);
    right_x = tile.shfl(begin, right % 32);
    if (right == 32) {
      right_s = last_s;
      right_x = v.high;
    }
    const bool inner = (alive >> rank & 1u) != 0 && rank != first;
    const bool above = inner && (s - left_s) * (right_x - begin) >= (right_s - s) * (begin - left_x);
    const unsigned gone = tile.ballot(above);
    if (gone == 0) break;
    alive &= ~gone;
  }
  if (begin >= end) return 0;
  const bool vertex = (alive >> rank & 1u) != 0;
  if (vertex) {
    left_s = s;
    left_x = begin;
  }

  const std::int64_t dx = right_x - left_x, ds = right_s - left_s;
  std::int64_t below = (s - left_s) * dx - ds * (begin - left_x);  // negative: below the chord
  std::uint32_t kept = vertex ? 1u << (begin - lane * View::lane_elements) : 0u;
  for (int i = begin; i < end; ++i) {
    if (below < 0) kept |= 1u << (i - lane * View::lane_elements);
    auto value = View::sums::zero();
    v.e.add(value, i, v.on);
    below += static_cast<std::int64_t>(value.s.word[0]) * dx - ds;
  }
  return kept & candidates;
}

}  // namespace iso
