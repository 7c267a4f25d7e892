// The bridge of two neighbouring segment lists: paper, sections 3.2, 3.3 and 5.2 and appendix A.
//
// The lists share the point s: it is the last vertex of the left list and the first of the right one. The
// bridge is the edge of the merged hull that leads from the left list to the right one. All functions give
// the same one, exactly:
//   - if the chain is convex at s, the edge that ends in s, as a vertex of the right list;
//   - otherwise the common lower tangent, from the leftmost point of contact on the left list to the
//     rightmost on the right, so that collinear middle points go; s is not on it.
// A chain that is straight at s is not convex there: s goes.
//
// Both lists have two vertices at least. Functions that do not test for convexity say so.
//
// Example, points (0, 0) (1, 1) (2, 3) | (2, 3) (3, 2) (4, 4): at s = (2, 3) the slope falls from 2 to -1.
// The slope from (1, 1) to (3, 2) is 1/2, less than the 1 from (0, 0) to (1, 1): that point goes. From (0, 0)
// to (3, 2) the slope is 2/3, and the next one on the right is 2: this is the bridge.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/lane/lane_hull.cuh>
#include <iso/segment/bridge.cuh>
#include <iso/segment/segment_list.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// The ends of a bridge, each a place of its list.
struct list_bridge {
  list_place left, right;

  ISO_HOST_DEVICE friend bool operator==(const list_bridge& a, const list_bridge& b) {
    return a.left == b.left && a.right == b.right;
  }
};

// Whether the slope from a to b is not less than that from b to c, exactly: b is no vertex between them.
template <class Sums>
ISO_HOST_DEVICE bool not_convex(const point<Sums>& a, const point<Sums>& b, const point<Sums>& c) {
  return mean_not_less(between(a, b), between(b, c));
}

// Whether the slope into s is less than the slope out of it; then the edge into s is the bridge.
template <vertex_source Source>
ISO_HOST_DEVICE bool convex_at_joint(const Source& source, const segment_list& l, const segment_list& r) {
  return !not_convex(point_at(source, l, l.before(l.last())), point_at(source, r, r.first()),
                     point_at(source, r, r.after(r.first())));
}

// The edge into s, as a bridge.
ISO_HOST_DEVICE inline list_bridge edge_into_joint(const segment_list& l, const segment_list& r) {
  return {l.before(l.last()), r.first()};
}

// The walk, by one thread: from the neighbours of s outwards, either end moving on for as long as the line
// between them is not below its next vertex. False if that would take more than `cap` moves; `found` is then
// no bridge. A cap below 0 is no limit. The chain is not convex at s.
//
// Invariant: the vertices between the ends are on or above the line between them. Every move takes away one
// vertex of the merged hull's children for good, so all walks of a tree take a number of moves linear in the
// vertices; but one walk may be as long as its lists, hence the cap.
template <vertex_source Source>
ISO_HOST_DEVICE bool walk_to_bridge(const Source& source, const segment_list& l, const segment_list& r,
                                    std::int64_t cap, list_bridge& found) {
  found = {l.before(l.last()), r.after(r.first())};
  auto a = point_at(source, l, found.left), b = point_at(source, r, found.right);
  const list_place left_end = l.first(), right_end = r.last();
  for (bool moved = true; moved;) {
    moved = false;
    while (!(found.left == left_end)) {
      const list_place next = l.before(found.left);
      const auto p = point_at(source, l, next);
      if (!not_convex(p, a, b)) break;
      if (cap-- == 0) return false;
      found.left = next;
      a = p;
      moved = true;
    }
    while (!(found.right == right_end)) {
      const list_place next = r.after(found.right);
      const auto p = point_at(source, r, next);
      if (!not_convex(a, b, p)) break;
      if (cap-- == 0) return false;
      found.right = next;
      b = p;
      moved = true;
    }
  }
  return true;
}

