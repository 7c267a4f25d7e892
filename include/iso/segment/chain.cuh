// A stretch of the hull of a node, as a search for a bridge narrows it down.
//
// The search asks for some edge of the stretch, about its middle, and then goes on with the vertices up to
// its left end or those from its right end on. Edges come for free from the tree: the bridge of a node is an
// edge of the hull of every node above it whose own bridges leave it in place. So the search goes down the
// tree with the stretch, and through the vertices of a single chunk at the end.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/segment/hull_tree.cuh>
#include <iso/segment/records.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// The sums of all lanes together. All lanes of the tile call.
template <warp_tile Tile, class Sums>
ISO_DEVICE Sums sums_of_all(const Tile& tile, Sums own) {
  for (unsigned mask = tile.num_threads() / 2; mask > 0; mask /= 2) {
    own += shuffled(own, [&](std::uint64_t word) { return tile.shfl_xor(word, mask); });
  }
  return own;
}

// Reads a row's diagram. All lanes of the warp call everything together and get the same.
template <warp_tile Tile, class Rows>
struct row_reader {
  using T = typename Rows::value_type;
  static constexpr bool weighted = Rows::weighted;
  using sums = large_sums<T, weighted>;
  using vertex = point<sums>;

  const Tile& tile;
  const Rows& rows;
  std::int64_t row;
  const row_state<T, weighted>& state;
  const row_facts& facts;

  // Where chunk c begins in the diagram.
  ISO_DEVICE sums start(std::int64_t c) const {
    sums r = state.group_start[c / group_chunks];
    r += state.start[c];
    return r;
  }
  // Where the row ends.
  ISO_DEVICE const sums& row_end() const {
    return state.group_start[(state.chunks + group_chunks - 1) / group_chunks];
  }
  // A point of chunk c, by its sums on the chunk's grid.
  ISO_DEVICE vertex at(std::int64_t c, int element, const sums& in_chunk) const {
    vertex p{state.chunk_begin(c) + element, start(c)};
    p.at += on_grid<sums>(in_chunk, state.chunk[c].on, facts.on);
    return p;
  }
  // A point of chunk c, summed up to from its elements.
  ISO_DEVICE vertex at(std::int64_t c, int element) const {
    const int lane = static_cast<int>(tile.thread_rank());
    const std::int64_t begin = state.chunk_begin(c);
    auto own = sums::zero();
    for (int i = state.chunk[c].low + lane; i < element; i += static_cast<int>(tile.num_threads())) {
      const T y = rows.value(row, begin + i), w = rows.weight(row, begin + i);
      numeric::add_element<T, weighted>(own, &y, &w, 0, facts.on);
      if constexpr (!weighted) own.w.word[0] += 1;
    }
    vertex p{begin + element, start(c)};
    p.at += sums_of_all(tile, own);
    return p;
  }

  // Two neighbouring vertices of chunk c's hull about the middle of those between the elements low < high,
  // vertices both.
  ISO_DEVICE void middle_edge(std::int64_t c, std::int64_t low, std::int64_t high, vertex& left,
                              vertex& right) const {
    const int lane = static_cast<int>(tile.thread_rank());
    const std::int64_t begin = state.chunk_begin(c);
    const int points = state.chunk[c].points;
    if (points > 0) {
      const chunk_points<T, weighted>& list = state.points[c];
      const std::int64_t own = lane < points ? begin + list.element[lane] : -1;
      const unsigned inside = tile.ballot(own >= low && own <= high);
      const int j = (lowest_bit(inside) + highest_bit(inside)) / 2;
      left = at(c, list.element[j], list.at[j]);
      right = at(c, list.element[j + 1], list.at[j + 1]);
      return;
    }
    const int from = static_cast<int>(low - begin), to = static_cast<int>(high - begin);
    const int middle = from + (to - from) / 2;
    const std::uint32_t bits = state.bits[c * 32 + lane];
    const std::uint32_t before = bits & bits_between(0, clamped(middle + 1 - 32 * lane));
    const std::uint32_t after = bits & ~bits_between(0, clamped(middle + 1 - 32 * lane));
    const int lower = highest_bit(tile.ballot(before != 0));
    const unsigned upper_lanes = tile.ballot(after != 0);
    const int l = 32 * lower + highest_bit(tile.shfl(before, lower));
    int r = to;
    if (upper_lanes != 0) {
      const int upper = lowest_bit(upper_lanes);
      const int next = 32 * upper + lowest_bit(tile.shfl(after, upper));
      r = next < to ? next : to;
    }
    left = at(c, l);
    right = at(c, r);
  }

 private:
  ISO_HOST_DEVICE static int clamped(int i) { return i < 0 ? 0 : i > 32 ? 32 : i; }
};

// The vertices from `low` to `high` of the hull of a node; `from` is where their search has got to.
template <class Vertex>
struct chain {
  tree_node from;
  Vertex low, high;

  ISO_HOST_DEVICE bool single() const { return low.element == high.element; }

  // An edge of the chain, which has one.
  template <class Reader>
  ISO_DEVICE void edge(const Reader& reader, Vertex& left, Vertex& right) {
    const hull_tree tree{reader.state.chunks};
    while (!from.leaf) {
      const auto& node = reader.state.node[from.at];
      if (node.is == node.right || low.element >= node.bridge_right.element) {
        from = tree.right(from.at);
      } else if (high.element <= node.bridge_left.element) {
        from = tree.left(from.at);
      } else {
        left = node.bridge_left;
        right = node.bridge_right;
        return;
      }
    }
    reader.middle_edge(from.at, low.element, high.element, left, right);
  }
};

}  // namespace iso
