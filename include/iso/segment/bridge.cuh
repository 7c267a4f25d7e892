// The bridge of two neighbouring hulls: paper, section 5.2 and appendix A.
//
// Let s be the point the hulls share. If the chain is convex at s, the edge of the left hull that ends in s
// is taken for the bridge: it is an edge of the merged hull too. Otherwise s is no vertex, and the bridge is
// found by halving: of an edge on either side, one of three cases discards one part of one side.
//
//   1. The left edge is not flatter than the line from its right end to the right edge's left end: the bridge
//      starts at the left edge's left end or before.
//   2. That line is not flatter than the right edge: the bridge ends at the right edge's right end or after.
//   3. Otherwise the lines of the two edges cross. If they cross at s or before, the bridge starts at the
//   left
//      edge's right end or after; if at s or after, it ends at the right edge's left end or before.
//
// Invariant: the bridge's left end, the leftmost point of contact, is on the left chain, and its right end,
// the rightmost, on the right chain. Each step shortens a chain by an edge that is about its middle, so a
// search takes as many steps as the two trees are high.
#pragma once

#include <cmath>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/numeric/integer.hpp>
#include <iso/numeric/turn.hpp>
#include <iso/segment/chain.cuh>

namespace iso {

template <class Sums>
ISO_HOST_DEVICE Sums between(const point<Sums>& a, const point<Sums>& b) {
  Sums r = b.at;
  r.s -= a.at.s;
  r.w -= a.at.w;
  return r;
}

template <class T, bool Weighted>
ISO_HOST_DEVICE large_sums<T, Weighted> between(const recorded_point<T, Weighted>& a,
                                                const recorded_point<T, Weighted>& b) {
  using numeric::difference;
  return kept_sums<large_sums<T, Weighted>, Weighted>::whole(difference(b.at, a.at), b.element - a.element);
}

// Whether two lines meet left or right of s: the sign of flat - steep, which are `rise` times both weights,
// and the two edges' heights, each times the other's weight; see crossing_side. As doubles tell it: every
// factor is within 2^-50 of its number, and a product of three, and the sum, add roundings of 2^-53 each.
// Integers that are spread over a warp are never certain.
template <class S, class W>
ISO_HOST_DEVICE numeric::turn likely_crossing(const S&, const S&, const S&, const W&, const W&, const W&,
                                              const W&) {
  return {0, false};
}
template <int N, int M>
ISO_HOST_DEVICE numeric::turn likely_crossing(
    const numeric::integer<N>& rise, const numeric::integer<N>& left_s, const numeric::integer<N>& right_s,
    const numeric::integer<M>& left_w, const numeric::integer<M>& right_w, const numeric::integer<M>& to_w,
    const numeric::integer<M>& from_w) {
  using numeric::as_double;
  const double lw = as_double(left_w), rw = as_double(right_w);
  const double flat = as_double(rise) * lw * rw, left = as_double(left_s) * as_double(to_w) * rw,
               right = as_double(right_s) * as_double(from_w) * lw;
  const double by = flat - (left + right);
  const double margin = (std::fabs(flat) + std::fabs(left) + std::fabs(right)) * 0x1p-46;
  return {by, std::fabs(by) > margin};
}

// Whether the lines through the edges (a, b) and (c, d), which are left and right of s and the second
// steeper, cross at s or left of it (at most 0), or at s or right of it (at least 0): the sign of where they
// cross less s. Compared are their heights at s, times the widths of both edges.
template <class Sums>
ISO_HOST_DEVICE int crossing_side(const point<Sums>& a, const point<Sums>& b, const Sums& s,
                                  const point<Sums>& c, const point<Sums>& d) {
  const Sums left = between(a, b), right = between(c, d);
  Sums to_s = s, from_s = c.at;
  to_s.s -= b.at.s;
  to_s.w -= b.at.w;
  from_s.s -= s.s;
  from_s.w -= s.w;
  auto rise = to_s.s;
  rise += from_s.s;
  // The right line is above the left one at s if they cross before.
  const numeric::turn likely = likely_crossing(rise, left.s, right.s, left.w, right.w, to_s.w, from_s.w);
  if (likely.certain) return likely.by > 0 ? -1 : 1;
  const auto flat = multiply(multiply(rise, left.w), right.w);
  auto steep = multiply(multiply(left.s, to_s.w), right.w);
  steep += multiply(multiply(right.s, from_s.w), left.w);
  if (less(steep, flat)) return -1;
  return less(flat, steep) ? 1 : 0;
}

// The bridge between the chains `a` and `b`, which do not hold s, a point that is no vertex of the hull of
// both; returned as the single vertices that the chains become. All lanes of the warp call.
template <class Reader>
ISO_DEVICE void find_bridge(const Reader& reader, chain<typename Reader::kept>& a,
                            const typename Reader::sums& s, chain<typename Reader::kept>& b) {
  using vertex = typename Reader::vertex;
  vertex a1 = reader.vertex_of(a.low), a2 = a1, b1 = reader.vertex_of(b.low), b2 = b1;
  bool new_a = !a.single(), new_b = !b.single();
  while (!a.single() || !b.single()) {
    if (new_a) {
      edge_of<typename Reader::kept> edge{a.low, a.low};
      if (!a.single()) edge = a.edge(reader);
      if (!a.single()) a1 = reader.vertex_of(edge.left);
      a2 = reader.vertex_of(edge.right);
    }
    if (new_b) {
      edge_of<typename Reader::kept> edge{b.low, b.low};
      if (!b.single()) edge = b.edge(reader);
      b1 = reader.vertex_of(edge.left);
      if (!b.single()) b2 = reader.vertex_of(edge.right);
    }
    new_a = new_b = false;
    const auto across = between(a2, b1);
    if (!a.single() && mean_not_less(between(a1, a2), across)) {
      a.high = reader.kept_of(a1);
      new_a = true;
    }
    if (!b.single() && mean_not_less(across, between(b1, b2))) {
      b.low = reader.kept_of(b2);
      new_b = true;
    }
    if (new_a || new_b) continue;
    const int side = a.single() ? 1 : b.single() ? -1 : crossing_side(a1, a2, s, b1, b2);
    if (side <= 0) {
      a.low = reader.kept_of(a2);
      new_a = true;
    }
    if (side >= 0) {
      b.high = reader.kept_of(b1);
      new_b = true;
    }
  }
}

}  // namespace iso
