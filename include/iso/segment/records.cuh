// What is kept of a long row between the steps of its solution.
//
// The row is cut into chunks. Each chunk's hull is found by itself and kept as one bit an element, set where
// a pool of the chunk's own fit starts, and, if it has few vertices, as a list of them. Neighbouring hulls
// are then merged in a tree, and of each merge only the bridge is kept: the hull of a node is the left
// child's up to the bridge's left end, the bridge, and the right child's from its right end on. So nothing is
// ever copied, and every vertex of the hull of any node can be found by going down from the node.
//
// The paper (sections 3.3 and 3.4) lists the segments of a node: for each chunk the range of its vertices
// that are left. Here a chunk's segment is what the bridges above it leave of it, so it need not be stored,
// listed or moved: a merge costs the search for its bridge alone, and none has a part linear in the number of
// chunks.
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/lane/elements.cuh>
#include <iso/lane/findings.cuh>
#include <iso/numeric/sums.hpp>
#include <iso/status.hpp>

namespace iso {

// A chunk is what the 32 lanes of a warp hull, 32 elements each.
inline constexpr int chunk_lane_elements = 32;
inline constexpr int chunk_elements = 32 * chunk_lane_elements;

// What the chunks of a row have found, together. Each member is the greatest of what the chunks say, and 0 at
// first, so that memory filled with zeros is a row nobody has looked at.
struct row_record {
  // findings::none less the lowest positions, the highest positions, and the flags.
  std::uint32_t low, high, low_w, high_w;
  std::uint32_t flags;
  std::uint32_t arrived;  // groups of chunks whose sums are known
  // Of looks at chunks before they are hulled: how many were convex, whether they were given up, and whether
  // the sums of the row are known from them.
  std::uint32_t convex, unseen, summed;
  // Where the finite part of the row begins, and the row's length less where it ends.
  unsigned long long begin, rest;
};

// Of a row record, once all chunks have spoken.
struct row_facts {
  row_status status;
  bool wide;
  std::int64_t begin, end;  // of the finite part
  numeric::grid on;

  template <class T, bool Weighted>
  ISO_HOST_DEVICE static row_facts of(const row_record& r, std::int64_t length) {
    using words = sum_words<T, Weighted>;
    findings all{findings::none - static_cast<std::int32_t>(r.low), static_cast<std::int32_t>(r.high),
                 findings::none - static_cast<std::int32_t>(r.low_w), static_cast<std::int32_t>(r.high_w),
                 r.flags};
    row_facts facts{all.status(), false, static_cast<std::int64_t>(r.begin),
                    length - static_cast<std::int64_t>(r.rest), all.template grid<Weighted>()};
    if (facts.status == row_status::ok && facts.begin > facts.end) {
      facts.status = row_status::indeterminate;
    }
    facts.wide =
        facts.status == row_status::ok && !sums_fit<words::large_n, words::large_m>(facts.on, length);
    return facts;
  }
};

// What records keep of sums: without weights a point's element tells its count of elements.
template <class T, bool Weighted>
using recorded_sums = typename kept_sums<large_sums<T, Weighted>, Weighted>::type;

// What a chunk's hull looks like from outside. Positions count elements of the chunk; sums are those of the
// chunk's finite elements before a position, on the chunk's grid.
template <class T, bool Weighted>
struct chunk_record {
  numeric::grid on;
  // Finite elements are [low, high); the hull's vertices are start, second, ..., last_but_one, high.
  std::int16_t low, high;
  std::int16_t start, second, last_but_one;
  std::int16_t points;  // vertices in the chunk's list; 0 if they are too many
  bool live;            // there are finite elements of positive weight
  recorded_sums<T, Weighted> total, at_second, at_last_but_one;
};

// The vertices of a hull, its end included, counted from the beginning of its first chunk. Of a chunk: with
// sums on the chunk's grid from there; or, if it has too many vertices, the sums before each of its lanes. Of
// a node, at the end of its first chunk's room: with sums from the beginning of the row, on the row's grid.
//
// So a chunk's list stays for the fit, unless a node's is so long that both do not fit. Example: chunk 2 has
// 8 vertices, at 0 to 7; node 3, which joins it with chunk 3, has 10, at 22 to 31.
template <class T, bool Weighted>
struct chunk_points {
  static constexpr int capacity = 32;

  // Where a node's list of so many vertices begins.
  ISO_HOST_DEVICE static constexpr int of_node(int points) { return capacity - points; }

  recorded_sums<T, Weighted> at[capacity];
  std::int32_t element[capacity];
};

// A point of a row's diagram: the element that it is before, and the sums of the row's finite elements before
// it, on the row's grid.
template <class Sums>
struct point {
  std::int64_t element;
  Sums at;

  ISO_HOST_DEVICE static point zero() { return {0, Sums::zero()}; }
};

// A point as records keep it, which any point becomes by itself; row_reader::recorded gives it its count
// back.
template <class T, bool Weighted>
struct recorded_point {
  using sums = large_sums<T, Weighted>;

  std::int64_t element;
  recorded_sums<T, Weighted> at;

  recorded_point() = default;
  ISO_HOST_DEVICE recorded_point(const point<sums>& p)
      : element(p.element), at(kept_sums<sums, Weighted>::of(p.at)) {}
};

// The hull of a node of the tree, seen from outside, and the bridge between its children. The end of a node
// and the beginning of the next are the same point, and may have two names: the end is at the end of the
// node's chunks, the beginning at the first element of positive weight after it.
template <class T, bool Weighted>
struct node_record {
  enum kind : std::uint32_t {
    dead,   // no finite element of positive weight
    right,  // only the right child has any: this is the right child
    joined  // there is a bridge
  };
  kind is;
  std::int32_t points;  // vertices, if they are few enough to be listed, else 0
  recorded_point<T, Weighted> bridge_left, bridge_right;
  // Of its vertices; not filled in if they are listed.
  std::int64_t begin, end;
  recorded_point<T, Weighted> second, last_but_one;

