// What values alone tell of a tile's pools, without a sum.
//
// Where no value of a tile is below the one before it, and all have weight, the pools are the runs of equal
// values: every run's mean is its value, and these increase. And whatever a pool's neighbours are, a pool of
// equal values has their value as its mean.
//
// Example, two lanes of four: 1 1 2 3 | 3 4 4 4. They rise at 2 3 | 4, so pools start at the elements 0 2
// 3 5.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>
#include <iso/warp/tile.cuh>

namespace iso {

// Of a lane's elements that play a part a bit each: whether the value is above or below that of the one
// before it, which may be of the lane before. The tile's first has neither.
struct lane_order {
  std::uint32_t rises, falls;
};

template <class View>
ISO_HOST_DEVICE lane_order order_of_lane(const View& v, int lane) {
  const int base = lane * View::lane_elements, begin = v.begin(lane), end = v.end(lane);
  lane_order order{0, 0};
  if (begin >= end) return order;
  auto before = v.e.y[v.e.at(begin > v.low ? begin - 1 : begin)];
  const auto* const own = v.e.of_lane(base).y;
#if defined(__CUDA_ARCH__)
#pragma unroll 4
#endif
  for (int k = begin - base; k < end - base; ++k) {
    const auto value = own[base + k];
    if (before < value) order.rises |= std::uint32_t{1} << k;
    if (value < before) order.falls |= std::uint32_t{1} << k;
    before = value;
  }
  return order;
}

// Whether all elements of a lane that play a part have weight.
template <class View>
ISO_HOST_DEVICE bool all_count([[maybe_unused]] const View& v, [[maybe_unused]] int lane) {
  if constexpr (View::weighted) {
    for (int i = v.begin(lane); i < v.end(lane); ++i) {
      if (!v.e.counts(i)) return false;
    }
  }
  return true;
}

// Whether no value of the tile is below the one before it, and all have weight. All lanes of the tile call.
//
// Two elements a lane tell nearly always. Doubles leave no registers for a look at several at once.
template <warp_tile Tile, class View>
ISO_DEVICE bool is_rising(const Tile& tile, const View& v, int lane) {
  const int begin = v.begin(lane), end = v.end(lane);
  bool falls = begin + 1 < end && v.e.y[v.e.at(begin + 1)] < v.e.y[v.e.at(begin)];
  if (tile.any(static_cast<int>(falls)) != 0) return false;
  if (begin < end) {
    auto before = v.e.y[v.e.at(begin > v.low ? begin - 1 : begin)];
#if defined(__CUDA_ARCH__)
#pragma unroll(sizeof(*v.e.y) == 4 ? 4 : 1)
#endif
    for (int i = begin; i < end; ++i) {
      const auto value = v.e.y[v.e.at(i)];
      falls |= value < before || !v.e.counts(i);
      before = value;
    }
  }
  return tile.any(static_cast<int>(falls)) == 0;
}

// The starts of a lane's pools where that is so.
template <class View>
ISO_HOST_DEVICE std::uint32_t starts_of_rising(const View& v, int lane, const lane_order& order) {
  const bool first = v.begin(lane) == v.low && v.low < v.end(lane);
  return order.rises | static_cast<std::uint32_t>(first) << v.low % View::lane_elements;
}

// Whether every pool of the tile, as the masks have them, is of equal values. All lanes of the tile call.
//
// Here too two elements a lane tell nearly always.
template <warp_tile Tile, class View>
ISO_DEVICE bool pools_are_level(const Tile& tile, const View& v, int lane) {
  const int begin = v.begin(lane), end = v.end(lane);
  const bool first = begin != v.low || begin >= end || v.starts(begin);
  const bool may =
      begin + 1 >= end || v.starts(begin + 1) || v.e.y[v.e.at(begin + 1)] == v.e.y[v.e.at(begin)];
  if (tile.all(static_cast<int>(first && may)) == 0) return false;
  const lane_order order = order_of_lane(v, lane);
  return tile.all(static_cast<int>(((order.rises | order.falls) & ~v.mask[lane]) == 0)) != 0;
}

}  // namespace iso
