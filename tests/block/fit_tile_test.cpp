// The fit of tiles whose pools are given, of every length and wherever they lie: each mean against the
// rounded quotient of sums of as many words as any numbers take.
#include <iso/block/fit_tile.cuh>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <iso/block/row_tile.cuh>

#include "catch.hpp"
#include "reference/families.hpp"
#include "reference/random.hpp"
#include "sanitized.hpp"
#include "simt/simt.hpp"

namespace {

using reference::random_source;

// How often each case was there that fit_tile tells apart.
struct tally {
  int split = 0;          // tiles of split sums
  int pairs_at_ends = 0;  // pools of two elements, the last of a lane
  int pairs_across = 0;   // one element before and one after the boundary of two lanes
  int one_across = 0;     // pools that reach into the next lane, and end there
  int far_across = 0;     // that cover a lane and more
  int one_and_one = 0;    // of these, with one element in the first lane and in the last
  int whole_lanes = 0;    // pools of just a lane
  int before = 0;         // elements before the first start
  int cut_lanes = 0;      // lanes in which the part that plays begins and ends
  int ties = 0;           // means halfway between two numbers
};

// The starts of pools of elements [low, high), as masks of lanes of P: pools of lengths up to `most`, or of
// lengths near P; and the first of them starts at `low` or later.
template <int P>
std::vector<std::uint32_t> random_starts(int lanes, int low, int high, int most, random_source& random) {
  std::vector<std::uint32_t> mask(static_cast<std::size_t>(lanes));
  const auto below = [&](int n) { return static_cast<int>(random.below(static_cast<std::uint64_t>(n))); };
  const int length = most > 0 ? most : 1;
  for (int i = low + (random.chance(0.5) ? 0 : below(3 * length)); i < high;) {
    mask[static_cast<std::size_t>(i / P)] |= 1u << i % P;
    i += most > 0 ? 1 + below(most) : random.chance(0.3) ? std::max(1, P + 1 - below(3)) : 1 + below(3);
  }
  return mask;
}

template <class T>
std::vector<T> values_of(std::string_view family, int count, std::uint64_t seed) {
  const auto n = static_cast<std::size_t>(count);
  random_source random(seed);
  if (family != "steep" && family != "integers") return reference::values<T>(family, n, seed);
  std::vector<T> y(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<double>(i);
    y[i] = static_cast<T>(family == "steep" ? at + 2 * random.normal()
                                            : at + static_cast<double>(random.below(9)));
  }
  return y;
}

// Whether the quotient of a sum and a count is halfway between two floats.
bool is_tie(double sum, double count) {
  const double mean = sum / count;
  return mean * count == sum && std::fma(mean, count, -sum) == 0 &&
         (std::bit_cast<std::uint64_t>(mean) & 0x1fffffff) == 0x10000000;
}

// A tile of Lanes lanes of P elements, of a warp or a thread block.
template <class T, bool Weighted, int Lanes, int P>
struct emulated_tile {
  static constexpr int count = Lanes * P;
  using storage = iso::tile_storage<T, Weighted, Lanes, P>;
  static constexpr T before = T(-12345);

  std::vector<T> y, w;
  std::vector<std::uint32_t> mask;
  int low, high;
  std::uint64_t order;
  tally& seen;

  bool starts(int i) const { return (mask[static_cast<std::size_t>(i / P)] >> i % P & 1u) != 0; }
  T value(int i) const { return y[static_cast<std::size_t>(i)]; }

  std::vector<T> fit(iso::tile_facts& facts) {
    const auto shared = std::make_unique<storage>();
    simt::fill(*shared, order);
    const auto s = shared->part(0, Lanes);
    const auto body = [&](const auto& group) {
      const auto at = [](const std::vector<T>& of, int i) { return of[static_cast<std::size_t>(i)]; };
      const auto look = iso::load_tile<T, Weighted>(
          group, s, count, [&](int i) { return at(y, i); }, [&](int i) { return at(w, i); });
      auto own = iso::examine_tile<T, Weighted>(group, s, count, look, true);
      own.low = low;
      own.high = high;
      s.mask[group.thread_rank()] = mask[group.thread_rank()];
      group.sync();
      iso::with_view<T, Weighted>(s, own, [&](const auto& v) {
        if (group.thread_rank() == 0) seen.split += v.splits;
        iso::fit_tile<T>(group, v, Lanes, before, s.carry);
      });
      if (group.thread_rank() == 0) facts = own;
    };
    simt::launch(Lanes < 32 ? 32 : Lanes, order, [&](const simt::thread_block& block) {
      if constexpr (Lanes <= 32) {
        const auto tile = simt::tiled_partition<Lanes>(block);
        if (block.thread_rank() < Lanes) body(tile);
      } else {
        body(block);
      }
    });
    std::vector<T> fit(y.size());
    for (int i = 0; i < count; ++i) fit[static_cast<std::size_t>(i)] = s.y[s.data().at(i)];
    return fit;
  }

