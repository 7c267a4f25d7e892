// The hull of a chunk of a long row, by a warp.
#pragma once

#include <cstdint>

#include <iso/block/row_tile.cuh>
#include <iso/block/wide_tile.cuh>
#include <iso/detail/config.hpp>
#include <iso/segment/records.cuh>

namespace iso {

using chunk_lanes = std::integral_constant<int, chunk_elements / chunk_lane_elements>;

template <class T, bool Weighted>
using chunk_storage = tile_storage<T, Weighted, chunk_lanes::value, chunk_lane_elements>;

// Kept sums in the words of records.
template <int N, int From>
ISO_HOST_DEVICE void record_sums(numeric::integer<N>& to, const numeric::integer<From>& s) {
  to = numeric::widen<N>(s);
}
template <int N, int M, class From>
ISO_HOST_DEVICE void record_sums(numeric::sums<N, M>& to, const From& sum) {
  to = {numeric::widen<N>(sum.s), numeric::widen<M>(sum.w)};
}

// Tells the row what its chunk has found, as far as it is new: most chunks find nothing new, and many would
// wait for each other. One lane calls.
template <bool Weighted>
ISO_DEVICE void tell_row(row_record& row, const findings& found, const tile_facts& facts,
                         std::int64_t chunk_begin, std::int64_t length) {
  const auto low = static_cast<std::uint32_t>(findings::none - found.low);
  const auto high = static_cast<std::uint32_t>(found.high);
  const std::uint32_t low_before = peek(row.low), high_before = peek(row.high), flags = peek(row.flags);
  if constexpr (Weighted) {
    const auto low_w = static_cast<std::uint32_t>(findings::none - found.low_w);
    const auto high_w = static_cast<std::uint32_t>(found.high_w);
    const std::uint32_t low_w_before = peek(row.low_w), high_w_before = peek(row.high_w);
    if (low_w_before < low_w) raise(row.low_w, low_w);
    if (high_w_before < high_w) raise(row.high_w, high_w);
  }
  if (low_before < low) raise(row.low, low);
  if (high_before < high) raise(row.high, high);
  if ((~flags & found.flags) != 0) raise_bits(row.flags, found.flags);
  if ((found.flags & findings::infinite) == 0) return;
  if (facts.low > 0) raise(row.begin, static_cast<unsigned long long>(chunk_begin + facts.low));
  if (facts.high < facts.count) {
    raise(row.rest, static_cast<unsigned long long>(length - chunk_begin - facts.high));
  }
}

// Fills in what a live chunk's record says of its vertices, and the list of them in global memory, from that
// in shared memory; they are few. All lanes of the warp call.
template <class Tile, class List, class T, bool Weighted>
ISO_DEVICE void describe_listed(const Tile& tile, const List& list, int points,
                                chunk_record<T, Weighted>& record, chunk_points<T, Weighted>& out) {
  const int lane = static_cast<int>(tile.thread_rank());
  if (lane >= points) return;
  recorded_sums<T, Weighted> own;
  record_sums(own, list.at[lane]);
  out.at[lane] = own;
  out.element[lane] = list.element[lane];
  if (lane == 0) {
    record.points = static_cast<std::int16_t>(points);
    record.start = static_cast<std::int16_t>(list.element[0]);
  }
  if (lane == 1) {
    record.second = static_cast<std::int16_t>(list.element[1]);
    record.at_second = own;
  }
  if (lane == points - 2) {
    record.last_but_one = static_cast<std::int16_t>(list.element[lane]);
    record.at_last_but_one = own;
  }
  if (lane == points - 1) record.total = own;
}

// The same of a hull of many vertices from the masks and the lanes' totals: instead of the list, the sums
// before each lane.
template <class Tile, class View, class T, bool Weighted>
ISO_DEVICE void describe_masked(const Tile& tile, const View& v, chunk_record<T, Weighted>& record,
                                chunk_points<T, Weighted>& out) {
  using sums = typename View::sums;
  using kept = kept_sums<sums, Weighted>;
  const auto sum = [&](int from, int to) { return kept::of(v.element_sum(from, to)); };
  const int lane = static_cast<int>(tile.thread_rank());
  const auto total = kept::of(v.total[lane]);
  const auto before = sums_before(tile, total);
  record_sums(out.at[lane], before);
  const std::uint32_t mask = v.mask[lane];
  const unsigned lanes = tile.ballot(mask != 0);
  // Of the second start, if there is one, and of the last: in which lane, which bit.
  const int first_lane = lowest_bit(lanes), last_lane = highest_bit(lanes);
  const std::uint32_t first_mask = tile.shfl(mask, first_lane);
  const unsigned others = lanes & (lanes - 1);
  const int second_lane = (first_mask & (first_mask - 1)) != 0 ? first_lane
                          : others != 0                        ? lowest_bit(others)
                                                               : -1;
  constexpr int p = View::lane_elements;
  if (lane == first_lane) {
    record.points = 0;
    record.start = static_cast<std::int16_t>(lane * p + lowest_bit(mask));
  }
  if (lane == second_lane) {
    const std::uint32_t rest = lane == first_lane ? mask & (mask - 1) : mask;
    record.second = static_cast<std::int16_t>(lane * p + lowest_bit(rest));
    auto at = sum(v.begin(lane), record.second);
    at += before;
    record_sums(record.at_second, at);
  }
  if (lane == last_lane) {
    record.last_but_one = static_cast<std::int16_t>(lane * p + highest_bit(mask));
    auto at = before;  // by way of the lane's end, which is nearer as a rule
    at += total;
    at -= sum(record.last_but_one, v.end(lane));
    record_sums(record.at_last_but_one, at);
  }
  if (lane == chunk_lanes::value - 1) {
    auto all = before;
    all += total;
    record_sums(record.total, all);
    if (second_lane < 0) {
      record.second = static_cast<std::int16_t>(v.high);
      record.at_second = record.total;
    }
  }
}

// Fills in the record of a live chunk whose sums are wide, from the masks: its row is wide then too, and
// keeps no sums in records. One lane calls.
template <class View, class T, bool Weighted>
ISO_DEVICE void describe_wide_hull(const View& v, chunk_record<T, Weighted>& record) {
  constexpr int lanes = chunk_lanes::value;
  const int start = v.start_from(v.low, lanes), second = v.start_from(start + 1, lanes);
  record.start = static_cast<std::int16_t>(start);
  record.second = static_cast<std::int16_t>(second < 0 ? v.high : second);
  record.last_but_one = static_cast<std::int16_t>(v.start_before(v.high, 0));
  record.points = 0;
}

// Fills in what a chunk's record says whatever its hull; returns whether it has finite elements of positive
// weight. All lanes of the warp call.
template <class Warp, class Memory, class T, bool Weighted>
ISO_DEVICE bool begin_chunk(const Warp& warp, const Memory& s, chunk_record<T, Weighted>& record,
                            const tile_facts& facts) {
  const int lane = static_cast<int>(warp.thread_rank());
  bool live = facts.status == row_status::ok && facts.low < facts.high;
  if (Weighted && facts.high - facts.low < facts.count) {  // the weights may all be those of infinities
    int heavy = 0;
    for (int i = facts.low + lane; i < facts.high; i += chunk_lanes::value) heavy |= s.data().counts(i);
    live = live && warp.any(heavy) != 0;
  }
  if (lane == 0) {
    record.on = facts.on;
    record.low = static_cast<std::int16_t>(facts.low);
    record.high = static_cast<std::int16_t>(facts.high);
    record.live = live;
    if (!live) {
      record.points = 0;
      record.total = recorded_sums<T, Weighted>::zero();
    }
  }
  return live;
}

// a / b for a >= 0, b > 0: devices have no division of 64 bits, and rarely need it.
ISO_HOST_DEVICE inline std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if (a < b) return 0;
  if (a <= UINT32_MAX) return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
  return a / b;
}

