// Integers spread over a warp against arbitrary precision, in many orders of the lanes.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <iso/numeric/sums.hpp>
#include <iso/warp/spread_integer.cuh>

#include "catch.hpp"
#include "numeric/big.hpp"
#include "simt/simt.hpp"

using namespace iso;
using numeric::integer;

namespace {

using tile = simt::tile<32>;
template <int N>
using spread_integer = warp::spread_integer<N, tile>;

// Calls body(warp) in 32 lanes and gives what the lanes returned, which must be the same in all.
template <class Body>
auto in_a_warp(std::uint64_t order, Body&& body) {
  using result = decltype(body(std::declval<const tile&>()));
  std::array<result, 32> results{};
  simt::launch(32, order, [&](const simt::thread_block& block) {
    const auto warp = simt::tiled_partition<32>(block);
    results[warp.thread_rank()] = body(warp);
  });
  REQUIRE(std::count(results.begin(), results.end(), results[0]) == 32);
  return results[0];
}

template <int N>
spread_integer<N> loaded(const tile& warp, const integer<N>& a) {
  return spread_integer<N>::load(warp, a.word);
}

// The number that body(warp) spreads over the lanes, as they store it. The words that no number has stay 0.
template <int N, class Body>
integer<N> gathered(std::uint64_t order, Body&& body) {
  integer<N> r;
  simt::fill(r, order);
  std::array<std::array<std::uint64_t, spread_integer<N>::slots>, 32> slots{};
  simt::launch(32, order, [&](const simt::thread_block& block) {
    const auto warp = simt::tiled_partition<32>(block);
    const spread_integer<N> a = body(warp);
    a.store(r.word);
    for (int s = 0; s < a.slots; ++s) slots[warp.thread_rank()][static_cast<unsigned>(s)] = a.slot[s];
  });
  for (int i = N; i < 32 * spread_integer<N>::slots; ++i) {
    REQUIRE(slots[static_cast<unsigned>(i % 32)][static_cast<unsigned>(i / 32)] == 0);
  }
  return r;
}

template <int N>
big wrapped(const big& v) {
  const big modulus = big(1) << (64 * N);
  const big r = ((v % modulus) + modulus) % modulus;
  return r >= modulus / 2 ? big(r - modulus) : r;
}

template <int N>
integer<N> to_integer(const big& v) {
  big rest = v < 0 ? big(v + (big(1) << (64 * N))) : v;
  integer<N> r;
  for (int i = 0; i < N; ++i, rest >>= 64) r.word[i] = static_cast<std::uint64_t>(rest & ~std::uint64_t{0});
  return r;
}

// Numbers whose sums carry through all words, or through all of a slot, or nowhere; then random ones.
template <int N>
std::vector<integer<N>> numbers(std::mt19937_64& g, int random) {
  const big most = (big(1) << (64 * N - 1)) - 1;
  std::vector<integer<N>> r;
  for (const big& v : {big(0), big(1), big(-1), most, big(-most), big(-most - 1)})
    r.push_back(to_integer<N>(v));
  for (const int word : {1, 31, 32, 33, 64}) {
    if (word >= N) continue;
    const big power = big(1) << (64 * word);
    for (const big& v : {power, big(-power), big(power - 1), big(most - power)})
      r.push_back(to_integer<N>(v));
  }
  for (int i = 0; i < random; ++i) r.push_back(random_integer<N>(g));
  return r;
}

template <int N>
void check_sums(const integer<N>& a, const integer<N>& b, std::uint64_t order) {
  const big x = value(a), y = value(b);
  REQUIRE(value(gathered<N>(order, [&](const tile& w) { return loaded(w, a) + loaded(w, b); })) ==
          wrapped<N>(x + y));
  REQUIRE(value(gathered<N>(order, [&](const tile& w) { return loaded(w, a) - loaded(w, b); })) ==
          wrapped<N>(x - y));
  struct answers {
    bool less, less_unsigned, less_itself, negative, zero;
    std::uint64_t sign;
    int length;
    bool operator==(const answers&) const = default;
  };
  const answers found = in_a_warp(order, [&](const tile& w) {
    const auto p = loaded(w, a), q = loaded(w, b);
    return answers{less(p, q), less_unsigned(p, q), less(p, p), p.negative(), p.is_zero(),
                   p.sign(),   bit_length(p)};
  });
  REQUIRE(found == answers{x < y, unsigned_value(a) < unsigned_value(b), false, x < 0, x == 0,
                           x < 0 ? ~std::uint64_t{0} : 0, bit_length(a)});
}

template <int N>
void check_one(const integer<N>& a, std::uint64_t factor, std::uint64_t order) {
  const big x = value(a);
  REQUIRE(unsigned_value(gathered<N>(order, [&](const tile& w) { return loaded(w, a).magnitude(); })) ==
          abs(x));
  REQUIRE(value(gathered<N>(order, [&](const tile& w) { return warp::spread(w, a); })) == x);
  REQUIRE(value(gathered<N + 1>(order, [&](const tile& w) { return warp::widen<N + 1>(loaded(w, a)); })) ==
          x);
  REQUIRE(value(gathered<N + 40>(order, [&](const tile& w) { return warp::widen<N + 40>(loaded(w, a)); })) ==
          x);
  REQUIRE(value(gathered<N + 1>(order, [&](const tile& w) {
            return warp::widen_unsigned<N + 1>(loaded(w, a));
          })) == unsigned_value(a));
  REQUIRE(value(gathered<N>(order, [&](const tile& w) { return loaded(w, a).times(factor); })) ==
          wrapped<N>(x * factor));
  REQUIRE(value(a.times(factor)) == wrapped<N>(x * factor));
  REQUIRE(value(gathered<N + 1>(order, [&](const tile& w) { return multiply(loaded(w, a), factor); })) ==
          x * factor);
}

template <int N>
void check_shift(const integer<N>& a, int shift, std::uint64_t order) {
  CAPTURE(shift);
  REQUIRE(value(gathered<N>(order, [&](const tile& w) { return loaded(w, a) <<= shift; })) ==
          wrapped<N>(value(a) << shift));
  REQUIRE(in_a_warp(order, [&](const tile& w) { return loaded(w, a).bits_from(shift); }) ==
          static_cast<std::uint64_t>((unsigned_value(a) >> shift) & ~std::uint64_t{0}));
}

template <int N>
void check_placed(const integer<N>& a, std::uint64_t low, std::uint64_t high, int shift,
                  std::uint64_t order) {
  CAPTURE(shift, low, high);
  const big element = (big(high) << 64) + low;
  const big term = shift >= 0 ? big(element << shift) : big(element >> -shift);
  for (const bool minus : {false, true}) {
    const auto placed = gathered<N>(order, [&](const tile& w) {
      auto sum = loaded(w, a);
      sum.add_placed(low, high, shift, minus ? ~std::uint64_t{0} : 0);
      return sum;
    });
    REQUIRE(value(placed) == wrapped<N>(minus ? big(value(a) - term) : big(value(a) + term)));
  }
}

template <int N>
void check_arithmetic() {
  std::mt19937_64 g(N);
  std::uint64_t order = 0;  // ascending, descending, and then random ones
  const auto all = numbers<N>(g, 40);
  for (const auto& a : all) {
    check_sums<N>(a, all[g() % all.size()], order++);
    check_sums<N>(a, integer<N>::from(-1) - a, order++);
    check_sums<N>(a, integer<N>::zero() - a, order++);
    check_one<N>(a, g() >> (g() % 64), order++);
    check_one<N>(a, ~std::uint64_t{0}, order++);
    for (const int shift : {0, 1, 63, 64, 65, 127, 64 * 31, 64 * 32 - 1, 64 * 32, 64 * 33, 64 * 64 + 5}) {
      if (g() % 4 == 0) check_shift<N>(a, shift, order++);
      if (g() % 4 == 0)
        check_placed<N>(a, ~std::uint64_t{0}, g() % 2 ? ~std::uint64_t{0} : 0, shift, order++);
    }
    check_shift<N>(a, static_cast<int>(g() % (64 * N)), order++);
    check_placed<N>(a, g(), g() >> (g() % 64), static_cast<int>(g() % (64 * N)), order++);
    check_placed<N>(a, g(), g(), -static_cast<int>(g() % 200), order++);
  }
  for (const std::int64_t v : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{7}, INT64_MAX}) {
    REQUIRE(value(gathered<N>(order++, [&](const tile& w) { return spread_integer<N>::from(w, v); })) == v);
  }
  REQUIRE(value(gathered<N>(order, [](const tile& w) { return spread_integer<N>::zero(w); })) == 0);
}

