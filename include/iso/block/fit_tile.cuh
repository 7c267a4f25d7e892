// From the pools of a tile to the fit of its elements.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/numeric/quotient.hpp>
#include <iso/warp/tile.cuh>

namespace iso {

// Writes the mean of the elements [begin, end), whose sums are given, to those of them before `stop`, and
// returns it.
template <class T, class View>
ISO_HOST_DEVICE T write_mean(const View& v, int begin, int end, const typename View::sums& sum, int stop) {
  T mean = v.e.y[v.e.at(begin)];
  if (end > begin + 1) mean = numeric::rounded_mean<T>(sum.s, sum.w, v.on.mean_position());
  if (mean == T(0)) mean = T(0);
  for (int i = begin; i < stop; ++i) v.e.y[v.e.at(i)] = mean;
  return mean;
}

// Replaces the values of the elements that play a part by their fit: each pool's mean, rounded once, and
// `before` for the elements before the first start. `carry` holds one T a lane, in shared memory; the totals
// are overwritten. All threads of the group call, one a lane.
//
// Each lane writes the pools that end in it. The pool that leaves a lane takes the sums that the lanes after
// it have up to their first start, and those lanes take its mean from there.
template <class T, class Group, class View>
[[gnu::noinline]] ISO_DEVICE void fit_tile(const Group& group, const View& v, int lanes, T before, T* carry) {
  using sums = typename View::sums;
  constexpr int n = decltype(sums::s)::words, m = decltype(sums::w)::words;
  const int lane = static_cast<int>(group.thread_rank()), base = lane * View::lane_elements;
  const int begin = v.begin(lane), end = v.end(lane);
  const std::uint32_t mask = v.mask[lane];
  const int first = mask != 0 ? base + lowest_bit(mask) : end;
  if (mask != 0) v.total[lane] = v.e.template sum<n, m>(begin, first, v.on);
  group.sync();
  if (mask != 0) {
    int start = first;
    for (std::uint32_t rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
      const int next = base + lowest_bit(rest);
      sums sum = sums::zero();
      if (next > start + 1) sum = v.e.template sum<n, m>(start, next, v.on);
      write_mean<T>(v, start, next, sum, next);
      start = next;
    }
    sums sum = v.e.template sum<n, m>(start, end, v.on);
    int last = end;
    for (int l = lane + 1; l < lanes && v.begin(l) < v.end(l) && last == v.begin(l); ++l) {
      const std::uint32_t bits = v.mask[l];
      sum += v.total[l];
      last = bits != 0 ? l * View::lane_elements + lowest_bit(bits) : v.end(l);
    }
    carry[lane] = write_mean<T>(v, start, last, sum, end);
  }
  group.sync();
  if (begin < first) {
    int l = lane - 1;
    while (l >= 0 && v.mask[l] == 0) --l;
    const T value = l >= 0 ? carry[l] : before;
    for (int i = begin; i < first; ++i) v.e.y[v.e.at(i)] = value;
  }
  group.sync();
}

}  // namespace iso