  void note(int begin, int end, const iso::tile_facts& facts) {
    const int first = begin / P, last = (end - 1) / P, size = end - begin;
    seen.pairs_at_ends += size == 2 && first == last && end % P == 0;
    seen.pairs_across += size == 2 && first != last;
    seen.one_across += last == first + 1;
    seen.far_across += last > first + 1;
    seen.one_and_one += last > first + 1 && begin % P == P - 1 && end % P == 1;
    seen.whole_lanes += size == P && begin % P == 0;
    if constexpr (!Weighted && sizeof(T) == 4) {
      if (size == 1 || !iso::sums_fit<1, 1>(facts.on, count)) return;
      const auto sum = iso::numeric::sum_elements<T, false, 1, 1>(y.data(), nullptr, begin, end, facts.on);
      seen.ties += is_tie(static_cast<double>(static_cast<std::int64_t>(sum.s.word[0])), size);
    }
  }

  // Of the elements from `begin`, a start, on: the pool's mean.
  T mean(int begin, int end, const iso::tile_facts& facts) {
    using namespace iso::numeric;
    note(begin, end, facts);
    if (end == begin + 1) return value(begin);
    const auto sum =
        sum_elements<T, Weighted, most_product_words<T, Weighted>, most_weight_words<T, Weighted>>(
            y.data(), w.data(), begin, end, facts.on);
    return rounded_mean<T>(sum.s, sum.w, facts.on.mean_position());
  }

  // What is wrong with the fit; empty if nothing is.
  std::string fault() {
    using f = iso::numeric::format<T>;
    iso::tile_facts facts{};
    const std::vector<T> got = fit(facts);
    if (facts.status != iso::row_status::ok || facts.wide) return "not a tile to be fitted";
    seen.cut_lanes += low / P == (high - 1) / P;
    T owed = before;
    for (int i = 0; i < count; ++i) {
      const bool plays = i >= low && i < high;
      if (plays && starts(i)) {
        int end = i + 1;
        while (end < high && !starts(end)) ++end;
        owed = mean(i, end, facts);
      }
      seen.before += plays && owed == before;
      const T want = plays ? owed : value(i), is = got[static_cast<std::size_t>(i)];
      if (f::to_bits(is) != f::to_bits(want)) return "element " + std::to_string(i);
    }
    return "";
  }
};

// Tiles of all families of values, of pools of many lengths, whole and in part.
template <class T, bool Weighted, int Lanes, int P>
void check_tiles(tally& seen) {
  std::uint64_t seed = 0;
  for (const std::string_view family : {"steep", "noise", "ulps", "integers", "labels", "signed zeros",
                                        "uniform", "softmax", "offset 1e6", "random walk"}) {
    for (const int most : {1, 2, 3, 5, 0, P, 3 * P, 9 * P, Lanes * P}) {
      for (int part = 0; part < 4; ++part) {
        if (left_out(++seed)) continue;
        constexpr int count = Lanes * P;
        random_source random(seed);
        const auto below = [&](int n) {
          return static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
        };
        int low = part % 2 != 0 ? below(count) : 0, high = part > 1 ? low + 1 + below(count - low) : count;
        if (part == 3 && most < P) high = std::min(count, low + 1 + below(P));
        auto mask = random_starts<P>(Lanes, low, high, most, random);
        std::vector<T> w(Weighted ? count : 0);
        for (std::size_t i = 0; i < w.size(); ++i) {
          w[i] = random.chance(0.3) ? T(0) : static_cast<T>(random.below(1000)) / 256 + T(1) / 256;
          if ((mask[i / P] >> i % P & 1u) != 0 && !(w[i] > 0)) w[i] = T(1);
        }
        emulated_tile<T, Weighted, Lanes, P> tile{
            values_of<T>(family, count, seed), w, mask, low, high, seed, seen};
        const std::string fault = tile.fault();
        INFO(family << ", pools of up to " << most << ", part " << part << ", " << Lanes << " lanes of "
                    << P);
        CHECK(fault == "");
      }
    }
  }
}

}  // namespace

