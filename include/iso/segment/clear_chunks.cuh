// Chunks of a long row that its hull passes by, told without their own hulls.
//
// The sums of a row wander: where data are noise about a curve that changes little over some chunks, nearly
// all points of the diagram are far above its hull. A look at a chunk (see chunk_look.cuh) finds its sum, and
// how far its points sag below its chord, the line from its first point to its end. Where the chord is
// further above the hull than that, no point of the chunk is a vertex, and the chord does for its hull.
//
// The row's hull is not known then, but bounds from above are: it is below every point, and convex, so
// between two places it is below what the line between the bounds there has. The sums at chunks' beginnings,
// lowered to such lines again and again, bound it: within groups of chunks, and over the beginnings of
// groups.
//
// Doubles do for all this, in parts of a power of two that no sum of the row exceeds. A bound has been
// rounded less than 2^9 times, by 2^-52 or less: 2^-42 covers that. With weights what counts is how far a
// place is on the way between two others, which are apart by more than 2^-12 of all: rounded by less than
// 2^-36.9, times a difference of less than 2 of bounds, less than 100 times. 2^-29 covers that.
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

// The places 0, 1, ..., last - 1, last - 1 + tail, for 0 < tail <= 1, of bounds.
struct even_places {
  int last;
  double tail;

  // How far place i is on the way from the place `apart` before it to the one as far after it; negative if
  // the line between these is not to be used: that to the end only for the place before it, if it is nearer.
  ISO_HOST_DEVICE double share(int i, int apart) const {
    if (i + apart < last || tail == 1) return 0.5;
    return apart == 1 ? 1 / (1 + tail) : -1;
  }
};

// Places 0 to `last` as they have been told.
struct uneven_places {
  const double* at;
  int last;

  ISO_HOST_DEVICE double share(int i, int apart) const {
    const double way = at[i + apart] - at[i - apart];
    return way > (at[last] - at[0]) * 0x1p-12 ? (at[i] - at[i - apart]) / way : -1;
  }
};

// Lowers bounds of a convex function at the places 0 to last: each to what those as many places left and
// right of it allow. All threads of the block call.
template <class Block, class Places>
ISO_DEVICE void lower_bounds(const Block& block, double* bound, int last, const Places& places) {
  const int threads = static_cast<int>(block.num_threads()), rank = static_cast<int>(block.thread_rank());
  const auto lower = [&](int level) {
    const int apart = 1 << level;
    // Those at odd multiples of `apart`, then those at even ones: nobody reads what another one writes.
    for (int half = 1; half >= 0; --half) {
      block.sync();
      for (int j = rank;; j += threads) {
        const int i = (2 * (j >> level) + 2 - half) * apart + (j & (apart - 1));
        if (i > last - apart) break;
        const double share = places.share(i, apart);
        const double line = bound[i - apart] + (bound[i + apart] - bound[i - apart]) * share;
        if (share >= 0 && line < bound[i]) bound[i] = line;
      }
    }
  };
  const int levels = numeric::bit_length(static_cast<std::uint64_t>(last)) - 1;  // 2^levels <= last
  for (int level = levels - 1; level > 0; --level) lower(level);
  for (int level = 0; level < levels - 1; ++level) lower(level);
  for (int level = levels - 1; level >= 0; --level) lower(level);
  block.sync();
}

// Bounds while a thread block lowers them, and with weights their places.
template <bool Weighted>
struct shared_bounds {
  static constexpr int room = 1024;
  static_assert(room > group_chunks);

  double at[room];
  double place[Weighted ? room : 1];
};

// Lowers bounds whose places have been told, or are those of so many equal parts, but for the last one, of
// which there is `tail`.
template <bool Weighted, class Block>
ISO_DEVICE void lower_bounds_at(const Block& block, double* bound, [[maybe_unused]] const double* place,
                                int last, [[maybe_unused]] double tail) {
  if constexpr (Weighted) {
    lower_bounds(block, bound, last, uneven_places{place, last});
  } else {
    lower_bounds(block, bound, last, even_places{last, tail});
  }
}

// Whether looks at a row's chunks tell which of them are clear of its hull: not where some were left out, nor
// where infinite elements have places in front of the hull, or after it, that are no points of the diagram.
ISO_HOST_DEVICE inline bool looks_tell(const row_record& row, const row_facts& facts, std::int64_t length) {
  return row.unseen == 0 && !facts.wide && facts.begin == 0 && facts.end == length;
}

// Whether a row's chunks are to be summed up: by looks at them alone (`looks`), or if that has not been done.
ISO_HOST_DEVICE inline bool sums_wanted(const row_record& row, const row_facts& facts, std::int64_t length,
                                        bool looks) {
  if (facts.status != row_status::ok) return false;
  return looks ? looks_tell(row, facts, length) : row.summed == 0;
}

// Of a row that has been looked at: sums, and with weights places, in parts of powers of two that none
// exceeds.
struct sum_scale {
  int bits, weight_bits;
  double margin;  // for all that is rounded

  template <bool Weighted>
  ISO_HOST_DEVICE static sum_scale of(const row_facts& facts, std::int64_t length) {
    const int carry = numeric::bit_length(static_cast<std::uint64_t>(length));
    return {facts.on.products.bits() + carry, facts.on.weights.bits() + carry, Weighted ? 0x1p-29 : 0x1p-42};
  }
  template <int N>
  ISO_HOST_DEVICE double height(const numeric::integer<N>& sum) const {
    return numeric::approximate(sum, bits);
  }
  template <int N, int M>
  ISO_HOST_DEVICE double height(const numeric::sums<N, M>& sum) const {
    return numeric::approximate(sum.s, bits);
  }
  template <int N, int M>
  ISO_HOST_DEVICE double place(const numeric::sums<N, M>& sum) const {
    return numeric::approximate(sum.w, weight_bits);
  }
  // Whether a chunk with chord `above` the hull's bounds is clear of the hull.
  ISO_HOST_DEVICE bool clears(double above, float sag, const numeric::grid& of,
                              const numeric::grid& row) const {
    if (sag > 0 && !(sag < chunk_sag::any)) return false;
    const double unit = numeric::about_power_of_two(of.products.high - row.products.unit() - bits);
    return above > (sag > 0 ? sag * unit : 0) + margin;
  }
};

