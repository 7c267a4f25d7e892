// A fit by a thread block of no whole number of warps.
// error: Threads is a multiple of 32
#include <iso/block/block_isotonic.cuh>

#if defined(REFUSED)
constexpr int threads = 48;
#else
constexpr int threads = 64;
#endif

static_assert(iso::block_isotonic<float, false, threads, 4>::capacity == 4 * threads);
