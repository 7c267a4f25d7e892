// Segment lists: the hull of many chunks without a copy of any vertex. Paper, section 3.3.
//
// Every chunk of a row has found the hull of its own points, whose vertices are numbered from 0 and stay
// where they are. A segment names a range of the vertices of one chunk. The hull of a node of the merge tree,
// which spans some consecutive chunks, is a list of segments: at most one a chunk, so that a slot a chunk is
// room enough for the lists of all nodes of a level.
//
// Invariants of the list of a node:
//   - the chunks of its segments increase strictly, and no segment is empty;
//   - its vertices, one segment after the other, are the vertices of the node's hull from left to right:
//     their slopes increase strictly, and no point of the hull occurs twice. Neighbouring chunks share a
//     point, which is the last vertex of one and vertex 0 of the next; a list names it by the next. Only the
//     end of a node has no next chunk in it, and is the last vertex of its chunk;
//   - a list has two vertices at least, or none: a node without weight has no hull and an empty list.
//
// Example, four chunks (figure 1 of the paper, the shared points named by their right chunk):
//   chunks     (0: 0..5) (1: 0..4) (2: 0..5) (3: 0..3)
//   slots      [0: 0..5] [1: 0..4] [2: 0..5] [3: 0..3]    four lists of one segment
//   level 0    [0: 0..3   1: 2..4] [2: 0..3   3: 2..3]    two lists of two
//   level 1    [0: 0..3   1: 2..3   3: 2..3  ] unused     one list of three: a bridge passed over chunk 2
//
// The tree has no fixed kind of vertices. What merges and reads lists takes a *vertex source*, see below.
#pragma once

#include <concepts>
#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/segment/hull_tree.cuh>
#include <iso/segment/records.cuh>

namespace iso {

// The vertices `first` to `last` of the hull of a chunk. Eight bytes, read and written at once: up to 2^32
// chunks, of up to 2^16 vertices each.
struct alignas(8) segment {
  std::uint32_t chunk;
  std::uint16_t first, last;

  ISO_HOST_DEVICE static segment of(std::int64_t chunk, int first, int last) {
    return {static_cast<std::uint32_t>(chunk), static_cast<std::uint16_t>(first),
            static_cast<std::uint16_t>(last)};
  }
  ISO_HOST_DEVICE friend bool operator==(const segment& a, const segment& b) {
    return a.chunk == b.chunk && a.first == b.first && a.last == b.last;
  }
};

// A vertex of a list: a vertex of the chunk of the segment of this number.
struct list_place {
  std::int64_t segment;
  int vertex;

  ISO_HOST_DEVICE friend bool operator==(const list_place& a, const list_place& b) {
    return a.segment == b.segment && a.vertex == b.vertex;
  }
};

// The list of a node: `size` segments in consecutive slots.
struct segment_list {
  segment* at;
  std::int64_t size;

  ISO_HOST_DEVICE bool empty() const { return size == 0; }
  ISO_HOST_DEVICE list_place first() const { return {0, at[0].first}; }
  ISO_HOST_DEVICE list_place last() const { return {size - 1, at[size - 1].last}; }

  // The vertex before or after one; there must be one.
  ISO_HOST_DEVICE list_place before(const list_place& p) const {
    if (p.vertex > at[p.segment].first) return {p.segment, p.vertex - 1};
    return {p.segment - 1, at[p.segment - 1].last};
  }
  ISO_HOST_DEVICE list_place after(const list_place& p) const {
    if (p.vertex < at[p.segment].last) return {p.segment, p.vertex + 1};
    return {p.segment + 1, at[p.segment + 1].first};
  }
};

// What knows where vertices are: `vertex(chunk, v)` is vertex v of a chunk's hull, as a point of the row: the
// element of the row that it is before, and the exact sums of the row's elements before it, all on one grid
// and in words that hold the sums of the whole row (iso::sums_fit). The last vertex of a chunk is before the
// first element that is not in it. Any one thread may call it at any time.
//
// See vertex_sources.cuh for vertices in slots, and for bits of which the coordinates are summed when asked
// for. A source may be as plain as this one, of one chunk whose points are all vertices:
//
//   struct all_points {
//     using sums = iso::large_sums<float, false>;
//     const iso::point<sums>* points;
//     iso::point<sums> vertex(std::int64_t, int v) const { return points[v]; }
//   };
template <class Source>
concept vertex_source = requires(const Source& source, std::int64_t chunk, int v) {
  typename Source::sums;
  { source.vertex(chunk, v) } -> std::convertible_to<point<typename Source::sums>>;
};

// The point at a place of a list.
template <vertex_source Source>
ISO_HOST_DEVICE point<typename Source::sums> point_at(const Source& source, const segment_list& list,
                                                      const list_place& p) {
  return source.vertex(static_cast<std::int64_t>(list.at[p.segment].chunk), p.vertex);
}

// The lists of the nodes of a row's merge tree. A node of level r spans the chunks from k * 2^r up to, but
// not including, (k + 1) * 2^r or the row's end; it is named by its first chunk, in whose slot its list
// begins. Merges write over the lists of their children, so only one level exists at a time.
struct segment_lists {
  std::int64_t chunks;  // at least 1
  segment* slot;        // one a chunk
  std::int64_t* size;   // one a chunk: of the list that begins in its slot

  ISO_HOST_DEVICE segment_list list(std::int64_t first_chunk) const {
    return {slot + first_chunk, size[first_chunk]};
  }
  // The hull of the row, after the merges of all levels.
  ISO_HOST_DEVICE segment_list root() const { return list(0); }

  // Level 0: the chunk's own hull. It has two vertices at least, or 0 where the chunk has no weight.
  ISO_HOST_DEVICE void start(std::int64_t chunk, int vertices) const {
    slot[chunk] = segment::of(chunk, 0, vertices > 0 ? vertices - 1 : 0);
    size[chunk] = vertices > 0 ? 1 : 0;
  }

  ISO_HOST_DEVICE int levels() const { return hull_tree{chunks}.levels(); }
  // How many pairs of nodes of this level there are: merges 0, 1, ... of the level. A last node without a
  // neighbour is a node of the next level as it is. Example: 5 chunks have 2, 1 and 1 merges.
  ISO_HOST_DEVICE std::int64_t merges(int level) const {
    return (chunks + (std::int64_t{1} << level) - 1) >> (level + 1);
  }
  // The nodes that a merge joins, by their first chunks.
  ISO_HOST_DEVICE static std::int64_t left_node(int level, std::int64_t merge) {
    return merge << (level + 1);
  }
  ISO_HOST_DEVICE static std::int64_t right_node(int level, std::int64_t merge) {
    return left_node(level, merge) + (std::int64_t{1} << level);
  }
};

}  // namespace iso
