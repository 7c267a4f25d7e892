// Vertices as the controls keep them: 12 bytes each, as in the paper. The element of the row that a vertex is
// before, and the sum of its chunk's elements before it, in units of the chunk's own grid.
//
// A chunk's slot has room for one vertex more than the chunk has elements. In it the last vertex is at the
// chunk's end, and its sum is the whole chunk's. A vertex that is copied to a flat array must be understood
// without its slot: there the element says which chunk it counts from, and so the last vertex of a chunk is
// the beginning of the next one, with a sum of 0; only the end of a row that ends within a chunk counts from
// that chunk.
//
// Example, chunks of 4 elements of 1 each: the vertex at the end of the first is {4, 4} in its slot and
// {4, 0} in a flat array, where 4 / 4 = 1 is the chunk.
#pragma once

#include <cstdint>
#include <type_traits>

#include <iso/detail/config.hpp>
#include <iso/segment/records.cuh>

#include "turns.cuh"

namespace bench::controls {

// Arrays of the two parts, of rows of less than 2^32 elements.
struct kept_vertices {
  std::uint32_t* element;
  std::int64_t* sum;

  ISO_HOST_DEVICE void copy(std::int64_t to, const kept_vertices& from, std::int64_t at) const {
    element[to] = from.element[at];
    sum[to] = from.sum[at];
  }
};

// Where chunks begin. Arrays have one entry a chunk and one for the row's end; chunk c has the elements from
// c << chunk_bits on.
struct chunk_starts {
  int chunk_bits;
  const iso::numeric::integer<2>* sum;  // of the elements before the chunk, in units of the row's grid
  const std::int32_t* shift;            // the chunk's unit is 2^shift of the row's
  const double *sum_in_double, *unit_in_double;  // the same rounded, of plain_sums alone

  // A vertex that counts from `chunk`.
  template <class Sums>
  ISO_HOST_DEVICE iso::point<Sums> point(std::int64_t chunk, std::uint32_t element, std::int64_t own) const {
    iso::point<Sums> p;
    p.element = element;
    if constexpr (std::is_same_v<Sums, plain_sums>) {
      p.at = {sum_in_double[chunk] + static_cast<double>(own) * unit_in_double[chunk],
              static_cast<double>(element)};
    } else {
      p.at.s = iso::numeric::integer<2>::from(own);
      iso::raise_units(p.at.s, shift[chunk]);
      p.at.s += sum[chunk];
      p.at.w = iso::numeric::integer<1>::from(element);
    }
    return p;
  }
};

// Slots, as a vertex source of segment lists.
template <class Sums>
struct slot_source {
  using sums = Sums;

  chunk_starts starts;
  kept_vertices at;
  int capacity;  // of a slot

  ISO_HOST_DEVICE iso::point<Sums> vertex(std::int64_t chunk, int v) const {
    const std::int64_t i = chunk * capacity + v;
    return starts.point<Sums>(chunk, at.element[i], at.sum[i]);
  }
};

// A flat array.
template <class Sums>
struct flat_source {
  using sums = Sums;

  chunk_starts starts;
  kept_vertices at;

  ISO_HOST_DEVICE iso::point<Sums> operator()(std::int64_t i) const {
    const std::uint32_t element = at.element[i];
    return starts.point<Sums>(element >> starts.chunk_bits, element, at.sum[i]);
  }
};

// Vertex v of the last + 1 of a chunk's slot, as a flat array has it.
ISO_HOST_DEVICE inline void flatten(const kept_vertices& to, const kept_vertices& slots, std::int64_t i,
                                    int chunk_bits, bool last) {
  to.copy(i, slots, i);
  if (last && (to.element[i] & ((1u << chunk_bits) - 1)) == 0) to.sum[i] = 0;
}

}  // namespace bench::controls
