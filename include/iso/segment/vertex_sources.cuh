// Two places that the vertices of chunks may be kept in, as vertex sources of segment lists.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/numeric/sums.hpp>
#include <iso/segment/records.cuh>
#include <iso/segment/segment_list.cuh>

namespace iso {

// Vertices written out, as in the paper: each chunk has a slot for the most vertices it can have, one more
// than its elements. Coordinates count from the chunk's start, so they may take fewer words than a row's, but
// are on the row's grid.
//
// Example: chunks of 2 elements, values 1 5 | 2 3. Slots of 3: chunk 0 has vertices at elements 0 1 2 with
// sums 0 1 6, chunk 1 the same with 0 2 5; start[1] is 6. Vertex 1 of chunk 1 is before element 3, with sum 8
// and weight 3.
template <class Sums, class ChunkSums = Sums>
struct slot_vertices {
  using sums = Sums;

  std::int64_t chunk_elements;
  int capacity;                  // of a slot
  const Sums* start;             // one a chunk: the sums of the elements before it
  const ChunkSums* at;           // slots
  const std::uint16_t* element;  // slots: counted from the chunk's first

  ISO_HOST_DEVICE point<Sums> vertex(std::int64_t chunk, int v) const {
    const std::int64_t i = chunk * capacity + v;
    point<Sums> p{chunk * chunk_elements + element[i],
                  {numeric::widen<decltype(Sums::s)::words>(at[i].s),
                   numeric::widen<decltype(Sums::w)::words>(at[i].w)}};
    p.at += start[chunk];
    return p;
  }
};

// Vertices as one bit an element, set where the point before it is a vertex, and the sums up to each lane: a
// sixteenth of the data or less. Coordinates are summed from the start of the vertex's lane, which are fewer
// than LaneElements elements. For rows of finite values.
//
// Example: lanes of 4 elements, bits 1001 0000 | 0100 1000 (element 0 first), two lanes a chunk: chunk 1 has
// vertices before its elements 1 and 4 and, as its last, at its end.
template <class T, bool Weighted, class Sums = large_sums<T, Weighted>, int Lanes = 32, int LaneElements = 32>
struct bit_vertices {
  using sums = Sums;
  static constexpr int chunk_elements = Lanes * LaneElements;

  std::int64_t length;
  const T* y;
  const T* w;  // null without weights
  numeric::grid on;
  const std::uint32_t* bits;  // one word a lane, Lanes a chunk
  const Sums* start;          // one a lane: the sums of the elements before it; one more for the row's end

  ISO_HOST_DEVICE int vertices(std::int64_t chunk) const {
    int count = 0;
    for (int lane = 0; lane < Lanes; ++lane) count += count_bits(bits[chunk * Lanes + lane]);
    return count > 0 ? count + 1 : 0;
  }

  ISO_HOST_DEVICE point<Sums> vertex(std::int64_t chunk, int v) const {
    for (std::int64_t lane = chunk * Lanes; lane < (chunk + 1) * Lanes; ++lane) {
      std::uint32_t rest = bits[lane];
      const int count = count_bits(rest);
      if (v >= count) {
        v -= count;
        continue;
      }
      for (; v > 0; --v) rest &= rest - 1;
      return point_before(lane, lane * LaneElements + lowest_bit(rest));
    }
    const std::int64_t end = (chunk + 1) * chunk_elements;
    if (end < length) return {end, start[(chunk + 1) * Lanes]};
    return {length, start[(length + LaneElements - 1) / LaneElements]};
  }

 private:
  ISO_HOST_DEVICE point<Sums> point_before(std::int64_t lane, std::int64_t element) const {
    point<Sums> p{element, start[lane]};
    p.at += numeric::sum_elements<T, Weighted, decltype(Sums::s)::words, decltype(Sums::w)::words>(
        y, w, lane * LaneElements, element, on);
    return p;
  }
};

}  // namespace iso
