// The ways to merge the chunk hulls of one row that are compared, each behind the same few members.
//
//   segments            the paper's segment lists (iso/segment/list_merge.cuh), a launch a level: a thread a
//   merge
//                       in levels of at least 256 merges, a warp a merge in others
//   per_merge_copying   the same searches and the same schedule; who merges copies the right hull's vertices
//   whole_grid_copying  the same; a second launch a level copies all hulls of the level, by the whole grid
//   tree_of_bridges     iso::solve's own kernel: one launch, only bridges are kept
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "prepared_row.cuh"

namespace bench::controls {

// What is called once the merges of a level are enqueued.
using after_level = std::function<void(int level)>;

class control {
 public:
  explicit control(const prepared_row& row) : row_(row) {}
  virtual ~control() = default;

  // Enqueues what makes the chunks' hulls of the row those to be merged.
  virtual void restore(cudaStream_t stream) = 0;
  // Enqueues all merges.
  virtual void merge(cudaStream_t stream, const after_level& after = {}) = 0;
  // Sets the bits of the hull that merges have come to.
  virtual void mark() = 0;
  // Bytes that the hulls above a level take, once its merges are enqueued.
  virtual std::int64_t held(int level) = 0;

  int launches() const { return launches_; }  // of the last merge()

 protected:
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), std::int64_t blocks, int threads, cudaStream_t stream,
              const Arguments&... arguments) {
    check(enqueue_kernel(kernel, blocks, threads, stream, arguments...));
    ++launches_;
  }
  // As many thread blocks as the device may hold at once, or nearly.
  static constexpr int grid_blocks = 1056;
  static constexpr std::int64_t least_thread_merges = 256;  // of a level with a thread a merge
  static bool by_threads(std::int64_t merges) { return merges >= least_thread_merges; }

  std::int64_t sum_of_sizes(const std::int64_t* sizes, int level) const {
    unsigned long long* const total = row_.counts.data() + 2;
    check(cudaMemset(total, 0, sizeof *total));
    const std::int64_t nodes = blocks_for(row_.chunks, std::int64_t{2} << level);
    add_sizes<<<static_cast<unsigned>(blocks_for(nodes, 256)), 256>>>(sizes, row_.chunks, level, total);
    check(cudaGetLastError());
    return read(total);
  }
  template <class Number>
  static std::int64_t read(const Number* at) {
    Number value;
    check(cudaMemcpy(&value, at, sizeof value, cudaMemcpyDefault));
    return static_cast<std::int64_t>(value);
  }

  const prepared_row& row_;
  int launches_ = 0;
};

// Who merges segment lists: by the number of merges, a warp always, or a thread that walks and a warp for
// what its walk leaves.
enum class schedule { by_count, warps, capped };

template <class Sums, iso::bridge_search Search = iso::bridge_search::nested,
          schedule Who = schedule::by_count>
class segments : public control {
 public:
  explicit segments(const prepared_row& row)
      : control(row), slots_(row.chunks), sizes_(row.chunks), queue_(row.chunks), queued_(64) {}

  void restore(cudaStream_t stream) override {
    check(enqueue_kernel(start_lists, blocks_for(row_.chunks, 256), 256, stream, lists(),
                         static_cast<const std::int64_t*>(row_.vertices.data())));
    check(cudaMemsetAsync(queued_.data(), 0, 64 * sizeof(unsigned), stream));
    row_.flush(stream);
  }

  void merge(cudaStream_t stream, const after_level& after) override {
    launches_ = 0;
    for (int level = 0; level < lists().levels(); ++level) {
      merge_level(stream, level);
      if (after) after(level);
    }
  }

  void mark() override {
    const iso::segment_list root{slots_.data(), read(sizes_.data())};
    mark_list<<<grid_blocks, 256>>>(root, row_.slots.get(), row_.capacity, row_.length, row_.bits.data());
    check(cudaGetLastError());
  }

  std::int64_t held(int level) override {
    return sum_of_sizes(sizes_.data(), level) * static_cast<std::int64_t>(sizeof(iso::segment));
  }

 private:
  segment_lists lists() const { return {row_.chunks, slots_.data(), sizes_.data()}; }

  // Moves after which a walk is given up; with the search of three cases it grows with the level.
  static std::int64_t cap(int level) {
    return Search == iso::bridge_search::nested ? iso::usual_walk_cap
                                                : 8 * (level + prepared_row::chunk_bits);
  }

  void merge_level(cudaStream_t stream, int level) {
    const slot_source<Sums> source{row_.starts(), row_.slots.get(), row_.capacity};
    const std::int64_t merges = lists().merges(level);
    const merge_queue queue{queued_.data(), queue_.data()};
    const std::int64_t thread_blocks = blocks_for(merges, merge_threads);
    const std::int64_t warp_blocks = blocks_for(merges, warp_threads / 32);
    if (Who == schedule::warps || !by_threads(merges)) {
      launch(merge_by_warps<Sums>, warp_blocks, warp_threads, stream, source, lists(), level);
    } else if (Who == schedule::by_count) {
      launch(merge_by_threads<Search, Sums>, thread_blocks, merge_threads, stream, source, lists(), level,
             cap(level));
    } else {
      launch(walk_by_threads<Sums>, thread_blocks, merge_threads, stream, source, lists(), queue, level,
             cap(level));
      launch(finish_by_warps<Sums>, std::min<std::int64_t>(warp_blocks, grid_blocks), warp_threads, stream,
             source, lists(), queue, level);
    }
  }

