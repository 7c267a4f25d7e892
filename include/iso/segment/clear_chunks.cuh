// Chunks of a long row that its hull passes by, told without their own hulls.
//
// The sums of a row wander: where data are noise about a curve that changes little over some chunks, nearly
// all points of the diagram are far above its hull. A look at a chunk (see chunk_look.cuh) finds its sum, and
// how far its points sag below its chord, the line from its first point to its end. Where the chord is
// further above the hull than that, no point of the chunk is a vertex, and the chord does for its hull.
//
// The row's hull is not known then, but bounds from above are: it is below every point, and convex, so half
// way between two places it is below the mean of what bounds it there. The sums at chunks' beginnings,
// lowered to such means again and again, bound it: within groups of chunks, and over the beginnings of
// groups.
//
// Doubles do for all this, in parts of a power of two that no sum of the row exceeds. A bound has been
// rounded less than 2^9 times, by 2^-52 or less: 2^-42 covers that.
//
// Example: in a row of 10^8 values of noise some 300 of the 97657 chunks are left to be hulled.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/numeric/integer.hpp>
#include <iso/segment/chunk.cuh>
#include <iso/segment/chunk_look.cuh>
#include <iso/segment/records.cuh>

namespace iso {

// Lowers bounds of a convex function at the places 0, 1, ..., last - 1, last - 1 + tail, for 0 < tail <= 1:
// each to what those as far left and right of it allow; the end only for the place before it if it is nearer.
// All threads of the block call.
template <class Block>
ISO_DEVICE void lower_bounds(const Block& block, double* bound, int last, double tail) {
  const int threads = static_cast<int>(block.num_threads()), rank = static_cast<int>(block.thread_rank());
  const bool even = tail == 1;
  const double end_share = even ? 0.5 : 1 / (1 + tail);  // of the end for the place before it
  const auto lower = [&](int level) {
    const int apart = 1 << level;
    // Those at odd multiples of `apart`, then those at even ones: nobody reads what another one writes.
    for (int half = 1; half >= 0; --half) {
      block.sync();
      for (int j = rank;; j += threads) {
        const int i = (2 * (j >> level) + 2 - half) * apart + (j & (apart - 1));
        if (i > last - apart) break;
        if (i + apart == last && !even && apart > 1) continue;
        const double share = i + apart < last ? 0.5 : end_share;
        const double mean = bound[i - apart] + (bound[i + apart] - bound[i - apart]) * share;
        if (mean < bound[i]) bound[i] = mean;
      }
    }
  };
  const int levels = numeric::bit_length(static_cast<std::uint64_t>(last)) - 1;  // 2^levels <= last
  for (int level = levels - 1; level > 0; --level) lower(level);
  for (int level = 0; level < levels - 1; ++level) lower(level);
  for (int level = levels - 1; level >= 0; --level) lower(level);
  block.sync();
}

// Bounds while a thread block lowers them.
struct shared_bounds {
  static constexpr int room = 1024;
  static_assert(room > group_chunks);

  double at[room];
};

// Whether looks at a row's chunks tell which of them are clear of its hull: not where some were left out, nor
// where infinite elements have places in front of the hull, or after it, that are no points of the diagram.
ISO_HOST_DEVICE inline bool looks_tell(const row_record& row, const row_facts& facts, std::int64_t length) {
  return row.unseen == 0 && !facts.wide && facts.begin == 0 && facts.end == length;
}

// Of a row that has been looked at: sums in parts of a power of two that none exceeds.
struct sum_scale {
  int bits;

