// Which kernels a shape of rows takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <cuda_runtime.h>

#include <iso/device/kernels.cuh>
#include <iso/device/rows.hpp>
#include <iso/device/workspace.cuh>
#include <iso/options.hpp>

namespace iso::device::detail {

// Rows of at most this many elements are solved in shared memory, each by one warp or less.
inline constexpr std::int64_t longest_short_row = chunk_elements;

// Bytes of device memory that a solve needs besides its data; 0 for short rows.
template <class T, bool Weighted>
std::size_t workspace_bytes(shape size) {
  if (size.length <= longest_short_row || size.rows == 0) return 0;
  return workspace<T, Weighted>(size, nullptr).bytes;
}

inline std::int64_t blocks_for(std::int64_t items, std::int64_t a_block) {
  return (items + a_block - 1) / a_block;
}

// Enqueues a kernel. Its error is its own: one that an earlier call left behind stays where it is.
// `shared_bytes`: of dynamic shared memory, a thread block. `attributes`: of the launch, or none.
template <class... Parameters, class... Arguments>
static cudaError_t enqueue_kernel_with(std::span<cudaLaunchAttribute> attributes, std::size_t shared_bytes,
                                       void (*kernel)(Parameters...), std::int64_t blocks, int threads,
                                       cudaStream_t stream, const Arguments&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}
template <class... Parameters, class... Arguments>
static cudaError_t enqueue_kernel(void (*kernel)(Parameters...), std::int64_t blocks, int threads,
                                  cudaStream_t stream, const Arguments&... arguments) {
  return enqueue_kernel_with({}, 0, kernel, blocks, threads, stream, arguments...);
}

// Enqueues a kernel that calls follow_previous_kernel, after another kernel: closely, if the image of it that
// the device has loaded waits for that.
template <class... Parameters, class... Arguments>
static cudaError_t enqueue_following_kernel(void (*kernel)(Parameters...), std::int64_t blocks, int threads,
                                            cudaStream_t stream, const Arguments&... arguments) {
  cudaFuncAttributes image;
  if (const auto e = cudaFuncGetAttributes(&image, kernel)) return e;
  cudaLaunchAttribute closely[1]{};
  closely[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  closely[0].val.programmaticStreamSerializationAllowed = 1;
  const std::size_t count = image.ptxVersion >= follows_closely_from ? 1 : 0;
  return enqueue_kernel_with({closely, count}, 0, kernel, blocks, threads, stream, arguments...);
}

// Enqueues a kernel whose lanes have a row each, and whose warps plan.bytes of shared memory: as many warps a
// thread block, but at most `most_warps`, as share the usual memory.
template <class Rows>
static cudaError_t enqueue_lane_rows(void (*kernel)(Rows, lane_rows_plan), const Rows& rows,
                                     const lane_rows_plan& plan, int most_warps, cudaStream_t stream) {
  constexpr int usual_bytes = block_sizes.usual_shared_bytes;
  const int warps = lesser_of(usual_bytes / plan.bytes, most_warps);
  return enqueue_kernel_with({}, static_cast<std::size_t>(warps * plan.bytes), kernel,
                             blocks_for(rows.size.rows, plan.rows * warps), 32 * warps, stream, rows, plan);
}

// Enqueues the hulls of all chunks of all rows, and the fits of rows that are of one chunk.
template <class Rows, class Workspace>
static cudaError_t enqueue_hulls(cudaStream_t stream, const Rows& rows, const Workspace& at) {
  constexpr int warps = warps_a_block<chunk_memory<Rows>>;
  return enqueue_kernel_with({}, warps * sizeof(chunk_memory<Rows>), hull_chunks<32 * warps, Rows, Workspace>,
                             blocks_for(rows.size.rows * at.chunks, warps), 32 * warps, stream, rows, at);
}

// Enqueues looks at all chunks of all rows.
template <class Rows, class Workspace>
static cudaError_t enqueue_looks(cudaStream_t stream, const Rows& rows, const Workspace& at) {
  constexpr int warps = warps_a_block<look_storage_of<Rows>>;
  return enqueue_kernel(look_at_chunks<32 * warps, Rows, Workspace>,
                        blocks_for(rows.size.rows * at.chunks, warps), 32 * warps, stream, rows, at);
}

// Whether rows are so few that a warp each is done sooner than a lane each: as many as the device works on at
// once.
template <class Rows>
static cudaError_t are_few(const Rows& rows, bool& few) {
  int device = 0, multiprocessors = 0;
  if (const auto e = cudaGetDevice(&device)) return e;
  if (const auto e = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device)) {
    return e;
  }
  constexpr int wait =
      block_sizes.lane_wait * (sizeof(typename Rows::value_type) / 4) * (Rows::weighted ? 2 : 1);
  few = rows.size.rows * wait <= multiprocessors * rows.size.length;
  return cudaSuccess;
}

// Rows of one chunk: of up to short_lane_row elements by a lane each, and longer ones too unless they are
// few; those that warps solve sooner by a warp each.
template <class Rows>
static cudaError_t launch_short_rows(cudaStream_t stream, const Rows& rows) {
  using T = typename Rows::value_type;
  constexpr int lane_warps = block_sizes.warps;
  const auto length = static_cast<int>(rows.size.length);
  bool by_warps = length > (Rows::weighted ? block_sizes.weighted_lane_row : block_sizes.lane_row);
  if (length > short_lane_row && !by_warps) {
    if (const auto e = are_few(rows, by_warps)) return e;
  }
  if (!by_warps) {
    lane_rows_plan plan;
    void (*kernel)(Rows, lane_rows_plan);
    if constexpr (Rows::weighted) {
      plan = weighted_rows_memory<T>::plan(rows);
      kernel = fit_weighted_lane_rows<32 * lane_warps, Rows>;
    } else {
      plan = length <= short_lane_row ? lane_rows_plan::of<short_lane_row>(rows)
                                      : lane_rows_plan::of<long_lane_row>(rows);
      kernel = fit_lane_rows<32 * lane_warps, Rows>;
    }
    return enqueue_lane_rows(kernel, rows, plan, lane_warps, stream);
  }
  return enqueue_hulls(stream, rows, workspace<T, Rows::weighted>(rows.size, nullptr));
}

template <class Rows>
static cudaError_t launch_long_rows(cudaStream_t stream, const Rows& rows, std::byte* memory) {
  using T = typename Rows::value_type;
  using space = workspace<T, Rows::weighted>;
  constexpr int threads = 32 * warps_a_block<chunk_storage<T, Rows::weighted>>;
  const space at(rows.size, memory);
  const std::int64_t chunks = rows.size.rows * at.chunks, pairs = rows.size.rows * (at.chunks / 2);
  if (const auto e = cudaMemsetAsync(at.row, 0, at.zeroed_bytes, stream)) return e;
  const auto enqueue_sums = [&](bool looks) {
    return enqueue_following_kernel(sum_chunks<Rows, space>, rows.size.rows * at.groups,
                                    summing_threads(at.chunks), stream, rows, at, looks);
  };
  if (at.chosen != nullptr) {
    if (const auto e = enqueue_looks(stream, rows, at)) return e;
    if (const auto e = enqueue_sums(true)) return e;
    if (const auto e = enqueue_following_kernel(choose_chunks<Rows, space>, rows.size.rows * at.groups,
                                                group_chunks, stream, rows, at)) {
      return e;
    }
  }
  if (const auto e = enqueue_hulls(stream, rows, at)) return e;
  if (const auto e = enqueue_sums(false)) return e;
  if (const auto e = enqueue_following_kernel(merge_chunks<Rows, space>, pairs, 32, stream, rows, at))
    return e;
  return enqueue_following_kernel(fit_chunks<threads, Rows, space>, blocks_for(chunks, threads / 32), threads,
                                  stream, rows, at);
}

// Enqueues all that a solve takes, for at least one row of at least one element; `memory` is aligned to 256
// bytes and as large as workspace_bytes says. Never waits for the device.
template <class T, class Y, class W, class Fit>
static cudaError_t launch(cudaStream_t stream, const rows<T, Y, W, Fit>& rows, std::byte* memory) {
  if (rows.size.length > longest_short_row) return launch_long_rows(stream, rows, memory);
  return launch_short_rows(stream, rows);
}

}  // namespace iso::device::detail
