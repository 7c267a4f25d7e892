// Two nodes merged whose chunks next to each other have too many vertices for lists: the bridge is looked for
// in what is left of these two chunks, and nowhere else.
//
// Of a node's hull the vertices next to its parent's boundary are those of one chunk, up to the nearest end
// of the bridges on the node's spine, see window.cuh: a *stretch* of the chunk, whose bits and sums are
// known. Bridges of rising data, of teeth and of drops are between the two stretches as a rule. Elements next
// to the boundary are tried first, and the words of the stretches then. All that is asked of the tree are the
// nodes of both spines, which are read at once, one a lane.
//
// Invariant: the bridge of two stretches is that of the hulls if s is not below its line, and nor is the edge
// that leads away from a stretch where it touches the stretch's end: that is the bridge which cuts there.
//
// Example: teeth of 1000 elements, and a boundary at element 700 of a tooth. The bridge of the node on its
// left has cut the chunk at about element 500 of the tooth, so the left stretch has 200 vertices; and that of
// the node on its right ends at about 500 of the next tooth, 800 elements away. The bridge is between the
// first vertex of the one, or the next, and the last of the other.
#pragma once

#include <cstdint>

#include <iso/block/reduce.cuh>
#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/segment/bridge.cuh>
#include <iso/segment/close_bridge.cuh>
#include <iso/segment/dense_leaf.cuh>
#include <iso/segment/hull_tree.cuh>
#include <iso/segment/records.cuh>
#include <iso/segment/short_hull.cuh>
#include <iso/segment/window.cuh>
#include <iso/segment/word_bridge.cuh>

namespace iso {

// Where a spine's bridges cut the chunk next to boundary c. All lanes have the same.
struct spine_cut {
  static constexpr int none = 1 << 20;  // beyond any chunk

  std::int64_t c;
  bool left, usual;  // usual: all nodes of the spine have bridges
  // 32 times the distance in elements, and 31 less the level of the node that cuts; of several, the topmost.
  int nearest;

