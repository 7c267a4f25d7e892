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

// Tells the row what its chunk has found. One lane calls.
ISO_DEVICE inline void tell_row(row_record& row, const findings& found, const tile_facts& facts,
                                std::int64_t chunk_begin, std::int64_t length) {
  raise(&row.low, static_cast<std::uint32_t>(findings::none - found.low));
  raise(&row.high, static_cast<std::uint32_t>(found.high));
  raise(&row.low_w, static_cast<std::uint32_t>(findings::none - found.low_w));
  raise(&row.high_w, static_cast<std::uint32_t>(found.high_w));
  raise_bits(&row.flags, found.flags);
  if ((found.flags & findings::infinite) == 0) return;
  if (facts.low > 0) raise(&row.begin, static_cast<unsigned long long>(chunk_begin + facts.low));
  if (facts.high < facts.count) {
    raise(&row.rest, static_cast<unsigned long long>(length - chunk_begin - facts.high));
  }
}

// The sums of the elements of a tile before element i, by one lane.
template <class View>
ISO_HOST_DEVICE typename View::sums sums_up_to(const View& v, int i) {
  return i > v.low ? v.sum(v.low, i) : View::sums::zero();
}

// Fills in the record of a live chunk and, if they fit, the list of its vertices, from the masks. All lanes
// of the warp call.
template <class Tile, class View, class T, bool Weighted>
ISO_DEVICE void describe_hull(const Tile& tile, const View& v, chunk_record<T, Weighted>& record,
                              chunk_points<T, Weighted>& points) {
  using large = large_sums<T, Weighted>;
  constexpr int lanes = chunk_lanes::value;
  const int lane = static_cast<int>(tile.thread_rank());
  const std::uint32_t mask = v.mask[lane];
  int j = count_before(tile, count_bits(mask));
  const int starts = tile.shfl(j + count_bits(mask), lanes - 1);
  const bool few = starts < chunk_points<T, Weighted>::capacity;
  const typename View::sums own =
      v.begin(lane) < v.end(lane)
          ? v.e.template sum<decltype(View::sums::s)::words, decltype(View::sums::w)::words>(
                v.begin(lane), v.end(lane), v.on)
          : View::sums::zero();
  auto sum = sums_before(tile, own);
  const auto put = [&](int element) {
    const auto at = on_grid<large>(sum, v.on, v.on);
    const auto position = static_cast<std::int16_t>(element);
    if (few) {
      points.at[j] = at;
      points.element[j] = position;
    }
    if (j == 0) record.start = position;
    if (j == 1) {
      record.second = position;
      record.at_second = at;
    }
    if (j + 1 == starts) {
      record.last_but_one = position;
      record.at_last_but_one = at;
    }
    ++j;
  };
  std::uint32_t rest = mask;
  int i = v.begin(lane);
  for (; rest != 0; rest &= rest - 1) {
    const int start = lane * View::lane_elements + lowest_bit(rest);
    for (; i < start; ++i) v.e.add(sum, i, v.on);
    put(start);
  }
  if (lane == lanes - 1) {
    for (; i < v.end(lane); ++i) v.e.add(sum, i, v.on);
    record.total = on_grid<large>(sum, v.on, v.on);
    record.points = static_cast<std::int16_t>(few ? starts + 1 : 0);
    put(v.high);
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

// Finds the hull of chunk c of row r. All lanes of the warp call; `tile` and `warp` are both all of them.
template <class Tile, class Warp, class Rows, class T = typename Rows::value_type,
          bool Weighted = Rows::weighted>
ISO_DEVICE void hull_chunk(const Tile& tile, const Warp& warp, chunk_storage<T, Weighted>& storage,
                           const Rows& rows, const row_state<T, Weighted>& state, std::int64_t r,
                           std::int64_t c) {
  const auto s = storage.part(0, chunk_lanes::value);
  const std::int64_t begin = state.chunk_begin(c);
  const int count = static_cast<int>(state.chunk_end(c) - begin);
  const int lane = static_cast<int>(tile.thread_rank());
  const findings found = load_row(tile, s, rows, r, begin, count);
  tile_facts facts{found.status(), false, count, 0, count, found.template grid<Weighted>()};
  if ((found.flags & findings::infinite) != 0) find_infinities<T, Weighted>(tile, s, false, facts);
  if (lane == 0) tell_row(*state.row, found, facts, begin, state.length);

  int heavy = 0;
  for (int i = facts.low + lane; i < facts.high; i += chunk_lanes::value) heavy |= s.data().counts(i);
  const bool live = facts.status == row_status::ok && tile.any(heavy) != 0;
  chunk_record<T, Weighted>& record = state.chunk[c];
  if (lane == 0) {
    record.on = facts.on;
    record.low = static_cast<std::int16_t>(facts.low);
    record.high = static_cast<std::int16_t>(facts.high);
    record.live = live;
    if (!live) record.total = large_sums<T, Weighted>::zero();
  }
  tile.sync();
  s.mask[lane] = 0;
  if (live && is_wide<T, Weighted>(facts)) {
    wide_hull<T, Weighted>(warp, storage, 0, chunk_lanes::value, facts);
    if (lane == 0) {
      const auto v = marks_of<T, Weighted>(s, facts);
      if (Weighted && begin == 0 && facts.low == 0) extend_first_pool(v, chunk_lanes::value);
      describe_wide_hull(v, record);
    }
  } else if (live) {
    with_view<T, Weighted>(s, facts, [&](const auto& v) {
      tile_hull(tile, s, v);
      if (Weighted && begin == 0 && facts.low == 0) {
        tile.sync();
        if (lane == 0) extend_first_pool(v, chunk_lanes::value);
      }
      tile.sync();
      describe_hull(tile, v, record, state.points[c]);
    });
  }
  tile.sync();
  state.bits[c * chunk_lanes::value + lane] = s.mask[lane];
}

}  // namespace iso
