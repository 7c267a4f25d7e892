// What warps and thread blocks share of a tile of elements while they find its hull: every lane has P
// consecutive elements, and a mask of those that start a pool.
#pragma once

#include <cstdint>
#include <type_traits>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/lane/lane_hull.cuh>
#include <iso/lane/split_sums.cuh>
#include <iso/numeric/sums.hpp>

namespace iso {

// Threads of one warp that have its collectives, as cooperative_groups::thread_block_tile has them.
template <class Group>
concept warp_tile = requires(const Group& group) {
  group.shfl_up(0, 1u);
};

// Tells the compiler that memory is shared. A function that is not inlined cannot know, and its loads and
// stores would look up what memory it is.
template <class... Data>
ISO_DEVICE void assume_shared([[maybe_unused]] const Data*... data) {
#if defined(__CUDA_ARCH__)
  (__builtin_assume(__isShared(data)), ...);
#endif
}

// A view of a tile; all of it but the grid is in shared memory. Lane l has the elements [l * P, l * P + P);
// of them, those outside [low, high) play no part. Bit k of mask[l] is set if element l * P + k starts a
// pool. total[l] are the sums of all elements of lane l that play a part; they take N and M words.
template <class T, bool Weighted, int P, int N, int M>
struct tile_view {
  static_assert(P >= 1 && P <= 32);
  static constexpr int lane_elements = P;
  static constexpr bool weighted = Weighted;
  // Whether sums of a lane's elements are taken as split_sums, whose grid then fits.
  static constexpr bool splits = std::is_same_v<T, float> && !Weighted && N == 1;
  using sums = numeric::sums<N, M>;

  elements<T, Weighted> e;
  numeric::grid on;
  int low, high;
  std::uint32_t* mask;
  sums* total;

  // For functions that are not inlined.
  ISO_DEVICE void assume_shared() const {
    iso::assume_shared(e.y, mask, total);
    if constexpr (Weighted) iso::assume_shared(e.w);
  }

  ISO_HOST_DEVICE int begin(int lane) const { return lane * P < low ? low : lane * P; }
  ISO_HOST_DEVICE int end(int lane) const { return lane * P + P < high ? lane * P + P : high; }
  // The lane that has element i >= 0, and its place there.
  ISO_HOST_DEVICE static int lane_of(int i) { return static_cast<int>(static_cast<unsigned>(i) / P); }
  ISO_HOST_DEVICE static int place_of(int i) { return static_cast<int>(static_cast<unsigned>(i) % P); }

  // The bits of a lane's elements that play a part.
  ISO_HOST_DEVICE std::uint32_t part(int lane) const {
    return begin(lane) < end(lane) ? bits_between(begin(lane) - lane * P, end(lane) - lane * P) : 0u;
  }

  // The first start at or after element i in lanes before `lane_end`; -1 if there is none.
  ISO_HOST_DEVICE int start_from(int i, int lane_end) const {
    int lane = lane_of(i);
    if (lane >= lane_end) return -1;
    std::uint32_t bits = mask[lane] & (~std::uint32_t{0} << place_of(i));
    while (bits == 0 && ++lane < lane_end) bits = mask[lane];
    return bits != 0 ? lane * P + lowest_bit(bits) : -1;
  }
  // The last start before element i > 0 in lanes from `lane_begin`; -1 if there is none.
  ISO_HOST_DEVICE int start_before(int i, int lane_begin) const {
    int lane = lane_of(i - 1);
    std::uint32_t bits = mask[lane] & (~std::uint32_t{0} >> (31 - place_of(i - 1)));
    while (bits == 0 && --lane >= lane_begin) bits = mask[lane];
    return bits != 0 ? lane * P + highest_bit(bits) : -1;
  }
  ISO_HOST_DEVICE bool starts(int i) const { return (mask[lane_of(i)] >> place_of(i) & 1u) != 0; }
  // Whether elements i - 1 and i are pools by themselves, of those before `end`, and increase.
  ISO_HOST_DEVICE bool rises(int i, int end) const {
    return starts(i - 1) && starts(i) && (i + 1 >= end || starts(i + 1)) && e.y[e.at(i - 1)] < e.y[e.at(i)];
  }
  ISO_HOST_DEVICE void clear(int i) const { mask[lane_of(i)] &= ~(std::uint32_t{1} << place_of(i)); }

