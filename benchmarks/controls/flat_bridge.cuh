// The bridge of two neighbouring hulls whose vertices each lie in one array: the searches of
// iso/segment/list_bridge.cuh with a number for a place, so that what is compared is where vertices are kept
// and nothing else.
//
// The left hull's last vertex and the right one's first are the same point s. As there, the bridge is the
// edge into s where the chain is convex at s, and else the common lower tangent from the leftmost point of
// contact to the rightmost.
//
// Example, points 0 to 3 in [10, 13] and 3 to 5 in [20, 22]: a bridge {11, 22} keeps two vertices of the left
// hull and one of the right.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/segment/list_bridge.cuh>

namespace bench::controls {

// The vertices from `first` to `last` of an array, at least two.
struct flat_hull {
  std::int64_t first, last;

  ISO_HOST_DEVICE std::int64_t size() const { return last - first + 1; }
};

struct flat_bridge {
  std::int64_t left, right;
};

// Points: point_of(i) is the point of vertex i, with its coordinates.
template <class Points>
ISO_HOST_DEVICE bool convex_at_joint(const Points& point_of, const flat_hull& l, const flat_hull& r) {
  return !iso::not_convex(point_of(l.last - 1), point_of(r.first), point_of(r.first + 1));
}

// The walk, by one thread; false if it would take more than `cap` moves.
template <class Points>
ISO_HOST_DEVICE bool walk_to_bridge(const Points& point_of, const flat_hull& l, const flat_hull& r,
                                    std::int64_t cap, flat_bridge& found) {
  found = {l.last - 1, r.first + 1};
  auto a = point_of(found.left), b = point_of(found.right);
  for (bool moved = true; moved;) {
    moved = false;
    for (; found.left > l.first; --found.left, moved = true) {
      const auto next = point_of(found.left - 1);
      if (!iso::not_convex(next, a, b)) break;
      if (cap-- == 0) return false;
      a = next;
    }
    for (; found.right < r.last; ++found.right, moved = true) {
      const auto next = point_of(found.right + 1);
      if (!iso::not_convex(a, b, next)) break;
      if (cap-- == 0) return false;
      b = next;
    }
  }
  return true;
}

// The nested search; see iso::nested_search. `search` is iso::halving or iso::splitting.
template <class Search, class Points>
ISO_HOST_DEVICE flat_bridge nested_search(const Search& search, const Points& point_of, const flat_hull& l,
                                          const flat_hull& r) {
  const auto tangent_to_right = [&](const auto& how, const auto& from) {
    return how.first(r.first + 1, r.last,
                     [&](std::int64_t i) { return !iso::not_convex(from, point_of(i), point_of(i + 1)); });
  };
  const std::int64_t left = search.first(l.first, l.last - 1, [&](std::int64_t i) {
    const auto a = point_of(i);
    const auto b = point_of(tangent_to_right(iso::halving{}, a));
    return iso::not_convex(a, point_of(i + 1), b);
  });
  return {left, tangent_to_right(search, point_of(left))};
}

// The bridge, by one thread: a walk of at most `cap` moves, then the search.
template <class Points>
ISO_HOST_DEVICE flat_bridge bridge_of(const Points& point_of, const flat_hull& l, const flat_hull& r,
                                      std::int64_t cap = iso::usual_walk_cap) {
  if (convex_at_joint(point_of, l, r)) return {l.last - 1, r.first};
  flat_bridge found;
  if (walk_to_bridge(point_of, l, r, cap, found)) return found;
  return nested_search(iso::halving{}, point_of, l, r);
}

// The bridge, by a warp. All lanes of the tile call and get the same.
template <iso::warp_tile Tile, class Points>
ISO_DEVICE flat_bridge bridge_of(const Tile& tile, const Points& point_of, const flat_hull& l,
                                 const flat_hull& r) {
  if (convex_at_joint(point_of, l, r)) return {l.last - 1, r.first};
  return nested_search(iso::splitting<Tile>{tile}, point_of, l, r);
}

}  // namespace bench::controls
