// Which kernels a shape of rows takes.
#pragma once

#include <cstddef>
#include <cstdint>

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
template <class... Parameters, class... Arguments>
static cudaError_t enqueue_kernel(void (*kernel)(Parameters...), std::int64_t blocks, int threads,
                                  cudaStream_t stream, const Arguments&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <class Rows>
static cudaError_t launch_short_rows(cudaStream_t stream, const Rows& rows) {
  constexpr int threads = 32 * warps_a_block<chunk_storage<typename Rows::value_type, Rows::weighted>>;
  int row_lanes = 1;
  while (row_lanes * chunk_lane_elements < rows.size.length) row_lanes *= 2;
  return enqueue_kernel(solve_short_rows<threads, Rows>, blocks_for(rows.size.rows, threads / row_lanes),
                        threads, stream, rows, row_lanes);
}

template <class Rows>
static cudaError_t launch_long_rows(cudaStream_t stream, const Rows& rows, std::byte* memory) {
  using T = typename Rows::value_type;
  using space = workspace<T, Rows::weighted>;
  constexpr int threads = 32 * warps_a_block<chunk_storage<T, Rows::weighted>>;
  constexpr int merge_threads = 128;
  const space at(rows.size, memory);
  const std::int64_t chunks = rows.size.rows * at.chunks, pairs = rows.size.rows * (at.chunks / 2);
  if (const auto e = cudaMemsetAsync(at.row, 0, at.zeroed_bytes, stream)) return e;
  if (const auto e = enqueue_kernel(hull_chunks<threads, Rows, space>, blocks_for(chunks, threads / 32),
                                    threads, stream, rows, at))
    return e;
  if (const auto e =
          enqueue_kernel(sum_chunks<Rows, space>, rows.size.rows * at.groups, group_chunks, stream, rows, at))
    return e;
  if (const auto e = enqueue_kernel(merge_chunks<merge_threads, Rows, space>,
                                    blocks_for(pairs, merge_threads / 32), merge_threads, stream, rows, at))
    return e;
  return enqueue_kernel(fit_chunks<threads, Rows, space>, blocks_for(chunks, threads / 32), threads, stream,
                        rows, at);
}

// Enqueues all that a solve takes, for at least one row of at least one element; `memory` is aligned to 256
// bytes and as large as workspace_bytes says. Never waits for the device.
template <class T, class Y, class W, class Fit>
static cudaError_t launch(cudaStream_t stream, const rows<T, Y, W, Fit>& rows, std::byte* memory) {
  if (rows.size.length > longest_short_row) return launch_long_rows(stream, rows, memory);
  return launch_short_rows(stream, rows);
}

}  // namespace iso::device::detail
