// A filter in floating point, for all but a few points of noisy data.
//
// A point that lies above a chord between two points of a tile is no vertex of the tile's hull (paper, Lemma
// 4.1), whatever the chord. So chords and heights may be computed with rounding, as long as a point is
// dropped only if it is above by more than the error: the filter drops no vertex, and what it keeps is
// decided exactly later. All of it runs at full width of the warp, in the elements' own type.
//
// Every lane names one of its points, the lowest over some line, as an anchor. The hull of the anchors and of
// the tile's ends is found by rounds of local convexity; its edges are the chords. An edge spans the points
// between two anchors: over the points of a lane that is one edge, or two where the lane's own anchor is a
// vertex. As the hull is convex the higher of the two counts. The first line is that of the tile's mean. If
// many points are left, the chords take its place, and the anchors are chosen again.
//
// Heights are those over the line of the mean, which changes no comparison and keeps sums small.
//
// Errors, in units u of half the distance of neighbouring numbers at 1, and of the sums A of |w (y - mean)|
// and V of w over the tile: a term is off by at most 2 u, a prefix within a lane by 34 u A, at the beginning
// of a lane by 40 u A, so a point by 74 u A in height, and with weights by 74 u V in position. A point that
// lies below a chord lies, with all three points moved by these errors, at most 148 u (A + |slope| V) above
// it, for it is a mean of the chord's ends, or below one. The slope and the height of the chord, taken from
// the beginning of the lane, add less than 190 u of the same. The margin is 512 u (A + |slope| V), without
// weights 512 u A. Numbers that are not finite compare as false, so they drop nothing; and where a margin is
// so small or so large that underflow or overflow might count, nothing is dropped either.
//
// Example, lanes of four elements, values 4 0 2 6 | 1 9 3 7: the mean is 4, the points' heights are 0 0 -4
// -6, -4 -7 -2 -3 and 0 at the end. The anchors are -6 at 3 and -7 at 5. The chord from 0 to the first has
// slope -2, so that of the points 0 and 0 the second, at 1, is above and goes; -4 at 2 is on it and stays.
#pragma once

#include <cmath>
#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/lane/lane_hull.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// The margin as a part of A, and the least and greatest that are safe from underflow and overflow.
template <class T>
struct filter_margin {
  static constexpr bool narrow = sizeof(T) == 4;
  static constexpr T part = 512 * (narrow ? T(0x1p-24) : T(0x1p-53));
  static constexpr T least = narrow ? T(0x1p-90) : T(0x1p-900);
  static constexpr T most = 1 / least;

  ISO_HOST_DEVICE static bool is_safe(T margin) { return margin > least && margin < most; }
};

template <class T, warp_tile Tile>
ISO_DEVICE T total_of(const Tile& tile, T value) {
  for (unsigned mask = tile.num_threads() / 2; mask > 0; mask /= 2) value += tile.shfl_xor(value, mask);
  return value;
}

// The points of one lane in floating point: heights f[k] and, with weights, positions x[k], of the point
// before element k, from the lane's first point on. The lane's part is summed up as f_end, `weight` and the
// size A.
template <class T, bool Weighted, int P>
struct lane_points {
  T f[P];
  T x[Weighted ? P : 1];
  T f_end, weight, size;

  ISO_HOST_DEVICE T at(int k) const {
    if constexpr (Weighted) return x[k];
    return static_cast<T>(k);
  }
};

// A point as an anchor: how far from the beginning of its lane, and then of the tile.
template <class T>
struct anchor {
  T f, x;
};

// Two chords over a lane's points: the heights are height + slope * x, x from the beginning of the lane.
template <class T>
struct chord_pair {
  T slope[2], height[2];

  ISO_HOST_DEVICE T at(int j, T x) const { return height[j] + slope[j] * x; }
};

// The points of a lane; `Full`: all lanes of the tile are full; else the last may be empty or full in part.
// All lanes of the tile call.
template <bool Full, class T, warp_tile Tile, class View, int P = View::lane_elements,
          bool Weighted = View::weighted>