template <int N, int M>
void check_products() {
  std::mt19937_64 g(N + M);
  std::uint64_t order = 0;
  const auto left = numbers<N>(g, 12);
  const auto right = numbers<M>(g, 12);
  for (const auto& a : left) {
    for (const auto& b : right) {
      if (b.negative() || g() % 3 == 0) continue;
      REQUIRE(value(gathered<N + M>(order++, [&](const tile& w) {
                return multiply(loaded(w, a), loaded(w, b));
              })) == value(a) * value(b));
    }
  }
}

// A sum and a weight, as pools have them: the weight positive, both with a bit to spare.
template <int N, int M>
numeric::sums<N, M> random_pool(std::mt19937_64& g) {
  for (;;) {
    const numeric::sums<N, M> r{random_integer<N>(g), random_integer<M>(g).magnitude()};
    if (!r.s.magnitude().negative() && !r.w.negative() && !r.w.is_zero()) return r;
  }
}

template <class T, int N, int M>
void check_mean(const numeric::sums<N, M>& pool, int position, std::uint64_t order) {
  using f = numeric::format<T>;
  const auto bits = in_a_warp(order, [&](const tile& w) {
    return f::to_bits(warp::rounded_mean<T>(loaded(w, pool.s), loaded(w, pool.w), position));
  });
  REQUIRE(bits == f::to_bits(numeric::rounded_mean<T>(pool.s, pool.w, position)));
}

