// The tree of a row's chunks, by numbers alone.
//
// An inner node is the boundary at which its children meet, a chunk number 0 < c < chunks. Its level is the
// number of trailing zeros of c: at level r it joins the 2^r chunks before the boundary with up to 2^r after
// it. A leaf is a chunk. Example, five chunks: 1 joins 0 and 1; 3 joins 2 and 3; 2 joins {0 1} and {2 3}; 4
// joins {0 .. 3} and 4, and is the root.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/numeric/bits.hpp>

namespace iso {

struct tree_node {
  bool leaf;
  std::int64_t at;  // the chunk, or the boundary
};

struct hull_tree {
  std::int64_t chunks;  // at least 1

  ISO_HOST_DEVICE static std::int64_t width(std::int64_t c) { return c & -c; }

  ISO_HOST_DEVICE tree_node left(std::int64_t c) const {
    const std::int64_t w = width(c);
    return w == 1 ? tree_node{true, c - 1} : tree_node{false, c - w / 2};
  }
  ISO_HOST_DEVICE tree_node right(std::int64_t c) const {
    std::int64_t w = width(c) / 2;
    while (w > 0 && c + w >= chunks) w /= 2;
    return w == 0 ? tree_node{true, c} : tree_node{false, c + w};
  }
  ISO_HOST_DEVICE tree_node root() const {
    if (chunks == 1) return {true, 0};
    return {false, std::int64_t{1} << (numeric::bit_length(static_cast<std::uint64_t>(chunks - 1)) - 1)};
  }

  // The chunks [first_chunk, end_chunk) of a node.
  ISO_HOST_DEVICE std::int64_t first_chunk(std::int64_t c) const { return c - width(c); }
  ISO_HOST_DEVICE std::int64_t end_chunk(std::int64_t c) const {
    return c + width(c) < chunks ? c + width(c) : chunks;
  }

  // The ancestor of a chunk at a level; it exists if it is below `chunks`.
  ISO_HOST_DEVICE static std::int64_t ancestor(std::int64_t chunk, int level) {
    return ((chunk >> (level + 1)) << (level + 1)) + (std::int64_t{1} << level);
  }

  // The node of which c is a child; 0 if c is the root.
  ISO_HOST_DEVICE std::int64_t parent(std::int64_t c) const {
    const std::int64_t first = first_chunk(c);
    for (int level = numeric::bit_length(static_cast<std::uint64_t>(width(c))); level < levels(); ++level) {
      if (ancestor(first, level) < chunks) return ancestor(first, level);
    }
    return 0;
  }

  // How many of a node's children are inner nodes.
  ISO_HOST_DEVICE std::uint32_t inner_children(std::int64_t c) const {
    return (left(c).leaf ? 0u : 1u) + (right(c).leaf ? 0u : 1u);
  }

  ISO_HOST_DEVICE int levels() const {
    return chunks == 1 ? 0 : numeric::bit_length(static_cast<std::uint64_t>(chunks - 1));
  }
};

}  // namespace iso
