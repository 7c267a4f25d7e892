// The shared memory of a tile of elements, and what is known of the tile.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/numeric/sums.hpp>
#include <iso/status.hpp>

namespace iso {

// A tile's part of shared memory: arrays of one entry a lane, or of P elements and a gap (see elements).
template <class T, bool Weighted, int P>
struct tile_memory {
  using value_type = T;
  static constexpr int lane_elements = P;
  static constexpr bool weighted = Weighted;

  T* y;
  T* w;
  std::uint64_t* total;  // large_sums
  std::uint64_t* list;   // for the lists of points: of each warp, or of the tile if it is less
  T* carry;
  std::uint32_t* mask;
  std::int32_t* scratch;
  int lanes;
  int list_words;  // of `list`, a warp

  ISO_HOST_DEVICE elements<T, Weighted> data() const { return {y, Weighted ? w : nullptr}; }
};

// The shared memory of Lanes lanes, be they one tile or several.
template <class T, bool Weighted, int Lanes, int P>
struct tile_storage {
  using memory = tile_memory<T, Weighted, P>;
  static constexpr int sum_words = static_cast<int>(sizeof(large_sums<T, Weighted>) / 8);
  static constexpr int room = elements<T, Weighted>::room(Lanes * P);
  // A warp, or less; as few for floats that 28 warps share the memory of a multiprocessor, or with weights 32
  // those of short rows.
  static constexpr int list_words =
      (sizeof(T) == 4 && (!Weighted || P <= 8) ? 10 : 13) * (Lanes < 32 ? Lanes : 32);

  std::uint64_t total[Lanes * sum_words];
  std::uint64_t list[(Lanes + 31) / 32 * list_words];
  T y[room];
  T w[Weighted ? room : 1];
  T carry[Lanes];
  std::uint32_t mask[Lanes];
  std::int32_t scratch[Lanes];

  // The part of the lanes [first, first + lanes): whole warps, or 2^k lanes of one from a multiple of 2^k on.
  ISO_HOST_DEVICE memory part(int first, int lanes) {
    const int element = elements<T, Weighted>::at(first * P);
    const int words = lanes < 32 ? list_words * lanes / (Lanes < 32 ? Lanes : 32) : list_words;
    return {y + element,
            w + (Weighted ? element : 0),
            total + first * sum_words,
            list + (lanes < 32 ? first * words / lanes : first / 32 * list_words),
            carry + first,
            mask + first,
            scratch + first,
            lanes,
            words};
  }
};

// What a look at a tile found. `low` and `high` bound the finite elements that are to be fitted: all before
// are -infinity, and all from `high` on +infinity.
struct tile_facts {
  row_status status;
  bool wide;  // the sums take more words than a thread has registers for
  int count, low, high;
  numeric::grid on;
  int listed = 0;  // pools whose means are in the place of the list; 0: the fit is in the place of y
};

// Whether the sums of a tile take more words than a thread has registers for.
template <class T, bool Weighted>
ISO_HOST_DEVICE bool is_wide(const tile_facts& facts) {
  using words = sum_words<T, Weighted>;
  return !sums_fit<words::large_n, words::large_m>(facts.on, facts.count);
}

}  // namespace iso