// Where the sums of a group's chunks are known: notes which of them are clear of the hull of the group's own
// chunks. All threads of the block call, at least one a chunk.
template <class Block, class Space>
ISO_DEVICE void clear_group(const Block& block, const Space& at, std::int64_t r, const row_facts& facts,
                            std::int64_t group, shared_bounds<Space::weighted>& shared) {
  constexpr bool weighted = Space::weighted;
  const auto state = at.of_row(r);
  const auto scale = sum_scale::of<weighted>(facts, at.length);
  const std::int64_t first = group * group_chunks, left = at.chunks - first;
  const auto count = static_cast<int>(left < group_chunks ? left : std::int64_t{group_chunks});
  const auto i = static_cast<int>(block.thread_rank());
  const std::int64_t c = first + i;
  double* const bound = shared.at;
  block.sync();
  double begin = 0, end = 0;
  const auto tell = [&](int k, const auto& sum) {
    bound[k] = scale.height(sum);
    if constexpr (weighted) shared.place[k] = scale.place(sum);
    return bound[k];
  };
  if (i < count) {
    begin = tell(i, state.start[c]);
    end = i + 1 < count ? scale.height(state.start[c + 1]) : tell(count, state.group_start[group]);
  }
  const auto tail =
      static_cast<double>(state.chunk_end(first + count - 1) - state.chunk_begin(first + count - 1));
  lower_bounds_at<weighted>(block, bound, shared.place, count, tail / chunk_elements);
  if (i >= count) return;
  const double above = begin - bound[i] < end - bound[i + 1] ? begin - bound[i] : end - bound[i + 1];
  float& sag = at.sag[r * at.chunks + c];
  if (scale.clears(above, sag, state.chunk[c].on, facts.on)) sag = chunk_sag::none;
}

// Where the sums of a row's groups are known: bounds of its hull at their beginnings. They are found in
// shared memory if they have room there. All threads of the block call.
template <class Block, class Space>
ISO_DEVICE void bound_groups(const Block& block, const Space& at, std::int64_t r, const row_facts& facts,
                             shared_bounds<Space::weighted>& shared) {
  constexpr bool weighted = Space::weighted;
  const auto state = at.of_row(r);
  const auto scale = sum_scale::of<weighted>(facts, at.length);
  const std::int64_t first = r * (at.groups + 1);
  double* const kept = at.bound + first;
  const bool fit = at.groups < shared.room;
  double* const bound = fit ? shared.at : kept;
  double* const place = fit || !weighted ? shared.place : at.place + first;
  block.sync();
  for (auto i = static_cast<std::int64_t>(block.thread_rank()); i <= at.groups; i += block.num_threads()) {
    bound[i] = scale.height(state.group_start[i]);
    if constexpr (weighted) place[i] = scale.place(state.group_start[i]);
  }
  const std::int64_t group_elements = std::int64_t{group_chunks} * chunk_elements;
  const auto tail = static_cast<double>(at.length - (at.groups - 1) * group_elements);
  lower_bounds_at<weighted>(block, bound, place, static_cast<int>(at.groups),
                            tail / static_cast<double>(group_elements));
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
  const auto scale = sum_scale::of<Space::weighted>(facts, at.length);
  const std::int64_t group = c / group_chunks, first = group * group_chunks;
  const std::int64_t group_end = first + group_chunks < at.chunks ? first + group_chunks : at.chunks;
  const double* const bound = at.bound + r * (at.groups + 1) + group;
  auto width = state.group_start[group + 1];
  width -= state.group_start[group];
  // How far a point is above the bound there, given the sums since the group's beginning.
  const auto above = [&](auto sum, std::int64_t element) {
    double share;
    if constexpr (Space::weighted) {
      share = scale.place(sum) / scale.place(width);
    } else {
      const std::int64_t begin = state.chunk_begin(first);
      share =
          static_cast<double>(element - begin) / static_cast<double>(state.chunk_end(group_end - 1) - begin);
    }
    sum += state.group_start[group];
    return scale.height(sum) - (bound[0] + (bound[1] - bound[0]) * share);
  };
  const double left = above(state.start[c], state.chunk_begin(c));
  const double right = above(c + 1 < group_end ? state.start[c + 1] : width, state.chunk_end(c));
  return scale.clears(left < right ? left : right, sag, state.chunk[c].on, facts.on);
}

// The greatest clear_block that boundary c of row r is within.
template <class Space>
ISO_DEVICE clear_block clear_block_around(const Space& at, std::int64_t r, std::int64_t c) {
  if (at.chosen == nullptr) return {c, 0};
  return clear_block::around(c, at.chosen_bits[at.word_place(r, c)]);
}

// Fills in what a chunk's record says of its hull, and the list of that, as if it were its chord. Nobody asks
// for its bits. One lane calls.
template <class T, bool Weighted>
ISO_DEVICE void describe_chord(chunk_record<T, Weighted>& record, chunk_points<T, Weighted>& list) {
  using sums = recorded_sums<T, Weighted>;
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
