// Merges that copy vertices: the two controls of the paper's section 7.3. A node's hull is one array, which
// begins where the slot of its first chunk does; slots are long enough, for a node has at most as many
// vertices as its chunks' slots.
//
// Per-merge copying: the thread or warp that has found a bridge moves the right hull's vertices, from the
// bridge's end on, down to where the left hull now ends, in place.
//
// Whole-grid copying: merges only find out what is kept, a *joint*; then all of the grid's warps copy every
// node of the level to the other of two buffers, as many warps a node as there are for each, and the more
// the fewer nodes there are.
//
// Hard case: a last node without a neighbour stays as it is in the first control, and is copied as a whole in
// the second.
//
// Example, slots of 5: [0 1 2 _ _] [2 3 4 _ _] with a bridge from 1 to 3 becomes [0 1 3 4 _ ...]; its joint
// is {kept 2, from 6}.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/segment/segment_list.cuh>

#include "flat_bridge.cuh"
#include "vertices.cuh"

namespace bench::controls {

struct flat_hulls {
  std::int64_t chunks;
  int capacity;        // of a chunk's slot
  std::int64_t* size;  // one a chunk: of the hull of the node that begins with it

  ISO_HOST_DEVICE std::int64_t begin(std::int64_t first_chunk) const { return first_chunk * capacity; }
  ISO_HOST_DEVICE flat_hull hull(std::int64_t first_chunk) const {
    return {begin(first_chunk), begin(first_chunk) + size[first_chunk] - 1};
  }
  // Nodes of the level above `level`, and how many of those join two nodes.
  ISO_HOST_DEVICE std::int64_t nodes(int level) const {
    return (chunks + (std::int64_t{2} << level) - 1) >> (level + 1);
  }
  ISO_HOST_DEVICE std::int64_t merges(int level) const {
    return iso::segment_lists{chunks, nullptr, nullptr}.merges(level);
  }
};

// What becomes of two hulls: `kept` vertices of the left one, and the right one's from index `from` on.
struct joint {
  std::int64_t kept, from;
};

namespace detail {

// The children of a merge, and what its bridge leaves of them.
struct flat_merge {
  std::int64_t left_node;
  flat_hull l, r;

  ISO_HOST_DEVICE flat_merge(const flat_hulls& hulls, int level, std::int64_t merge)
      : left_node(iso::segment_lists::left_node(level, merge)),
        l(hulls.hull(left_node)),
        r(hulls.hull(iso::segment_lists::right_node(level, merge))) {}

