// Reads a row's diagram from its records: the points there are, and their coordinates.
//
// What merges and reconstructs takes a reader, and is written once for all numbers. A reader has `sums`, the
// numbers; `vertex`, a point with its coordinates; and `kept`, a point as records keep it, which vertex_of
// turns into a vertex. This one has sums that fit the registers of a thread, kept with every point; see
// wide_reader for the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/segment/hull_tree.cuh>
#include <iso/segment/records.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// Two neighbouring vertices of a hull.
template <class Point>
struct edge_of {
  Point left, right;
};

// The sums of all lanes together. All lanes of the tile call.
template <warp_tile Tile, class Sums>
ISO_DEVICE Sums sums_of_all(const Tile& tile, Sums own) {
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (unsigned mask = tile.num_threads() / 2; mask > 0; mask /= 2) {
    own += shuffled(own, [&](std::uint64_t word) { return tile.shfl_xor(word, mask); });
  }
  return own;
}

// Two neighbouring starts about the middle of those between elements `from` < `to` of a chunk, both starts or
// the end of the chunk; lane l has the bits of elements 32 l to 32 l + 31. All lanes of the warp call.
template <class Warp>
ISO_DEVICE edge_of<int> edge_in_bits(const Warp& warp, std::uint32_t bits, int from, int to) {
  const int lane = static_cast<int>(warp.thread_rank()), middle = from + (to - from) / 2;
  const int inside = middle + 1 - 32 * lane;
  const std::uint32_t lower_part = bits_between(0, inside < 0 ? 0 : inside > 32 ? 32 : inside);
  const std::uint32_t before = bits & lower_part, after = bits & ~lower_part;
  const int lower = highest_bit(warp.ballot(before != 0));
  const unsigned upper_lanes = warp.ballot(after != 0);
  edge_of<int> edge{32 * lower + highest_bit(warp.shfl(before, lower)), to};
  if (upper_lanes != 0) {
    const int upper = lowest_bit(upper_lanes);
    const int next = 32 * upper + lowest_bit(warp.shfl(after, upper));
    edge.right = next < to ? next : to;
  }
  return edge;
}

// All lanes of the warp call everything together and get the same.
template <warp_tile Tile, class Rows>
struct row_reader {
  using T = typename Rows::value_type;
  static constexpr bool weighted = Rows::weighted;
  using sums = large_sums<T, weighted>;
  using vertex = point<sums>;
  using kept = vertex;
  static constexpr bool lists = true;  // hulls of few vertices are listed

  const Tile& tile;
  const Rows& rows;
  std::int64_t row;
  const row_state<T, weighted>& state;
  const row_facts& facts;

  // A point as a record has it: before a finite element, or the one after the last of them.
  ISO_DEVICE kept recorded(std::int64_t element, const recorded_sums<T, weighted>& at) const {
    return {element, kept_sums<sums, weighted>::whole(at, element - facts.begin)};
  }
  ISO_DEVICE kept recorded(const recorded_point<T, weighted>& p) const { return recorded(p.element, p.at); }

  // The point where chunk c begins, or, beyond the last chunk, where the row ends, under the name of any
  // element at it.
  ISO_DEVICE kept at_start(std::int64_t c, std::int64_t element) const {
    if (c < state.chunks) return {element, start_of_chunk(c, element)};
    return recorded(element, state.group_start[(state.chunks + group_chunks - 1) / group_chunks]);
  }
  ISO_DEVICE sums start_of_chunk(std::int64_t c, std::int64_t element) const {
    auto r = state.group_start[static_cast<std::uint64_t>(c) / group_chunks];
    r += state.start[c];
    return recorded(element, r).at;
  }
  ISO_DEVICE sums start_of_chunk(std::int64_t c) const { return start_of_chunk(c, state.chunk_begin(c)); }
  ISO_DEVICE vertex vertex_at_start(std::int64_t c) const {
    return {state.chunk_begin(c), start_of_chunk(c)};
  }
  [[gnu::noinline]] ISO_DEVICE sums start(std::int64_t c) const {
    return at_start(c, state.chunk_begin(c)).at;
  }

  ISO_DEVICE const vertex& vertex_of(const kept& p) const { return p; }
  ISO_DEVICE const kept& kept_of(const vertex& p) const { return p; }

  // A point as a list has it, and what it counts from: in a chunk's list from the beginning of the chunk, on
  // the chunk's grid; in a node's list elements from there, but sums from the beginning of the row, on its
  // grid.
  struct listed_point {
    int element;
    recorded_sums<T, weighted> at;
  };
  struct list_frame {
    std::int64_t begin;
    numeric::grid on;
  };
  ISO_DEVICE list_frame frame_of_chunk(std::int64_t c) const {
    return {state.chunk_begin(c), state.chunk[c].on};
  }
  ISO_DEVICE list_frame frame_of(const tree_node& node) const {
    if (node.leaf) return frame_of_chunk(node.at);
    return {state.chunk_begin(hull_tree::first_chunk(node.at)), facts.on};
  }
  // `before`: the sums before the point that sums count from. Without weights those of weights are not read.
  ISO_DEVICE kept in_row(const list_frame& from, const sums& before, const listed_point& listed) const {
    auto at = kept_sums<sums, weighted>::of(before);
    at += on_grid(listed.at, from.on, facts.on);
    return recorded(from.begin + listed.element, at);
  }

