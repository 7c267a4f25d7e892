// A row that the threads of a group hold in registers, several consecutive elements each: how it gets into
// the tile's shared memory, and how its fit gets back.
//
// The steps are those of row_tile.cuh, and separate for the same reason: between them the rows whose sums are
// wide are solved by a whole warp.
#pragma once

#include <cstdint>

#include <iso/block/row_tile.cuh>
#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/lane/findings.cuh>
#include <iso/numeric/format.hpp>

namespace iso {

// Stores those of a thread's elements that are among the first `count`, negated if the row is to be.
template <class T, int Items>
ISO_DEVICE void put_items(T* to, int thread, const T (&items)[Items], int count, bool negated) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int k = 0; k < Items; ++k) {
    const int i = thread * Items + k;
    if (i < count) to[elements<T, false>::at(i)] = negated ? numeric::format<T>::negate(items[k]) : items[k];
  }
}

// Loads them back; every zero is +0. The other elements stay.
template <class T, int Items>
ISO_DEVICE void get_items(const T* from, int thread, T (&items)[Items], int count, bool negated) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int k = 0; k < Items; ++k) {
    const int i = thread * Items + k;
    if (i >= count) continue;
    const T fit = from[elements<T, false>::at(i)];
    items[k] = fit == T(0) ? T(0) : negated && fit == fit ? numeric::format<T>::negate(fit) : fit;
  }
}

// Takes over the first `count` > 0 elements of a row, and fits it unless it is bad or wide. The weights are
// in memory already. All threads of the group call.
template <bool Weighted, class T, int Items, class Group, class Memory>
ISO_DEVICE tile_facts begin_items(const Group& group, const Memory& s, const T (&values)[Items], int count,
                                  bool increasing) {
  put_items(s.y, static_cast<int>(group.thread_rank()), values, count, !increasing);
  group.sync();
  const auto e = s.data();
  const findings found = load_tile<T, Weighted>(
      group, s, count, [&](int i) { return e.y[e.at(i)]; }, [&](int i) { return e.w[e.at(i)]; });
  tile_facts facts = examine_tile<T, Weighted>(group, s, count, found, true);
  if (facts.status == row_status::ok && !facts.wide) fit_row<T, Weighted>(group, s, facts);
  return facts;
}

// Hands the fit back, and returns the starts of the pools among the thread's elements. All threads of the
// group call.
template <class T, int Items, class Group, class Memory>
ISO_DEVICE std::uint32_t end_items(const Group& group, const Memory& s, const tile_facts& facts,
                                   T (&values)[Items], bool increasing) {
  const int rank = static_cast<int>(group.thread_rank());
  finish_row<T>(group, s, facts);
  get_items(s.y, rank, values, facts.count, !increasing);
  return s.mask[rank];
}

}  // namespace iso
