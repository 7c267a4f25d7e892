// The monotone chain of one lane with its stack kept in two ways: the paper's first ablation.
//
//   bit_mask      the stack is a mask in a register, its topmost two entries are registers too; the entry
//   under
//                 those is found by counting leading zeros. Every turn of the loop pops or pushes and reads
//                 both points that it may need, so that lanes stay in step (paper, section 3.1)
//   local_memory  the stack is an array of the thread, popped in a loop of its own
//
// Both give the same mask: bit k is set if the point before element k is a vertex of the hull of the lane's
// points 0 .. count; the last point is one always and has no bit.
//
// Points have sums s(k), k = 0 .. count, of few enough bits that sums times 32 fit 63; x is k.
//
// Example, sums 0 1 6 8 11 (values 1 5 2 3): the slopes 1 and 5 rise; 2 is less than 5, so point 2 goes; 3 is
// less than the 7/2 from point 1 to point 3, so point 3 goes too. The mask is 0b0011.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/lane_hull.cuh>

namespace bench::controls {

// Whether b is not below the line from a to c; numbers of points and their sums.
ISO_HOST_DEVICE inline bool goes(int a, std::int64_t at_a, int b, std::int64_t at_b, int c,
                                 std::int64_t at_c) {
  return (at_b - at_a) * (c - b) >= (at_c - at_b) * (b - a);
}

struct bit_mask {
  template <class Sums>
  ISO_HOST_DEVICE static std::uint32_t chain(int count, const Sums& s) {
    // `rest`: the stack without its topmost two entries. A stack of one entry has no `under`, which is -1.
    std::uint32_t rest = 0;
    int top = 0, under = -1, next = 1;
    std::int64_t at_top = s(0), at_under = 0;
    while (next <= count) {
      const int third = rest != 0 ? iso::highest_bit(rest) : -1;
      const std::int64_t at_next = s(next), at_third = s(third < 0 ? 0 : third);
      if (under >= 0 && goes(under, at_under, top, at_top, next, at_next)) {
        top = under, at_top = at_under;
        under = third, at_under = at_third;
        rest &= third < 0 ? 0u : ~(1u << third);
      } else {
        if (under >= 0) rest |= 1u << under;
        under = top, at_under = at_top;
        top = next, at_top = at_next;
        ++next;
      }
    }
    return under >= 0 ? rest | 1u << under : 0u;
  }
};

struct local_memory {
  template <class Sums>
  ISO_HOST_DEVICE static std::uint32_t chain(int count, const Sums& s) {
    int stack[34];
    stack[0] = 0;
    int depth = 1;
    for (int next = 1; next <= count; ++next) {
      const std::int64_t at_next = s(next);
      while (depth > 1 && goes(stack[depth - 2], s(stack[depth - 2]), stack[depth - 1], s(stack[depth - 1]),
                               next, at_next)) {
        --depth;
      }
      stack[depth++] = next;
    }
    std::uint32_t hull = 0;
    for (int i = 0; i + 1 < depth; ++i) hull |= 1u << stack[i];
    return hull;
  }
};

}  // namespace bench::controls