  // A point of chunk c, by its sums on the chunk's grid.
  ISO_DEVICE kept at(std::int64_t c, int element, const recorded_sums<T, weighted>& in_chunk) const {
    return in_row(frame_of_chunk(c), start_of_chunk(c), {element, in_chunk});
  }
  // Adds element i of chunk c, which is finite, on the row's grid. Without weights they are not counted.
  ISO_DEVICE void add_element(sums& to, std::int64_t c, int i) const {
    const std::int64_t at = state.chunk_begin(c) + i;
    const T y = rows.value(row, at), w = rows.weight(row, at);
    numeric::add_element<T, weighted>(to, &y, &w, 0, facts.on);
  }
  // A point of chunk c, which has too many vertices for a list: from the sums before its lane.
  [[gnu::noinline]] ISO_DEVICE kept at(std::int64_t c, int element) const {
    const int lane = static_cast<int>(tile.thread_rank());
    const int from = element / 32 < 31 ? element / 32 : 31, i = 32 * from + lane;
    auto own = sums::zero();
    if (i >= state.chunk[c].low && i < element) add_element(own, c, i);
    kept p = at(c, element, state.points[c].at[from]);
    p.at += sums_of_all(tile, own);
    return p;
  }

  // An edge of a hull that is listed from entry `first` on, about the middle of the vertices between the
  // elements low < high, vertices both.
  template <class At>
  ISO_DEVICE edge_of<kept> listed_edge(std::int64_t place, int first, int points, std::int64_t low,
                                       std::int64_t high, const At& vertex_at) const {
    const int lane = static_cast<int>(tile.thread_rank());
    const std::int64_t own =
        lane < points ? state.chunk_begin(place) + state.points[place].element[first + lane] : -1;
    const unsigned inside = tile.ballot(own >= low && own <= high);
    const int j = (lowest_bit(inside) + highest_bit(inside)) / 2;
    return {vertex_at(j), vertex_at(j + 1)};
  }
  // Vertex j of the listed hull of a node, of `points` vertices, whose first chunk is `place`.
  ISO_DEVICE kept listed(std::int64_t place, int points, int j) const {
    const auto& list = state.points[place];
    const int i = list.of_node(points) + j;
    return recorded(state.chunk_begin(place) + list.element[i], list.at[i]);
  }
  // listed_edge of the hull of a node.
  ISO_DEVICE edge_of<kept> middle_edge_of_node(std::int64_t place, int points, std::int64_t low,
                                               std::int64_t high) const {
    return listed_edge(place, state.points[place].of_node(points), points, low, high,
                       [&](int j) { return listed(place, points, j); });
  }

  // An edge of chunk c's hull about the middle of the vertices between the elements low < high, vertices
  // both.
  ISO_DEVICE edge_of<kept> middle_edge(std::int64_t c, std::int64_t low, std::int64_t high) const {
    const int lane = static_cast<int>(tile.thread_rank());
    const std::int64_t begin = state.chunk_begin(c);
    const auto& list = state.points[c];
    if (const int points = state.chunk[c].points) {
      return listed_edge(c, 0, points, low, high, [&](int j) { return at(c, list.element[j], list.at[j]); });
    }
    const auto edge = edge_in_bits(tile, state.bits[c * 32 + lane], static_cast<int>(low - begin),
                                   static_cast<int>(high - begin));
    const kept left = at(c, edge.left);
    if (edge.right != edge.left + 1) return {left, at(c, edge.right)};
    auto element = sums::zero();
    add_element(element, c, edge.left);
    if constexpr (!weighted) element.w.word[0] = 1;
    kept right{left.element + 1, left.at};
    right.at += element;
    return {left, right};
  }
};

// What a reader knows of its row, in memory that a warp shares: functions out of the way of others would find
// it in memory of each lane's own, 32 times as much.
template <class T, bool Weighted>
struct row_memory {
  alignas(8) std::byte state[sizeof(row_state<T, Weighted>)];
  alignas(8) std::byte facts[sizeof(row_facts)];

  // All lanes of the warp call.
  template <class Reader>
  ISO_DEVICE void keep(const Reader& reader) {
    static_assert(std::is_trivially_default_constructible_v<row_memory>);
    if (reader.tile.thread_rank() == 0) {
      new (state) row_state<T, Weighted>(reader.state);
      new (facts) row_facts(reader.facts);
    }
    reader.tile.sync();
  }
  template <class Warp, class Rows>
  ISO_DEVICE row_reader<Warp, Rows> reader(const Warp& warp, const Rows& rows, std::int64_t row) const {
    return {warp, rows, row, *reinterpret_cast<const row_state<T, Weighted>*>(state),
            *reinterpret_cast<const row_facts*>(facts)};
  }
};

// Calls f(reader) with a reader of row r: functions that are out of the way of others make their own.
template <class Warp, class Rows, class Space, class F>
ISO_DEVICE decltype(auto) with_reader(const Warp& warp, const Rows& rows, const Space& at, std::int64_t r,
                                      const F& f) {
  const auto state = at.of_row(r);
  const auto facts = row_facts::of<typename Rows::value_type, Rows::weighted>(*state.row, state.length);
  return f(row_reader<Warp, Rows>{warp, rows, r, state, facts});
}

}  // namespace iso
