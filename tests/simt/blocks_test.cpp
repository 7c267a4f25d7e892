// Blocks of several warps: their groups, shared memory, and the order in which lanes go on.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "simt/simt.hpp"

namespace {

template <class Tile>
unsigned inclusive_sum(const Tile& tile, unsigned value) {
  for (unsigned delta = 1; delta < Tile::num_threads(); delta *= 2) {
    const unsigned before = tile.shfl_up(value, delta);
    if (tile.thread_rank() >= delta) value += before;
  }
  return value;
}

// The usual scan of a block: within warps, over the warps' totals, and both added.
template <class Block>
unsigned inclusive_sum_of_block(const Block& block, unsigned value, std::array<unsigned, 32>& totals) {
  using simt::tiled_partition;
  const auto warp = tiled_partition<32>(block);
  const unsigned sum = inclusive_sum(warp, value);
  if (warp.thread_rank() == 31) totals[warp.meta_group_rank()] = sum;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    const unsigned lane = warp.thread_rank();
    const unsigned total = inclusive_sum(warp, lane < warp.meta_group_size() ? totals[lane] : 0);
    warp.sync();
    if (lane < warp.meta_group_size()) totals[lane] = total;
  }
  block.sync();
  return sum + (warp.meta_group_rank() ? totals[warp.meta_group_rank() - 1] : 0);
}

void check_scan(unsigned threads, std::uint64_t seed) {
  std::array<unsigned, 32> totals;
  std::vector<unsigned> sums(threads), expected(threads);
  simt::fill(totals, seed);
  simt::launch(threads, seed, [&](const simt::thread_block& block) {
    const unsigned rank = block.thread_rank();
    sums[rank] = inclusive_sum_of_block(block, rank * rank + 1, totals);
  });
  for (unsigned rank = 0, sum = 0; rank < threads; ++rank) expected[rank] = sum += rank * rank + 1;
  INFO(threads << " threads, seed " << seed);
  REQUIRE(sums == expected);
}

// Who ran when: each lane of a block of four, in tiles of two, notes its rank before a sync of its tile and
// after.
std::string history(std::uint64_t seed) {
  std::string text(8, ' ');
  std::atomic<std::size_t> next{0};
  simt::launch(4, seed, [&](const simt::thread_block& block) {
    const auto note = static_cast<char>('0' + block.thread_rank());
    text[next.fetch_add(1, std::memory_order_relaxed)] = note;
    simt::tiled_partition<2>(block).sync();
    text[next.fetch_add(1, std::memory_order_relaxed)] = note;
  });
  return text;
}

// How many of a block's lanes have an odd rank, each counted in shared memory. On the GPU that is not
// initialised.
template <bool Fixed, class Block>
unsigned count_odd(const Block& block, std::array<unsigned, 64>& counts) {
  if constexpr (Fixed) {
    counts[block.thread_rank()] = 0;
  }
  counts[block.thread_rank()] += block.thread_rank() % 2;
  block.sync();
  unsigned sum = 0;
  for (unsigned k = 0; k < block.num_threads(); ++k) sum += counts[k];
  return sum;
}

template <bool Fixed>
unsigned count_odd_from(std::array<unsigned, 64> shared) {
  std::array<unsigned, 64> result{};
  simt::launch(64, simt::ascending, [&](const simt::thread_block& block) {
    result[block.thread_rank()] = count_odd<Fixed>(block, shared);
  });
  return result[0];
}

struct initialised {
  int member = 1;
};

}  // namespace

TEST_CASE("groups know the ranks of their lanes and their own") {
  std::array<unsigned, 64> seen{};
  simt::launch(64, 2, [&](const simt::thread_block& block) {
    const unsigned rank = block.thread_rank();
    const auto warp = simt::tiled_partition<32>(block);
    const auto quad = simt::tiled_partition<4>(warp);
    static_assert(decltype(quad)::num_threads() == 4);
    const bool right = block.num_threads() == 64 && warp.thread_rank() == rank % 32 &&
                       warp.meta_group_rank() == rank / 32 && warp.meta_group_size() == 2 &&
                       quad.thread_rank() == rank % 4 && quad.meta_group_rank() == rank % 32 / 4 &&
                       quad.meta_group_size() == 8 && quad.shfl(rank, 0) == rank / 4 * 4;
    seen[rank] = right;
  });
  CHECK(std::count(seen.begin(), seen.end(), 1U) == 64);
}

TEST_CASE("a scan over warps and shared memory is right in every order") {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) check_scan(128, seed);
  for (std::uint64_t seed = 0; seed < 10; ++seed) check_scan(1024, seed);
  for (const unsigned threads : {32U, 64U, 96U, 992U}) check_scan(threads, 7);
}

TEST_CASE("lanes go on in the order asked for") {
  CHECK(history(simt::ascending) == "01012323");
  CHECK(history(simt::descending) == "32321010");
}

TEST_CASE("random orders differ from seed to seed and are the same for the same seed") {
  for (const std::uint64_t parity : {0U, 1U}) {
    std::set<std::string> starts, all;
    unsigned abreast = 0;  // neither tile has gone on before the other arrived
    for (std::uint64_t seed = 2 + parity; seed < 1002; seed += 2) {
      const std::string order = history(seed);
      REQUIRE(history(seed) == order);
      all.insert(order);
      starts.insert(order.substr(0, 2));
      abreast += std::set<char>(order.begin(), order.begin() + 4).size() == 4;
    }
    CHECK(starts.size() == 12);
    CHECK(all.size() > 80);
    if (parity == 0) CHECK(abreast > 10);
    if (parity == 1) CHECK(abreast == 0);
  }
}

TEST_CASE("a lane has a stack deep enough for tests") {
  std::array<unsigned, 32> sums{};
  simt::launch(32, 2, [&](const simt::thread_block& block) {
    std::array<unsigned, 25000> deep;
    simt::fill(deep, 1);
    deep.fill(block.thread_rank());
    simt::tiled_partition<32>(block).sync();
    for (const unsigned value : deep) sums[block.thread_rank()] += value;
  });
  for (unsigned k = 0; k < 32; ++k) CHECK(sums[k] == 25000 * k);
}

TEST_CASE("shared memory read before it is written shows") {
  std::array<unsigned, 64> shared{};
  CHECK(count_odd_from<false>(shared) == 32);  // right by luck
  CHECK(count_odd_from<true>(shared) == 32);
  std::set<unsigned> results;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    simt::fill(shared, seed);
    results.insert(count_odd_from<false>(shared));
    REQUIRE(count_odd_from<true>(shared) == 32);
  }
  CHECK(results.size() == 100);
}

TEST_CASE("shared memory holds what nvcc can leave alone") {
  STATIC_REQUIRE(simt::shared_storage<int[8]>);
  STATIC_REQUIRE(simt::shared_storage<std::array<double, 3>>);
  STATIC_REQUIRE_FALSE(simt::shared_storage<initialised>);
  STATIC_REQUIRE_FALSE(simt::shared_storage<std::vector<int>>);
}

TEST_CASE("a pattern fills every byte and follows from its seed") {
  std::array<unsigned char, 4096> first, again, other;
  first.fill(0);
  again.fill(1);
  simt::fill(first, 5);
  simt::fill(again, 5);
  simt::fill(other, 6);
  CHECK(first == again);
  CHECK(first != other);
  CHECK(std::set<unsigned char>(first.begin(), first.end()).size() == 256);
}
