// simt_planted RACE bug|fixed ORDERS
//
// Runs a small kernel that has the named race, or its corrected twin, in that many orders of the lanes, the
// first of them ascending, and prints in how many the result was wrong; the exit code is 0 if in none. In
// ascending order lanes find what lower lanes have written, so there each of these bugs gives the right
// result.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "simt/simt.hpp"

namespace {

constexpr unsigned threads = 64;
using values = std::array<unsigned, threads>;

unsigned input(unsigned rank) {
  return rank * rank + 7;
}

template <class Group>
unsigned below(const Group& group, const values& shared) {
  const unsigned rank = group.thread_rank();
  return rank ? shared[rank - 1] : 0;
}

// Each lane takes the value of the lane below, through shared memory.
struct missing_sync {
  static unsigned expected(unsigned rank) { return rank ? input(rank - 1) : 0; }
  template <bool Fixed, class Block>
  static unsigned kernel(const Block& block, values& shared) {
    shared[block.thread_rank()] = input(block.thread_rank());
    if constexpr (Fixed) block.sync();
    return below(block, shared);
  }
};

// The same; the first lane of the second warp takes from the first warp.
struct tile_sync_for_block : missing_sync {
  template <bool Fixed, class Block>
  static unsigned kernel(const Block& block, values& shared) {
    using simt::tiled_partition;
    const auto warp = tiled_partition<32>(block);
    shared[block.thread_rank()] = input(block.thread_rank());
    if constexpr (Fixed)
      block.sync();
    else
      warp.sync();
    return below(block, shared);
  }
};

// The sum of the values up to each lane; a lane must not go on to the next step before others have written.
struct missing_second_sync {
  static unsigned expected(unsigned rank) {
    unsigned sum = 0;
    for (unsigned k = 0; k <= rank; ++k) sum += input(k);
    return sum;
  }
  template <bool Fixed, class Block>
  static unsigned kernel(const Block& block, values& shared) {
    const unsigned rank = block.thread_rank();
    shared[rank] = input(rank);
    block.sync();
    for (unsigned delta = 1; delta < block.num_threads(); delta *= 2) {
      const unsigned before = rank >= delta ? shared[rank - delta] : 0;
      block.sync();
      shared[rank] += before;
      if constexpr (Fixed) block.sync();
    }
    return shared[rank];
  }
};

// Within a warp: a ballot or a shuffle brings the lanes together, but does not order their memory.
template <bool Ballot>
struct collective_as_fence {
  static unsigned expected(unsigned rank) { return rank % 32 ? input(rank - 1) : 0; }
  template <bool Fixed, class Block>
  static unsigned kernel(const Block& block, values& shared) {
    using simt::tiled_partition;
    const auto warp = tiled_partition<32>(block);
    shared[block.thread_rank()] = input(block.thread_rank());
    unsigned everybody = 0;
    if constexpr (Ballot)
      everybody = warp.ballot(1);
    else
      everybody = warp.shfl(0xffffffffU, 0);
    if constexpr (Fixed) warp.sync();
    return warp.thread_rank() && everybody == 0xffffffffU ? shared[block.thread_rank() - 1] : 0;
  }
};

template <class Race, bool Fixed>
unsigned wrong_orders(unsigned orders) {
  unsigned wrong = 0;
  for (std::uint64_t seed = 0; seed < orders; ++seed) {
    values shared, results;
    simt::fill(shared, seed);
    simt::fill(results, seed + orders);
    simt::launch(threads, seed, [&](const simt::thread_block& block) {
      results[block.thread_rank()] = Race::template kernel<Fixed>(block, shared);
    });
    bool right = true;
    for (unsigned rank = 0; rank < threads; ++rank) right = right && results[rank] == Race::expected(rank);
    wrong += !right;
  }
  return wrong;
}

struct planted {
  std::string_view name;
  unsigned (*bug)(unsigned orders);
  unsigned (*fixed)(unsigned orders);
};

template <class Race>
constexpr planted plant(std::string_view name) {
  return {name, wrong_orders<Race, false>, wrong_orders<Race, true>};
}

constexpr planted all[] = {
    plant<missing_sync>("missing_sync"),
    plant<missing_second_sync>("missing_second_sync"),
    plant<tile_sync_for_block>("tile_sync_for_block"),
    plant<collective_as_fence<true>>("ballot_as_fence"),
    plant<collective_as_fence<false>>("shuffle_as_fence"),
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4) {
    const std::string_view twin = argv[2];
    const auto orders = static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10));
    for (const planted& race : all) {
      if (race.name != argv[1] || (twin != "bug" && twin != "fixed") || orders == 0) continue;
      const unsigned wrong = twin == "bug" ? race.bug(orders) : race.fixed(orders);
      std::printf("%s, %s: wrong in %u of %u orders\n", argv[1], argv[2], wrong, orders);
      return wrong ? 1 : 0;
    }
  }
  std::fprintf(stderr, "usage: simt_planted RACE bug|fixed ORDERS\n");
  return 2;
}
