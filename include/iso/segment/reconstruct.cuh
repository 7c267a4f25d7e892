// From the bridges of a row's tree to the fit of a chunk: paper, section 3.4.
//
// An element takes the mean of the topmost bridge above its chunk that spans it, and else that of its pool
// within the chunk. A bridge at a node where the chunk is on the left spans the elements from the bridge's
// left end on, one where the chunk is on the right those before its right end. Bridges do not cross, so at
// most one of either kind counts for a chunk: the topmost one that reaches into it.
//
// Example: of three nested nodes the lowest has a bridge over the elements [900, 1100), the middle one over
// [500, 3000) and the topmost over [4000, 5000). Chunk 0 keeps its own pools up to element 500, and from
// there on has the mean of the middle node's bridge; chunk 1 is all of that mean.
//
// Where the list of a chunk's vertices is still there, it tells the pools' means, and no element is read.
#pragma once

#include <cstdint>

#include <iso/block/fit_tile.cuh>
#include <iso/block/row_tile.cuh>
#include <iso/block/wide_tile.cuh>
#include <iso/detail/config.hpp>
#include <iso/lane/weighted_pool.cuh>
#include <iso/numeric/likely_mean.hpp>
#include <iso/segment/bridge.cuh>
#include <iso/segment/chain.cuh>
#include <iso/segment/chunk.cuh>
#include <iso/segment/reader.cuh>
#include <iso/segment/records.cuh>
#include <iso/segment/wide_reader.cuh>

