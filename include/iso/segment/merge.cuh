// Two neighbouring nodes of a row's tree merged into one: paper, section 3.3.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/segment/bridge.cuh>
#include <iso/segment/chain.cuh>
#include <iso/segment/hull_tree.cuh>
#include <iso/segment/records.cuh>

namespace iso {

// A node seen from outside, be it a chunk or not: as in node_record.
template <class Sums>
struct node_summary {
  bool live;
  std::int64_t begin, end;
  point<Sums> second, last_but_one;
};

template <class Reader>
ISO_DEVICE node_summary<typename Reader::sums> summary_of(const Reader& reader, const tree_node& node) {
  const auto& state = reader.state;
  if (!node.leaf) {
    const auto& n = state.node[node.at];
    return {n.is != n.dead, n.begin, n.end, n.second, n.last_but_one};
  }
  const std::int64_t c = node.at, begin = state.chunk_begin(c);
  const auto& chunk = state.chunk[c];
  const auto& facts = reader.facts;
  // Chunks beyond an infinity play no part.
  if (!chunk.live || state.chunk_end(c) <= facts.begin || begin >= facts.end) return {};
  return {true, begin + chunk.start, begin + chunk.high, reader.at(c, chunk.second, chunk.at_second),
          reader.at(c, chunk.last_but_one, chunk.at_last_but_one)};
}

// The record of boundary c, whose children are done. All lanes of the warp call and get the same.
//
// Of two children of which one has no weight, the other is the node. Its elements without weight go with the
// pool on their left, or with the first: so where the weightless child is on the right, the last edge is
// taken for a bridge that spans it, and where it is on the left and the row begins with it, the first edge.
template <class Reader>
ISO_DEVICE node_record<typename Reader::sums> merge_children(const Reader& reader, std::int64_t c) {
  using sums = typename Reader::sums;
  using record = node_record<sums>;
  using vertex = point<sums>;
  const auto& state = reader.state;
  const hull_tree tree{state.chunks};
  const auto l = summary_of(reader, tree.left(c)), r = summary_of(reader, tree.right(c));
  record node{};
  if (!l.live && !r.live) {
    node.is = record::dead;
    return node;
  }
  const vertex s{state.chunk_begin(c), reader.start(c)};
  node.is = record::joined;
  node.begin = l.begin;
  node.end = r.end;
  node.second = l.second;
  node.last_but_one = r.last_but_one;
  if (!r.live) {
    node.end = state.chunk_end(tree.end_chunk(c) - 1);
    node.bridge_left = l.last_but_one;
    node.bridge_right = {node.end, s.at};
  } else if (!l.live) {
    node.begin = r.begin;
    if (tree.first_chunk(c) > 0 || reader.facts.begin > 0) {
      node.is = record::right;
      node.second = r.second;
      return node;
    }
    node.begin = 0;
    node.bridge_left = {0, sums::zero()};
    node.bridge_right = r.second;
  } else if (!mean_not_less(between(l.last_but_one, s), between(s, r.second))) {
    node.bridge_left = l.last_but_one;
    node.bridge_right = {r.begin, s.at};
  } else {
    chain<vertex> a{tree.left(c), {l.begin, sums::zero()}, l.last_but_one};
    chain<vertex> b{tree.right(c), r.second, {r.end, sums::zero()}};
    a.low.at = reader.start(tree.first_chunk(c));
    b.high.at = tree.end_chunk(c) < state.chunks ? reader.start(tree.end_chunk(c)) : reader.row_end();
    find_bridge(reader, a, s.at, b);
    node.bridge_left = a.low;
    node.bridge_right = b.low;
  }
  if (node.bridge_left.element == node.begin) node.second = node.bridge_right;
  if (node.bridge_right.element == node.end) node.last_but_one = node.bridge_left;
  return node;
}

}  // namespace iso
