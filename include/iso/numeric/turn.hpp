// Which of two slopes is the greater, told in doubles where doubles are certain.
//
// Slopes of hulls are compared as products, and products of integers of several words are dear. Nearly always
// the products differ so much that doubles tell, with a bound on what rounding can have done to them.
// Example: an edge of sum 3 and weight 2 against a line of sum 5 and weight 4: 3 * 4 - 5 * 2 = 2, and the
// terms are 12 and 10, so rounding moves the difference by less than 22 * 2^-47: certain. Of terms near 10^30
// that differ by 10^10 nothing would be certain, and the caller asks the integers.
#pragma once

#include <cmath>
#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/numeric/integer.hpp>
#include <iso/numeric/sums.hpp>

namespace iso::numeric {

// a - b; two words take the one instruction a word that the device has for it.
template <int N>
ISO_HOST_DEVICE integer<N> difference(const integer<N>& a, const integer<N>& b) {
#if defined(__SIZEOF_INT128__)
  if constexpr (N == 2) {
    __extension__ using wide = unsigned __int128;
    const wide r = (wide{a.word[1]} << 64 | a.word[0]) - (wide{b.word[1]} << 64 | b.word[0]);
    return {{static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(r >> 64)}};
  }
#endif
  return a - b;
}
template <int N, int M>
ISO_HOST_DEVICE sums<N, M> difference(const sums<N, M>& a, const sums<N, M>& b) {
  return {difference(a.s, b.s), difference(a.w, b.w)};
}

// A number in double: within 2^-50 of it, relatively, and exactly if it has no more than 53 bits; for up to
// four words.
//
// Its digits of 64 bits are taken as signed ones, from -2^63 on, so that none is large beside the number.
template <int N>
ISO_HOST_DEVICE double as_double(const integer<N>& a) {
  static_assert(N <= 4);
  double digit[N];
  std::uint64_t carry = 0;
  for (int i = 0; i < N; ++i) {
    const std::uint64_t word = a.word[i] + carry;
    digit[i] = static_cast<double>(static_cast<std::int64_t>(word));
    carry = (word >> 63) + static_cast<std::uint64_t>(word < carry);
  }
  double r = digit[N - 1];
  for (int i = N - 2; i >= 0; --i) r = r * 0x1p64 + digit[i];
  return r;
}

// The sign of a difference of slopes: that of `by`, if it is certain.
struct turn {
  double by;
  bool certain;
};

// Whether an edge of sum s and weight w is steeper (above 0) than a line, as steep (0) or flatter (below 0).
//
// All are as as_double has them, but for the line's: its sum is `line_s`, the sum of two such numbers whose
// sizes add up to `line_size`, and its weight `line_w` the sum of two. Weights are not negative. Rounding
// moves the difference of the products by less than 2^-47 of their sizes. If that is below one half, nothing
// was rounded at all: then every product is an integer of less than 47 bits.
ISO_HOST_DEVICE inline turn turn_of(double s, double w, double line_s, double line_size, double line_w) {
  const double by = s * line_w - line_s * w;
  const double margin = (std::fabs(s) * line_w + line_size * w) * 0x1p-47;
  return {by, std::fabs(by) > margin || margin < 0.5};
}

}  // namespace iso::numeric