  ISO_HOST_DEVICE joint joint_at(const flat_bridge& bridge) const {
    return {bridge.left - l.first + 1, bridge.right};
  }
  ISO_HOST_DEVICE std::int64_t moved(const joint& at) const { return r.last - at.from + 1; }
  ISO_HOST_DEVICE std::int64_t size(const joint& at) const { return at.kept + moved(at); }
};

}  // namespace detail

// Per-merge copying: merge number `merge` of a level, by one thread.
template <class Sums>
ISO_HOST_DEVICE void merge_and_copy(const flat_source<Sums>& source, const flat_hulls& hulls, int level,
                                    std::int64_t merge, std::int64_t cap = iso::usual_walk_cap) {
  const detail::flat_merge m(hulls, level, merge);
  const joint at = m.joint_at(bridge_of(source, m.l, m.r, cap));
  const std::int64_t to = m.l.first + at.kept, moved = m.moved(at);
  if (to != at.from) {
    for (std::int64_t i = 0; i < moved; ++i) source.at.copy(to + i, source.at, at.from + i);
  }
  hulls.size[m.left_node] = m.size(at);
}

// The same by a warp. All lanes of the tile call, and see the result. A round is read as a whole before it is
// written, and what it overwrites was read in this round or before.
template <iso::warp_tile Tile, class Sums>
ISO_DEVICE void merge_and_copy(const Tile& tile, const flat_source<Sums>& source, const flat_hulls& hulls,
                               int level, std::int64_t merge) {
  const detail::flat_merge m(hulls, level, merge);
  const joint at = m.joint_at(bridge_of(tile, source, m.l, m.r));
  const std::int64_t to = m.l.first + at.kept, moved = m.moved(at);
  const auto rank = static_cast<std::int64_t>(tile.thread_rank());
  const auto lanes = static_cast<std::int64_t>(tile.num_threads());
  const kept_vertices& v = source.at;
  tile.sync();
  for (std::int64_t i = rank; to != at.from && i - rank < moved; i += lanes) {
    const bool own = i < moved;
    const std::uint32_t element = own ? v.element[at.from + i] : 0;
    const std::int64_t sum = own ? v.sum[at.from + i] : 0;
    tile.sync();
    if (own) {
      v.element[to + i] = element;
      v.sum[to + i] = sum;
    }
  }
  tile.sync();
  if (rank == 0) hulls.size[m.left_node] = m.size(at);
  tile.sync();
}

// Whole-grid copying, first step: the joint of node number `node` of the level above `level`, and its size,
// by one thread. A node of one child alone is kept.
template <class Sums>
ISO_HOST_DEVICE void find_joint(const flat_source<Sums>& source, const flat_hulls& hulls, joint* joints,
                                int level, std::int64_t node, std::int64_t cap = iso::usual_walk_cap) {
  if (node >= hulls.merges(level)) {
    joints[node] = {hulls.size[iso::segment_lists::left_node(level, node)], 0};
    return;
  }
  const detail::flat_merge m(hulls, level, node);
  joints[node] = m.joint_at(bridge_of(source, m.l, m.r, cap));
  hulls.size[m.left_node] = m.size(joints[node]);
}

// The same by a warp. All lanes of the tile call.
template <iso::warp_tile Tile, class Sums>
ISO_DEVICE void find_joint(const Tile& tile, const flat_source<Sums>& source, const flat_hulls& hulls,
                           joint* joints, int level, std::int64_t node) {
  if (node >= hulls.merges(level)) {
    if (tile.thread_rank() == 0) find_joint(source, hulls, joints, level, node);
    return;
  }
  const detail::flat_merge m(hulls, level, node);
  const joint at = m.joint_at(bridge_of(tile, source, m.l, m.r));
  tile.sync();
  if (tile.thread_rank() != 0) return;
  joints[node] = at;
  hulls.size[m.left_node] = m.size(at);
}

namespace detail {

// The vertices first, first + step, ... of a node of `size` vertices, of which `at` tells where they are,
// from one buffer to the other. Several are read before any is written, so that a lane waits once for all of
// them.
ISO_HOST_DEVICE inline void copy_part(const kept_vertices& to, const kept_vertices& from, std::int64_t begin,
                                      std::int64_t size, const joint& at, std::int64_t first,
                                      std::int64_t step) {
  constexpr int batch = 4;
  for (std::int64_t i = first; i < size; i += batch * step) {
    std::uint32_t element[batch] = {};
    std::int64_t sum[batch] = {};
    for (int k = 0; k < batch; ++k) {
      const std::int64_t j = i + k * step, source = j < at.kept ? begin + j : at.from + (j - at.kept);
      if (j >= size) break;
      element[k] = from.element[source];
      sum[k] = from.sum[source];
    }
    for (int k = 0; k < batch; ++k) {
      const std::int64_t j = i + k * step;
      if (j >= size) break;
      to.element[begin + j] = element[k];
      to.sum[begin + j] = sum[k];
    }
  }
}

}  // namespace detail

// Second step: lane `lane` of warp `warp` of all `warps` copies its part of the level's nodes from one buffer
// to the other. A node's warps take turns at its vertices, 32 at a time.
ISO_HOST_DEVICE inline void copy_level(const kept_vertices& to, const kept_vertices& from,
                                       const flat_hulls& hulls, const joint* joints, int level,
                                       std::int64_t warp, std::int64_t warps, int lane) {
  const std::int64_t nodes = hulls.nodes(level), share = warps > nodes ? warps / nodes : 1;
  if (share > 1 && warp >= nodes * share) return;
  const std::int64_t part = warp % share;
  for (std::int64_t node = warp / share; node<nodes; node += share> 1 ? nodes : warps) {
    const std::int64_t first = iso::segment_lists::left_node(level, node);
    detail::copy_part(to, from, hulls.begin(first), hulls.size[first], joints[node], part * 32 + lane,
                      share * 32);
  }
}

}  // namespace bench::controls
