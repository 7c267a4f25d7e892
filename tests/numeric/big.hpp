// The library's integers and formats, as the arbitrary-precision integers of Boost.Multiprecision.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <random>

#include <iso/numeric/integer.hpp>

using big = boost::multiprecision::cpp_int;

template <int N>
big unsigned_value(const iso::numeric::integer<N>& a) {
  big r = 0;
  for (int i = N - 1; i >= 0; --i) r = (r << 64) + a.word[i];
  return r;
}

template <int N>
big value(const iso::numeric::integer<N>& a) {
  const big r = unsigned_value(a);
  return a.negative() ? big(r - (big(1) << (64 * N))) : r;
}

// A number of random length, with runs of ones and zeros so that carries travel.
template <int N>
iso::numeric::integer<N> random_integer(std::mt19937_64& g) {
  auto r = iso::numeric::integer<N>::zero();
  const int bits = static_cast<int>(g() % (64 * N + 1));
  for (int i = 0; i < bits; i += 64) {
    const std::uint64_t kinds[] = {0, ~std::uint64_t{0}, g(), g() >> (g() % 64)};
    r.word[i / 64] = kinds[g() % 4];
    if (bits - i < 64) r.word[i / 64] &= (std::uint64_t{1} << (bits - i)) - 1;
  }
  if (g() % 2) r = iso::numeric::integer<N>::zero() - r;
  return r;
}
