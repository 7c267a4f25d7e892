// What the values of a tile tell of its pools, against the definition, element by element.
#include <iso/warp/lane_order.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <iso/lane/elements.cuh>
#include <iso/warp/tile.cuh>

#include "catch.hpp"
#include "reference/random.hpp"
#include "sanitized.hpp"
#include "simt/simt.hpp"

namespace {

constexpr int lanes = 64;

// Elements of 64 lanes, some of which are a tile; those outside [low, high) play no part, and their values
// would change everything.
template <class T, bool Weighted, int P>
struct row_of_lanes {
  static constexpr int count = lanes * P;
  using elements = iso::elements<T, Weighted>;
  using view = iso::tile_view<T, Weighted, P, 1, 1>;

  int low = 0, high = count;
  std::vector<T> y = std::vector<T>(elements::room(count)), w = std::vector<T>(elements::room(count), T(1));
  std::vector<std::uint32_t> mask = std::vector<std::uint32_t>(lanes);

  T& value(int i) { return y[static_cast<std::size_t>(elements::at(i))]; }
  T& weight(int i) { return w[static_cast<std::size_t>(elements::at(i))]; }
  bool starts(int i) const { return (mask[static_cast<std::size_t>(i / P)] >> i % P & 1u) != 0; }
  void start(int i, bool starts) {
    std::uint32_t& of_lane = mask[static_cast<std::size_t>(i / P)];
    of_lane = (of_lane & ~(1u << i % P)) | static_cast<std::uint32_t>(starts) << i % P;
  }

  // The lanes [first, first + size), as a tile.
  view tile(int first, int size) {
    return {{y.data(), Weighted ? w.data() : nullptr}, {},          std::max(low, first * P),
            std::min(high, (first + size) * P),        mask.data(), nullptr};
  }
};

// What is found of tiles: how many never fall, do not rise for their weights alone, seem to rise by the first
// two elements of the lanes and do not; have level pools, or have pools that only a closer look finds uneven.
struct tally {
  int rising = 0, weightless = 0, late = 0, level = 0, uneven_late = 0;
};

// What lanes say of a tile.
struct said {
  iso::lane_order order{0, 0};
  bool counts = false, rises = false, level = false;
  std::uint32_t mask = 0;
};

template <unsigned Size, class Row>
std::vector<said> ask(Row& row, std::uint64_t order) {
  std::vector<said> all(lanes);
  simt::launch(lanes, order, [&](const simt::thread_block& block) {
    const auto tile = simt::tiled_partition<Size>(block);
    const int lane = static_cast<int>(block.thread_rank());
    const auto v = row.tile(lane - static_cast<int>(tile.thread_rank()), static_cast<int>(Size));
    said& own = all[static_cast<std::size_t>(lane)];
    own.order = iso::order_of_lane(v, lane);
    own.counts = iso::all_count(v, lane);
    own.level = iso::pools_are_level(tile, v, lane);
    own.rises = iso::is_rising(tile, v, lane);
    if (own.rises) own.mask = iso::starts_of_rising(v, lane, own.order);
  });
  return all;
}

// The same of the tile of the lanes [first, first + size), by the definitions.
template <int P, class Row>
std::vector<said> owed_of(Row& row, int first, int size, tally& seen) {
  const int low = std::max(row.low, first * P), high = std::min(row.high, (first + size) * P);
  std::vector<said> all(lanes);
  bool falls = false, falls_early = false, counts = true, level = true, level_early = true;
  for (int lane = first; lane < first + size; ++lane) {
    said& own = all[static_cast<std::size_t>(lane)];
    own.counts = true;
    for (int i = std::max(low, lane * P); i < std::min(high, lane * P + P); ++i) {
      const int second = std::max(low, lane * P) + 1;
      const bool rises = i > low && row.value(i - 1) < row.value(i);
      const bool drops = i > low && row.value(i) < row.value(i - 1);
      const bool even = i == low ? row.starts(i) : row.starts(i) || !(rises || drops);
      own.order.rises |= static_cast<std::uint32_t>(rises) << i % P;
      own.order.falls |= static_cast<std::uint32_t>(drops) << i % P;
      own.counts = own.counts && row.weight(i) > 0;
      own.mask |= static_cast<std::uint32_t>(rises || i == low) << i % P;
      falls = falls || drops;
      falls_early = falls_early || (drops && i == second);
      level = level && even;
      level_early = level_early && (even || (i != low && i != second));
    }
    counts = counts && own.counts;
  }
  for (int lane = first; lane < first + size; ++lane) {
    said& own = all[static_cast<std::size_t>(lane)];
    own.rises = !falls && counts;
    own.level = level;
    if (!own.rises) own.mask = 0;
  }
  if (low >= high) return all;
  seen.rising += !falls && counts;
  seen.weightless += !falls && !counts;
  seen.late += falls && !falls_early;
  seen.level += level;
  seen.uneven_late += !level && level_early;
  return all;
}

template <unsigned Size, int P, class Row>
void check(Row row, const std::string& what, std::uint64_t order, tally& seen) {
  constexpr int size = static_cast<int>(Size);
  std::vector<said> owed(lanes);
  for (int first = 0; first < lanes; first += size) {
    const auto of_tile = owed_of<P>(row, first, size, seen);
    std::copy_n(of_tile.begin() + first, size, owed.begin() + first);
  }
  const auto got = ask<Size>(row, order);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const said &a = got[lane], &b = owed[lane];
    INFO(what << ", lane " << lane << " of tiles of " << Size << " with " << P << " elements a lane, part ["
              << row.low << ", " << row.high << ")");
    CHECK((a.order.rises == b.order.rises && a.order.falls == b.order.falls));
    CHECK(a.counts == b.counts);
    CHECK((a.rises == b.rises && a.mask == b.mask));
    CHECK(a.level == b.level);
  }
}

