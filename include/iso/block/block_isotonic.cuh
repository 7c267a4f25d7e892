// A row fitted by a thread block, inside a kernel of one's own: the values stay in the threads' registers,
// and neither they nor the fit need ever be in global memory.
//
// The members follow CUB's block-wide primitives, beside which it is meant to be used. A whole program is
// examples/04_fused_block.cu; a row of a warp or less is warp/warp_isotonic.cuh.
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

// Fits a row of up to Threads * ItemsPerThread elements with a thread block of `Threads` threads.
//
// Promise. As of iso::solve: each value is the exact fit, rounded once, the same bits for every Threads and
// ItemsPerThread.
//
// T is float or double. Threads is a multiple of 32, up to 1024; ItemsPerThread is a power of two, up to 32.
//
// Storage. TempStorage is shared memory, placed by the caller, alone or in a union with that of other
// primitives; it needs no initialisation. `shared_bytes` of it are 4 (float) or 8 (double) an element, twice
// that with weights, and 120 to 180 a thread. Beyond 48 KB it must be dynamic shared memory, of which the
// kernel's launch has to be allowed as much. It may be used again, by another fit too, after the block has
// synchronised.
//
//   __global__ void residuals(const float* y, float* sum) {         // one row of 1024 elements a block
//     using load = cub::BlockLoad<float, 128, 8, cub::BLOCK_LOAD_TRANSPOSE>;
//     using isotonic = iso::block_isotonic<float, false, 128, 8>;
//     __shared__ union {
//       load::TempStorage load;
//       isotonic::TempStorage isotonic;
//     } shared;
//     float values[8];
//     load(shared.load).Load(y + blockIdx.x * 1024, values);
//     __syncthreads();
//     isotonic(shared.isotonic).fit(cooperative_groups::this_thread_block(), values, 1024);
//     ...                                                           // values are the fit
//   }
//
// Source: paper, sections 3.1 and 3.2, the hulls of lanes and their merges.
template <class T, bool Weighted, int Threads, int ItemsPerThread>
class block_isotonic {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "T is float or double");
  static_assert(Threads >= 32 && Threads <= 1024 && Threads % 32 == 0,
                "Threads is a multiple of 32, up to 1024");
  static_assert(ItemsPerThread >= 1 && ItemsPerThread <= 32 && (ItemsPerThread & (ItemsPerThread - 1)) == 0,
                "ItemsPerThread is a power of two, up to 32");

 public:
  using TempStorage = tile_storage<T, Weighted, Threads, ItemsPerThread>;
  static_assert(std::is_trivially_default_constructible_v<TempStorage>);

  static constexpr int threads = Threads;
  static constexpr int items_per_thread = ItemsPerThread;
  static constexpr int capacity = Threads * ItemsPerThread;  // elements of a row, at most
  static constexpr std::size_t shared_bytes = sizeof(TempStorage);

  // Each thread has its own; all are given the same storage.
  ISO_DEVICE explicit block_isotonic(TempStorage& storage) : storage_(storage) {}

  // Replaces a row by its fit. All threads of the block call, with the same arguments but for the elements.
  //
  // block       cooperative_groups::thread_block, of `Threads` threads in whichever dimensions
  // values      blocked arrangement: thread t has the elements t * ItemsPerThread + k of the row
  // weights     arranged alike, finite and >= 0; they stay as they are
  // valid       the row's elements, 0 to `capacity`; the values after these are neither read nor written
  // increasing  whether the fit is non-decreasing, or non-increasing
  //
  // Returns in every thread how the row went. A row that is not ok comes back all NaN; one of no elements is
  // ok. Bounds are the caller's to clip the fit to.
  template <class Group>
  requires(!Weighted) ISO_DEVICE row_status
      fit(const Group& block, T (&values)[ItemsPerThread], int valid, bool increasing = true) {
    return solve(block, values, valid, increasing);
  }

  template <class Group>
  requires Weighted ISO_DEVICE row_status fit(const Group& block, T (&values)[ItemsPerThread],
                                              const T (&weights)[ItemsPerThread], int valid,
                                              bool increasing = true) {
    put_items(storage_.w, static_cast<int>(block.thread_rank()), weights, valid, false);
    return solve(block, values, valid, increasing);
  }

  // The pools of the last fit: bit k is set if the thread's element k starts one. 0 if the row is not ok.
  ISO_DEVICE std::uint32_t starts() const { return starts_; }

 private:
  template <class Group>
  ISO_DEVICE row_status solve(const Group& block, T (&values)[ItemsPerThread], int valid, bool increasing) {
    starts_ = 0;
    if (valid <= 0) return row_status::ok;
    const auto memory = storage_.part(0, Threads);
    const tile_facts facts = begin_items<Weighted>(block, memory, values, valid, increasing);
    if (facts.wide) {
      const auto warp = tiled_partition<32>(block);
      if (block.thread_rank() < 32) fit_wide_row<T, Weighted>(warp, storage_, 0, Threads, facts);
      block.sync();
    }
    starts_ = end_items(block, memory, facts, values, increasing);
    return facts.status;
  }

  TempStorage& storage_;
  std::uint32_t starts_ = 0;
};

}  // namespace iso
