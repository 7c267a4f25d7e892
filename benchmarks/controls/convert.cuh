// From what the library keeps of a chunk's hull, a bit an element, to the controls' slots.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/segment/records.cuh>
#include <iso/warp/tile.cuh>

#include "vertices.cuh"

namespace bench::controls {

// Whether the sums of a chunk's elements, 2^10 at most and with a sign, take no more than the word that slots
// have for them; then sums of a lane's 32 elements times 32 fit too.
ISO_HOST_DEVICE inline bool fits_slot(const iso::numeric::grid& on) {
  return on.products.bits() + 10 + 2 <= 64;
}

// Writes the vertices of a chunk of `count` finite elements of a row without weights, y and of it the chunk's
// from `begin` on, to its slot; bits: 32 words, one a lane, which has 32 elements; on: the chunk's grid.
// Returns how many there are. All lanes of the warp call and get the same.
template <iso::warp_tile Tile>
ISO_DEVICE int fill_slot(const Tile& tile, const kept_vertices& slot, const float* y, std::int64_t begin,
                         int count, const std::uint32_t* bits, const iso::numeric::grid& on) {
  const int lane = static_cast<int>(tile.thread_rank()), first = lane * 32;
  const int end = first + 32 < count ? first + 32 : count;
  auto own = iso::numeric::integer<1>::zero();
  for (int i = first; i < end; ++i) {
    own.word[0] += static_cast<std::uint64_t>(iso::value_on_grid(y[begin + i], on.products.low));
  }
  std::uint64_t sum = iso::sums_before(tile, own).word[0];
  const std::uint32_t mask = bits[lane];
  int to = iso::count_before(tile, iso::count_bits(mask));
  for (int i = first; i < end; ++i) {
    if ((mask >> (i - first) & 1) != 0) {
      slot.element[to] = static_cast<std::uint32_t>(begin + i);
      slot.sum[to] = static_cast<std::int64_t>(sum);
      ++to;
    }
    sum += static_cast<std::uint64_t>(iso::value_on_grid(y[begin + i], on.products.low));
  }
  const int last_lane = (count - 1) / 32;
  if (lane == last_lane) {
    slot.element[to] = static_cast<std::uint32_t>(begin + count);
    slot.sum[to] = static_cast<std::int64_t>(sum);
  }
  tile.sync();
  return tile.shfl(to, last_lane) + 1;
}

}  // namespace bench::controls