ISO_DEVICE void place_points(const Tile& tile, const View& v, int lane, lane_points<T, Weighted, P>& p) {
  const int base = lane * P, end = v.end(lane) - base;
  const T* const y = v.e.y + v.e.at(base);
  const T* const w = v.e.w + (Weighted ? v.e.at(base) : 0);
  // Values, and the sums of products and weights, of which only the mean is of interest.
  T sum = T(0), weight = T(0);
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int k = 0; k < P; ++k) {
    const bool in = Full || k < end;
    p.f[k] = in ? y[k] : T(0);
    if constexpr (Weighted) {
      p.x[k] = in ? w[k] : T(0);
      sum += p.x[k] != T(0) ? p.f[k] * p.x[k] : T(0);
      weight += p.x[k];
    } else {
      sum += p.f[k];
    }
  }
  const T all = Weighted ? total_of(tile, weight) : static_cast<T>(v.high - v.low);
  T mean = total_of(tile, sum) / all;
  if (!(mean - mean == T(0))) mean = T(0);  // the sums have overflowed
  T f = T(0), x = T(0);
  p.size = T(0);
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int k = 0; k < P; ++k) {
    T term = Full || k < end ? p.f[k] - mean : T(0);
    p.f[k] = f;
    if constexpr (Weighted) {
      term = p.x[k] != T(0) ? term * p.x[k] : T(0);
      const T next = x + p.x[k];
      p.x[k] = x;
      x = next;
    }
    f += term;
    p.size += std::fabs(term);
  }
  p.f_end = f;
  p.weight = x;
}

// The lane's point before `end` that is lowest over a line; `over(k)` is the height of point k.
template <bool Full, class T, bool Weighted, int P, class Over>
ISO_HOST_DEVICE anchor<T> lowest_point(const lane_points<T, Weighted, P>& p, int end, const Over& over) {
  T least = T(0);
  anchor<T> lowest{T(0), T(0)};
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int k = 0; k < P; ++k) {
    const T height = over(k);
    const bool lower = k == 0 || ((Full || k < end) && height < least);
    least = lower ? height : least;
    lowest.f = lower ? p.f[k] : lowest.f;
    lowest.x = lower ? p.at(k) : lowest.x;
  }
  return lowest;
}

// The points of all lanes, and the tile's end. All lanes of the tile call.
template <warp_tile Tile>
ISO_DEVICE int count_points(const Tile& tile, std::uint32_t own) {
  return total_of(tile, count_bits(own)) + 1;
}

// Where a lane begins, and where the tile ends; the tile begins at `first`, and sums there are 0. `present`:
// the lane has points.
template <class T>
struct lane_place {
  T s, x, first, end_s, end_x;
  bool present;
};

