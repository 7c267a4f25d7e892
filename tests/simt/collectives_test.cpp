// Every collective of a tile against a plain loop, for each size of tile and a thousand orders.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"
#include "simt/simt.hpp"

namespace {

constexpr unsigned threads = 64;
constexpr std::uint64_t orders = 1000;
using lanes = std::array<std::uint64_t, threads>;

std::uint64_t scramble(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15U;
  return x ^ (x >> 29);
}

// A few lanes say yes, or most, or all or none of them in some tiles.
int predicate(std::uint64_t seed, unsigned rank) {
  const std::uint64_t bits = scramble(seed + rank / 8 + 1);
  return bits % 3 == 0 ? 0 : bits % 3 == 1 ? 4 : static_cast<int>(scramble(bits + rank) & 2);
}

// Some of these lie outside the tile, as a source may.
int source(std::uint64_t seed, unsigned rank) {
  return static_cast<int>(scramble(seed * 3 + rank) % 100) - 40;
}

struct results {
  lanes shfl, up, down, exchanged, ballot, any, all;
};

// Collectives that depend on each other: what one gives is what the next sends.
template <class Tile>
void chain(const Tile& tile, unsigned rank, std::uint64_t seed, results& out) {
  const auto shift = static_cast<unsigned>(seed % 32);
  std::uint64_t value = scramble(seed + rank);
  out.shfl[rank] = value = tile.shfl(value, source(seed, rank));
  value = scramble(value + rank);
  out.up[rank] = value = tile.shfl_up(value, shift);
  value = scramble(value + rank);
  out.down[rank] = value = tile.shfl_down(value, shift);
  value = scramble(value + rank);
  out.exchanged[rank] = tile.shfl_xor(value, shift % Tile::num_threads());
  out.ballot[rank] = tile.ballot(predicate(seed, rank));
  out.any[rank] = static_cast<std::uint64_t>(tile.any(predicate(seed, rank)));
  out.all[rank] = static_cast<std::uint64_t>(tile.all(predicate(seed, rank)));
}

results plain_loops(unsigned size, std::uint64_t seed) {
  const auto shift = static_cast<unsigned>(seed % 32);
  results out{};
  lanes value;
  for (unsigned rank = 0; rank < threads; ++rank) value[rank] = scramble(seed + rank);
  for (unsigned rank = 0; rank < threads; ++rank) {
    const int from = source(seed, rank), n = static_cast<int>(size);
    out.shfl[rank] = value[rank / size * size + static_cast<unsigned>((from % n + n) % n)];
  }
  for (unsigned rank = 0; rank < threads; ++rank) value[rank] = scramble(out.shfl[rank] + rank);
  for (unsigned rank = 0; rank < threads; ++rank)
    out.up[rank] = rank % size < shift ? value[rank] : value[rank - shift];
  for (unsigned rank = 0; rank < threads; ++rank) value[rank] = scramble(out.up[rank] + rank);
  for (unsigned rank = 0; rank < threads; ++rank)
    out.down[rank] = rank % size + shift >= size ? value[rank] : value[rank + shift];
  for (unsigned rank = 0; rank < threads; ++rank) value[rank] = scramble(out.down[rank] + rank);
  for (unsigned rank = 0; rank < threads; ++rank) {
    out.exchanged[rank] = value[rank ^ (shift % size)];
    out.all[rank] = 1;
    for (unsigned k = 0; k < size; ++k) {
      const bool yes = predicate(seed, rank / size * size + k) != 0;
      if (yes) out.ballot[rank] += std::uint64_t{1} << k;
      if (yes) out.any[rank] = 1;
      if (!yes) out.all[rank] = 0;
    }
  }
  return out;
}

template <unsigned Size>
void check_size() {
  for (std::uint64_t seed = 0; seed < orders; ++seed) {
    results out;
    simt::fill(out, seed);
    simt::launch(threads, seed, [&](const simt::thread_block& block) {
      chain(simt::tiled_partition<Size>(block), block.thread_rank(), seed, out);
    });
    const results expected = plain_loops(Size, seed);
    INFO("tiles of " << Size << ", seed " << seed);
    REQUIRE(out.shfl == expected.shfl);
    REQUIRE(out.up == expected.up);
    REQUIRE(out.down == expected.down);
    REQUIRE(out.exchanged == expected.exchanged);
    REQUIRE(out.ballot == expected.ballot);
    REQUIRE(out.any == expected.any);
    REQUIRE(out.all == expected.all);
  }
}

template <class T>
void check_type(const std::array<T, 8>& values) {
  std::array<T, 8> received;
  simt::fill(received, 3);
  simt::launch(8, 2, [&](const simt::thread_block& block) {
    const auto tile = simt::tiled_partition<8>(block);
    received[tile.thread_rank()] = tile.shfl_xor(values[tile.thread_rank()], 7);
  });
  for (unsigned k = 0; k < 8; ++k) CHECK(received[k] == values[7 - k]);
}

}  // namespace

TEST_CASE("every collective gives what a plain loop gives, in tiles of 1") {
  check_size<1>();
}
TEST_CASE("every collective gives what a plain loop gives, in tiles of 2") {
  check_size<2>();
}
TEST_CASE("every collective gives what a plain loop gives, in tiles of 4") {
  check_size<4>();
}
TEST_CASE("every collective gives what a plain loop gives, in tiles of 8") {
  check_size<8>();
}
TEST_CASE("every collective gives what a plain loop gives, in tiles of 16") {
  check_size<16>();
}
TEST_CASE("every collective gives what a plain loop gives, in tiles of 32") {
  check_size<32>();
}

TEST_CASE("shuffles carry any trivially copyable value of up to 32 bytes") {
  using bytes = std::array<unsigned char, 3>;
  using words = std::array<std::uint64_t, 4>;
  check_type<signed char>({1, -2, 3, -4, 5, -6, 7, -8});
  check_type<double>({1.5, -0.25, 1e300, 3, 4, 5, 6, 7});
  check_type<bytes>({{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {}, {255, 0, 1}, {3, 3, 3}, {9, 8, 7}, {0, 0, 1}}});
  std::array<words, 8> wide;
  simt::fill(wide, 1);
  check_type<words>(wide);
}

TEST_CASE("the worked example: sums within tiles of four") {
  const auto inclusive_sum = [](const auto& tile, int value) {
    for (unsigned delta = 1; delta < tile.num_threads(); delta *= 2) {
      const int before = tile.shfl_up(value, delta);
      if (tile.thread_rank() >= delta) value += before;
    }
    return value;
  };
  std::array<int, 8> sums;
  simt::fill(sums, 1);
  simt::launch(8, simt::descending, [&](const simt::thread_block& block) {
    const auto tile = simt::tiled_partition<4>(block);
    const auto lane = block.thread_rank();
    sums[lane] = inclusive_sum(tile, static_cast<int>(lane + 1));
  });
  CHECK(sums == std::array<int, 8>{1, 3, 6, 10, 5, 11, 18, 26});
}
