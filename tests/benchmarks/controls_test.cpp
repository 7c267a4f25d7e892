// The controls that benchmarks time beside iso's merges: after every level each of them has the hull that
// brute force finds, be it merged by a thread or by a warp, by any of the searches.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <iso/device/workspace.cuh>
#include <iso/segment/chunk.cuh>

#include "../../benchmarks/controls/convert.cuh"
#include "../../benchmarks/controls/lane_stack.cuh"
#include "../../benchmarks/data.hpp"
#include "block/emulated_row.hpp"
#include "catch.hpp"
#include "controlled_row.hpp"
#include "host/check.hpp"
#include "sanitized.hpp"

namespace {

using namespace controls_test;

constexpr bench::family families[] = {
    bench::family::noise,      bench::family::trend,    bench::family::increasing,
    bench::family::sawtooth,   bench::family::cliff,    bench::family::labels,
    bench::family::decreasing, bench::family::constant, bench::family::pairs};

// A row of a family; short ones have teeth of a few elements. Noise is rounded to few bits, so that ties
// occur.
reference::problem<float> drawn_row(bench::family f, std::int64_t n, std::int64_t seed) {
  std::vector<float> y;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t at = f == bench::family::sawtooth && n < 2000 ? i % (5 + seed % 40) * 10 : i;
    const double v = bench::value(f, at, n, i + seed * n);
    y.push_back(static_cast<float>(f == bench::family::noise && seed % 2 == 0 ? std::round(4 * v) : v));
  }
  return reference::row(y);
}

// Whether the sums of chunks fit the words of slots.
bool chunks_fit(const row_type& row, int chunk_bits) {
  return row.on.products.bits() + chunk_bits + 1 <= 64;
}

template <class Sums>
void check_against_brute_force(const row_type& row, int chunk_bits, std::uint64_t seed) {
  slotted_row slotted(row, chunk_bits);
  controls<Sums> all(slotted, seed);
  for (int level = 0; level < all.levels(); ++level) {
    all.merge_level(level);
    const std::int64_t width = std::int64_t{2} << level;
    for (std::int64_t node = 0; node < row.chunks; node += width) {
      all.check_node(node, row.hull(node, (std::min)(row.chunks, node + width)));
    }
  }
}

// The hulls of a row's chunks as the library's chunk kernel finds them, in slots; and the row's hull as the
// host's solver has it.
slotted_row hulled_row(const reference::problem<float>& p, elements& hull) {
  const auto n = static_cast<std::int64_t>(p.y.size());
  host_test::outcome<float> out;
  out.fit.assign(p.y.size(), 0);
  out.pools.assign((p.y.size() + 31) / 32, 0);
  const auto rows = block_test::rows_of<float, false>(p, out);
  const iso::device::detail::workspace<float, false> size(rows.size, nullptr);
  std::vector<std::uint64_t> memory(size.bytes / 8);
  const iso::device::detail::workspace<float, false> at(rows.size,
                                                        reinterpret_cast<std::byte*>(memory.data()));
  const auto state = at.of_row(0);
  slotted_row slotted(at.chunks, 10);
  const auto shared = std::make_unique<iso::chunk_storage<float, false>>();
  iso::tile_facts facts_of_row{};
  for (std::int64_t c = 0; c < at.chunks; ++c) {
    in_a_warp(1, [&](const auto& warp) {
      iso::hull_chunk(warp, *shared, rows, at, c, facts_of_row);
      warp.sync();
      const auto& on = state.chunk[c].on;
      const std::int64_t begin = state.chunk_begin(c), slot = c * slotted.capacity;
      const int count = static_cast<int>(state.chunk_end(c) - begin);
      const int vertices = fill_slot(warp, {slotted.element.data() + slot, slotted.sum.data() + slot},
                                     p.y.data(), begin, count, state.bits + 32 * c, on);
      if (warp.thread_rank() == 0) slotted.vertices[static_cast<std::size_t>(c)] = vertices;
    });
    REQUIRE(fits_slot(state.chunk[c].on));
  }
  const auto facts = iso::row_facts::of<float, false>(*state.row, n);
  auto before = iso::numeric::integer<2>::zero();
  for (std::int64_t c = 0; c < at.chunks; ++c) {
    const auto i = static_cast<std::size_t>(c);
    slotted.begins[i] = before;
    slotted.shifts[i] = state.chunk[c].on.products.low - facts.on.products.low;
    before += iso::on_grid(state.chunk[c].total, state.chunk[c].on, facts.on);
  }
  slotted.begins.back() = before;
  slotted.round_starts();
  const auto owed = host_test::run(p, 1);
  for (std::int64_t i = 0; i < n; ++i) {
    if ((owed.pools[static_cast<std::size_t>(i / 32)] >> i % 32 & 1) != 0) hull.push_back(i);
  }
  hull.push_back(n);
  return slotted;
}

}  // namespace

