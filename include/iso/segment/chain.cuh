// A stretch of the hull of a node, as a search for a bridge narrows it down.
//
// The search asks for some edge of the stretch, about its middle, and then goes on with the vertices up to
// its left end or those from its right end on. Edges come for free from the tree: the bridge of a node is an
// edge of the hull of every node above it whose own bridges leave it in place. So the search goes down the
// tree with the stretch, and through the vertices of a single chunk at the end.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/segment/hull_tree.cuh>
#include <iso/segment/reader.cuh>
#include <iso/segment/records.cuh>

namespace iso {

// The vertices from `low` to `high` of the hull of a node, as records keep them; `from` is where their search
// has got to.
template <class Kept>
struct chain {
  tree_node from;
  Kept low, high;

  ISO_HOST_DEVICE bool single() const { return low.element == high.element; }

  // Goes down to the node whose bridge parts the chain; or else tells that there is none, because the chain
  // is a single vertex, or the stretch of a list or of a chunk. All lanes of the warp call.
  template <class Reader>
  [[gnu::noinline]] ISO_DEVICE bool go_down(const Reader& reader) {
    const hull_tree tree{reader.state.chunks};
    while (!from.leaf && !single()) {
      const auto& node = reader.state.node[from.at];
      if (Reader::lists && node.points > 0) return true;
      if (node.is == node.right || low.element >= node.bridge_right.element) {
        from = tree.right(from.at);
      } else if (high.element <= node.bridge_left.element) {
        from = tree.left(from.at);
      } else {
        return false;
      }
    }
    return true;
  }

  // An edge of the chain, which has one and has gone down: about its middle, or a node's bridge. All lanes of
  // the warp call.
  template <class Reader>
  ISO_DEVICE edge_of<Kept> edge(const Reader& reader) const {
    if (from.leaf) return reader.middle_edge(from.at, low.element, high.element);
    const auto& node = reader.state.node[from.at];
    if constexpr (Reader::lists) {
      if (node.points > 0) {
        return reader.middle_edge_of_node(hull_tree::first_chunk(from.at), node.points, low.element,
                                          high.element);
      }
    }
    return {reader.recorded(node.bridge_left), reader.recorded(node.bridge_right)};
  }
};

}  // namespace iso
