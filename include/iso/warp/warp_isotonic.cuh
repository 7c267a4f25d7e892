// Rows of a warp or less, fitted inside a kernel of one's own: several short rows a warp, each by some of its
// lanes, or one row by all of them.
//
// A whole program is examples/05_warp_rows.cu; a row of a thread block is block/block_isotonic.cuh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <iso/block/register_row.cuh>
#include <iso/block/row_tile.cuh>
#include <iso/block/wide_tile.cuh>
#include <iso/detail/config.hpp>
#include <iso/status.hpp>

namespace iso {

// Fits rows of up to Lanes * ItemsPerLane elements, 32 / Lanes of them a warp: row q of the warp by its lanes
// [q * Lanes, q * Lanes + Lanes).
//
// Promise. As of iso::solve: each value is the exact fit, rounded once, the same bits for every Lanes and
// ItemsPerLane.
//
// T is float or double. Lanes and ItemsPerLane are powers of two, up to 32.
//
// Storage. TempStorage is shared memory for the rows of one warp, placed by the caller; it needs no
// initialisation. It may be used again, by another fit too, after the warp has synchronised.
//
//   using isotonic = iso::warp_isotonic<float, false, 8, 4>;        // rows of up to 32 elements, four a warp
//   __shared__ isotonic::TempStorage shared[warps];
//   const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
//   isotonic(shared[warp.meta_group_rank()]).fit(warp, values, length_of_my_row);
//
// Source: paper, sections 3.1 and 3.2, the hulls of lanes and their merges.
template <class T, bool Weighted, int Lanes, int ItemsPerLane>
class warp_isotonic {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "T is float or double");
  static_assert(Lanes >= 1 && Lanes <= 32 && (Lanes & (Lanes - 1)) == 0, "Lanes is a power of two, up to 32");
  static_assert(ItemsPerLane >= 1 && ItemsPerLane <= 32 && (ItemsPerLane & (ItemsPerLane - 1)) == 0,
                "ItemsPerLane is a power of two, up to 32");

 public:
  using TempStorage = tile_storage<T, Weighted, 32, ItemsPerLane>;
  static_assert(std::is_trivially_default_constructible_v<TempStorage>);

  static constexpr int lanes = Lanes;
  static constexpr int items_per_lane = ItemsPerLane;
  static constexpr int rows_per_warp = 32 / Lanes;
  static constexpr int capacity = Lanes * ItemsPerLane;             // elements of a row, at most
  static constexpr std::size_t shared_bytes = sizeof(TempStorage);  // a warp

  // Each lane has its own; all lanes of a warp are given the same storage.
  ISO_DEVICE explicit warp_isotonic(TempStorage& storage) : storage_(storage) {}

  // Replaces each of the warp's rows by its fit. All 32 lanes of the warp call, those without a row with
  // valid = 0: a row whose sums are too wide for the registers of its lanes is solved by the whole warp.
  //
  // warp        cooperative_groups::thread_block_tile<32>, whatever the number of lanes a row
  // values      blocked arrangement: the row's lane l has the elements l * ItemsPerLane + k of the row
  // weights     arranged alike, finite and >= 0; they stay as they are
  // valid       the row's elements, 0 to `capacity`; the values after these are neither read nor written
  // increasing  whether the fit is non-decreasing, or non-increasing
  //
  // The lanes of a row give the same `valid` and `increasing`; rows may differ. Returns in every lane how its
  // row went. A row that is not ok comes back all NaN; one of no elements is ok. Bounds are the caller's to
  // clip the fit to.
  template <class Warp>
  requires(!Weighted) ISO_DEVICE row_status
      fit(const Warp& warp, T (&values)[ItemsPerLane], int valid, bool increasing = true) {
    return solve(warp, values, valid, increasing);
  }

  template <class Warp>
  requires Weighted ISO_DEVICE row_status fit(const Warp& warp, T (&values)[ItemsPerLane],
                                              const T (&weights)[ItemsPerLane], int valid,
                                              bool increasing = true) {
    const int rank = static_cast<int>(warp.thread_rank());
    put_items(memory_of(rank).w, rank % Lanes, weights, valid, false);
    return solve(warp, values, valid, increasing);
  }

  // The pools of the last fit: bit k is set if the lane's element k starts one. 0 if the row is not ok.
  ISO_DEVICE std::uint32_t starts() const { return starts_; }

 private:
  // Of the row that a lane of the warp is of.
  ISO_DEVICE typename TempStorage::memory memory_of(int lane) const {
    return storage_.part(lane / Lanes * Lanes, Lanes);
  }

  template <class Warp>
  ISO_DEVICE row_status solve(const Warp& warp, T (&values)[ItemsPerLane], int valid, bool increasing) {
    const auto row = tiled_partition<Lanes>(warp);
    const auto memory = memory_of(static_cast<int>(warp.thread_rank()));
    tile_facts facts{};
    if (valid > 0) facts = begin_items<Weighted>(row, memory, values, valid, increasing);
    if (warp.any(static_cast<int>(facts.wide)) != 0) {
      fit_wide_rows<T, Weighted>(warp, storage_, Lanes, facts, nullptr);
    }
    starts_ = valid > 0 ? end_items(row, memory, facts, values, increasing) : 0;
    return facts.status;
  }

  TempStorage& storage_;
  std::uint32_t starts_ = 0;
};

}  // namespace iso
