// The device memory that long rows need.
#pragma once

#include <cstddef>
#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/device/tuning.cuh>
#include <iso/options.hpp>
#include <iso/segment/records.cuh>

namespace iso::device::detail {

// The arrays of all rows, each array for all rows together. Built with a null pointer it tells the size
// alone: for a chunk, 1024 elements, 980 bytes of floats, 1620 of doubles and 2580 with weights; 8 more where
// chunks are looked at. Most are the lists of vertices.
template <class T, bool Weighted>
struct workspace {
  static constexpr bool weighted = Weighted;
  using sums = recorded_sums<T, Weighted>;

  std::int64_t length, chunks, groups;
  // Zero before the first kernel.
  row_record* row;
  std::uint32_t* arrived;
  std::size_t zeroed_bytes;
  // Not.
  chunk_record<T, Weighted>* chunk;
  chunk_points<T, Weighted>* points;
  std::uint32_t* bits;
  sums* start;
  sums* group_start;
  node_record<T, Weighted>* node;
  // Of rows whose chunks are looked at before they are hulled, else null: how far each sags, bounds of the
  // hull at the beginnings of groups and the row's end, with weights room for the places of these, and the
  // chunks of all rows that are to be hulled; the same as a bit each, in words of word_chunks, a row at a
  // time.
  float* sag;
  double* bound;
  double* place;
  std::uint32_t* chosen;
  std::uint32_t* chosen_bits;
  std::uint32_t* chosen_count;
  std::size_t bytes;

  // `looked_chunks`: from so many a row on they are looked at.
  workspace(shape size, std::byte* memory,
            std::int64_t looked_chunks = 4 * block_sizes.looked_chunks / (sizeof(T) * (Weighted ? 2 : 1)))
      : length(size.length),
        chunks((size.length + chunk_elements - 1) / chunk_elements),
        groups((chunks + group_chunks - 1) / group_chunks),
        bytes(0) {
    const auto take = [&](auto*& array, std::int64_t count) {
      array = memory == nullptr ? nullptr
                                : reinterpret_cast<std::remove_reference_t<decltype(array)>>(memory + bytes);
      bytes += (static_cast<std::size_t>(count) * sizeof(*array) + 255) / 256 * 256;
    };
    const std::int64_t all = size.rows * chunks;
    take(row, size.rows);
    take(arrived, all);
    const bool looks = chunks >= looked_chunks;
    take(chosen_count, looks ? 1 : 0);
    zeroed_bytes = bytes;
    take(chunk, all);
    take(points, all);
    take(bits, all * (chunk_elements / 32));
    take(start, all);
    take(group_start, size.rows * (groups + 1));
    take(node, all);
    take(sag, looks ? all : 0);
    take(bound, looks ? size.rows * (groups + 1) : 0);
    take(place, looks && Weighted ? size.rows * (groups + 1) : 0);
    take(chosen, looks ? all : 0);
    take(chosen_bits, looks ? word_place(size.rows, 0) : 0);
    if (!looks) chosen = nullptr;
  }

  // The word of chosen_bits that has chunk c of row r.
  ISO_HOST_DEVICE std::int64_t word_place(std::int64_t r, std::int64_t c) const {
    return r * ((chunks + word_chunks - 1) / word_chunks) + c / word_chunks;
  }

  ISO_HOST_DEVICE row_state<T, Weighted> of_row(std::int64_t r) const {
    const std::int64_t first = r * chunks;
    return {length,         chunks,
            row + r,        chunk + first,
            points + first, bits + first * (chunk_elements / 32),
            start + first,  group_start + r * (groups + 1),
            node + first,   arrived + first};
  }
};

}  // namespace iso::device::detail