  device_array<iso::segment> slots_;
  device_array<std::int64_t> sizes_;
  device_array<std::uint32_t> queue_;
  device_array<unsigned> queued_;  // one a level
};

// What the two controls that copy vertices have in common.
template <class Sums>
class flat_control : public control {
 public:
  explicit flat_control(const prepared_row& row)
      : control(row), at_(row.chunks * row.capacity), sizes_(row.chunks) {}

  void restore(cudaStream_t stream) override {
    check(enqueue_kernel(start_flat, blocks_for(row_.chunks, warp_threads / 32), warp_threads, stream,
                         at_.get(), hulls(), row_.slots.get(),
                         static_cast<const std::int64_t*>(row_.vertices.data()), row_.chunk_bits));
    row_.flush(stream);
  }

  std::int64_t held(int level) override {
    constexpr std::int64_t vertex_bytes = sizeof(std::uint32_t) + sizeof(std::int64_t);
    return sum_of_sizes(sizes_.data(), level) * vertex_bytes;
  }

 protected:
  flat_hulls hulls() const { return {row_.chunks, row_.capacity, sizes_.data()}; }
  int levels() const { return iso::hull_tree{row_.chunks}.levels(); }
  void mark_root(const kept_vertices& at) {
    const flat_hull root{0, read(sizes_.data()) - 1};
    mark_flat<<<grid_blocks, 256>>>(at, root, row_.length, row_.bits.data());
    check(cudaGetLastError());
  }

  vertex_array at_;
  device_array<std::int64_t> sizes_;
};

template <class Sums>
class per_merge_copying : public flat_control<Sums> {
 public:
  using flat_control<Sums>::flat_control;

  void merge(cudaStream_t stream, const after_level& after) override {
    this->launches_ = 0;
    const flat_source<Sums> source{this->row_.starts(), this->at_.get()};
    for (int level = 0; level < this->levels(); ++level) {
      const std::int64_t merges = this->hulls().merges(level);
      if (this->by_threads(merges)) {
        this->launch(merge_and_copy_by_threads<Sums>, blocks_for(merges, merge_threads), merge_threads,
                     stream, source, this->hulls(), level);
      } else {
        this->launch(merge_and_copy_by_warps<Sums>, blocks_for(merges, warp_threads / 32), warp_threads,
                     stream, source, this->hulls(), level);
      }
      if (after) after(level);
    }
  }

  void mark() override { this->mark_root(this->at_.get()); }
};

template <class Sums>
class whole_grid_copying : public flat_control<Sums> {
 public:
  explicit whole_grid_copying(const prepared_row& row)
      : flat_control<Sums>(row), other_(row.chunks * row.capacity), joints_(row.chunks) {}

  void merge(cudaStream_t stream, const after_level& after) override {
    this->launches_ = 0;
    kept_vertices from = this->at_.get(), to = other_.get();
    for (int level = 0; level < this->levels(); ++level) {
      find_joints(stream, flat_source<Sums>{this->row_.starts(), from}, level);
      this->launch(copy_nodes, this->grid_blocks, 256, stream, to, from, this->hulls(),
                   static_cast<const joint*>(joints_.data()), level);
      std::swap(from, to);
      if (after) after(level);
    }
  }

  void mark() override { this->mark_root(this->levels() % 2 == 0 ? this->at_.get() : other_.get()); }

 private:
  void find_joints(cudaStream_t stream, const flat_source<Sums>& source, int level) {
    const std::int64_t nodes = this->hulls().nodes(level);
    if (this->by_threads(this->hulls().merges(level))) {
      this->launch(find_joints_by_threads<Sums>, blocks_for(nodes, merge_threads), merge_threads, stream,
                   source, this->hulls(), joints_.data(), level);
    } else {
      this->launch(find_joints_by_warps<Sums>, blocks_for(nodes, warp_threads / 32), warp_threads, stream,
                   source, this->hulls(), joints_.data(), level);
    }
  }

  vertex_array other_;
  device_array<joint> joints_;
};

// Merges write over the lists of chunks, so all of the workspace is restored. The hull is read off the fit.
class tree_of_bridges : public control {
 public:
  using control::control;

  void restore(cudaStream_t stream) override {
    check(cudaMemcpyAsync(row_.workspace.data(), row_.hulled.data(), row_.workspace_bytes,
                          cudaMemcpyDeviceToDevice, stream));
    row_.flush(stream);
  }

  void merge(cudaStream_t stream, const after_level& after) override {
    launches_ = 0;
    launch(iso::device::detail::merge_chunks<rows_type, space_type>, row_.chunks / 2, 32, stream, row_.rows(),
           row_.space());
    if (after) after(0);
  }

  void mark() override {
    namespace device = iso::device::detail;
    constexpr int threads = 32 * device::warps_a_block<iso::chunk_storage<float, false>>;
    check(enqueue_kernel(device::fit_chunks<threads, rows_type, space_type>,
                         blocks_for(row_.chunks, threads / 32), threads, nullptr, row_.rows(), row_.space()));
  }

  // At most: of every node its record, and a list in the place of its first chunk.
  std::int64_t held(int) override {
    return (row_.chunks - 1) * static_cast<std::int64_t>(sizeof(iso::node_record<float, false>) +
                                                         sizeof(iso::chunk_points<float, false>));
  }
};

}  // namespace bench::controls