// The edges of the hull of the anchors and of the tile's ends over the points of a lane. All lanes of the
// tile call.
//
// A round that takes none is the last, so a warp's anchors take no more than 32. Noise takes about five; two
// long increasing runs with a drop between them take one for every lane that their common chord passes over.
template <class T, warp_tile Tile>
ISO_DEVICE chord_pair<T> chords_over(const Tile& tile, const lane_place<T>& at, const anchor<T>& own) {
  const int rank = static_cast<int>(tile.thread_rank());
  const unsigned lower = (1u << rank) - 1, upper = ~(lower | 1u << rank);
  const T s = at.s + own.f, x = at.x + own.x;
  chord_pair<T> c;
  unsigned alive = tile.ballot(static_cast<int>(at.present));
  T left_s = T(0), left_x = at.first, right_s = at.end_s, right_x = at.end_x;
  bool vertex = at.present;
  for (int round = 0; round < 32; ++round) {
    const unsigned below = alive & lower, above = alive & upper;
    const int left = below != 0 ? highest_bit(below) : rank, right = above != 0 ? lowest_bit(above) : rank;
    left_s = tile.shfl(s, left);
    left_x = tile.shfl(x, left);
    right_s = tile.shfl(s, right);
    right_x = tile.shfl(x, right);
    if (below == 0) {
      left_s = T(0);
      left_x = at.first;
    }
    if (above == 0) {
      right_s = at.end_s;
      right_x = at.end_x;
    }
    const bool goes = vertex && (s - left_s) * (right_x - x) >= (right_s - s) * (x - left_x);
    const unsigned gone = tile.ballot(static_cast<int>(goes));
    vertex = vertex && !goes;
    if (gone == 0) break;
    alive &= ~gone;
  }
  const auto chord = [&](int j, T from_s, T from_x, T to_s, T to_x) {
    c.slope[j] = (to_s - from_s) / (to_x - from_x);
    c.height[j] = (from_s - at.s) - c.slope[j] * (from_x - at.x);
  };
  chord(0, left_s, left_x, vertex ? s : right_s, vertex ? x : right_x);
  chord(1, vertex ? s : left_s, vertex ? x : left_x, right_s, right_x);
  return c;
}

// The points of a lane that are not above both chords by the margin, of a tile with these A and V.
template <class T, bool Weighted, int P>
ISO_HOST_DEVICE std::uint32_t points_below(const lane_points<T, Weighted, P>& p, const chord_pair<T>& c,
                                           T size, T weight) {
  using margins = filter_margin<T>;
  T most[2];
  bool safe = true;
  for (int j = 0; j < 2; ++j) {
    const T margin = margins::part * (Weighted ? size + std::fabs(c.slope[j]) * weight : size);
    most[j] = c.height[j] + margin;
    safe = safe && margins::is_safe(margin);
  }
  if (!safe) return bits_between(0, P);
  std::uint32_t kept = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int k = 0; k < P; ++k) {
    bool above = true;
    for (int j = 0; j < 2; ++j) above = above && p.f[k] - c.slope[j] * p.at(k) > most[j];
    if (!above) kept |= std::uint32_t{1} << k;
  }
  return kept;
}

// The points of a lane that may be vertices of the hull of a tile that begins with its first lane. All lanes
// of the tile call.
template <bool Full, class T, warp_tile Tile, class View, int P = View::lane_elements,
          bool Weighted = View::weighted>
ISO_DEVICE std::uint32_t chord_filter(const Tile& tile, const View& v, int lane) {
  const int end = v.end(lane) - lane * P, last = static_cast<int>(tile.num_threads()) - 1;
  lane_points<T, Weighted, P> p;
  place_points<Full>(tile, v, lane, p);
  lane_place<T> at{T(0), static_cast<T>(lane * P), static_cast<T>(v.low),
                   T(0), static_cast<T>(v.high),   end > 0};
  at.s = total_up_to(tile, p.f_end);
  at.end_s = tile.shfl(at.s, last);
  at.s -= p.f_end;
  if constexpr (Weighted) {
    at.x = total_up_to(tile, p.weight);
    at.end_x = tile.shfl(at.x, last);
    at.x -= p.weight;
    at.first = T(0);
  }
  const T size = total_of(tile, p.size), weight = at.end_x - at.first;
  const std::uint32_t part = v.part(lane);
  if (Weighted && !filter_margin<T>::is_safe(weight)) return part;
  auto own = lowest_point<Full>(p, end, [&](int k) { return p.f[k]; });
  auto chords = chords_over(tile, at, own);
  const std::uint32_t kept = points_below(p, chords, size, weight) & part;
  if (count_points(tile, kept) <= 2 * last) return kept;
  own = lowest_point<Full>(p, end, [&](int k) {
    const T x = p.at(k), a = chords.at(0, x), b = chords.at(1, x);
    return p.f[k] - (a > b ? a : b);
  });
  chords = chords_over(tile, at, own);
  return kept & points_below(p, chords, size, weight);
}

}  // namespace iso
