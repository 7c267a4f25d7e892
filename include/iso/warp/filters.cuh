// Filters in floating point, for all but a few points of noisy data.
//
// A point that lies above a chord between two points of a tile is no vertex of the tile's hull (paper, Lemma
// 4.1), whatever the chord. So chords and heights may be computed with rounding, as long as a point is
// dropped only if it is above by more than the error: the filters drop no vertex, and what they keep is
// decided exactly later. Two filters, both at full width of the warp, in the elements' own type:
//
//   window   the chord from the point 1, 2, 4, 8 elements before to that as many after, within a lane
//   line     the edges of the hull of the lanes' boundary points, each over the lanes that it spans
//
// Heights are those over a line of some slope through the data, the pivot, which changes no comparison and
// keeps sums small.
//
// Errors, in units u of half the distance of neighbouring numbers at 1, and of the sums A of |w (y - pivot)|
// and V of w over the lane, or over the tile: a term is off by at most 2 u, a prefix within a lane by 34 u A,
// at a lane boundary by 40 u A. A window compares four prefixes: 145 u A; a line two differences of
// boundaries, a slope and a prefix: 300 u A. With weights, where products of two differences are compared, it
// is 450 u A V at most. The margins are 256, 512 and 1024 of these. Numbers that are not finite compare as
// false, so they drop nothing; and where a margin is so small that underflow might count, nothing is dropped
// either.
//
// Example, lanes of two elements, values 4 0 | 2 6 | 9 1: the boundary points are 0, 4, 12, 22 at 0, 2, 4, 6.
// 4 is below the chord from 0 to 12 and 12 below that from 4 to 22, so all stay. Of the inner points, 4 at 1
// is above 2 and goes, 6 at 3 is below 8 and stays, 21 at 5 is above 17 and goes.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/lane/lane_hull.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// Margins, as parts of A or A V, and the least that is safe from underflow.
template <class T>
struct filter_margin {
  static constexpr bool narrow = sizeof(T) == 4;
  static constexpr T unit = narrow ? T(0x1p-24) : T(0x1p-53);
  static constexpr T least = narrow ? T(0x1p-90) : T(0x1p-900);
};

// The points of one lane in floating point: heights f[k] and, with weights, positions x[k], of the point
// before element k, from the lane's first point on; `size` and `weight` are A and V.
template <class T, bool Weighted, int P>
struct lane_points {
  T f[P + 1];
  T x[Weighted ? P + 1 : 1];
  T size, weight;

  ISO_HOST_DEVICE T at(int k) const {
    if constexpr (Weighted) return x[k];
    return static_cast<T>(k);
  }
};

// Of a lane all of whose elements play a part, the points that no window drops. One lane calls.
template <class T, bool Weighted, int P>
ISO_HOST_DEVICE std::uint32_t window_filter(const lane_points<T, Weighted, P>& p) {
  using margins = filter_margin<T>;
  T margin = 256 * margins::unit * p.size;
  if constexpr (Weighted) margin = 1024 * margins::unit * (p.size * p.weight);
  if (!(margin > margins::least)) return bits_between(0, P);
  std::uint32_t kept = bits_between(0, P);
  for (int k = 1; k < P; ++k) {
    bool above = false;
    for (int gap = 1; gap <= 8; gap *= 2) {
      if (k < gap || k + gap > P) continue;
      const T before = p.f[k] - p.f[k - gap], after = p.f[k + gap] - p.f[k];
      if constexpr (Weighted) {
        const T w_before = p.x[k] - p.x[k - gap], w_after = p.x[k + gap] - p.x[k];
        above |= before * w_after - after * w_before > margin;
      } else {
        above |= before - after > margin;
      }
    }
    if (above) kept &= ~(std::uint32_t{1} << k);
  }
  return kept;
}

// The term of element i in the sums of heights.
template <class T, class Elements>
ISO_HOST_DEVICE T filter_term(const Elements& e, int i, T pivot, T& w) {
  T term = e.y[e.at(i)] - pivot;
  w = T(1);
  if (e.w != nullptr) {
    w = e.w[e.at(i)];
    term = w != T(0) ? term * w : T(0);
  }
  return term;
}