// How one thread finds the first number of [low, high] that passes a test, where all after it pass too and
// `high` is known to: by halving. The test is never called for `high`.
struct halving {
  template <class Number, class Test>
  ISO_HOST_DEVICE Number first(Number low, Number high, const Test& test) const {
    while (low < high) {
      const Number middle = low + (high - low) / 2;
      if (test(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
};

// How a warp, or a part of it, does: every lane tests a candidate, which leaves one part of as many as there
// are lanes, and one more. All lanes of the tile call and get the same.
//
// Example, four lanes, 0 to 20: they test 4, 9, 14 and 19. If 14 is the first to pass, 10 to 14 are left, and
// 10, 11, 12 and 13 are tested.
template <warp_tile Tile>
struct splitting {
  const Tile& tile;

  template <class Number, class Test>
  ISO_DEVICE Number first(Number low, Number high, const Test& test) const {
    const auto lanes = static_cast<Number>(tile.num_threads());
    const auto rank = static_cast<Number>(tile.thread_rank());
    while (low < high) {
      const Number step = (high - low + lanes - 1) / lanes;
      const Number candidate = low + (rank + 1) * step - 1;
      const unsigned passed = tile.ballot(candidate >= high || test(candidate));
      const Number part = passed != 0 ? static_cast<Number>(lowest_bit(passed)) : lanes;
      low += part * step;
      if (passed != 0 && low + step - 1 < high) high = low + step - 1;
      if (low > high) low = high;
    }
    return low;
  }
};

// The first place of [low, high] of a list that passes a test, as above: over the last vertices of segments
// first, then within one segment.
template <class Search, class Test>
ISO_HOST_DEVICE list_place first_place(const Search& search, const segment_list& list, const list_place& low,
                                       const list_place& high, const Test& test) {
  const std::int64_t found = search.first(low.segment, high.segment, [&](std::int64_t i) {
    return test(list_place{i, list.at[i].last});
  });
  const int begin = found == low.segment ? low.vertex : list.at[found].first;
  const int end = found == high.segment ? high.vertex : list.at[found].last;
  return {found, search.first(begin, end, [&](int v) { return test(list_place{found, v}); })};
}

// Where the tangent from a point left of a list touches it, without the list's first vertex; of several
// points of contact the rightmost. The slope out of a vertex is less than or equal to that of the line to it
// before the point of contact, and greater from it on.
template <class Search, vertex_source Source>
ISO_HOST_DEVICE list_place tangent_to(const Search& search, const Source& source,
                                      const point<typename Source::sums>& from, const segment_list& r) {
  return first_place(search, r, r.after(r.first()), r.last(), [&](const list_place& p) {
    return !not_convex(from, point_at(source, r, p), point_at(source, r, r.after(p)));
  });
}

// The nested search: the bridge starts at the first vertex of the left list whose next vertex is on or above
// its tangent to the right list. The chain is not convex at s.
//
// Why: before that vertex the edges of the left list are edges of the merged hull, and the right list lies
// strictly above their lines; from it on, vertices are on or above the bridge, and edges are at least as
// steep as it, whereas tangents are at most as steep.
//
// `search` is how candidates of the left list are tried, and the last tangent is found. A candidate's own
// tangent is found by one thread: with a warp each lane has one, so the warp waits for one search and not for
// 32, and votes once a step.
template <class Search, vertex_source Source>
ISO_HOST_DEVICE list_bridge nested_search(const Search& search, const Source& source, const segment_list& l,
                                          const segment_list& r) {
  const list_place left = first_place(search, l, l.first(), l.before(l.last()), [&](const list_place& p) {
    const auto a = point_at(source, l, p);
    const auto b = point_at(source, r, tangent_to(halving{}, source, a, r));
    return mean_not_less(between(a, point_at(source, l, l.after(p))), between(a, b));
  });
  return {left, tangent_to(search, source, point_at(source, l, left), r)};
}

// The vertices from `low` to `high` of a list, as the three-case search narrows them down.
struct list_range {
  list_place low, high;

  ISO_HOST_DEVICE bool single() const { return low == high; }

  // The left end of an edge about the middle: between two segments while there are several.
  ISO_HOST_DEVICE list_place middle(const segment_list& list) const {
    const std::int64_t i = low.segment + (high.segment - low.segment) / 2;
    if (low.segment < high.segment) return {i, list.at[i].last};
    return {i, low.vertex + (high.vertex - low.vertex) / 2};
  }
};

// The three-case search of appendix A, by one thread. Of an edge on either list, one of three cases discards
// a part of one list, see bridge.cuh; when a list is down to one vertex, what is left is its tangent to the
// other. The chain is not convex at s.
//
// Invariant: the bridge's ends are in the two ranges, which have no s. A case that cuts behind an edge keeps
// its left end, and one that cuts before it its right end, so every step drops half a range or so.
template <vertex_source Source>
ISO_HOST_DEVICE list_bridge three_case_search(const Source& source, const segment_list& l,
                                              const segment_list& r) {
  using vertex = point<typename Source::sums>;
  const auto s = point_at(source, r, r.first()).at;
  list_range a{l.first(), l.before(l.last())}, b{r.after(r.first()), r.last()};
  list_place pa = a.low, pb = b.low;
  vertex a1 = point_at(source, l, pa), a2 = a1, b1 = point_at(source, r, pb), b2 = b1;
  bool new_a = true, new_b = true;
  while (!a.single() || !b.single()) {
    if (new_a && a.single()) a2 = point_at(source, l, a.low);
    if (new_a && !a.single()) {
      pa = a.middle(l);
      a1 = point_at(source, l, pa);
      a2 = point_at(source, l, l.after(pa));
    }
    if (new_b && b.single()) b1 = point_at(source, r, b.low);
    if (new_b && !b.single()) {
      pb = b.middle(r);
      b1 = point_at(source, r, pb);
      b2 = point_at(source, r, r.after(pb));
    }
    new_a = !a.single() && not_convex(a1, a2, b1);
    new_b = !b.single() && not_convex(a2, b1, b2);
    if (new_a) a.high = pa;
    if (new_b) b.low = r.after(pb);
    if (new_a || new_b) continue;
    const int side = a.single() ? 1 : b.single() ? -1 : crossing_side(a1, a2, s, b1, b2);
    new_a = side <= 0;
    new_b = side >= 0;
    if (new_a) a.low = l.after(pa);
    if (new_b) b.high = pb;
  }
  return {a.low, b.low};
}

// How one thread searches once its walk has given up.
enum class bridge_search { nested, three_cases };

// The moves after which a walk gives up, unless the caller says otherwise.
inline constexpr std::int64_t usual_walk_cap = 64;

// The bridge, by one thread: a walk of at most `cap` moves, then the search. With a cap of 0 the walk only
// finds out whether the bridge joins the neighbours of s; a cap below 0 is no limit.
template <bridge_search Search = bridge_search::nested, vertex_source Source>
ISO_HOST_DEVICE list_bridge bridge_of_lists(const Source& source, const segment_list& l,
                                            const segment_list& r, std::int64_t cap = usual_walk_cap) {
  if (convex_at_joint(source, l, r)) return edge_into_joint(l, r);
  list_bridge found;
  if (walk_to_bridge(source, l, r, cap, found)) return found;
  if constexpr (Search == bridge_search::three_cases) {
    return three_case_search(source, l, r);
  } else {
    return nested_search(halving{}, source, l, r);
  }
}

// The bridge, by a warp or a part of it: the nested search, a candidate a lane. All lanes of the tile call
// and get the same; the lists and vertices are not written meanwhile.
template <warp_tile Tile, vertex_source Source>
ISO_DEVICE list_bridge bridge_of_lists(const Tile& tile, const Source& source, const segment_list& l,
                                       const segment_list& r) {
  if (convex_at_joint(source, l, r)) return edge_into_joint(l, r);
  return nested_search(splitting<Tile>{tile}, source, l, r);
}

}  // namespace iso
