// The kernels of the controls: who works on what. What is done is in the headers beside this one.
#pragma once

#include <cstdint>

#include <iso/device/kernels.cuh>
#include <iso/segment/list_merge.cuh>

#include "capped_merge.cuh"
#include "convert.cuh"
#include "flat_merge.cuh"
#include "lane_stack.cuh"
#include "vertices.cuh"

namespace bench::controls {

using iso::segment_lists;
using iso::device::detail::global_warp;
using iso::device::detail::whole_warp;

inline constexpr int merge_threads = 64;  // of a block with a thread a merge: several blocks a level early on
inline constexpr int warp_threads = 128;  // of a block with a warp a merge

__device__ inline std::int64_t global_thread() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t all_warps() {
  return std::int64_t{gridDim.x} * (blockDim.x / 32);
}

// Chunk hulls in the controls' form, from the chunk kernel's: a warp a chunk, and one for the row's end.
// `unfit` becomes 1 if the row is not finite or its sums do not fit.
struct converted {
  kept_vertices slots;
  int capacity;
  std::int64_t* vertices;
  iso::numeric::integer<2>* start;
  std::int32_t* shift;
  double *start_in_double, *unit_in_double;
  int* unfit;
};

template <class Rows, class Space>
__global__ void __launch_bounds__(warp_threads)
    convert_chunks(const Rows rows, const Space at, converted to) {
  const std::int64_t c = global_warp();
  if (c > at.chunks) return;
  const whole_warp warp;
  const auto state = at.of_row(0);
  const auto facts = iso::row_facts::of<float, false>(*state.row, at.length);
  const iso::row_reader<whole_warp, Rows> reader{warp, rows, 0, state, facts};
  const bool last = c == at.chunks, ok = facts.status == iso::row_status::ok && !facts.wide;
  const iso::numeric::grid on = last ? facts.on : state.chunk[c].on;
  const int shift = on.products.empty() ? 0 : on.products.low - facts.on.products.low;
  if (warp.thread_rank() == 0) {
    to.start[c] = reader.start(c).s;
    to.shift[c] = shift;
    to.start_in_double[c] = iso::numeric::as_double(to.start[c]);
    to.unit_in_double[c] = iso::numeric::power_of_two(shift);
    if (!ok || (!last && !fits_slot(on))) *to.unfit = 1;
  }
  if (last || !ok) return;
  const std::int64_t begin = state.chunk_begin(c), slot = c * to.capacity;
  const int count = static_cast<int>(state.chunk_end(c) - begin);
  const int vertices = fill_slot(warp, {to.slots.element + slot, to.slots.sum + slot}, rows.y, begin, count,
                                 state.bits + 32 * c, on);
  if (warp.thread_rank() == 0) to.vertices[c] = vertices;
}

// Segment lists.

static __global__ void __launch_bounds__(256) start_lists(segment_lists lists, const std::int64_t* vertices) {
  const std::int64_t c = global_thread();
  if (c < lists.chunks) lists.start(c, static_cast<int>(vertices[c]));
}

template <iso::bridge_search Search, class Sums>
__global__ void __launch_bounds__(merge_threads)
    merge_by_threads(const slot_source<Sums> source, segment_lists lists, int level, std::int64_t cap) {
  const std::int64_t merge = global_thread();
  if (merge < lists.merges(level)) iso::merge_lists<Search>(source, lists, level, merge, cap);
}

template <class Sums>
__global__ void __launch_bounds__(warp_threads)
    merge_by_warps(const slot_source<Sums> source, segment_lists lists, int level) {
  const std::int64_t merge = global_warp();
  if (merge < lists.merges(level)) iso::merge_lists(whole_warp(), source, lists, level, merge);
}

// Merges whose walk has reached its cap: counts are one a level, zero at first.
struct merge_queue {
  unsigned* count;
  std::uint32_t* merge;
};

template <class Sums>
__global__ void __launch_bounds__(merge_threads)
    walk_by_threads(const slot_source<Sums> source, segment_lists lists, merge_queue queue, int level,
                    std::int64_t cap) {
  const std::int64_t merge = global_thread();
  if (merge >= lists.merges(level) || merge_by_walk(source, lists, level, merge, cap)) return;
  queue.merge[atomicAdd(queue.count + level, 1u)] = static_cast<std::uint32_t>(merge);
}

template <class Sums>
__global__ void __launch_bounds__(warp_threads)
    finish_by_warps(const slot_source<Sums> source, segment_lists lists, merge_queue queue, int level) {
  const std::int64_t queued = queue.count[level];
  for (std::int64_t i = global_warp(); i < queued; i += all_warps()) {
    iso::merge_lists(whole_warp(), source, lists, level, std::int64_t{queue.merge[i]});
  }
}

// Flat hulls.

static __global__ void __launch_bounds__(warp_threads)
    start_flat(kept_vertices to, flat_hulls hulls, kept_vertices slots, const std::int64_t* vertices,
               int chunk_bits) {
  const std::int64_t c = global_warp();
  if (c >= hulls.chunks) return;
  const std::int64_t count = vertices[c], begin = hulls.begin(c);
  for (std::int64_t v = threadIdx.x % 32; v < count; v += 32) {
    flatten(to, slots, begin + v, chunk_bits, v + 1 == count);
  }
  if (threadIdx.x % 32 == 0) hulls.size[c] = count;
}

template <class Sums>
__global__ void __launch_bounds__(merge_threads)
    merge_and_copy_by_threads(const flat_source<Sums> source, flat_hulls hulls, int level) {
  const std::int64_t merge = global_thread();
  if (merge < hulls.merges(level)) merge_and_copy(source, hulls, level, merge);
}

template <class Sums>
__global__ void __launch_bounds__(warp_threads)
    merge_and_copy_by_warps(const flat_source<Sums> source, flat_hulls hulls, int level) {
  const std::int64_t merge = global_warp();
  if (merge < hulls.merges(level)) merge_and_copy(whole_warp(), source, hulls, level, merge);
}

template <class Sums>
__global__ void __launch_bounds__(merge_threads)
    find_joints_by_threads(const flat_source<Sums> source, flat_hulls hulls, joint* joints, int level) {
  const std::int64_t node = global_thread();
  if (node < hulls.nodes(level)) find_joint(source, hulls, joints, level, node);
}

template <class Sums>
__global__ void __launch_bounds__(warp_threads)
    find_joints_by_warps(const flat_source<Sums> source, flat_hulls hulls, joint* joints, int level) {
  const std::int64_t node = global_warp();
  if (node < hulls.nodes(level)) find_joint(whole_warp(), source, hulls, joints, level, node);
}

static __global__ void __launch_bounds__(256)
    copy_nodes(kept_vertices to, kept_vertices from, flat_hulls hulls, const joint* joints, int level) {
  copy_level(to, from, hulls, joints, level, global_warp(), all_warps(), static_cast<int>(threadIdx.x % 32));
}

// Checks, which are not timed.

// Sets the bit of every vertex but the row's end, from the segments of a list; a warp a segment.
static __global__ void __launch_bounds__(256)
    mark_list(iso::segment_list root, kept_vertices slots, int capacity, std::int64_t length,
              std::uint32_t* bits) {
  for (std::int64_t i = global_warp(); i < root.size; i += all_warps()) {
    const iso::segment s = root.at[i];
    for (int v = s.first + static_cast<int>(threadIdx.x % 32); v <= s.last; v += 32) {
      const std::uint32_t element = slots.element[std::int64_t{s.chunk} * capacity + v];
      if (element < length) atomicOr(bits + element / 32, 1u << element % 32);
    }
  }
}

// The same from a flat hull.
static __global__ void __launch_bounds__(256)
    mark_flat(kept_vertices at, flat_hull root, std::int64_t length, std::uint32_t* bits) {
  for (std::int64_t i = root.first + global_thread(); i <= root.last; i += all_warps() * 32) {
    const std::uint32_t element = at.element[i];
    if (element < length) atomicOr(bits + element / 32, 1u << element % 32);
  }
}

// Adds the bits of `owed` that are missing from `bits`, and those it has besides, to two counts.
static __global__ void __launch_bounds__(256)
    compare_bits(const std::uint32_t* bits, const std::uint32_t* owed, std::int64_t words,
                 unsigned long long* counts) {
  unsigned long long missing = 0, extra = 0;
  for (std::int64_t i = global_thread(); i < words; i += all_warps() * 32) {
    missing += static_cast<unsigned>(__popc(owed[i] & ~bits[i]));
    extra += static_cast<unsigned>(__popc(bits[i] & ~owed[i]));
  }
  if (missing != 0) atomicAdd(counts, missing);
  if (extra != 0) atomicAdd(counts + 1, extra);
}

// Adds up what the nodes above a level hold, by their first chunks.
static __global__ void __launch_bounds__(256)
    add_sizes(const std::int64_t* size, std::int64_t chunks, int level, unsigned long long* total) {
  const std::int64_t first = global_thread() << (level + 1);
  if (first < chunks) atomicAdd(total, static_cast<unsigned long long>(size[first]));
}

// The lane hulls of chunks of 1024 elements, whose sums fit a word: a warp a chunk reads its values at once;
// then each lane sums up its own 32, in place, and runs the chain. Sum k of lane l is number 33 * k + l, so
// that both ways of going through them meet no bank conflict.
template <class Stack, class Record>
__global__ void __launch_bounds__(warp_threads)
    hull_lanes(const float* y, std::int64_t n, const Record* chunks, std::uint32_t* masks) {
  constexpr int pitch = 33;
  __shared__ std::int64_t sums[warp_threads / 32][pitch * 33];
  const std::int64_t c = global_warp(), begin = c * iso::chunk_elements;
  if (begin >= n) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int count = static_cast<int>(n - begin < iso::chunk_elements ? n - begin : iso::chunk_elements);
  std::int64_t* const own = sums[threadIdx.x / 32];
  const int low = chunks[c].on.products.low;
#pragma unroll 8
  for (int i = lane; i < count; i += 32) {
    own[pitch * (i % 32 + 1) + i / 32] = iso::value_on_grid(y[begin + i], low);
  }
  own[lane] = 0;
  __syncwarp();
  const int left = count - 32 * lane, elements = left < 0 ? 0 : left < 32 ? left : 32;
  std::int64_t sum = 0;
  for (int k = 1; k <= elements; ++k) own[pitch * k + lane] = sum += own[pitch * k + lane];
  masks[c * 32 + lane] = Stack::chain(elements, [&](int k) { return own[pitch * k + lane]; });
}

}  // namespace bench::controls