namespace iso {

// The elements of a row that are finite in its fit: those before are -infinity, those after +infinity.
struct finite_range {
  std::int64_t begin, end;
};

// How a chunk's finite elements [begin, end) are to be fitted: those before `low` with one mean, those from
// `high` on with another, and those between as the chunk's own pools. Positions count from the chunk's first
// element.
template <class T>
struct chunk_fit {
  int begin, low, high, end;
  T left, right;
  bool starts_right;  // the pool of the elements from `high` on starts there
};

// What a lane knows of one ancestor of a chunk: lane j of the one at level j, if the tree has it. All that
// the fit asks of the tree is read at once, before anything is made of it.
template <class T, bool Weighted>
struct ancestor_of_chunk {
  std::int64_t boundary;
  bool joined;  // there is a bridge
  int points;   // vertices in the chunk's list
  int sharing;  // and in a list of the ancestor's in the same room
  recorded_point<T, Weighted> left, right;
};

template <class T, bool Weighted>
ISO_DEVICE ancestor_of_chunk<T, Weighted> ancestor_of_lane(const row_state<T, Weighted>& state, int lane,
                                                           std::int64_t c) {
  const std::int64_t boundary = hull_tree::ancestor(c, lane);
  const bool exists = boundary > 0 && boundary < state.chunks;  // beyond the root none is
  const auto& node = state.node[exists ? boundary : c > 0 ? c : 1];
  const bool joined = exists & (node.is == node.joined);
  const bool shares = exists & (hull_tree::first_chunk(boundary) == c);
  return {boundary,         joined,           state.chunk[c].points, shares ? node.points : 0,
          node.bridge_left, node.bridge_right};
}

// Elements without weight after -infinity are infinite too. Of a row without infinities nothing is read.
template <class Reader>
ISO_DEVICE finite_range finite_part(const Reader& reader) {
  const row_facts& facts = reader.facts;
  if (facts.begin == 0 && facts.end == reader.state.length) return {0, facts.end};
  const std::int64_t root = hull_tree{reader.state.chunks}.root().at;
  const auto& node = reader.state.node[root];
  if (node.is == node.dead) {
    const std::int64_t nothing = facts.begin > 0 ? facts.end : 0;
    return {nothing, nothing};
  }
  if (facts.begin == 0) return {0, facts.end};
  if constexpr (Reader::lists) {
    if (node.points > 0) {
      return {reader.listed(hull_tree::first_chunk(root), node.points, 0).element, facts.end};
    }
  }
  return {node.begin, facts.end};
}

// The mean of the elements that the bridge at boundary c spans. All lanes of the warp call.
template <class Reader>
ISO_DEVICE typename Reader::T exact_mean(const Reader& reader, std::int64_t c) {
  using numeric::rounded_mean;
  const auto& node = reader.state.node[c];
  const auto sum = between(reader.vertex_of(reader.recorded(node.bridge_left)),
                           reader.vertex_of(reader.recorded(node.bridge_right)));
  return rounded_mean<typename Reader::T>(sum.s, sum.w, reader.facts.on.mean_position());
}

// The same of row r, wide or not, out of the way of the usual means.
template <class Warp, class Rows, class Space>
[[gnu::noinline]] ISO_DEVICE typename Rows::value_type exact_mean_of_bridge(const Warp warp, const Rows& rows,
                                                                            const Space& at, std::int64_t r,
                                                                            std::int64_t c) {
  return with_reader(warp, rows, at, r, [&](const auto& reader) {
    if (reader.facts.wide) return exact_mean(wide_reader<Warp, Rows, Space>::of(warp, rows, at, r), c);
    return exact_mean(reader, c);
  });
}

// A mean in floating point, if that is certain.
template <class T, class Sums>
ISO_DEVICE numeric::likely<T> likely_mean_of(const Sums& sum, int position) {
  if constexpr (numeric::format<T>::digits == 53) {
    return twofold_mean(sum.s, sum.w, position);
  } else {
    return numeric::likely_mean<T>(sum.s, sum.w, position);
  }
}

// The same of a lane's ancestor, if there is a bridge.
template <class T, bool Weighted>
ISO_DEVICE numeric::likely<T> likely_mean_of_bridge(const ancestor_of_chunk<T, Weighted>& own,
                                                    const row_facts& facts) {
  if (!own.joined || facts.wide) return {T(0), false};
  return likely_mean_of<T>(between(own.left, own.right), facts.on.mean_position());
}

// The position in a chunk of `count` elements from `begin` on; -1 before them, `count` after them.
ISO_HOST_DEVICE inline int position_in_chunk(std::int64_t element, std::int64_t begin, int count) {
  return element < begin ? -1 : element - begin < count ? static_cast<int>(element - begin) : count;
}

// `exact_mean` is called for a boundary, and gives the mean of its bridge. ask(low, high) is called as soon
// as these are known, before the means are. All lanes of the warp call and get the same.
template <class Reader, class Ask, class ExactMean>
ISO_DEVICE chunk_fit<typename Reader::T> plan_chunk(
    const Reader& reader, const finite_range& finite, std::int64_t c,
    const ancestor_of_chunk<typename Reader::T, Reader::weighted>& own, const Ask& ask,
    const ExactMean& exact_mean) {
  using T = typename Reader::T;
  const auto& tile = reader.tile;
  const std::int64_t chunk_begin = reader.state.chunk_begin(c);
  const auto count = static_cast<int>(reader.state.chunk_end(c) - chunk_begin);
  const auto position = [=](std::int64_t i) { return position_in_chunk(i, chunk_begin, count); };
  const int begin = finite.begin > chunk_begin ? position(finite.begin) : 0, end = position(finite.end);
  if (begin >= end) return {begin, begin, begin, begin, T(0), T(0), false};

  const int left = position(own.left.element), right = position(own.right.element);
  const unsigned rights = tile.ballot(own.joined & (c < own.boundary) & (left < end));
  const unsigned lefts = tile.ballot(own.joined & (c >= own.boundary) & (right > begin));
  const int top_right = rights != 0 ? highest_bit(rights) : -1;
  const int top_left = lefts != 0 ? highest_bit(lefts) : -1;
  chunk_fit<T> fit{begin, begin, end, end, T(0), T(0), false};
  const int high = tile.shfl(left, top_right & 31), low = tile.shfl(right, top_left & 31);
  if (top_right >= 0) {
    fit.high = high > begin ? high : begin;
    fit.starts_right = high >= begin;
  }
  if (top_left >= 0) fit.low = low < end ? low : end;
  // One that spans the whole chunk hides those below.
  if (top_right > top_left && fit.high == begin) fit.low = begin;
  if (top_left > top_right && fit.low == end) fit.high = end;

  ask(fit.low, fit.high);
  const auto likely = likely_mean_of_bridge(own, reader.facts);
  const unsigned certain = tile.ballot(static_cast<int>(likely.certain));
  const auto mean_of = [&](int level) {
    const T mean = tile.shfl(likely.value, level);
    return (certain >> level & 1u) != 0 ? mean : exact_mean(hull_tree::ancestor(c, level));
  };
  if (fit.low > begin) fit.left = mean_of(top_left);
  if (fit.high < end) fit.right = mean_of(top_right);
  return fit;
}

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