// Finds the hull of chunk g, counted through all rows: in shared memory, and, if its row has other chunks,
// also in the workspace. Returns how many vertices the list in shared memory holds, or 0. What is known of a
// chunk that is a whole row is written to `whole_facts`, in shared memory: registers would be kept from other
// chunks' hulls. All lanes of the warp call.
template <class Warp, class Rows, class Space, class T = typename Rows::value_type,
          bool Weighted = Rows::weighted>
ISO_DEVICE int hull_chunk(const Warp& warp, chunk_storage<T, Weighted>& storage, const Rows& rows,
                          const Space& at, std::int64_t g, tile_facts& whole_facts) {
  const auto s = storage.part(0, chunk_lanes::value);
  const bool whole = at.chunks == 1;
  const std::int64_t r = quotient(g, at.chunks), begin = (g - r * at.chunks) * chunk_elements;
  const int count =
      static_cast<int>(at.length - begin < chunk_elements ? at.length - begin : std::int64_t{chunk_elements});
  const int lane = static_cast<int>(warp.thread_rank());
  const bool first = begin == 0;
  const findings found = load_row(warp, s, rows, r, begin, count);
  const tile_facts facts = examine_tile<T, Weighted>(warp, s, count, found, whole);
  if (!whole && lane == 0) tell_row<Weighted>(at.row[r], found, facts, begin, at.length);
  const bool live = whole ? facts.status == row_status::ok : begin_chunk(warp, s, at.chunk[g], facts);
  if (whole && lane == 0) whole_facts = facts;
  int listed = 0;
  warp.sync();
  s.mask[lane] = 0;
  if (live && facts.wide) {
    wide_hull<T, Weighted>(warp, storage, 0, chunk_lanes::value, facts);
    if (lane == 0) {
      const auto v = marks_of<T, Weighted>(s, facts);
      if (Weighted && first && facts.low == 0) extend_first_pool(v, chunk_lanes::value);
      if (!whole) describe_wide_hull(v, at.chunk[g]);
    }
  } else if (live) {
    with_hull<T, Weighted>(warp, s, facts, first, [&](const auto& v, int points) {
      listed = points;
      if (whole) return;
      if (points > 0 && points <= chunk_points<T, Weighted>::capacity) {
        describe_listed(warp, list_of<typename std::remove_cvref_t<decltype(v)>::sums>(s, 0), points,
                        at.chunk[g], at.points[g]);
      } else {
        describe_masked(warp, v, at.chunk[g], at.points[g]);
      }
    });
  }
  warp.sync();
  if (!whole) at.bits[g * chunk_lanes::value + lane] = s.mask[lane];
  return listed;
}

// Fits row r, which is of one chunk, from the hull of that, and writes it. All lanes of the warp call.
template <class Warp, class Storage, class Rows>
ISO_DEVICE void fit_only_chunk(const Warp& warp, Storage& storage, const Rows& rows, std::int64_t r,
                               tile_facts facts, int points) {
  using T = typename Rows::value_type;
  constexpr bool weighted = Rows::weighted;
  const auto s = storage.part(0, chunk_lanes::value);
  if (facts.wide) {
    if (warp.thread_rank() == 0) add_wide_rows(rows.wide_rows, 1);
    wide_fit<T, weighted>(warp, storage, 0, chunk_lanes::value, facts);
  } else if (facts.status == row_status::ok) {
    with_view<T, weighted>(s, facts, [&](const auto& v) { fit_hull(warp, s, v, points, facts); });
  }
  end_row(warp, s, facts, rows, r);
}

}  // namespace iso