  ISO_HOST_DEVICE static sum_scale of(const row_facts& facts, std::int64_t length) {
    return {facts.on.products.bits() + numeric::bit_length(static_cast<std::uint64_t>(length))};
  }
  template <int N>
  ISO_HOST_DEVICE double parts(const numeric::integer<N>& sum) const {
    return numeric::approximate(sum, bits);
  }
  // Whether a chunk with chord `above` the hull's bounds is clear of the hull.
  ISO_HOST_DEVICE bool clears(double above, float sag, const numeric::grid& of,
                              const numeric::grid& row) const {
    if (sag > 0 && !(sag < chunk_sag::any)) return false;
    const double unit = numeric::about_power_of_two(of.products.high - row.products.unit() - bits);
    return above > (sag > 0 ? sag * unit : 0) + 0x1p-42;
  }
};

// Where the sums of a group's chunks are known: notes which of them are clear of the hull of the group's own
// chunks. `bound` has room for group_chunks + 1. All threads of the block call, at least one a chunk.
template <class Block, class Space>
ISO_DEVICE void clear_group(const Block& block, const Space& at, std::int64_t r, const row_facts& facts,
                            std::int64_t group, double* bound) {
  const auto state = at.of_row(r);
  const auto scale = sum_scale::of(facts, at.length);
  const std::int64_t first = group * group_chunks, left = at.chunks - first;
  const auto count = static_cast<int>(left < group_chunks ? left : std::int64_t{group_chunks});
  const auto i = static_cast<int>(block.thread_rank());
  const std::int64_t c = first + i;
  block.sync();
  double begin = 0, end = 0;
  if (i < count) {
    begin = scale.parts(state.start[c]);
    end = scale.parts(i + 1 < count ? state.start[c + 1] : state.group_start[group]);
    bound[i] = begin;
    if (i + 1 == count) bound[count] = end;
  }
  const auto tail =
      static_cast<double>(state.chunk_end(first + count - 1) - state.chunk_begin(first + count - 1));
  lower_bounds(block, bound, count, tail / chunk_elements);
  if (i >= count) return;
  const double above = begin - bound[i] < end - bound[i + 1] ? begin - bound[i] : end - bound[i + 1];
  float& sag = at.sag[r * at.chunks + c];
  if (scale.clears(above, sag, state.chunk[c].on, facts.on)) sag = chunk_sag::none;
}

// Where the sums of a row's groups are known: bounds of its hull at their beginnings. They are found in
// shared memory if they have room there. All threads of the block call.
template <class Block, class Space>
ISO_DEVICE void bound_groups(const Block& block, const Space& at, std::int64_t r, const row_facts& facts,
                             shared_bounds& shared) {
  const auto state = at.of_row(r);
  const auto scale = sum_scale::of(facts, at.length);
  double* const kept = at.bound + r * (at.groups + 1);
  double* const bound = at.groups < shared_bounds::room ? shared.at : kept;
  block.sync();
  for (auto i = static_cast<std::int64_t>(block.thread_rank()); i <= at.groups; i += block.num_threads()) {
    bound[i] = scale.parts(state.group_start[i]);
  }
  const std::int64_t group_elements = std::int64_t{group_chunks} * chunk_elements;
  const auto tail = static_cast<double>(at.length - (at.groups - 1) * group_elements);
  lower_bounds(block, bound, static_cast<int>(at.groups), tail / static_cast<double>(group_elements));
  if (bound == kept) return;
  for (auto i = static_cast<std::int64_t>(block.thread_rank()); i <= at.groups; i += block.num_threads()) {
    kept[i] = bound[i];
  }
}

// Whether the hull of the row passes by chunk c, after all that.
template <class Space>
ISO_DEVICE bool is_clear(const Space& at, std::int64_t r, const row_facts& facts, std::int64_t c) {
  const float sag = at.sag[r * at.chunks + c];
  if (sag == chunk_sag::none) return true;
  const auto state = at.of_row(r);
  const auto scale = sum_scale::of(facts, at.length);
  const std::int64_t group = c / group_chunks, first = group * group_chunks;
  const std::int64_t group_end = first + group_chunks < at.chunks ? first + group_chunks : at.chunks;
  const double* const bound = at.bound + r * (at.groups + 1) + group;
  const std::int64_t group_begin = state.chunk_begin(first);
  const auto width = static_cast<double>(state.chunk_end(group_end - 1) - group_begin);
  const auto above = [&](const auto& sum, std::int64_t element) {
    const double share = static_cast<double>(element - group_begin) / width;
    return scale.parts(sum) - (bound[0] + (bound[1] - bound[0]) * share);
  };
  auto begin = state.start[c], end = state.group_start[group + 1];
  begin += state.group_start[group];
  if (c + 1 < group_end) {
    end = state.start[c + 1];
    end += state.group_start[group];
  }
  const double left = above(begin, state.chunk_begin(c)), right = above(end, state.chunk_end(c));
  return scale.clears(left < right ? left : right, sag, state.chunk[c].on, facts.on);
}

// Fills in what a chunk's record says of its hull, and the list of that, as if it were its chord. Nobody asks
// for its bits. One lane calls.
template <class T>
ISO_DEVICE void describe_chord(chunk_record<T, false>& record, chunk_points<T, false>& list) {
  using sums = recorded_sums<T, false>;
  record.start = record.last_but_one = 0;
  record.second = record.high;
  record.points = 2;
  record.at_last_but_one = sums::zero();
  record.at_second = record.total;
  list.element[0] = 0;
  list.at[0] = sums::zero();
  list.element[1] = record.high;
  list.at[1] = record.total;
}

// Chooses the chunks of row r that are to be hulled, of word_chunks from a multiple of them on, a chunk c a
// lane: returns a bit each. Others are described if they are in no clear_block. All lanes of the warp call.
template <class Warp, class Space>
ISO_DEVICE std::uint32_t choose_of_word(const Warp& warp, const Space& at, std::int64_t r,
                                        const row_facts& facts, std::int64_t c) {
  const int lane = static_cast<int>(warp.thread_rank());
  const bool exists = c < at.chunks;
  const bool clear = exists && at.row[r].summed != 0 && is_clear(at, r, facts, c);
  const std::uint32_t others = ~warp.ballot(static_cast<int>(clear));
  if (lane == 0 && exists) at.chosen_bits[at.word_place(r, c)] = others;
  const std::int64_t g = r * at.chunks + c;
  if (clear && (others >> (lane ^ 1) & 1u) != 0) describe_chord(at.chunk[g], at.points[g]);
  return warp.ballot(static_cast<int>(exists && !clear));
}

}  // namespace iso
