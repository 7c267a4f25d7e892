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
  std::int64_t chunks;  // at least 1; functions of a node may be asked in 32 bits if there are less than 2^30

  template <class Number>
  ISO_HOST_DEVICE static Number width(Number c) {
    return c & -c;
  }

  template <class Number>
  ISO_HOST_DEVICE tree_node left(Number c) const {
    const Number w = width(c);
    return w == 1 ? tree_node{true, c - 1} : tree_node{false, c - w / 2};
  }
  template <class Number>
  ISO_HOST_DEVICE tree_node right(Number c) const {
    // Half as wide as c, or as wide as the chunks beyond its first allow.
    const Number w = width(c) / 2, rest = static_cast<Number>(chunks - 1) - c;
    if (w == 0 || rest == 0) return {true, c};
    if (w <= rest) return {false, c + w};
    return {false, c + (Number{1} << (numeric::bit_length(static_cast<std::uint64_t>(rest)) - 1))};
  }
  ISO_HOST_DEVICE tree_node root() const {
    if (chunks == 1) return {true, 0};
    return {false, std::int64_t{1} << (numeric::bit_length(static_cast<std::uint64_t>(chunks - 1)) - 1)};
  }

  // The chunks [first_chunk, end_chunk) of a node.
  template <class Number>
  ISO_HOST_DEVICE static Number first_chunk(Number c) {
    return c - width(c);
  }
  ISO_HOST_DEVICE std::int64_t end_chunk(std::int64_t c) const {
    return c + width(c) < chunks ? c + width(c) : chunks;
  }

  // The ancestor of a chunk at a level; it exists if it is below `chunks`.
  ISO_HOST_DEVICE static std::int64_t ancestor(std::int64_t chunk, int level) {
    return ((chunk >> level) | 1) << level;
  }

  // The node of which c is a child; 0 if c is the root.
  template <class Number>
  ISO_HOST_DEVICE Number parent(Number c) const {
    const auto all = static_cast<Number>(chunks);
    for (Number w = width(c); w < all; w *= 2) {
      c += (c & 2 * w) != 0 ? -w : w;
      if (c < all) return c;
    }
    return 0;
  }

  // How many of a node's children are inner nodes: a right child is a leaf if it is the only chunk on its
  // side.
  template <class Number>
  ISO_HOST_DEVICE std::uint32_t inner_children(Number c) const {
    if ((c & 1) != 0) return 0;
    return c < static_cast<Number>(chunks - 1) ? 2 : 1;
  }

  ISO_HOST_DEVICE int levels() const {
    return chunks == 1 ? 0 : numeric::bit_length(static_cast<std::uint64_t>(chunks - 1));
  }
};

}  // namespace iso
