// Two neighbouring nodes of a row's tree merged into one: paper, section 3.3.
#pragma once

#include <cstdint>
#include <type_traits>

#include <iso/detail/config.hpp>
#include <iso/segment/bridge.cuh>
#include <iso/segment/chain.cuh>
#include <iso/segment/dense_merge.cuh>
#include <iso/segment/hull_tree.cuh>
#include <iso/segment/packed_hulls.cuh>
#include <iso/segment/reader.cuh>
#include <iso/segment/records.cuh>
#include <iso/segment/short_hull.cuh>
#include <iso/segment/spine_start.cuh>
#include <iso/segment/straight_merge.cuh>
#include <iso/segment/wide_reader.cuh>
#include <iso/segment/window.cuh>
#include <iso/segment/word_bridge.cuh>

namespace iso {

// A node seen from outside, be it a chunk or not: as in node_record.
template <class Kept>
struct node_summary {
  bool live;
  std::int64_t begin, end;
  Kept second, last_but_one;
};

template <class Reader>
[[gnu::noinline]] ISO_DEVICE node_summary<typename Reader::kept> summary_of(const Reader& reader,
                                                                            const tree_node node) {
  const auto& state = reader.state;
  if (!node.leaf) {
    const auto& n = state.node[node.at];
    if constexpr (Reader::lists) {
      if (const int points = n.points) {
        const std::int64_t first = hull_tree::first_chunk(node.at);
        const auto vertex = [&](int j) { return reader.listed(first, points, j); };
        return {true, vertex(0).element, vertex(points - 1).element, vertex(1), vertex(points - 2)};
      }
    }
    return {n.is != n.dead, n.begin, n.end, reader.recorded(n.second), reader.recorded(n.last_but_one)};
  }
  const std::int64_t c = node.at, begin = state.chunk_begin(c);
  const auto& chunk = state.chunk[c];
  if (!is_live(reader, c)) return {};
  return {true, begin + chunk.start, begin + chunk.high, reader.at(c, chunk.second, chunk.at_second),
          reader.at(c, chunk.last_but_one, chunk.at_last_but_one)};
}

// Leaves one vertex of a chain whose hull the bridge certainly spans, as it does where a row ends with a
// drop: the first or last edge tells.
template <class Summary, class Chain>
ISO_DEVICE void drop_whole_sides(const Summary& l, const Summary& r, Chain& a, Chain& b) {
  if (mean_not_less_apart(between(a.low, l.second), between(l.second, b.high))) a.high = a.low;
  if (mean_not_less_apart(between(a.low, r.last_but_one), between(r.last_but_one, b.high))) b.low = b.high;
}

// The end of a search that goes on as it began.
struct search_on {
  ISO_DEVICE bool operator()(const auto&...) const { return false; }
};

// The bridge at boundary c between two children that are both live, as the record's ends of it.
//
// finish(a, s, b) is asked when no node parts the chains a and b any more; it tells whether it has narrowed
// them down to the ends of the bridge. A search with such an end starts at the spines first.
template <class Reader, class Summary, class Record, class Finish>
ISO_DEVICE void bridge_children(const Reader& reader, std::int64_t c, const Summary& l, const Summary& r,
                                Record& node, const Finish& finish) {
  using kept = typename Reader::kept;
  const hull_tree tree{reader.state.chunks};
  const auto s = reader.start(c);
  const typename Reader::vertex at{reader.state.chunk_begin(c), s};
  const int turn =
      turn_between(between(reader.vertex_of(l.last_but_one), at), between(at, reader.vertex_of(r.second)));
  if (turn >= 0) {
    node.bridge_left = l.last_but_one;
    node.bridge_right = turn > 0 ? reader.kept_of({r.begin, s}) : r.second;
    return;
  }
  constexpr bool guesses = !std::is_same_v<Finish, search_on>;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (bool guess = guesses && tree.width(c) > 1;; guess = false) {
    chain<kept> a{tree.left(c), reader.at_start(tree.first_chunk(c), l.begin), l.last_but_one};
    chain<kept> b{tree.right(c), r.second, reader.at_start(tree.end_chunk(c), r.end)};
    if constexpr (Reader::lists) drop_whole_sides(l, r, a, b);
    beside_stretches beside{};
    if constexpr (guesses) {
      if (guess && !(a.single() && b.single())) beside = start_at_spines(reader, c, a, at, b);
    }
    for (bool all = !guesses;; all = true) {
      find_bridge(reader, a, at, b, all);
      if ((a.single() && b.single()) || finish(a, at, b)) break;
    }
    node.bridge_left = a.low;
    node.bridge_right = b.low;
    if constexpr (guesses) {
      if (guess && !touches_hulls(reader, beside, a.low, b.low)) continue;
    }
    return;
  }
}

// The record of boundary c, whose children are done. All lanes of the warp call and get the same.
//
// Of two children of which one has no weight, the other is the node. Its elements without weight go with the
// pool on their left, or with the first: so where the weightless child is on the right, the last edge is
// taken for a bridge that spans it, and where it is on the left and the row begins with it, the first edge.
template <class Reader, class Finish>
ISO_DEVICE auto merge_children(const Reader& reader, std::int64_t c, const Finish& finish) {
  const auto& state = reader.state;
  using record = std::remove_cvref_t<decltype(state.node[c])>;
  const hull_tree tree{state.chunks};
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
    const std::int64_t end = state.chunk_end(tree.end_chunk(c) - 1);  // elements after infinity do not count
    node.end = end < reader.facts.end ? end : reader.facts.end;
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
    node.bridge_left = Reader::kept::zero();
    node.bridge_right = r.second;
  } else {
    bridge_children(reader, c, l, r, node, finish);
  }
  if (node.bridge_left.element == node.begin) node.second = node.bridge_right;
  if (node.bridge_right.element == node.end) node.last_but_one = node.bridge_left;
  return node;
}

