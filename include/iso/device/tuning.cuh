// How kernels are laid out on a device: numbers alone, which change how long a solve takes and never what it
// gives.
//
// The size of thread blocks is the host's choice, which may not know for what devices kernels have been
// compiled: one size does for all. How many registers a thread may have is settled when a kernel is compiled
// for an architecture: each has its own numbers, in threads or thread blocks that a multiprocessor of 64 Ki
// registers is to hold at once. Without them the compiler would trade the registers of usual rows for those
// that wide rows take.
//
// Example: of 896 threads a multiprocessor each has at most 64 Ki / 896 = 73 registers; they come in eights,
// so that is 72.
#pragma once

namespace iso::device::detail {

// <algorithm> would cost every translation unit a second.
constexpr int lesser_of(int a, int b) {
  return b < a ? b : a;
}
constexpr int greater_of(int a, int b) {
  return a < b ? b : a;
}

// What the host chooses: thread blocks of warps that have shared memory each, and who has a row.
struct block_tuning {
  int usual_shared_bytes = 48 * 1024;  // of a thread block: what every kernel has
  int warps = 4;                       // if that memory holds them,
  int fewer_warps = 2;                 // and if not
  int lane_row = 224;                  // the longest rows that lanes solve sooner than warps,
  int weighted_lane_row = 256;         // and with weights
  int lane_wait = 3;                   // up to n / 3 rows of n elements a multiprocessor warps are done with
                                       // sooner; of doubles up to half as many, with weights too
  int looked_chunks = 16384;           // from so many chunks a row on they are looked at before they are
                                       // hulled, of doubles from half as many, with weights too
};
inline constexpr block_tuning block_sizes{};

// A multiprocessor, as kernels that are compiled for it see it.
struct arch_tuning {
  int most_blocks = 32;               // thread blocks that it can hold
  int shared_bytes = 227 * 1024;      // that thread blocks share
  int block_shared_bytes = 1024;      // of them the device takes for itself, a thread block
  int lane_row_threads = 1280;        // rows a lane: 48 registers do for usual ones
  int weighted_lane_threads = 1024;   // with weights: 64 registers do,
  int weighted_double_threads = 640;  // and of doubles shared memory holds no more
  int hull_threads = 896;             // hulls of chunks
  int look_threads = 896;             // looks at them before: 72 registers
  int merging_warps = 16;             // trees: so many thread blocks of a warp, or
  int merging_bytes = 768;            // as many as vertices take these bytes, if they are more
};
inline constexpr arch_tuning tuning_75{.most_blocks = 16, .lane_row_threads = 1024};
inline constexpr arch_tuning tuning_80{};
inline constexpr arch_tuning tuning_86{.most_blocks = 16};
inline constexpr arch_tuning tuning_89{.most_blocks = 24};

// By compute capability, as __CUDA_ARCH__ has it.
constexpr const arch_tuning& tuning_of(int capability) {
  if (capability < 800) return tuning_75;
  if (capability > 800 && capability < 890) return tuning_86;
  return capability == 890 || capability >= 1100 ? tuning_89 : tuning_80;
}
#if defined(__CUDA_ARCH__)
inline constexpr arch_tuning tuning = tuning_of(__CUDA_ARCH__);
#else
inline constexpr arch_tuning tuning{};  // the host compiles no kernels
#endif

// Warps of a thread block with a storage each.
template <class Storage>
inline constexpr int warps_a_block = static_cast<int>(sizeof(Storage)) * block_sizes.warps
                                             <= block_sizes.usual_shared_bytes
                                         ? block_sizes.warps
                                         : block_sizes.fewer_warps;

// Thread blocks that a multiprocessor is to hold, as a kernel tells the compiler. With separate compilation
// it cannot see what functions take, and no number is given.
constexpr int at_least_blocks([[maybe_unused]] int count) {
#if defined(__CUDACC_RDC__)
  return 1;
#else
  return count;
#endif
}

// Of so many threads in all, or as many as their storage leaves room for.
template <class Storage, int Threads, int All>
inline constexpr int blocks_of_storage = at_least_blocks(lesser_of(
    All / Threads,
    static_cast<int>(tuning.shared_bytes / (sizeof(Storage) * (Threads / 32) + tuning.block_shared_bytes))));

template <class T>
inline constexpr int weighted_lane_threads = sizeof(T) == 4 ? tuning.weighted_lane_threads
                                                            : tuning.weighted_double_threads;

// Of one warp, while trees are merged: the more a vertex takes, the more registers a warp has.
template <class Sums>
inline constexpr int merging_blocks = at_least_blocks(
    lesser_of(tuning.most_blocks,
              greater_of(tuning.merging_warps, tuning.merging_bytes / static_cast<int>(sizeof(Sums)))));

}  // namespace iso::device::detail
