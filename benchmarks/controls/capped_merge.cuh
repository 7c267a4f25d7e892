// The paper's schedule "warps for capped walks only": a thread a merge tests for convexity and walks; merges
// whose walk has reached its cap are queued, and a second kernel finishes them with a warp each.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/segment/list_merge.cuh>

namespace bench::controls {

// Merge number `merge` of a level by one thread, if its walk ends within `cap` moves; whether it did. If not,
// nothing has changed. No list is empty.
template <iso::vertex_source Source>
ISO_HOST_DEVICE bool merge_by_walk(const Source& source, const iso::segment_lists& lists, int level,
                                   std::int64_t merge, std::int64_t cap = iso::usual_walk_cap) {
  const std::int64_t left = iso::segment_lists::left_node(level, merge);
  const iso::segment_list l = lists.list(left);
  const iso::segment_list r = lists.list(iso::segment_lists::right_node(level, merge));
  iso::list_bridge bridge;
  if (convex_at_joint(source, l, r)) {
    bridge = iso::edge_into_joint(l, r);
  } else if (!walk_to_bridge(source, l, r, cap, bridge)) {
    return false;
  }
  const auto join = iso::list_join::at(l, r, bridge);
  join_lists(join);
  lists.size[left] = join.size();
  return true;
}

}  // namespace bench::controls