// Writes the record of boundary c, whose children are done, by a search that finish(a, s, b) may end. All
// lanes of the warp call.
template <class Reader, class Finish>
ISO_DEVICE void search_node(const Reader& reader, std::int64_t c, const Finish& finish) {
  const auto node = merge_children(reader, c, finish);
  if (reader.tile.thread_rank() == 0) reader.state.node[c] = node;
}
template <class Reader>
ISO_DEVICE void search_node(const Reader& reader, std::int64_t c) {
  search_node(reader, c, search_on{});
}

// search_node of row r, with words for its end.
template <class Warp, class Rows, class Memory>
[[gnu::noinline]] ISO_DEVICE void write_searched_node(const Warp warp, const Rows& rows, const Memory& memory,
                                                      std::int64_t r, std::int64_t c) {
  const auto reader = memory.reader(warp, rows, r);
  search_node(reader, c, [&](auto& a, const auto&, auto& b) { return bridge_in_words(reader, c, a, b); });
}

// Writes the record of boundary c of row r, whose children are done and whose spines are given, in the
// cheapest way that finds its bridge, out of the way of merges that windows do. All lanes of the warp call.
template <class Warp, class Rows, class Memory>
[[gnu::noinline]] ISO_DEVICE void write_long_node(const Warp warp, const Rows& rows, const Memory& memory,
                                                  std::int64_t r, std::int64_t c, const spine_pair spines) {
  const auto reader = memory.reader(warp, rows, r);
  if (merge_straight(reader, c) || merge_dense(reader, c, spines) != dense_merge::none) return;
  write_searched_node(warp, rows, memory, r, c);
}

// Writes the record of boundary c, whose children are done, by a search alone, or of lists in integers alone.
// All lanes of the warp call.
template <class Reader>
ISO_DEVICE void write_node(const Reader& reader, std::int64_t c) {
  if constexpr (Reader::lists) {
    const hull_tree tree{reader.state.chunks};
    const tree_node left = tree.left(c), right = tree.right(c);
    const int l_count = short_count(reader, left), r_count = short_count(reader, right);
    if (l_count > 0 && r_count > 0) {
      auto [l, r] = short_hulls_of(reader, left, l_count, right, r_count);
      l.own = with_weight<Reader::weighted>(l.own, reader.facts.begin);
      r.own = with_weight<Reader::weighted>(r.own, reader.facts.begin);
      merge_short(reader, c, l, r, exact_bridge(reader.tile, l, r));
      return;
    }
  }
  search_node(reader, c);
}

// The same of a wide row, with the mean of the node's bridge: the elements that tell it may be overwritten by
// the fit of others when it is asked for.
template <class Warp, class Rows, class Space>
[[gnu::noinline]] ISO_DEVICE void write_wide_node(const Warp& warp, const Rows& rows, const Space& at,
                                                  std::int64_t r, std::int64_t c) {
  const auto reader = wide_reader<Warp, Rows, Space>::of(warp, rows, at, r);
  write_node(reader, c);
  warp.sync();
  auto& node = reader.state.node[c];
  if (node.is != node.joined) return;
  const auto mean = exact_mean(reader, c);
  if (warp.thread_rank() == 0) node.keep_mean(mean);
}

// Merges the short hulls of the children of boundary c, if doubles find their bridge: writes the node, and
// returns its hull. All lanes of the warp call; `done` becomes false if nothing was done.
template <class Reader>
ISO_DEVICE short_hull<typename Reader::sums> merge_packed(const Reader& reader, std::int32_t c,
                                                          const packed_hulls<typename Reader::sums>& of,
                                                          bool& done) {
  constexpr bool weighted = Reader::weighted;
  const auto& tile = reader.tile;
  if (of.fit() && is_countable(c)) {
    const bridge_positions bridge = packed_bridge<weighted>(tile, of);
    done = bridge.certain;
    const int lane = static_cast<int>(tile.thread_rank()), a = bridge.a;
    const int passed = of.l_count + bridge.b - (a + 1), count = of.l_count + of.r_count - passed;
    short_hull<typename Reader::sums> hull{
        count, vertex_of_lane<weighted>(tile, of.own, (lane <= a ? lane : lane + passed) & 31)};
    if (done) write_short(reader, c, a, count, hull.own);
    return hull;
  }
  const hull_tree tree{reader.state.chunks};
  const auto [l, r] = short_hulls_of(reader, tree.left(c), of.l_count, tree.right(c), of.r_count);
  const bridge_positions bridge = likely_bridge<weighted>(tile, l, r);
  done = bridge.certain;
  return done ? merge_short(reader, c, l, r, bridge) : l;
}

