// A row whose chunk hulls are known, merged by every control of benchmarks/controls, level by level.
//
// Worked example: of chunks of 2 elements, values 1 5 | 2 3, the slots have room for 3 vertices each, and
// hold elements 0 1 2 with sums 0 1 6, and 2 3 4 with sums 0 2 5; `begins` are 0, 6 and 11.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../benchmarks/controls/capped_merge.cuh"
#include "../../benchmarks/controls/flat_merge.cuh"
#include "catch.hpp"
#include "segment/listed_row.hpp"
#include "simt/simt.hpp"

namespace controls_test {

using namespace bench::controls;
using iso::segment_lists;
using row_type = segment_test::listed_row<float, false, iso::numeric::sums<2, 1>>;

// The vertices of a row's chunk hulls, in slots.
struct slotted_row {
  std::int64_t chunks;
  int chunk_bits, capacity;
  std::vector<std::int64_t> vertices;  // of each chunk
  std::vector<iso::numeric::integer<2>> begins;
  std::vector<std::int32_t> shifts;
  std::vector<double> begins_in_double, units;
  std::vector<std::uint32_t> element;
  std::vector<std::int64_t> sum;

  slotted_row(std::int64_t count, int bits)
      : chunks(count),
        chunk_bits(bits),
        capacity((1 << bits) + 1),
        vertices(static_cast<std::size_t>(count)),
        begins(vertices.size() + 1),
        shifts(begins.size()),
        element(vertices.size() * static_cast<std::size_t>(capacity), 0xdeadbeef),
        sum(element.size(), -12345) {}

  // Of brute force; every second chunk counts in units as large as its sums allow.
  slotted_row(const row_type& row, int bits) : slotted_row(row.chunks, bits) {
    for (std::int64_t c = 0; c < chunks; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const auto base = begins[at] = row.before[at << bits].s;
      std::uint64_t any = 0;
      for (const auto& p : row.hulls[at]) any |= (p.at.s - base).word[0];
      shifts[at] = c % 2 != 0 && any != 0 ? std::countr_zero(any) : 0;
      for (const auto& p : row.hulls[at]) {
        const auto i = static_cast<std::size_t>(c * capacity + vertices[at]++);
        element[i] = static_cast<std::uint32_t>(p.element);
        sum[i] = static_cast<std::int64_t>((p.at.s - base).word[0]) >> shifts[at];
      }
    }
    begins.back() = row.before.back().s;
    round_starts();
  }

  void round_starts() {
    for (std::size_t c = 0; c < begins.size(); ++c) {
      begins_in_double.push_back(iso::numeric::as_double(begins[c]));
      units.push_back(iso::numeric::power_of_two(shifts[c]));
    }
  }
  chunk_starts starts() const {
    return {chunk_bits, begins.data(), shifts.data(), begins_in_double.data(), units.data()};
  }
  kept_vertices slots() { return {element.data(), sum.data()}; }
};

template <class Body>
void in_a_warp(std::uint64_t order, const Body& body) {
  simt::launch(32, order, [&](const simt::thread_block& block) { body(simt::tiled_partition<32>(block)); });
}

using elements = std::vector<std::int64_t>;

// Segment lists of a row.
class listed {
 public:
  explicit listed(slotted_row& row)
      : row_(row),
        slots_(row.vertices.size(), iso::segment{0xdeadbeef, 0xdead, 0xbeef}),
        sizes_(slots_.size()) {
    for (std::size_t c = 0; c < slots_.size(); ++c) {
      get().start(static_cast<std::int64_t>(c), static_cast<int>(row.vertices[c]));
    }
  }
  segment_lists get() { return {row_.chunks, slots_.data(), sizes_.data()}; }
  elements hull(std::int64_t node) {
    elements out;
    const auto list = get().list(node);
    for (std::int64_t i = 0; i < list.size; ++i) {
      for (int v = list.at[i].first; v <= list.at[i].last; ++v) {
        out.push_back(row_.slots().element[std::int64_t{list.at[i].chunk} * row_.capacity + v]);
      }
    }
    return out;
  }

