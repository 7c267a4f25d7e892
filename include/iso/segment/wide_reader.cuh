// Reads the diagram of a row whose sums are too wide for the registers of a thread: they are spread over a
// warp, as in wide_tile.cuh.
//
// Records of such a row keep no coordinates, only which element a point is before; the coordinates of a point
// are summed up when they are asked for, from where its chunk begins. For that the sums up to the end of
// every chunk are stored, in the room of the chunk's list of points: within its group of chunks, but those at
// the end of a group within the row. So wide rows take no memory of their own.
//
// Example, groups of two chunks with sums 3 4 | 1 2 | 5: stored are 3 7 | 1 10 | 15. Chunk 3 begins at 7 + 1.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/segment/reader.cuh>
#include <iso/segment/records.cuh>
#include <iso/warp/spread_sums.cuh>

namespace iso {

template <class Warp, class Rows, class Space>
struct wide_reader;

// wide_reader::sum_before, compiled once for all who ask.
template <class Warp, class Rows, class Space>
[[gnu::noinline]] ISO_DEVICE auto wide_sum_before(const Warp& warp, const Rows& rows, const Space& at,
                                                  std::int64_t r, std::int64_t element) {
  return wide_reader<Warp, Rows, Space>::of(warp, rows, at, r).sum_before(element);
}

// The members are those of row_reader. All lanes of the warp call everything together and get the same.
//
// Space: as device::detail::workspace.
template <class Warp, class Rows, class Space>
struct wide_reader {
  using T = typename Rows::value_type;
  static constexpr bool weighted = Rows::weighted;
  using sums = warp::spread_sums<T, weighted, Warp>;
  using vertex = point<sums>;
  using kept = point<large_sums<T, weighted>>;  // of which the sums mean nothing
  static constexpr bool lists = false;

  Warp tile;
  const Rows& rows;
  const Space& space;
  std::int64_t row;
  row_state<T, weighted> state;
  row_facts facts;

  ISO_DEVICE static wide_reader of(const Warp& warp, const Rows& rows, const Space& at, std::int64_t r) {
    const auto state = at.of_row(r);
    return {warp, rows, at, r, state, row_facts::of<T, weighted>(*state.row, state.length)};
  }

  // The stored sums up to the end of chunk c.
  ISO_DEVICE std::uint64_t* end_words(std::int64_t c) const {
    static_assert(sums::words * sizeof(std::uint64_t) <= sizeof(chunk_points<T, weighted>));
    return reinterpret_cast<std::uint64_t*>(state.points + c);
  }
  // The chunk at the end of a group.
  ISO_DEVICE std::int64_t last_of_group(std::int64_t group) const {
    const std::int64_t end = (group + 1) * group_chunks;
    return (end < state.chunks ? end : state.chunks) - 1;
  }

  ISO_DEVICE sums start(std::int64_t c) const {
    if (c == 0) return sums::zero(tile);
    sums r = sums::load(tile, end_words(c - 1));
    const std::int64_t group = (c - 1) / group_chunks;
    if (group > 0 && c - 1 < last_of_group(group)) r += sums::load(tile, end_words(last_of_group(group - 1)));
    return r;
  }

  // The sums of the finite ones of the elements [begin, end), which are at most a chunk.
  ISO_DEVICE sums sum(std::int64_t begin, std::int64_t end) const {
    if (begin < facts.begin) begin = facts.begin;
    if (end > facts.end) end = facts.end;
    return warp::sum_elements<T, weighted>(
        tile, 0, static_cast<int>(end - begin), facts.on, [&](int i) { return rows.value(row, begin + i); },
        [&](int i) { return rows.weight(row, begin + i); });
  }

  // The sums of the finite elements before one.
  ISO_DEVICE sums sum_before(std::int64_t element) const {
    const std::int64_t c = element / chunk_elements;
    sums r = sum(state.chunk_begin(c), element);
    return r += start(c);
  }

  ISO_DEVICE vertex vertex_of(const kept& p) const {
    return {p.element, wide_sum_before(tile, rows, space, row, p.element)};
  }
  ISO_DEVICE kept kept_of(const vertex& p) const { return {p.element, {}}; }
  ISO_DEVICE kept recorded(const recorded_point<T, weighted>& p) const { return {p.element, {}}; }
  ISO_DEVICE kept at_start(std::int64_t, std::int64_t element) const { return {element, {}}; }
  ISO_DEVICE kept at(std::int64_t c, int element, const recorded_sums<T, weighted>&) const {
    return {state.chunk_begin(c) + element, {}};
  }

  ISO_DEVICE edge_of<kept> middle_edge(std::int64_t c, std::int64_t low, std::int64_t high) const {
    const std::int64_t begin = state.chunk_begin(c);
    const auto edge = edge_in_bits(tile, state.bits[c * 32 + tile.thread_rank()],
                                   static_cast<int>(low - begin), static_cast<int>(high - begin));
    return {{begin + edge.left, {}}, {begin + edge.right, {}}};
  }
};

}  // namespace iso
