// One row in device memory, with the hulls of its chunks as our chunk kernel leaves them and as the controls
// want them, and what the row's hull is, by iso::host::solve.
//
// Everything that merges reads is kept as it was before them, and restored before each call. Nothing of it is
// to be found in the L2 cache then: each restoration ends with other memory being written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <iso/device/driver.cuh>
#include <iso/host.hpp>

#include "../device/memory.cuh"
#include "../device/problem.cuh"
#include "kernels.cuh"

namespace bench::controls {

using rows_type = iso::device::detail::rows<float, const float*, iso::device::detail::no_weights, float*>;
using space_type = iso::device::detail::workspace<float, false>;
using iso::device::detail::blocks_for;
using iso::device::detail::enqueue_kernel;

// Slots or a buffer of flat hulls.
class vertex_array {
 public:
  explicit vertex_array(std::int64_t size) : element_(size), sum_(size) {}
  kept_vertices get() const { return {element_.data(), sum_.data()}; }

 private:
  device_array<std::uint32_t> element_;
  device_array<std::int64_t> sum_;
};

class prepared_row {
 public:
  static constexpr int chunk_bits = 10, capacity = iso::chunk_elements + 1;
  static_assert(iso::chunk_elements == 1 << chunk_bits);

  prepared_row(family f, std::int64_t n)
      : length(n),
        chunks((n + iso::chunk_elements - 1) / iso::chunk_elements),
        words(chunks * 32),
        y(n),
        fit(n),
        bits(words),
        masks(words),
        workspace_bytes(space_type({1, n}, nullptr).bytes),
        workspace(static_cast<std::int64_t>(workspace_bytes)),
        hulled(static_cast<std::int64_t>(workspace_bytes)),
        slots(chunks * capacity),
        vertices(chunks),
        counts(4),
        owed_(words),
        start_(chunks + 1),
        shift_(chunks + 1),
        start_in_double_(chunks + 1),
        unit_in_double_(chunks + 1),
        others_(others_bytes) {
    draw<<<2048, 256>>>(f, y.data(), static_cast<float*>(nullptr), n, n);
    check(cudaGetLastError());
    hull_chunks(nullptr);
    check(cudaMemcpy(hulled.data(), workspace.data(), workspace_bytes, cudaMemcpyDefault));
    convert();
    solve_on_host();
  }

  rows_type rows() const {
    iso::options<float> options;
    options.pools = {bits.data(), static_cast<std::size_t>(iso::pool_words(length))};
    return iso::device::detail::make_rows<float>(static_cast<const float*>(y.data()),
                                                 iso::device::detail::no_weights{}, fit.data(), {length, 1},
                                                 {length, 1}, {length, 1}, iso::shape{1, length}, options);
  }
  // Of chunks that are all hulled, whatever looks at them would tell.
  space_type space() const {
    space_type at({1, length}, workspace.data());
    at.chosen = nullptr;
    return at;
  }
  chunk_starts starts() const {
    return {chunk_bits, start_.data(), shift_.data(), start_in_double_.data(), unit_in_double_.data()};
  }

  // The chunk stage, and the sums up to each chunk, as the driver enqueues them.
  void hull_chunks(cudaStream_t stream) const {
    namespace device = iso::device::detail;
    const space_type at = space();
    check(cudaMemsetAsync(at.row, 0, at.zeroed_bytes, stream));
    check(device::enqueue_hulls(stream, rows(), at));
    check(enqueue_kernel(device::sum_chunks<rows_type, space_type>, at.groups, iso::group_chunks, stream,
                         rows(), at, false));
  }

  void flush(cudaStream_t stream) const { check(cudaMemsetAsync(others_.data(), 0, others_bytes, stream)); }
  void copy(cudaStream_t stream) const {
    check(cudaMemcpyAsync(fit.data(), y.data(), static_cast<std::size_t>(length) * sizeof(float),
                          cudaMemcpyDeviceToDevice, stream));
  }

  // How the marked bits differ from the row's pools: bits that are missing, and others.
  struct differences {
    unsigned long long missing, extra;
  };
  void clear_marks() const {
    check(cudaMemset(bits.data(), 0, static_cast<std::size_t>(words) * 4));
    check(cudaMemset(counts.data(), 0, 4 * sizeof(unsigned long long)));
  }
  differences compare() const {
    compare_bits<<<1024, 256>>>(bits.data(), owed_.data(), iso::pool_words(length), counts.data());
    check(cudaGetLastError());
    differences found;
    check(cudaMemcpy(&found, counts.data(), sizeof found, cudaMemcpyDefault));
    return found;
  }

  const std::int64_t length, chunks, words;
  device_array<float> y, fit;
  device_array<std::uint32_t> bits, masks;
  const std::size_t workspace_bytes;
  device_array<std::byte> workspace, hulled;  // of the driver: to work in, and as the chunk stage leaves it
  vertex_array slots;
  device_array<std::int64_t> vertices;      // of each chunk
  device_array<unsigned long long> counts;  // of checks: missing, extra, held, unused

 private:
  static constexpr std::int64_t others_bytes = std::int64_t{160} << 20;

  void convert() {
    const device_array<int> unfit(1);
    check(cudaMemset(unfit.data(), 0, sizeof(int)));
    const converted to{slots.get(),
                       capacity,
                       vertices.data(),
                       start_.data(),
                       shift_.data(),
                       start_in_double_.data(),
                       unit_in_double_.data(),
                       unfit.data()};
    check(enqueue_kernel(convert_chunks<rows_type, space_type>, blocks_for(chunks + 1, warp_threads / 32),
                         warp_threads, nullptr, rows(), space(), to));
    int bad = 0;
    check(cudaMemcpy(&bad, unfit.data(), sizeof bad, cudaMemcpyDefault));
    if (bad != 0) throw std::runtime_error("the sums of a chunk do not fit the controls' vertices");
  }

  void solve_on_host() {
    const auto size = static_cast<std::size_t>(length);
    std::vector<float> values(size), fitted(size);
    std::vector<std::uint32_t> pools(static_cast<std::size_t>(words), 0);
    check(cudaMemcpy(values.data(), y.data(), size * sizeof(float), cudaMemcpyDefault));
    iso::options<float> options;
    options.pools = {pools.data(), static_cast<std::size_t>(iso::pool_words(length))};
    iso::host::solve<float, false>(values, fitted, options).check();
    check(cudaMemcpy(owed_.data(), pools.data(), pools.size() * 4, cudaMemcpyDefault));
  }

  device_array<std::uint32_t> owed_;
  device_array<iso::numeric::integer<2>> start_;
  device_array<std::int32_t> shift_;
  device_array<double> start_in_double_, unit_in_double_;
  device_array<std::byte> others_;
};

}  // namespace bench::controls
