// From the list of a row to the fit of its elements: paper, section 3.4 and corollary 4.5.
//
// Two steps. For each chunk, its ends: the segment it has left, if any, and the edges of the row's hull into
// and out of it, by bisection in the row's list. Then for each element the edge over it: one between two
// vertices of the segment, found by bisection, or the one into or out of it. The edge's slope is the fit.
//
// A chunk without a segment lies under one edge, which is both the edge into and the edge out of it. A chunk
// with a segment of one vertex has two, the one ending where the other begins.
//
// Elements without weight go with the pool on their left, and those at the start of a row with the first
// pool: a vertex is before the first element that has weight, so this is what the bisection over elements
// says by itself, if the first edge of the row is also the edge into its first chunk, and the last also the
// edge out of its last.
//
// Example, chunks of 4 elements and the list [0: elements 0 2   2: elements 9 12]: elements 0 1 | 2 .. 8 |
// 9 10 11 have an edge each. Chunk 0 has its own vertices at 0 and 2 and the edge out (2, 9), chunk 1 lies
// under it, chunk 2 has the edge into it (2, 9) and its own vertices at 9 and 12.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/numeric/quotient.hpp>
#include <iso/segment/bridge.cuh>
#include <iso/segment/list_bridge.cuh>
#include <iso/segment/reader.cuh>
#include <iso/segment/segment_list.cuh>

namespace iso {

// What the row's hull is over a chunk.
template <class Sums>
struct chunk_ends {
  bool any;      // the chunk has a segment
  segment kept;  // it
  edge_of<point<Sums>> in, out;
};

// The edge of a list that ends in, or begins with, a vertex. There must be one.
template <vertex_source Source>
ISO_HOST_DEVICE edge_of<point<typename Source::sums>> edge_into(const Source& source,
                                                                const segment_list& list,
                                                                const list_place& p) {
  return {point_at(source, list, list.before(p)), point_at(source, list, p)};
}
template <vertex_source Source>
ISO_HOST_DEVICE edge_of<point<typename Source::sums>> edge_from(const Source& source,
                                                                const segment_list& list,
                                                                const list_place& p) {
  return {point_at(source, list, p), point_at(source, list, list.after(p))};
}

// The ends of a chunk of a row whose list is `root`, which is not empty. By one thread; what chunks a row has
// is all that need be known of their order.
template <vertex_source Source>
ISO_HOST_DEVICE chunk_ends<typename Source::sums> ends_of_chunk(const Source& source,
                                                                const segment_list& root,
                                                                std::int64_t chunk) {
  // The first segment of this chunk or a later one.
  const std::int64_t i = halving{}.first(std::int64_t{0}, root.size, [&](std::int64_t k) {
    return static_cast<std::int64_t>(root.at[k].chunk) >= chunk;
  });
  chunk_ends<typename Source::sums> ends{};
  ends.any = i < root.size && static_cast<std::int64_t>(root.at[i].chunk) == chunk;
  if (i == root.size) {
    ends.in = ends.out = edge_into(source, root, root.last());
    return ends;
  }
  ends.in = i == 0 ? edge_from(source, root, root.first())
                   : edge_into(source, root, list_place{i, root.at[i].first});
  ends.out = ends.in;
  if (!ends.any) return ends;
  ends.kept = root.at[i];
  ends.out = i + 1 == root.size ? edge_into(source, root, root.last())
                                : edge_from(source, root, list_place{i, root.at[i].last});
  return ends;
}

// The edge over an element of a chunk, by the number of the element in the row. By one thread.
template <vertex_source Source>
ISO_HOST_DEVICE edge_of<point<typename Source::sums>> edge_over(const Source& source,
                                                                const chunk_ends<typename Source::sums>& ends,
                                                                std::int64_t element) {
  if (!ends.any) return ends.in;
  const auto chunk = static_cast<std::int64_t>(ends.kept.chunk);
  const int first = ends.kept.first, last = ends.kept.last;
  // The first vertex of the segment that is after the element's own left end, or one more than its last.
  const int right =
      halving{}.first(first, last + 1, [&](int v) { return source.vertex(chunk, v).element > element; });
  if (right == first) return ends.in;
  if (right > last) return ends.out;
  return {source.vertex(chunk, right - 1), source.vertex(chunk, right)};
}

// Whether an element starts the pool that the edge over it stands for. The row's first pool starts with the
// row, though elements without weight may come before its vertex.
template <class Sums>
ISO_HOST_DEVICE bool starts_pool(const edge_of<point<Sums>>& edge, std::int64_t element) {
  return element == (edge.left.at.w.is_zero() ? 0 : edge.left.element);
}

// The slope of an edge, correctly rounded once to T; `on` is the grid that the row's sums are on. It is +0 if
// it is zero.
template <class T, class Sums>
ISO_HOST_DEVICE T slope_of(const edge_of<point<Sums>>& edge, const numeric::grid& on) {
  const Sums sum = between(edge.left, edge.right);
  return numeric::rounded_mean<T>(sum.s, sum.w, on.mean_position());
}

}  // namespace iso