  // Adds up elements of any lanes, or of one.
  ISO_HOST_DEVICE auto adder() const { return adder_of(e); }
  ISO_HOST_DEVICE auto adder(int lane) const { return adder_of(e.of_lane(lane * P)); }
  template <bool Gaps>
  ISO_HOST_DEVICE auto adder_of(const elements<T, Weighted, Gaps>& those) const {
    if constexpr (splits) {
      return split_adder<Gaps>{those, split_grid::of(on)};
    } else {
      return exact_adder<T, Weighted, N, M, Gaps>{those, on};
    }
  }
  // Sums of a lane's elements that play a part, from the elements.
  ISO_HOST_DEVICE sums lane_sum(int lane) const {
    const auto add = adder(lane);
    auto sum = add.zero();
#if defined(__CUDA_ARCH__)
#pragma unroll(splits ? 4 : 1)
#endif
    for (int i = begin(lane); i < end(lane); ++i) add.add(sum, i);
    return add.exact(sum);
  }
  // Exact sums of the elements [p, q), from the elements.
  ISO_HOST_DEVICE sums element_sum(int p, int q) const {
    return sum_of(exact_adder<T, Weighted, N, M>{e, on}, p, q);
  }
  // Sums of the elements [p, q) that play a part, p < q.
  ISO_HOST_DEVICE sums sum(int p, int q) const {
    const int first = lane_of(p), last = lane_of(q);
    if (first == last) return element_sum(p, q);
    sums s = p == begin(first) ? total[first] : element_sum(p, end(first));
    for (int lane = first + 1; lane < last; ++lane) s += total[lane];
    if (q > last * P) s += element_sum(last * P, q);
    return s;
  }
};

// What one lane gets of another's sums.
template <int N, class Shuffle>
ISO_DEVICE numeric::integer<N> shuffled(const numeric::integer<N>& of, Shuffle&& shuffle) {
  numeric::integer<N> r;
  for (int i = 0; i < N; ++i) r.word[i] = shuffle(of.word[i]);
  return r;
}
template <int N, int M, class Shuffle>
ISO_DEVICE numeric::sums<N, M> shuffled(const numeric::sums<N, M>& of, Shuffle&& shuffle) {
  return {shuffled(of.s, shuffle), shuffled(of.w, shuffle)};
}

// The sums of all lanes before this one: numeric::sums, or numeric::integer. All lanes of the tile call.
template <warp_tile Tile, class Sums>
ISO_DEVICE Sums sums_before(const Tile& tile, const Sums& own) {
  const unsigned rank = tile.thread_rank();
  Sums all = own;
  for (unsigned delta = 1; delta < tile.num_threads(); delta *= 2) {
    const Sums below = shuffled(all, [&](std::uint64_t word) { return tile.shfl_up(word, delta); });
    if (rank >= delta) all += below;
  }
  all -= own;
  return all;
}

// The sums of all lanes up to this one.
template <class T, warp_tile Tile>
ISO_DEVICE T total_up_to(const Tile& tile, T value) {
  for (unsigned delta = 1; delta < tile.num_threads(); delta *= 2) {
    const T below = tile.shfl_up(value, delta);
    if (tile.thread_rank() >= delta) value += below;
  }
  return value;
}

// The numbers of all lanes before this one, summed.
template <warp_tile Tile>
ISO_DEVICE int count_before(const Tile& tile, int own) {
  return total_up_to(tile, own) - own;
}

}  // namespace iso