  // The mean of the bridge, in the place of its sums: of a wide row, which keeps none.
  ISO_HOST_DEVICE void keep_mean(const T& mean) { __builtin_memcpy(&bridge_left.at, &mean, sizeof mean); }
  ISO_HOST_DEVICE T kept_mean() const {
    T mean;
    __builtin_memcpy(&mean, &bridge_left.at, sizeof mean);
    return mean;
  }
};

// A counter of children of a node that are done: their number in the lowest byte, and above it how many
// vertices the first of them has in its list. So the second learns that without another access to memory.
struct arrivals {
  static constexpr int points_from = 8;

  // What a child with a list of `points` vertices adds.
  ISO_HOST_DEVICE static std::uint32_t of_child(int points) {
    return 1 + (static_cast<std::uint32_t>(points) << points_from);
  }
  // What the last of `expected` children gets to know, given the counter before it came: how many vertices
  // the other one's list has, or 0. Of an earlier one: -1.
  ISO_HOST_DEVICE static int others(std::uint32_t before, std::uint32_t expected) {
    const bool last = before % (1u << points_from) + 1 == expected;
    return last ? static_cast<int>(before >> points_from) : -1;
  }
};

// What a warp needs to know of a row, and where its records are.
template <class T, bool Weighted>
struct row_state {
  using sums = recorded_sums<T, Weighted>;

  std::int64_t length, chunks;
  row_record* row;
  chunk_record<T, Weighted>* chunk;
  chunk_points<T, Weighted>* points;
  std::uint32_t* bits;             // 32 words a chunk
  sums* start;                     // of a chunk: sums of the chunks before it in its group
  sums* group_start;               // of a group: sums of the groups before it; one more for the row's end
  node_record<T, Weighted>* node;  // by boundary: node[c] joins at the beginning of chunk c
  std::uint32_t* arrived;          // of node[c]: arrivals, see there

  ISO_HOST_DEVICE std::int64_t chunk_begin(std::int64_t c) const { return c * chunk_elements; }
  ISO_HOST_DEVICE std::int64_t chunk_end(std::int64_t c) const {
    return (c + 1) * chunk_elements < length ? (c + 1) * chunk_elements : length;
  }
};

// Chunks whose starts are summed by one thread block.
inline constexpr int group_chunks = 256;

// Chunks of a row from a multiple of this on that are looked at have a word of bits: of those to be hulled.
inline constexpr int word_chunks = 32;

// Neighbouring chunks, 2^k of them from a multiple of that on, that the row's hull passes by: they are all of
// a node, which is written as if its hull were its chord, and nodes below it are not.
struct clear_block {
  std::int64_t first;
  int size;  // 0: there is none

  // The greatest one of which boundary c is within, given the word of chunk c.
  ISO_HOST_DEVICE static clear_block around(std::int64_t c, std::uint32_t chosen) {
    for (int size = word_chunks; size > 1; size /= 2) {
      const std::int64_t first = c & -std::int64_t{size};
      const std::uint32_t those = chosen >> first % word_chunks << (word_chunks - size);
      if (first < c && those == 0) return {first, size};
    }
    return {c, 0};
  }
  ISO_HOST_DEVICE std::int64_t node() const { return first + size / 2; }
  ISO_HOST_DEVICE bool exists() const { return size > 0; }
};

// A number that other warps raise meanwhile, or what it was a while ago.
template <class T>
ISO_DEVICE T peek(const T& at) {
#if defined(__CUDA_ARCH__)
  T value;
  static_assert(sizeof value == 4);
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(&at)));
  return value;
#else
  return *static_cast<const volatile T*>(&at);
#endif
}

// Raises such a number.
template <class T>
ISO_DEVICE void raise(T& to, T value) {
#if defined(__CUDA_ARCH__)
  atomicMax(&to, value);
#else
  if (to < value) to = value;
#endif
}

// The same for bits.
ISO_DEVICE inline void raise_bits(std::uint32_t& to, std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  atomicOr(&to, bits);
#else
  to |= bits;
#endif
}

// Counts one more.
ISO_DEVICE inline void add_one(std::uint32_t& to) {
#if defined(__CUDA_ARCH__)
  atomicAdd(&to, 1u);
#else
  ++to;
#endif
}

// Multiplies by 2^shift, shift >= 0, which is nearly always less than 64.
template <int N>
ISO_HOST_DEVICE void raise_units(numeric::integer<N>& a, int shift) {
  for (; shift >= 64; shift -= 64) {
    for (int i = N - 1; i > 0; --i) a.word[i] = a.word[i - 1];
    a.word[0] = 0;
  }
  for (int i = N - 1; i > 0; --i) a.word[i] = (a.word[i] << shift) | ((a.word[i - 1] >> 1) >> (63 - shift));
  a.word[0] <<= shift;
}

// Sums on one grid, or s of them, on a grid of the same or lower units.
template <int N>
ISO_HOST_DEVICE numeric::integer<N> on_grid(numeric::integer<N> s, const numeric::grid& of,
                                            const numeric::grid& to) {
  raise_units(s, of.products.empty() ? 0 : of.products.low - to.products.low);
  return s;
}
template <int N, int M>
ISO_HOST_DEVICE numeric::sums<N, M> on_grid(numeric::sums<N, M> sum, const numeric::grid& of,
                                            const numeric::grid& to) {
  sum.s = on_grid(sum.s, of, to);
  raise_units(sum.w, of.weights.empty() ? 0 : of.weights.low - to.weights.low);
  return sum;
}

}  // namespace iso