// Values that never fall, with many ties and zeros of either sign, and the pools of equal values, but for a
// fall at element `fall` and all after it.
template <class T, bool Weighted, int P>
row_of_lanes<T, Weighted, P> stairs(reference::random_source& random, int fall) {
  row_of_lanes<T, Weighted, P> row;
  const double often = random.uniform();
  int at = -static_cast<int>(random.below(row.count));
  for (int i = 0; i < row.count; ++i) {
    if (i == fall) at -= 1 + static_cast<int>(random.below(3));
    if (i != fall && random.chance(often)) ++at;
    row.value(i) = at == 0 && random.chance(0.5) ? -T(0) : static_cast<T>(at) / 4;
    row.start(i, i == 0 || row.value(i - 1) != row.value(i));
  }
  return row;
}

// Leaves the elements [low, high), which begin a pool, and something else around them.
template <class Row>
void cut(Row& row, int low, int high, reference::random_source& random) {
  for (int i = 0; i < row.count; ++i) {
    if (i >= low && i < high) continue;
    row.value(i) = random.chance(0.5) ? 1e6f : -1e6f;
    row.weight(i) = 0;
    row.start(i, false);
  }
  if (low < high) row.start(low, true);
  row.low = low;
  row.high = high;
}

// The first elements of tiles start pools.
template <int P, class Row>
void start_tiles(Row& row, int size) {
  for (int i = 0; i < row.count; i += size * P) {
    if (i > row.low && i < row.high) row.start(i, true);
  }
}

template <unsigned Size, int P, class T, bool Weighted>
void check_random(std::uint64_t seed, tally& seen) {
  reference::random_source random(seed);
  constexpr int count = lanes * P;
  const auto any = [&] { return static_cast<int>(random.below(count)); };
  const int lane = static_cast<int>(random.below(lanes));
  // Nowhere, where a lane begins, or anywhere.
  const int fall = seed % 4 == 0 ? -1 : seed % 4 == 1 ? lane * P : any();
  auto row = stairs<T, Weighted, P>(random, fall);
  if (seed % 3 != 0) {
    const int a = any(), b = any();
    cut(row, std::min(a, b), seed % 3 == 1 ? count : std::max(a, b), random);
  }
  start_tiles<P>(row, static_cast<int>(Size));
  if (seed % 5 < 2) {
    const int i = seed % 2 == 0 ? row.low : any();
    row.start(i, !row.starts(i) && i >= row.low && i < row.high);
  }
  if (Weighted && seed % 2 == 0) row.weight(any()) = random.chance(0.5) ? T(0) : -T(0);
  check<Size, P>(row, "seed " + std::to_string(seed), seed, seen);
}

template <unsigned Size, int P, class T, bool Weighted>
void check_seeds(tally& seen) {
  for (std::uint64_t seed = 1; seed <= 240; ++seed) {
    if (!left_out(seed)) check_random<Size, P, T, Weighted>(seed, seen);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("values tell where tiles rise and fall, and which pools are level", "", float, double) {
  tally seen;
  check_seeds<32, 32, TestType, false>(seen);
  check_seeds<32, 16, TestType, true>(seen);
  check_seeds<32, 8, TestType, false>(seen);
  check_seeds<8, 32, TestType, true>(seen);
  check_seeds<8, 16, TestType, false>(seen);
  check_seeds<8, 8, TestType, true>(seen);
  INFO(seen.rising << " rising, " << seen.weightless << " weightless, " << seen.late << " late, "
                   << seen.level << " level, " << seen.uneven_late << " uneven late");
  CHECK((sanitized || (seen.rising > 1000 && seen.weightless > 50 && seen.late > 200)));
  CHECK((sanitized || (seen.level > 1000 && seen.uneven_late > 50)));
}

TEMPLATE_TEST_CASE("a fall is seen at whichever element of a tile, and only there", "", float, double) {
  constexpr int p = 8;
  tally seen;
  reference::random_source random(1);
  for (int fall = 0; fall < lanes * p; ++fall) {
    if (left_out(static_cast<std::uint64_t>(fall))) continue;
    auto row = stairs<TestType, false, p>(random, fall);
    start_tiles<p>(row, 32);
    const std::string what = "a fall at element " + std::to_string(fall);
    check<32, p>(row, what, static_cast<std::uint64_t>(fall), seen);
    // Of a pool that goes on over it, too.
    row.start(fall, fall % (32 * p) == 0);
    check<32, p>(row, what, static_cast<std::uint64_t>(fall), seen);
  }
  CHECK((sanitized || seen.uneven_late == lanes * (p - 1) - 2));
}
