// Two neighbouring nodes of a row's tree merged into one: paper, section 3.3.
#pragma once

#include <cstdint>
#include <type_traits>

#include <iso/detail/config.hpp>
#include <iso/segment/bridge.cuh>
#include <iso/segment/chain.cuh>
#include <iso/segment/hull_tree.cuh>
#include <iso/segment/reader.cuh>
#include <iso/segment/records.cuh>
#include <iso/segment/short_hull.cuh>
#include <iso/segment/wide_reader.cuh>

namespace iso {

// A node seen from outside, be it a chunk or not: as in node_record.
template <class Kept>
struct node_summary {
  bool live;
  std::int64_t begin, end;
  Kept second, last_but_one;
};

template <class Reader>
ISO_DEVICE node_summary<typename Reader::kept> summary_of(const Reader& reader, const tree_node& node) {
  const auto& state = reader.state;
  if (!node.leaf) {
    const auto& n = state.node[node.at];
    return {n.is != n.dead, n.begin, n.end, reader.recorded(n.second), reader.recorded(n.last_but_one)};
  }
  const std::int64_t c = node.at, begin = state.chunk_begin(c);
  const auto& chunk = state.chunk[c];
  if (!is_live(reader, c)) return {};
  return {true, begin + chunk.start, begin + chunk.high, reader.at(c, chunk.second, chunk.at_second),
          reader.at(c, chunk.last_but_one, chunk.at_last_but_one)};
}

// The bridge at boundary c between two children that are both live, as the record's ends of it.
template <class Reader, class Summary, class Record>
ISO_DEVICE void bridge_children(const Reader& reader, std::int64_t c, const Summary& l, const Summary& r,
                                Record& node) {
  using kept = typename Reader::kept;
  const hull_tree tree{reader.state.chunks};
  const auto s = reader.start(c);
  const typename Reader::vertex at{reader.state.chunk_begin(c), s};
  if (!mean_not_less(between(reader.vertex_of(l.last_but_one), at),
                     between(at, reader.vertex_of(r.second)))) {
    node.bridge_left = l.last_but_one;
    node.bridge_right = reader.kept_of({r.begin, s});
    return;
  }
  chain<kept> a{tree.left(c), reader.at_start(tree.first_chunk(c), l.begin), l.last_but_one};
  chain<kept> b{tree.right(c), r.second, reader.at_start(tree.end_chunk(c), r.end)};
  find_bridge(reader, a, s, b);
  node.bridge_left = a.low;
  node.bridge_right = b.low;
}

// The record of boundary c, whose children are done. All lanes of the warp call and get the same.
//
// Of two children of which one has no weight, the other is the node. Its elements without weight go with the
// pool on their left, or with the first: so where the weightless child is on the right, the last edge is
// taken for a bridge that spans it, and where it is on the left and the row begins with it, the first edge.
template <class Reader>
ISO_DEVICE auto merge_children(const Reader& reader, std::int64_t c) {
  const auto& state = reader.state;
  using record = std::remove_cvref_t<decltype(state.node[c])>;
  const hull_tree tree{state.chunks};
  if constexpr (Reader::lists) {
    const auto l = short_hull_of(reader, tree.left(c)), r = short_hull_of(reader, tree.right(c));
    if (l.count > 0 && r.count > 0) return merge_short(reader, c, l, r);
  }
  const auto l = summary_of(reader, tree.left(c)), r = summary_of(reader, tree.right(c));
  record node{};
  if (!l.live && !r.live) {
    node.is = record::dead;
    return node;
  }
  node.is = record::joined;
  node.begin = l.begin;
  node.end = r.end;
  node.second = l.second;
  node.last_but_one = r.last_but_one;
  if (!r.live) {
    node.end = state.chunk_end(tree.end_chunk(c) - 1);
    node.bridge_left = l.last_but_one;
    node.bridge_right = reader.at_start(c, node.end);
  } else if (!l.live) {
    node.begin = r.begin;
    if (tree.first_chunk(c) > 0 || reader.facts.begin > 0) {
      node.is = record::right;
      node.second = r.second;
      return node;
    }
    node.begin = 0;
    node.bridge_left = {0, {}};
    node.bridge_right = r.second;
  } else {
    bridge_children(reader, c, l, r, node);
  }
  if (node.bridge_left.element == node.begin) node.second = node.bridge_right;
  if (node.bridge_right.element == node.end) node.last_but_one = node.bridge_left;
  return node;
}

// Writes the record of boundary c, whose children are done. All lanes of the warp call.
template <class Reader>
ISO_DEVICE void write_node(const Reader& reader, std::int64_t c) {
  const auto node = merge_children(reader, c);
  if (reader.tile.thread_rank() == 0) reader.state.node[c] = node;
}

// The same for a wide row.
template <class Warp, class Rows, class Space>
[[gnu::noinline]] ISO_DEVICE void write_wide_node(const Warp& warp, const Rows& rows, const Space& at,
                                                  std::int64_t r, std::int64_t c) {
  write_node(wide_reader<Warp, Rows, Space>::of(warp, rows, at, r), c);
}

}  // namespace iso