TEST_CASE("controls have the hull after every level") {
  std::uint64_t seed = 0;
  int rows = 0;
  for (const bench::family f : families) {
    for (const std::int64_t n : {2, 9, 33, 64, 150, 400}) {
      for (int again = 0; again < (sanitized ? 1 : 3); ++again) {
        const auto p = drawn_row(f, n, static_cast<std::int64_t>(++seed));
        const int chunk_bits = 1 + static_cast<int>(seed % 4);
        INFO(bench::name(f) << ", n = " << n << ", chunks of 2^" << chunk_bits << ", seed " << seed);
        const row_type row(p, std::int64_t{1} << chunk_bits);
        if (!chunks_fit(row, chunk_bits)) continue;
        check_against_brute_force<filtered_sums>(row, chunk_bits, seed);
        check_against_brute_force<exact_sums>(row, chunk_bits, seed + 1);
        ++rows;
      }
    }
  }
  CHECK(rows > 40);
}

TEST_CASE("controls go from the chunk kernel's hulls to the host solver's pools") {
  std::uint64_t seed = 0;
  for (const bench::family f : families) {
    for (const std::int64_t n : {3 * 1024 + 7, 5 * 1024, 6000}) {
      INFO(bench::name(f) << ", n = " << n);
      elements hull;
      auto slotted = hulled_row(drawn_row(f, n, static_cast<std::int64_t>(++seed)), hull);
      controls<filtered_sums> all(slotted, seed);
      for (int level = 0; level < all.levels(); ++level) all.merge_level(level);
      all.check_node(0, hull);
    }
  }
}

TEST_CASE("plain turns are right where doubles are exact") {
  for (const bench::family f : {bench::family::increasing, bench::family::labels, bench::family::pairs}) {
    const auto p = drawn_row(f, 200, 1);
    const row_type row(p, 8);
    check_against_brute_force<plain_sums>(row, 3, 1);
  }
}

TEST_CASE("a lane's chain gives the same hull whatever its stack is") {
  for (std::int64_t seed = 1; seed <= 200; ++seed) {
    for (const bench::family f : families) {
      const int count = static_cast<int>(1 + seed % 32);
      INFO(bench::name(f) << ", " << count << " elements, seed " << seed);
      std::vector<std::int64_t> sums(1, 0);
      for (int i = 0; i < count; ++i) {
        sums.push_back(sums.back() +
                       static_cast<std::int64_t>(bench::value(f, i, count, i + 32 * seed) * 16));
      }
      const auto s = [&](int k) { return sums.at(static_cast<std::size_t>(k)); };
      std::uint32_t owed = 0;
      for (int k = 0; k < count; ++k) {
        bool vertex = true;
        for (int a = 0; a < k; ++a) {
          for (int b = k + 1; b <= count; ++b)
            vertex = vertex && (s(k) - s(a)) * (b - k) < (s(b) - s(k)) * (k - a);
        }
        if (vertex) owed |= 1u << k;
      }
      REQUIRE(bit_mask::chain(count, s) == owed);
      REQUIRE(local_memory::chain(count, s) == owed);
    }
  }
}
