// Merges of hulls that need no search: where the chain of both is convex at the boundary, or straight, as it
// is wherever data increase.
//
// Two lanes read the two children at once: of each the edge next to the boundary, and what goes to the node's
// record. If the edge after the boundary is steeper than that before it the one before it is the bridge, as
// in bridge.cuh; if both are as steep they are the bridge together.
//
// Example: vertices at the elements ... 1000 1020 | 1024 1030 ..., and means 3 and 4 of the pools from 1020
// and from 1024 on: the bridge is from 1020 to 1024. Were both 4 it would be from 1020 to 1030.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/segment/bridge.cuh>
#include <iso/segment/hull_tree.cuh>
#include <iso/segment/records.cuh>
#include <iso/segment/short_hull.cuh>
#include <iso/segment/window.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// A child of a boundary, by one lane: the vertices next to that at the boundary and to that at the other end;
// and the names of the beginning and the end of its hull. `usual`: it has two edges or more, and no list.
template <class Sums>
struct child_ends {
  bool usual;
  std::int64_t begin, end;
  point<Sums> near_vertex, far_vertex;
};

template <class Reader>
ISO_DEVICE child_ends<typename Reader::sums> child_ends_of(const Reader& reader, std::int64_t c, bool right) {
  using vertex = point<typename Reader::sums>;
  const auto& state = reader.state;
  const hull_tree tree{state.chunks};
  const tree_node child = right ? tree.right(c) : tree.left(c);
  child_ends<typename Reader::sums> ends{false, 0, 0, vertex::zero(), vertex::zero()};
  if (child.leaf) {
    const auto second = far_end_of_chunk(reader, child.at, false);
    const auto last_but_one = far_end_of_chunk(reader, child.at, true);
    ends = {is_live(reader, child.at), second.end, last_but_one.end, second.own, last_but_one.own};
  } else {
    const auto& node = state.node[child.at];
    ends = {node.is == node.joined && node.points == 0, node.begin, node.end, reader.recorded(node.second),
            reader.recorded(node.last_but_one)};
  }
  ends.usual = ends.usual && ends.near_vertex.element != ends.end && ends.far_vertex.element != ends.begin;
  if (!right) {
    const vertex second = ends.near_vertex;
    ends.near_vertex = ends.far_vertex;
    ends.far_vertex = second;
  }
  return ends;
}

// Merges the children of boundary c, which are done, if they are usual and the chain is convex or straight
// there: writes the node; or returns false, and nothing is done. All lanes of the warp call and get the same.
template <class Reader>
ISO_DEVICE bool merge_straight(const Reader& reader, std::int64_t c) {
  using sums = typename Reader::sums;
  using vertex = point<sums>;
  const auto& tile = reader.tile;
  const bool right = tile.thread_rank() == 1;
  child_ends<sums> own{true, 0, 0, vertex::zero(), vertex::zero()};
  if (tile.thread_rank() < 2) own = child_ends_of(reader, c, right);
  if (tile.all(static_cast<int>(own.usual)) == 0) return false;
  const vertex s{own.begin, reader.start_of_chunk(c)};
  const sums edge = right ? between(s, own.near_vertex) : between(own.near_vertex, s);
  const auto of_lane = [&](int lane) {
    return shuffled(edge, [&](std::uint64_t word) { return tile.shfl(word, lane); });
  };
  const int turn = turn_between(of_lane(0), of_lane(1));
  if (turn < 0) return false;
  auto& node = reader.state.node[c];
  if (tile.thread_rank() == 0) {
    node.is = node.joined;
    node.points = 0;
    node.begin = own.begin;
    node.second = own.far_vertex;
    node.bridge_left = own.near_vertex;
  }
  if (right) {
    node.end = own.end;
    node.last_but_one = own.far_vertex;
    node.bridge_right = turn > 0 ? s : own.near_vertex;
  }
  return true;
}

}  // namespace iso
