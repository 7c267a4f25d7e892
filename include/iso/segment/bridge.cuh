// The bridge of two neighbouring hulls: paper, section 5.2 and appendix A.
//
// Let s be the point the hulls share. If the chain is convex at s, the edge of the left hull that ends in s
// is taken for the bridge: it is an edge of the merged hull too. If it is straight there, the two edges that
// meet in s are the bridge together. Otherwise s is no vertex, and the bridge is found by halving: of an edge
// on either side, one of three cases discards one part of one side.
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
// search takes as many steps as the two trees are high. Doubles compare, and integers where these are not
// certain.
#pragma once

#include <cmath>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/numeric/integer.hpp>
#include <iso/numeric/quotient.hpp>
#include <iso/numeric/sums.hpp>
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

// The mean of the elements that the bridge at boundary c spans. All lanes of the warp call.
template <class Reader>
ISO_DEVICE typename Reader::T exact_mean(const Reader& reader, std::int64_t c) {
  const auto& node = reader.state.node[c];
  const auto sum = between(reader.vertex_of(reader.recorded(node.bridge_left)),
                           reader.vertex_of(reader.recorded(node.bridge_right)));
  using numeric::rounded_mean;
  return rounded_mean<typename Reader::T>(sum.s, sum.w, reader.facts.on.mean_position());
}

// How far it is from one point to another, in doubles: of a sum and a weight, or not a number, of which
// nothing is certain, where a warp holds the sums together.
struct distance {
  double s, w;
};
template <class Sums>
ISO_HOST_DEVICE distance in_doubles(const Sums&) {
  return {static_cast<double>(NAN), static_cast<double>(NAN)};
}
template <int N, int M>
ISO_HOST_DEVICE distance in_doubles(const numeric::sums<N, M>& of) {
  return {numeric::as_double(of.s), numeric::as_double(of.w)};
}

// How an edge turns from the line to it from a point on the other side of s; `near_s` and `beyond`: how far
// the two points that the line joins are from s.
ISO_HOST_DEVICE inline numeric::turn turn_from(const distance& edge, const distance& near_s,
                                               const distance& beyond) {
  return numeric::turn_of(edge.s, edge.w, near_s.s + beyond.s, std::fabs(near_s.s) + std::fabs(beyond.s),
                          near_s.w + beyond.w);
}

// How the mean of b turns from that of a: above 0 if it is greater, 0 if they are equal, else below; in
// doubles if these are certain. Compiled once for all who ask.
template <class Sums>
[[gnu::noinline]] ISO_HOST_DEVICE int turn_between(const Sums a, const Sums b) {
  const distance left = in_doubles(a), right = in_doubles(b);
  const numeric::turn turn = numeric::turn_of(right.s, right.w, left.s, std::fabs(left.s), left.w);
  if (turn.certain) return turn.by > 0 ? 1 : turn.by < 0 ? -1 : 0;
  if (!mean_not_less(a, b)) return 1;
  return mean_not_less(b, a) ? 0 : -1;
}
template <class Sums>
ISO_HOST_DEVICE bool mean_not_less_apart(const Sums& a, const Sums& b) {
  return turn_between(a, b) <= 0;
}

// Whether two lines meet left or right of s, in doubles: the sign of flat - steep, which are the rise from
// the one edge to the other times both edges' weights, and the two edges' heights at s, each times the
// other's weight; see crossing_side. Every factor is within 2^-50 of its number, or of the size of what it is
// the sum of, and a product of three, and a sum, add roundings of 2^-53 each.
ISO_HOST_DEVICE inline numeric::turn likely_crossing(const distance& left, const distance& right,
                                                     const distance& to_s, const distance& from_s) {
  const double widths = left.w * right.w, l = left.s * to_s.w * right.w, r = right.s * from_s.w * left.w;
  const double by = (to_s.s + from_s.s) * widths - (l + r);
  const double margin =
      ((std::fabs(to_s.s) + std::fabs(from_s.s)) * widths + std::fabs(l) + std::fabs(r)) * 0x1p-46;
  return {by, std::fabs(by) > margin};
}

// multiply, compiled once for each number of words.
template <class S, class W>
[[gnu::noinline]] ISO_HOST_DEVICE auto multiply_apart(const S a, const W b) {
  return multiply(a, b);
}

