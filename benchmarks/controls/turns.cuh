// How a control decides whether a chain of vertices turns left: three kinds of sums of an edge, for the
// searches of segment lists and of flat hulls, which compare means by the name mean_not_less.
//
//   exact_sums     integers alone: iso::large_sums of floats
//   filtered_sums  the same integers, and first a look in doubles that counts only where it is certain; gives
//                  what exact_sums give. This is what the controls use, as the paper's filter comes first
//                  there
//   plain_sums     doubles counted from the row's beginning, rounded, nothing checked: the paper's "turns on
//                  absolute coordinates", which may err
//
// Rows have no weights, so a weight is a number of elements.
//
// Example: a sum of 3 over 2 elements beside one of 5 over 4: 3 * 4 - 5 * 2 = 2, far from 0: certain, and the
// first mean is not less. Of sums near 2^60 that differ by 1 doubles tell nothing, and the integers are
// asked.
#pragma once

#include <cmath>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/numeric/integer.hpp>
#include <iso/numeric/turn.hpp>

namespace bench::controls {

using exact_sums = iso::large_sums<float, false>;

struct filtered_sums {
  iso::numeric::integer<2> s;
  iso::numeric::integer<1> w;
};

ISO_HOST_DEVICE inline bool mean_not_less(const filtered_sums& a, const filtered_sums& b) {
  const double line = iso::numeric::as_double(b.s);
  const auto turn = iso::numeric::turn_of(iso::numeric::as_double(a.s), iso::numeric::as_double(a.w), line,
                                          std::fabs(line), iso::numeric::as_double(b.w));
  if (turn.certain) return turn.by >= 0;
  return iso::mean_not_less(exact_sums{a.s, a.w}, exact_sums{b.s, b.w});
}

struct plain_sums {
  double s, w;
};

ISO_HOST_DEVICE inline bool mean_not_less(const plain_sums& a, const plain_sums& b) {
  return a.s * b.w >= b.s * a.w;
}

}  // namespace bench::controls