// Means at positions from where they vanish to where they are greatest, and on or beside ties.
template <class T, int N, int M>
void check_means() {
  constexpr int digits = numeric::format<T>::digits;
  std::mt19937_64 g(N);
  for (std::uint64_t i = 0; i < 150; ++i) {
    auto pool = random_pool<N, M>(g);
    if (i % 3 == 0) {
      const std::uint64_t half = (std::uint64_t{1} << digits) + (g() >> (64 - digits));
      pool.w = integer<M>::from(static_cast<std::int64_t>(g() >> (g() % 63 + 1) | 1));
      const auto product = multiply(pool.w, integer<1>{{half}});
      if (bit_length(product) > 64 * N - 3) continue;
      pool.s = integer<N>::from(static_cast<std::int64_t>(g() % 3) - 1) + to_integer<N>(value(product));
    }
    const int size = bit_length(pool.s.magnitude()) - bit_length(pool.w);
    const int lowest = -digits - 4 - size, highest = numeric::format<T>::positions - 2 - size;
    check_mean<T>(pool, lowest + static_cast<int>(g() % static_cast<unsigned>(highest - lowest)), 2 * i);
    check_mean<T>(pool, lowest + static_cast<int>(g() % (2 * digits)), 2 * i + 1);
  }
  check_mean<T>(numeric::sums<N, M>{integer<N>::zero(), integer<M>::from(3)}, 5, 1);
}

template <int N, int M>
void check_order() {
  std::mt19937_64 g(N + M);
  const auto half = [](auto a) {  // to leave room for a factor
    for (int k = std::max(1, a.words - 1); k < a.words; ++k) a.word[k] = a.sign();
    return a;
  };
  int ties = 0, close = 0;
  for (std::uint64_t order = 0; order < 240; ++order) {
    auto a = random_pool<N, M>(g), b = random_pool<N, M>(g);
    if (order % 4 == 0 && N > 1 && M > 1) {  // the same mean, or the least bit beside it
      b = {half(a.s), half(a.w)};
      b.w.word[0] |= 1;
      const auto factor = static_cast<std::uint64_t>(g() % 1000 + 1);
      a = {b.s.times(factor), b.w.times(factor)};
      if (a.w.negative() || b.w.negative()) continue;
      a.s += integer<N>::from(static_cast<std::int64_t>(g() % 3) - 1);
    }
    if (order % 12 == 1) a = numeric::sums<N, M>::zero();
    const big left = value(a.s) * value(b.w), right = value(b.s) * value(a.w);
    ties += left == right;
    close += abs(big(left - right)) * (std::uint64_t{1} << 52) < abs(left);
    REQUIRE(numeric::mean_not_less(a.s, a.w, b.s, b.w) == (left >= right));
    const bool found = in_a_warp(order, [&](const tile& w) {
      return mean_not_less(loaded(w, a.s), loaded(w, a.w), loaded(w, b.s), loaded(w, b.w));
    });
    REQUIRE(found == (left >= right));
  }
  CHECK(ties > 10);
  if (N > 1 && M > 1) CHECK(close > 10);
}

}  // namespace

TEST_CASE("operations on spread integers are those of the integers", "[spread_integer]") {
  check_arithmetic<1>();
  check_arithmetic<6>();
  check_arithmetic<10>();
  check_arithmetic<32>();
  check_arithmetic<33>();
  check_arithmetic<34>();
  check_arithmetic<67>();
  check_arithmetic<101>();
}

TEST_CASE("products of spread integers are exact", "[spread_integer]") {
  check_products<1, 1>();
  check_products<6, 10>();
  check_products<10, 6>();
  check_products<32, 1>();
  check_products<32, 33>();
  check_products<34, 32>();
  check_products<67, 34>();
}

TEMPLATE_TEST_CASE("means of spread sums are rounded as those of sums in one lane", "[spread_integer]", float,
                   double) {
  check_means<TestType, 1, 1>();
  check_means<TestType, 6, 1>();
  check_means<TestType, 10, 6>();
  check_means<TestType, 6, 10>();
  check_means<TestType, 32, 32>();
  check_means<TestType, 34, 1>();
  check_means<TestType, 67, 34>();
}

TEST_CASE("means of spread sums are compared exactly, and one without weight as one beside any other",
          "[spread_integer]") {
  check_order<1, 1>();
  check_order<6, 1>();
  check_order<10, 6>();
  check_order<33, 32>();
  check_order<67, 34>();
}