// The points of a lane. Of one with fewer than P elements that play a part, only the sums.
template <class T, class View, int P = View::lane_elements, bool Weighted = View::weighted>
ISO_HOST_DEVICE void place_points(const View& v, int lane, T pivot, lane_points<T, Weighted, P>& p) {
  const int begin = v.begin(lane), end = v.end(lane);
  p.size = p.weight = T(0);
  if (end - begin == P) {
    p.f[0] = p.x[0] = T(0);
    for (int k = 0; k < P; ++k) {
      T w;
      const T term = filter_term(v.e, lane * P + k, pivot, w);
      p.f[k + 1] = p.f[k] + term;
      p.size += term < T(0) ? -term : term;
      if constexpr (Weighted) p.x[k + 1] = p.x[k] + w;
    }
    p.weight = static_cast<T>(P);
    if constexpr (Weighted) p.weight = p.x[P];
  } else {
    T sum = T(0);
    for (int i = begin; i < end; ++i) {
      T w;
      const T term = filter_term(v.e, i, pivot, w);
      sum += term;
      p.size += term < T(0) ? -term : term;
      p.weight += w;
    }
    for (int k = 0; k <= P; ++k) p.f[k] = sum;
    if constexpr (Weighted) {
      for (int k = 0; k <= P; ++k) p.x[k] = p.weight;
    }
  }
}

template <class T, warp_tile Tile>
ISO_DEVICE T total_of(const Tile& tile, T value) {
  for (unsigned mask = tile.num_threads() / 2; mask > 0; mask /= 2) value += tile.shfl_xor(value, mask);
  return value;
}

// Of the points of a lane that are `kept`, those not above the edge of the boundary points' hull over the
// lane; all, unless the lane is `full`. All lanes of the tile call; `present`: the lane has elements.
template <class T, bool Weighted, int P, warp_tile Tile>
ISO_DEVICE std::uint32_t line_filter(const Tile& tile, const lane_points<T, Weighted, P>& p, bool present,
                                     bool full, std::uint32_t kept) {
  using margins = filter_margin<T>;
  const int rank = static_cast<int>(tile.thread_rank()), last = static_cast<int>(tile.num_threads()) - 1;
  // Where the lane begins, of sums over the tile.
  T s = p.f[P], x = p.weight;
  for (unsigned delta = 1; delta < tile.num_threads(); delta *= 2) {
    const T s_below = tile.shfl_up(s, delta), x_below = tile.shfl_up(x, delta);
    if (tile.thread_rank() >= delta) {
      s += s_below;
      x += x_below;
    }
  }
  const T end_s = tile.shfl(s, last), end_x = tile.shfl(x, last);
  s -= p.f[P];
  x -= p.weight;
  const T size = total_of(tile, p.size);
  T margin = 512 * margins::unit * size;
  if constexpr (Weighted) margin = 1024 * margins::unit * (size * end_x);

  // Rounds of local convexity on the boundary points, of which the first and the end of the tile stay.
  const unsigned all = tile.ballot(present);
  const int first = all != 0 ? lowest_bit(all) : 0;
  const unsigned lower = (1u << rank) - 1, upper = ~(lower | 1u << rank);
  unsigned alive = all;
  T left_s = s, left_x = x, right_s = end_s, right_x = end_x;
  for (int round = 0; round < 6; ++round) {
    const int left = (alive & lower) != 0 ? highest_bit(alive & lower) : first;
    const int right = (alive & upper) != 0 ? lowest_bit(alive & upper) : 32;
    left_s = tile.shfl(s, left);
    left_x = tile.shfl(x, left);
    right_s = tile.shfl(s, right % 32);
    right_x = tile.shfl(x, right % 32);
    if (right == 32) {
      right_s = end_s;
      right_x = end_x;
    }
    const bool inner = (alive >> rank & 1u) != 0 && rank != first;
    const bool above = inner && (s - left_s) * (right_x - x) >= (right_s - s) * (x - left_x);
    const unsigned gone = tile.ballot(above);
    if (gone == 0) break;
    alive &= ~gone;
  }
  if (!full || !(margin > margins::least)) return kept;
  if ((alive >> rank & 1u) != 0) {
    left_s = s;
    left_x = x;
  }
  const T ds = right_s - left_s, dx = right_x - left_x;
  if constexpr (Weighted) {
    const T height = (s - left_s) * dx - ds * (x - left_x);
    for (int k = 0; k < P; ++k) {
      if (height + (p.f[k] * dx - ds * p.x[k]) > margin) kept &= ~(std::uint32_t{1} << k);
    }
  } else {
    const T slope = ds / dx, height = (s - left_s) - slope * (x - left_x);
    for (int k = 0; k < P; ++k) {
      if (p.f[k] + height - slope * static_cast<T>(k) > margin) kept &= ~(std::uint32_t{1} << k);
    }
  }
  return kept;
}

}  // namespace iso
