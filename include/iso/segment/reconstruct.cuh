// From the bridges of a row's tree to the fit of a chunk: as chunk_plan.cuh tells, of the means of bridges
// and of the chunk's own pools.
//
// Where the list of a chunk's vertices is still there, it tells the pools' means, and no element is read.
#pragma once

#include <cstdint>

#include <iso/block/fit_tile.cuh>
#include <iso/block/row_tile.cuh>
#include <iso/block/wide_tile.cuh>
#include <iso/detail/config.hpp>
#include <iso/segment/chunk.cuh>
#include <iso/segment/chunk_plan.cuh>
#include <iso/segment/reader.cuh>
#include <iso/segment/records.cuh>

namespace iso {

// Whether the list of a chunk's vertices is still there. A wide row keeps other sums in its place. All lanes
// of the warp call.
template <class Tile, class T, bool Weighted>
ISO_DEVICE bool keeps_list(const Tile& tile, const ancestor_of_chunk<T, Weighted>& own,
                           const row_facts& facts) {
  const bool room = own.points + own.sharing <= chunk_points<T, Weighted>::capacity;
  return own.points > 0 && !facts.wide && tile.all(static_cast<int>(room)) != 0;
}

// What a lane has of a chunk's list: its vertex, or the last one, and of the chunk's masks its own.
template <class T, bool Weighted>
struct listed_vertex {
  recorded_sums<T, Weighted> at;
  int element;
  std::uint32_t bits;
};

template <class T, bool Weighted>
ISO_DEVICE listed_vertex<T, Weighted> vertex_of_lane(const row_state<T, Weighted>& state, int lane,
                                                     std::int64_t c, int points) {
  const auto& list = state.points[c];
  const int vertex = lane < points ? lane : points - 1;
  return {list.at[vertex], list.element[vertex], state.bits[c * chunk_lanes::value + lane]};
}

// As fit_own_pools, from the list of the chunk's vertices, of which there are `points`. All lanes of the warp
// call.
//
// The part that is not spanned by bridges begins and ends with a vertex: so each pool of the list is within
// it or not, and its first element starts a pool. A lane has the pool that ends in its vertex.
template <class Reader, class Memory>
ISO_DEVICE void fit_listed_pools(const Reader& reader, const Memory& s, tile_facts& facts, int points,
                                 const listed_vertex<typename Reader::T, Reader::weighted>& own) {
  using T = typename Reader::T;
  constexpr bool weighted = Reader::weighted;
  const auto& tile = reader.tile;
  const int lane = static_cast<int>(tile.thread_rank());
  const auto before = shuffled(own.at, [&](std::uint64_t word) { return tile.shfl_up(word, 1u); });
  const int begin = tile.shfl_up(own.element, 1u);
  const bool inside = lane > 0 && lane < points && begin >= facts.low && begin < facts.high;
  const unsigned pools = tile.ballot(static_cast<int>(inside));
  facts.listed = count_bits(pools);
  s.mask[lane] = own.bits & marks_of<T, weighted>(s, facts).part(lane);
  if (!inside) return;
  const auto sum = point_list<typename Reader::sums, weighted>::between(before, begin, own.at, own.element);
  auto mean = likely_mean_of<T>(sum, facts.on.mean_position());
  if (!mean.certain) mean.value = numeric::rounded_mean<T>(sum.s, sum.w, facts.on.mean_position());
  reinterpret_cast<T*>(s.list)[lane - lowest_bit(pools) + 1] = mean.value;  // pools count from 1
}

// The fit of the elements [facts.low, facts.high) of chunk c as its own pools, the rest of which may be a
// pool too: in the place of the values, or of the list, which facts.listed tells. All lanes of the warp call.
template <class Reader, class Storage>
ISO_DEVICE void fit_own_pools(const Reader& reader, Storage& storage, tile_facts& facts, std::int64_t c) {
  using T = typename Reader::T;
  constexpr bool weighted = Reader::weighted;
  const auto& tile = reader.tile;
  const int lane = static_cast<int>(tile.thread_rank());
  const auto s = storage.part(0, chunk_lanes::value);
  load_row_again(tile, s, reader.rows, reader.row, reader.state.chunk_begin(c), facts.count);
  s.mask[lane] =
      reader.state.bits[c * chunk_lanes::value + lane] & marks_of<T, weighted>(s, facts).part(lane);
  if (is_wide<T, weighted>(facts)) {
    return wide_fit<T, weighted>(tile, storage, 0, chunk_lanes::value, facts);
  }
  const auto listed = [&](const auto& v, const auto& list) {
    const int points = list_points(tile, v, lane, s.mask[lane], list);
    if (points > 0 && list_means<T>(tile, v, list, points) != nullptr) facts.listed = points - 1;
    return facts.listed > 0;
  };
  tile.sync();
  if (pools_are_level(tile, marks_of<T, weighted>(s, facts), lane)) return;
  if constexpr (tries_twofold<T, weighted, chunk_lane_elements>) {
    if (listed(marks_of<T, weighted>(s, facts), twofold_list_of<T, weighted>(s, facts))) return;
  }
  with_view<T, weighted>(s, facts, [&](const auto& v) {
    using sums = typename std::remove_cvref_t<decltype(v)>::sums;
    if (listed(v, list_of<sums>(s, 0))) return;
    fit_tile<T>(tile, v, chunk_lanes::value, T(0), s.carry);
  });
}

// Writes a chunk as it is planned, from the fit of its own pools. All lanes of the warp call.
//
// Elements that bridges span are pools too: where all means are listed they come before the first start, or
// from a start on that is set for them.
template <class Reader, class Memory>
ISO_DEVICE void store_chunk(const Reader& reader, const Memory& s, const tile_facts& facts, std::int64_t c,
                            const chunk_fit<typename Reader::T>& fit) {
  using T = typename Reader::T;
  using f = numeric::format<T>;
  const auto& tile = reader.tile;
  const auto& rows = reader.rows;
  const auto v = marks_of<T, Reader::weighted>(s, facts);
  const std::int64_t begin = reader.state.chunk_begin(c), r = reader.row;
  const int lane = static_cast<int>(tile.thread_rank()), count = facts.count;
  const bool after = fit.high < count;
  if (facts.listed > 0) {
    tile.sync();
    if (lane == 0 && after) s.mask[fit.high / chunk_lane_elements] |= 1u << fit.high % chunk_lane_elements;
    tile.sync();
    count_pools(tile, v, s.scratch);
    T* const means = reinterpret_cast<T*>(s.list);
    if (fit.begin == 0 && fit.end == count) {
      if (lane == 0 && fit.low > 0) means[0] = fit.left;
      if (lane == 0 && after) means[facts.listed + 1] = fit.right;
      tile.sync();
      return store_listed<T>(tile, s, facts.listed + (after ? 1 : 0), rows, r, begin, count);
    }
    spread_means(tile, v, means, s.scratch);
  }
  T* const y = v.e.y;
  for (int i = lane; i < fit.low; i += chunk_lanes::value) {
    y[v.e.at(i)] = i < fit.begin ? f::infinity(true) : fit.left;
  }
  for (int i = fit.high + lane; i < count; i += chunk_lanes::value) {
    y[v.e.at(i)] = i < fit.end ? fit.right : f::infinity(false);
  }
  tile.sync();
  rows.store(r, begin, count, lane, chunk_lanes::value, [&](int i) { return rows.finished(y[v.e.at(i)]); });
}

// Writes the fit of chunk c; each lane brings the ancestor that it has. All lanes of the warp call.
template <class Reader, class Space, class Storage>
ISO_DEVICE void fit_chunk(const Reader& reader, const Space& space, Storage& storage, std::int64_t c,
                          const ancestor_of_chunk<typename Reader::T, Reader::weighted>& own) {
  using T = typename Reader::T;
  const auto& state = reader.state;
  const auto& rows = reader.rows;
  const std::int64_t begin = state.chunk_begin(c), r = reader.row;
  const int count = static_cast<int>(state.chunk_end(c) - begin);
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const finite_range finite = finite_part(reader);
  bool listed = false;
  listed_vertex<T, Reader::weighted> vertex{};
  numeric::grid on{};
  const auto ask = [&](int low, int high) {
    if (low >= high) return;
    on = state.chunk[c].on;
    listed = keeps_list(reader.tile, own, reader.facts);
    if (listed) vertex = vertex_of_lane(state, lane, c, own.points);
  };
  const chunk_fit<T> fit = plan_chunk(reader, finite, c, own, ask, [&](std::int64_t boundary) {
    return exact_mean_of_bridge(reader.tile, rows, space, r, boundary);
  });

  const auto s = storage.part(0, chunk_lanes::value);
  tile_facts facts{row_status::ok, false, count, fit.low, fit.high, on};
  std::uint32_t bits = 0;
  if (fit.low < fit.high) {
    if (listed) {
      fit_listed_pools(reader, s, facts, own.points, vertex);
    } else {
      fit_own_pools(reader, storage, facts, c);
    }
    reader.tile.sync();
    bits = s.mask[lane];
  }
  const bool within = fit.begin == 0 && fit.end == count;
  if (within && (fit.low == fit.end || fit.high == fit.begin)) {  // one pool
    const T value = rows.finished(fit.low == fit.end ? fit.left : fit.right);
    rows.store(r, begin, count, lane, chunk_lanes::value, [value](int) { return value; });
  } else {
    store_chunk(reader, s, facts, c, fit);
  }
  if (rows.pools == nullptr) return;
  const auto mark = [&](std::int64_t element) {
    const int i = position_in_chunk(element, begin, count);
    if (i >= 0 && i < count && i / 32 == lane) bits |= 1u << i % 32;
  };
  if (fit.starts_right && fit.high < fit.end) mark(begin + fit.high);
  if (finite.begin > 0) mark(0);
  if (finite.end < state.length) mark(finite.end);
  if (32 * lane < count) rows.pools[r * pool_words(state.length) + (begin / 32 + lane)] = bits;
}

// Writes chunk c of a row that cannot be fitted. All lanes of the warp call.
template <class Reader>
ISO_DEVICE void blank_chunk(const Reader& reader, std::int64_t c) {
  const auto& state = reader.state;
  const int lane = static_cast<int>(reader.tile.thread_rank());
  const auto count = static_cast<int>(state.chunk_end(c) - state.chunk_begin(c));
  reader.rows.store(reader.row, state.chunk_begin(c), count, lane, chunk_lanes::value,
                    [](int) { return numeric::format<typename Reader::T>::nan(); });
  const std::int64_t word = state.chunk_begin(c) / 32 + lane;
  if (reader.rows.pools != nullptr && 32 * word < state.chunk_end(c)) {
    reader.rows.pools[reader.row * pool_words(state.length) + word] = 0;
  }
}

}  // namespace iso