 private:
  slotted_row& row_;
  std::vector<iso::segment> slots_;
  std::vector<std::int64_t> sizes_;
};

// Flat hulls of a row, in a buffer of their own.
class flat {
 public:
  explicit flat(slotted_row& row)
      : row_(row),
        sizes_(row.vertices),
        element_(row.element.size(), 0xabababab),
        sum_(element_.size(), -999) {
    for (std::int64_t c = 0; c < row.chunks; ++c) {
      const std::int64_t count = sizes_[static_cast<std::size_t>(c)], begin = c * row.capacity;
      for (std::int64_t v = 0; v < count; ++v) {
        flatten(at(), row.slots(), begin + v, row.chunk_bits, v + 1 == count);
      }
    }
  }
  kept_vertices at() { return {element_.data(), sum_.data()}; }
  flat_hulls hulls() { return {row_.chunks, row_.capacity, sizes_.data()}; }
  template <class Sums>
  flat_source<Sums> source() {
    return {row_.starts(), at()};
  }
  // By some warps, to another buffer, which becomes this one.
  void copy(const std::vector<joint>& joints, int level, std::int64_t warps) {
    std::vector<std::uint32_t> element(element_.size(), 0xcdcdcdcd);
    std::vector<std::int64_t> sum(sum_.size(), -777);
    for (std::int64_t i = 0; i < 32 * warps; ++i) {
      copy_level({element.data(), sum.data()}, at(), hulls(), joints.data(), level, i / 32, warps,
                 static_cast<int>(i % 32));
    }
    element_ = std::move(element);
    sum_ = std::move(sum);
  }
  elements hull(std::int64_t node) {
    const flat_hull of = hulls().hull(node);
    return {element_.begin() + of.first, element_.begin() + of.last + 1};
  }

 private:
  slotted_row& row_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::uint32_t> element_;
  std::vector<std::int64_t> sum_;
};

// All controls of a row.
template <class Sums>
class controls {
 public:
  controls(slotted_row& row, std::uint64_t seed)
      : row_(row),
        seed_(seed),
        cap_(static_cast<std::int64_t>(seed % 5)),
        slots_{row.starts(), row.slots(), row.capacity},
        by_search_(row),
        capped_(row),
        by_warp_(row),
        by_thread_(row),
        moved_by_warp_(row),
        grid_(row),
        joints_(row.vertices.size()) {}

  int levels() { return by_search_.get().levels(); }

  void merge_level(int level) {
    for (std::int64_t k = 0; k < grid_.hulls().nodes(level); ++k) {
      find(level, k);
      if (k < grid_.hulls().merges(level)) merge(level, k);
    }
    grid_.copy(joints_, level, 1 + static_cast<std::int64_t>(seed_ % 7));
  }

  void check_node(std::int64_t node, const elements& hull) {
    REQUIRE(by_search_.hull(node) == hull);
    REQUIRE(capped_.hull(node) == hull);
    REQUIRE(by_warp_.hull(node) == hull);
    REQUIRE(by_thread_.hull(node) == hull);
    REQUIRE(moved_by_warp_.hull(node) == hull);
    REQUIRE(grid_.hull(node) == hull);
  }

 private:
  void find(int level, std::int64_t k) {
    const auto source = grid_.source<Sums>();
    const auto hulls = grid_.hulls();
    if ((static_cast<std::uint64_t>(k) + seed_) % 2 == 0) {
      find_joint(source, hulls, joints_.data(), level, k, cap_);
    } else {
      in_a_warp(seed_, [&](const auto& w) { find_joint(w, source, hulls, joints_.data(), level, k); });
    }
  }

  void merge(int level, std::int64_t k) {
    constexpr bool exact = !std::is_same_v<Sums, plain_sums>;  // the third case asks for exact products
    constexpr auto search = exact ? iso::bridge_search::three_cases : iso::bridge_search::nested;
    merge_lists<search>(slots_, by_search_.get(), level, k, cap_);
    if (!merge_by_walk(slots_, capped_.get(), level, k, cap_)) {
      in_a_warp(seed_, [&](const auto& w) { merge_lists(w, slots_, capped_.get(), level, k); });
    }
    in_a_warp(seed_ + 1, [&](const auto& w) { merge_lists(w, slots_, by_warp_.get(), level, k); });
    merge_and_copy(by_thread_.source<Sums>(), by_thread_.hulls(), level, k, cap_);
    const auto source = moved_by_warp_.source<Sums>();
    const auto hulls = moved_by_warp_.hulls();
    in_a_warp(seed_ + 2, [&](const auto& w) { merge_and_copy(w, source, hulls, level, k); });
  }

  slotted_row& row_;
  std::uint64_t seed_;
  std::int64_t cap_;
  slot_source<Sums> slots_;
  listed by_search_, capped_, by_warp_;
  flat by_thread_, moved_by_warp_, grid_;
  std::vector<joint> joints_;
};

}  // namespace controls_test