  ISO_HOST_DEVICE int distance() const { return nearest / 32; }
  ISO_HOST_DEVICE bool exists() const { return distance() < none; }
  ISO_HOST_DEVICE std::int64_t element(std::int64_t boundary) const {
    return left ? boundary - distance() : boundary + distance();
  }
  // The node that cuts.
  ISO_HOST_DEVICE std::int64_t node() const {
    const std::int64_t away = std::int64_t{1} << (31 - nearest % 32);
    return left ? c - away : c + away;
  }
};

// The cut of one spine of boundary c. All lanes of the warp call.
template <class Tile>
ISO_DEVICE spine_cut cut_of(const Tile& tile, const spine_node& own, std::int64_t c, bool left) {
  const int lane = static_cast<int>(tile.thread_rank());
  const std::int64_t away = own.exists && own.distance < spine_cut::none ? own.distance : spine_cut::none;
  const std::int32_t key = static_cast<std::int32_t>(away) * 32 + 31 - lane;
  return {c, left, tile.any(own.exists && !own.joined) == 0, reduce_min(tile, key, nullptr)};
}

// The stretch that a cut leaves of its chunk; `usual` if it has vertices, and `window` is memory for one. All
// lanes of the warp call.
template <class Reader>
ISO_DEVICE hull_side<typename Reader::sums> stretch_beside(const Reader& reader, const spine_cut& cut,
                                                           short_hull<typename Reader::sums>& window,
                                                           bool& usual) {
  const bool left = cut.left, cuts = cut.exists();
  const std::int64_t at = left ? cut.c - 1 : cut.c, begin = reader.state.chunk_begin(at);
  const auto& chunk = reader.state.chunk[at];
  const int low = !left ? chunk.second : cuts ? chunk_elements - cut.distance() : chunk.start;
  const int high = left ? chunk.last_but_one : cuts ? cut.distance() : chunk.high;
  usual = low <= high;
  const dense_leaf leaf = dense_leaf_of(reader, at, low, high);
  if (low == high || leaf.ends) {
    if (cuts) {
      const auto& node = reader.state.node[cut.node()];
      window = {1, reader.recorded(left ? node.bridge_right : node.bridge_left)};
    } else {
      window = {1, reader.at_start(left ? at : at + 1, begin + (left ? low : high))};
    }
  }
  return {left, low < high, leaf, &window};
}

// The words where both stretches are cut, if the bridge is likely to touch them; else {-1, -1}. Bridges of
// data with a period follow each other so: stretches have no long edges, and values beyond the words, seen
// from the cuts, are above and below the line from the one cut to the other. All lanes of the warp call and
// get the same.
template <class Reader>
ISO_DEVICE word_pair words_at_cuts(const Reader& reader, std::int64_t c, const spine_cut& l_cut,
                                   const dense_leaf& l, const spine_cut& r_cut, const dense_leaf& r) {
  constexpr word_pair none{-1, -1};
  if (!in_a_row(l.words) || !in_a_row(r.words)) return none;
  const word_pair words{lowest_bit(l.words), highest_bit(r.words)};
  const auto& state = reader.state;
  const distance line =
      in_doubles(between(state.node[l_cut.node()].bridge_right, state.node[r_cut.node()].bridge_left));
  const double s = line.s * numeric::about_power_of_two(reader.facts.on.mean_position() +
                                                        numeric::format<typename Reader::T>::min_exponent);
  const bool right = reader.tile.thread_rank() % 2 != 0;
  const std::int64_t boundary = state.chunk_begin(c);
  const std::int64_t beside =
      right ? boundary + 32 * words.right - 1 : boundary - chunk_elements + 32 * (words.left + 1);
  const double value = static_cast<double>(reader.rows.value(reader.row, beside)) * line.w;
  return reader.tile.any(right ? value >= s : value <= s) != 0 ? none : words;
}

// Whether the edge that leads away from a stretch where it is cut tells that a bridge does not touch the hull
// there. All lanes of the warp call and get the same.
template <class Reader>
ISO_DEVICE bool goes_on(const Reader& reader, const spine_cut& cut,
                        const found_bridge<typename Reader::sums>& bridge) {
  const std::int64_t end = (cut.left ? bridge.from : bridge.to).element;
  if (!cut.exists() || end != cut.element(reader.state.chunk_begin(cut.c))) return false;
  const auto& node = reader.state.node[cut.node()];
  return wrong_side(between(node.bridge_left, node.bridge_right), between(bridge.from, bridge.to), cut.left,
                    !cut.left);
}

// Writes the record of boundary c, whose children have no lists, given its bridge. All lanes of the warp
// call.
template <class Reader>
ISO_DEVICE void write_dense(const Reader& reader, std::int64_t c,
                            const found_bridge<typename Reader::sums>& bridge) {
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const auto others = far_ends(reader, c);
  auto& node = reader.state.node[c];
  recorded_point<typename Reader::T, Reader::weighted> own = others.own, *to = &node.second;
  if (lane == 0) {
    node.is = node.joined;
    node.points = 0;
    node.begin = others.end;
    if (bridge.from.element == others.end) own = bridge.to;
  }
  if (lane == 1) {
    node.end = others.end;
    to = &node.last_but_one;
    if (bridge.to.element == others.end) own = bridge.from;
  }
  if (lane == 2) {
    to = &node.bridge_left;
    own = bridge.from;
  }
  if (lane == 3) {
    to = &node.bridge_right;
    own = bridge.to;
  }
  if (lane < 4) *to = own;
}

// The bridge of the children of boundary c, which are done, if the chunks next to it have it in what is left
// of them; else it is not found. Both are live and dense, and the chain is not known to be convex. All lanes
// of the warp call and get the same.
template <class Reader>
ISO_DEVICE found_bridge<typename Reader::sums> bridge_beside(const Reader& reader, std::int64_t c,
                                                             const spine_cut& l_cut, const spine_cut& r_cut) {
  bool l_usual = false, r_usual = false;
  short_hull<typename Reader::sums> l_window, r_window;
  const auto l = stretch_beside(reader, l_cut, l_window, l_usual);
  const auto r = stretch_beside(reader, r_cut, r_window, r_usual);
  found_bridge<typename Reader::sums> bridge;
  bridge.found = false;
  if (!l_usual || !r_usual) return bridge;
  word_pair guess{-1, -1};
  if (l_cut.exists() && r_cut.exists()) guess = words_at_cuts(reader, c, l_cut, l.leaf, r_cut, r.leaf);
  bridge = bridge_of_sides<Reader>(reader, c, l, r, guess);
  if (!bridge.found) return bridge;
  const auto s = reader.vertex_at_start(c);
  bridge.found = !goes_on(reader, l_cut, bridge) && !goes_on(reader, r_cut, bridge) &&
                 mean_not_less_apart(between(bridge.from, s), between(s, bridge.to));
  return bridge;
}

// What has merged a node.
enum class dense_merge { none, close, words };

// Merges the children of boundary c, which are done, if both chunks next to it are dense and have the bridge:
// writes the node; or does nothing. All lanes of the warp call and get the same.
template <class Reader>
ISO_DEVICE dense_merge merge_dense(const Reader& reader, std::int64_t c, const spine_pair& spines) {
  const auto dense = [&](std::int64_t chunk) {
    const bool many = reader.state.chunk[chunk].points == 0, live = is_live(reader, chunk);
    return many & live;
  };
  const bool l_dense = dense(c - 1), r_dense = dense(c);
  if (!l_dense || !r_dense) return dense_merge::none;  // a clear block's nodes say nothing of distances
  const spine_cut l = cut_of(reader.tile, spines.left, c, true);
  const spine_cut r = cut_of(reader.tile, spines.right, c, false);
  if (!l.usual || !r.usual) return dense_merge::none;
  if constexpr (!Reader::weighted) {
    if (l.distance() > 32 && r.distance() > 32 && merge_close(reader, c)) return dense_merge::close;
  }
  const auto bridge = bridge_beside(reader, c, l, r);
  if (!bridge.found) return dense_merge::none;
  write_dense(reader, c, bridge);
  return dense_merge::words;
}

}  // namespace iso
