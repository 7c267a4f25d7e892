// What the bridges of a row's tree leave of a chunk: paper, section 3.4.
//
// An element takes the mean of the topmost bridge above its chunk that spans it, and else that of its pool
// within the chunk. A bridge at a node where the chunk is on the left spans the elements from the bridge's
// left end on, one where the chunk is on the right those before its right end. Bridges do not cross, so at
// most one of either kind counts for a chunk: the topmost one that reaches into it.
//
// Example: of three nested nodes the lowest has a bridge over the elements [900, 1100), the middle one over
// [500, 3000) and the topmost over [4000, 5000). Chunk 0 keeps its own pools up to element 500, and from
// there on has the mean of the middle node's bridge; chunk 1 is all of that mean.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/weighted_pool.cuh>
#include <iso/numeric/likely_mean.hpp>
#include <iso/segment/bridge.cuh>
#include <iso/segment/reader.cuh>
#include <iso/segment/records.cuh>

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

// The mean of the elements that the bridge at boundary c of row r spans, out of the way of the usual means.
// All lanes of the warp call.
template <class Warp, class Rows, class Space>
[[gnu::noinline]] ISO_DEVICE typename Rows::value_type exact_mean_of_bridge(const Warp warp, const Rows& rows,
                                                                            const Space& at, std::int64_t r,
                                                                            std::int64_t c) {
  return with_reader(warp, rows, at, r, [&](const auto& reader) {
    if (reader.facts.wide) return reader.state.node[c].kept_mean();
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

}  // namespace iso