TEST_CASE("tiles of floats are fitted exactly, wherever their pools lie") {
  tally seen;
  check_tiles<float, false, 32, 32>(seen);
  check_tiles<float, false, 8, 32>(seen);
  check_tiles<float, false, 4, 8>(seen);
  check_tiles<float, false, 2, 1>(seen);
  check_tiles<float, false, 64, 32>(seen);
  check_tiles<float, false, 96, 2>(seen);
  INFO(seen.split << " split, " << seen.pairs_at_ends << " pairs at ends, " << seen.pairs_across
                  << " across, " << seen.one_across << " pools across a boundary, " << seen.far_across
                  << " across several, " << seen.one_and_one << " with one element at either end, "
                  << seen.whole_lanes << " of a lane, " << seen.before << " before, " << seen.cut_lanes
                  << " cut lanes, " << seen.ties << " ties");
  CHECK((sanitized || seen.split > 1000));
  CHECK((sanitized || (seen.pairs_at_ends > 1000 && seen.pairs_across > 1000 && seen.one_across > 1000)));
  CHECK((sanitized || (seen.far_across > 1000 && seen.one_and_one > 20 && seen.whole_lanes > 20)));
  CHECK((sanitized || (seen.before > 1000 && seen.cut_lanes > 50 && seen.ties > 1000)));
}

TEMPLATE_TEST_CASE("tiles of more words or of weights are fitted exactly", "", float, double) {
  tally seen;
  check_tiles<TestType, true, 32, 16>(seen);
  check_tiles<TestType, true, 4, 8>(seen);
  check_tiles<TestType, true, 64, 4>(seen);
  CHECK(seen.split == 0);
  if (std::is_same_v<TestType, double>) check_tiles<TestType, false, 32, 32>(seen);
  CHECK(seen.split == 0);
}

// Sums beside ties or beside floats, of the most bits or a few fewer, in units down to the least float.
TEST_CASE("means of numbers of few bits are rounded once, to nearest, ties to even") {
  using iso::numeric::bit_length, iso::numeric::integer;
  random_source random(1);
  int ties = 0, subnormal = 0;
  for (int i = 0; i < 200000; ++i) {
    const int count_bits = 1 + static_cast<int>(random.below(15));
    const int least = 1 << (count_bits - 1);
    const int count = least + static_cast<int>(random.below(static_cast<std::uint64_t>(least)));
    const int bits = 53 - count_bits - static_cast<int>(random.chance(0.5) ? 0 : random.below(30));
    const auto most = static_cast<std::int64_t>(count) * ((std::int64_t{1} << bits) - 1);
    // 25 bits, of which the last decides between two floats, or fewer; or nearly the greatest sum.
    const std::uint64_t half = std::uint64_t{1} << 24 | random.bits() >> 40;
    auto size = static_cast<std::int64_t>(half >> random.below(3)) * count;
    while (2 * size <= most) size *= 2;
    if (random.chance(0.2)) size >>= random.below(40);
    if (random.chance(0.1)) size = most - static_cast<std::int64_t>(random.below(1000));
    size += static_cast<std::int64_t>(random.below(5)) - 2;
    if (size < 0 || size > most) continue;
    const std::int64_t sum = random.chance(0.5) ? size : -size;
    const int position = static_cast<int>(random.chance(0.5) ? random.below(20) : random.below(190));
    const int exponent = position + iso::numeric::format<float>::min_exponent;
    const float mean = iso::mean_of_few_bits(sum, count, std::ldexp(1.0, exponent));
    const float want =
        iso::numeric::rounded_mean<float>(integer<1>::from(sum), integer<1>::from(count), position);
    ties += is_tie(static_cast<double>(sum), count);
    subnormal += mean != 0 && std::fabs(mean) < 0x1p-126f;
    CAPTURE(sum, count, position);
    REQUIRE(std::bit_cast<std::uint32_t>(mean) == std::bit_cast<std::uint32_t>(want));
  }
  CHECK(std::bit_cast<std::uint32_t>(iso::mean_of_few_bits(0, 3, 1.0)) == 0);
  CHECK(std::bit_cast<std::uint32_t>(iso::mean_of_few_bits(-1, 4, 0x1p-149)) == 0);
  INFO(ties << " ties, " << subnormal << " subnormal");
  CHECK((ties > 1000 && subnormal > 1000));
}