// How many vertices of the other child of boundary `up` are listed, after the arrival of one with `points`
// vertices; -1 if the other one is yet to come, which then goes on. All lanes of the warp call.
//
// arrive(c, points) counts, as `arrivals` tells. Chunks do not arrive: they were done before.
template <class Reader, class Arrive>
ISO_DEVICE int others_after(const Reader& reader, std::int32_t up, const tree_node& other, int points,
                            const Arrive& arrive) {
  const int others = arrive(up, points);
  return others == 0 && other.leaf ? short_count(reader, other) : others;
}

// Merges upwards from boundary c, whose children have the given hulls: as long as the parent's children are
// now done too, and as hulls are short and doubles find their bridges. `clear`: c is that of a clear_block,
// of which the chord is given. Returns the boundary that is to be merged otherwise, or 0 if there is none for
// this warp. All lanes of the warp call.
//
// A hull stays in registers on its way up: only the other child's is read.
template <class Reader, class Arrive>
ISO_DEVICE std::int32_t merge_short_upwards(const Reader& reader, std::int32_t c,
                                            packed_hulls<typename Reader::sums> of, bool clear,
                                            const Arrive& arrive) {
  const hull_tree tree{reader.state.chunks};
  while (of.both()) {
    short_hull<typename Reader::sums> hull{2, of.own};
    if (clear) {
      write_short(reader, c, 0, 2, of.own);
    } else {
      bool done = false;
      hull = merge_packed(reader, c, of, done);
      if (!done) return c;
    }
    clear = false;
    const std::int32_t up = tree.parent(c);
    if (up == 0) return 0;
    const tree_node other = c < up ? tree.right(up) : tree.left(up);
    const int others = others_after(reader, up, other, hull.count, arrive);
    if (others < 0) return 0;
    of = packed_with(reader, hull.own, hull.count, other, others, up < c);
    c = up;
  }
  return c;
}

// Marks the nodes of boundaries c and c + 1 as such that nobody is to ask, as far as they are below that of a
// clear block. All lanes of the warp call.
template <class Warp, class T, bool Weighted>
ISO_DEVICE void hide_nodes(const Warp& warp, const row_state<T, Weighted>& state, const clear_block& block,
                           std::int64_t c) {
  const std::int64_t at = c + warp.thread_rank();
  if (at > c + 1 || at == block.node() || at == block.first + block.size) return;
  state.node[at].is = node_record<T, Weighted>::dead;
  state.node[at].points = 0;
}

// Merges upwards from boundary c, of whose children one has a long hull or doubles do not find their bridge,
// as long as the parent's children are now done too. All lanes of the warp call.
//
// What lies above a long hull is long as a rule; where it is not, windows are the whole hulls.
template <class Reader, class Memory, class Arrive>
ISO_DEVICE void merge_long_upwards(const Reader& reader, Memory& memory, std::int32_t c,
                                   const Arrive& arrive) {
  const hull_tree tree{reader.state.chunks};
  int points = 0;
  bool kept = false;
  do {
    const spine_pair spines = spines_of(reader, c);
    points = merge_windows(reader, c, spines);
    if (points < 0) {
      if (!kept) memory.keep(reader);
      kept = true;
      write_long_node(reader.tile, reader.rows, memory, reader.row, c, spines);
      points = 0;
    }
    c = tree.parent(c);
  } while (c != 0 && arrive(c, points) >= 0);
}

// Merges upwards from boundary c, which joins two chunks, as long as arrive(parent, points) tells that the
// parent's children are now done too. All lanes of the warp call.
//
// `memory`: a row_memory that the lanes share. A row of 2^30 chunks is beyond the memory of any device.
//
// From the node of a clear block, if one exists, in place of boundary c.
template <class Reader, class Memory, class Arrive>
ISO_DEVICE void merge_upwards(const Reader& reader, Memory& memory, std::int32_t c, const clear_block& clear,
                              const Arrive& arrive) {
  const auto chunks = clear.exists() ? chord_of_block(reader, clear) : packed_chunks(reader, c);
  if (clear.exists()) c = static_cast<std::int32_t>(clear.node());
  c = merge_short_upwards(reader, c, chunks, clear.exists(), arrive);
  if (c != 0) merge_long_upwards(reader, memory, c, arrive);
}

// The same of a wide row.
template <class Warp, class Rows, class Space, class Arrive>
ISO_DEVICE void merge_wide_upwards(const Warp& warp, const Rows& rows, const Space& at, std::int64_t r,
                                   std::int64_t c, const Arrive& arrive) {
  const hull_tree tree{at.chunks};
  do {
    write_wide_node(warp, rows, at, r, c);
    c = tree.parent(c);
  } while (c != 0 && arrive(c, 0) >= 0);
}

}  // namespace iso
