// Segment lists of neighbouring nodes merged in place of the left one: paper, section 3.3 and algorithm 1.
//
// The bridge ends the left list in the segment of its left end, and begins the right list in that of its
// right end: two descriptors are cut, and the right list's, from the cut one on, move down to follow the left
// ones. No vertex moves. Nothing moves at all where neither list loses a segment and the left one fills its
// slots, so hulls of increasing data cost two writes a merge.
//
// Invariant: before a merge both lists are hulls of their nodes, in the slots of their nodes' first chunks;
// after it the left one is the hull of both, and the right node's size means nothing.
//
// Hard cases: a bridge over whole segments, of which the last of the left list and the first of the right one
// may be all but one; a segment cut down to one vertex, which stays; a node without weight, whose list is
// empty and joins any other without a bridge.
//
// Example: [0: 0..5   1: 2..4   _] and [3: 0..5   4: 1..3], bridge from vertex 3 of chunk 0 to vertex 2 of
// chunk 4: [0: 0..3   4: 2..3]. Chunks 1 and 3 have no segment any more.
//
// A level of the tree is as many merges as segment_lists::merges(level) says, in any order and at once; the
// next level needs all of them done. One thread each is fit for levels of many merges, a warp each for
// others:
//
//   __global__ void merge_level(Source source, iso::segment_lists lists, int level) {
//     const std::int64_t merge = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
//     if (merge < lists.merges(level)) iso::merge_lists(source, lists, level, merge);
//   }
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/segment/list_bridge.cuh>
#include <iso/segment/segment_list.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// What becomes of two lists: `kept` segments of the left one, the last of which ends in `left_last`; then
// `moved` segments, to slot `to` on from slot `from` on, the first of which begins with `right_first`.
struct list_join {
  std::int64_t kept, moved;
  segment *to, *from;
  int left_last, right_first;

  ISO_HOST_DEVICE std::int64_t size() const { return kept + moved; }

  // Of two lists that a bridge joins.
  ISO_HOST_DEVICE static list_join at(const segment_list& l, const segment_list& r,
                                      const list_bridge& bridge) {
    const std::int64_t kept = bridge.left.segment + 1;
    return {kept,
            r.size - bridge.right.segment,
            l.at + kept,
            r.at + bridge.right.segment,
            bridge.left.vertex,
            bridge.right.vertex};
  }
  // Of two lists of which one is empty at least.
  ISO_HOST_DEVICE static list_join of_empty(const segment_list& l, const segment_list& r) {
    return {l.size,
            r.size,
            l.at + l.size,
            r.at,
            l.empty() ? 0 : l.last().vertex,
            r.empty() ? 0 : r.first().vertex};
  }

  ISO_HOST_DEVICE bool moves() const { return moved > 0 && to != from; }
  // Cuts what stays in its slot.
  ISO_HOST_DEVICE void cut() const {
    if (kept > 0) to[-1].last = static_cast<std::uint16_t>(left_last);
    if (moved > 0 && to == from) from[0].first = static_cast<std::uint16_t>(right_first);
  }
  // What moves to to[i].
  ISO_HOST_DEVICE segment moving(std::int64_t i) const {
    segment s = from[i];
    if (i == 0) s.first = static_cast<std::uint16_t>(right_first);
    return s;
  }
};

// Carries a join out, by one thread.
ISO_HOST_DEVICE inline void join_lists(const list_join& join) {
  join.cut();
  if (!join.moves()) return;
  for (std::int64_t i = 0; i < join.moved; ++i) join.to[i] = join.moving(i);
}

// The same in rounds of as many segments as there are lanes. All lanes of the tile call, and see the result.
//
// A round is read as a whole before it is written; what it overwrites of the source was read in this round or
// before, so no second synchronisation is needed between rounds.
template <warp_tile Tile>
ISO_DEVICE void join_lists(const Tile& tile, const list_join& join) {
  const auto rank = static_cast<std::int64_t>(tile.thread_rank());
  const auto lanes = static_cast<std::int64_t>(tile.num_threads());
  tile.sync();
  if (rank == 0) join.cut();
  if (join.moves()) {
    for (std::int64_t i = rank; i - rank < join.moved; i += lanes) {
      segment s{};
      if (i < join.moved) s = join.moving(i);
      tile.sync();
      if (i < join.moved) join.to[i] = s;
    }
  }
  tile.sync();
}

// Merge number `merge` of a level, by one thread: see bridge_of_lists for `Search` and `cap`.
template <bridge_search Search = bridge_search::nested, vertex_source Source>
ISO_HOST_DEVICE void merge_lists(const Source& source, const segment_lists& lists, int level,
                                 std::int64_t merge, std::int64_t cap = usual_walk_cap) {
  const std::int64_t left = segment_lists::left_node(level, merge);
  const segment_list l = lists.list(left), r = lists.list(segment_lists::right_node(level, merge));
  const list_join join = l.empty() || r.empty()
                             ? list_join::of_empty(l, r)
                             : list_join::at(l, r, bridge_of_lists<Search>(source, l, r, cap));
  join_lists(join);
  lists.size[left] = join.size();
}

// The same by a warp or a part of it. All lanes of the tile call, and see the result.
template <warp_tile Tile, vertex_source Source>
ISO_DEVICE void merge_lists(const Tile& tile, const Source& source, const segment_lists& lists, int level,
                            std::int64_t merge) {
  const std::int64_t left = segment_lists::left_node(level, merge);
  const segment_list l = lists.list(left), r = lists.list(segment_lists::right_node(level, merge));
  const list_join join = l.empty() || r.empty() ? list_join::of_empty(l, r)
                                                : list_join::at(l, r, bridge_of_lists(tile, source, l, r));
  join_lists(tile, join);
  if (tile.thread_rank() == 0) lists.size[left] = join.size();
  tile.sync();
}

}  // namespace iso