// Whether the lines through the edges (a, b) and (c, d), which are left and right of s and the second
// steeper, cross at s or left of it (at most 0), or at s or right of it (at least 0): the sign of where they
// cross less s. Compared are their heights at s, times the widths of both edges.
template <class Sums>
[[gnu::noinline]] ISO_HOST_DEVICE int crossing_side(const point<Sums>& a, const point<Sums>& b, const Sums& s,
                                                    const point<Sums>& c, const point<Sums>& d) {
  const Sums left = between(a, b), right = between(c, d);
  Sums to_s = s, from_s = c.at;
  to_s.s -= b.at.s;
  to_s.w -= b.at.w;
  from_s.s -= s.s;
  from_s.w -= s.w;
  // The right line is above the left one at s if they cross before.
  const numeric::turn likely =
      likely_crossing(in_doubles(left), in_doubles(right), in_doubles(to_s), in_doubles(from_s));
  if (likely.certain) return likely.by > 0 ? -1 : 1;
  auto rise = to_s.s;
  rise += from_s.s;
  const auto flat = multiply_apart(multiply_apart(rise, left.w), right.w);
  auto steep = multiply_apart(multiply_apart(left.s, to_s.w), right.w);
  steep += multiply_apart(multiply_apart(right.s, from_s.w), left.w);
  if (less(steep, flat)) return -1;
  return less(flat, steep) ? 1 : 0;
}

// An edge of a chain, and in doubles: how long it is, and how far from s its end is that is nearer to s.
template <class Vertex>
struct searched_edge {
  Vertex left, right;
  distance along, away;
};

// An edge about the middle of a chain, or its vertex if it is a single one, which then is both ends. All
// lanes of the warp call.
template <class Reader>
[[gnu::noinline]] ISO_DEVICE searched_edge<typename Reader::vertex> searched_edge_of(
    const Reader& reader, const chain<typename Reader::kept>& of, const typename Reader::vertex& s,
    bool on_left) {
  using vertex = typename Reader::vertex;
  edge_of<typename Reader::kept> edge{of.low, of.low};
  if (!of.single()) edge = of.edge(reader);
  const vertex right = reader.vertex_of(edge.right);
  const vertex left = of.single() ? right : reader.vertex_of(edge.left);
  const auto away = on_left ? between(right, s) : between(s, left);
  return {left, right, in_doubles(between(left, right)), in_doubles(away)};
}

// Narrows the chains `a` and `b` down to the ends of their bridge: to single vertices, or if not `all` the
// way, until no node parts either of them. The chains do not hold s, a point that is no vertex of the hull of
// both. All lanes of the warp call.
template <class Reader>
[[gnu::noinline]] ISO_DEVICE void find_bridge(const Reader& reader, chain<typename Reader::kept>& a,
                                              const typename Reader::vertex& s,
                                              chain<typename Reader::kept>& b, bool all) {
  searched_edge<typename Reader::vertex> l{s, s, {0, 0}, {0, 0}}, r = l;
  bool new_a = true, new_b = true, a_below = false, b_below = false;
  while (!a.single() || !b.single()) {
    if (new_a) a_below = a.go_down(reader);
    if (new_b) b_below = b.go_down(reader);
    if (a_below && b_below && !all) return;
    if (new_a) l = searched_edge_of(reader, a, s, true);
    if (new_b) r = searched_edge_of(reader, b, s, false);
    new_a = new_b = false;
    if (!a.single()) {
      const numeric::turn turn = turn_from(l.along, l.away, r.away);
      new_a = turn.certain ? turn.by >= 0
                           : mean_not_less_apart(between(l.left, l.right), between(l.right, r.left));
    }
    if (!b.single()) {
      const numeric::turn turn = turn_from(r.along, l.away, r.away);
      new_b = turn.certain ? turn.by <= 0
                           : mean_not_less_apart(between(l.right, r.left), between(r.left, r.right));
    }
    if (new_a) a.high = reader.kept_of(l.left);
    if (new_b) b.low = reader.kept_of(r.right);
    if (new_a || new_b) continue;
    int side = a.single() ? 1 : -1;
    if (!a.single() && !b.single()) {
      const numeric::turn turn = likely_crossing(l.along, r.along, l.away, r.away);
      side = turn.by > 0 ? -1 : 1;
      if (!turn.certain) side = crossing_side(l.left, l.right, s.at, r.left, r.right);
    }
    new_a = side <= 0;
    new_b = side >= 0;
    if (new_a) a.low = reader.kept_of(l.right);
    if (new_b) b.high = reader.kept_of(r.left);
  }
}

}  // namespace iso
