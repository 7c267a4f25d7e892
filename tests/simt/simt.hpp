// An emulated thread block: warp and block algorithms, templates over a *group*, run on the CPU unchanged.
//
// The idea. On the GPU an algorithm is called with cooperative_groups::thread_block_tile<L> and thread_block;
// here with simt::tile<L> and simt::thread_block, which have the same members. Every lane is a fiber. A lane
// runs until it calls a collective of a group (sync, a shuffle, a vote) and waits there; the last lane of the
// group to arrive computes what each of them gets, and all of them may go on. Which lane goes on first is
// free on the GPU, so it is an argument here: an *order seed*,
//
//   simt::ascending     the lowest lane first, and the lowest warp as far ahead as it can be
//   simt::descending    the highest
//   any other number    random, another lane first at each rendezvous; if odd, the group that was last
//                       complete runs ahead of the others; if even, all are interleaved
//
// What it detects, as simt::failure with the call sites of both lanes, thrown by launch():
//   - lanes of a group meet at different collectives, at different calls of one, or with arguments that must
//     agree and do not (the delta of a shuffle);
//   - a lane returns while others of its group wait for it, or will;
//   - lanes wait for each other in different groups (deadlock);
//   - a collective is called with an argument no hardware defines, or with a group of another lane.
// Nothing is thrown in a lane, so algorithms may be noexcept, and what lanes own is not destroyed then. An
// exception of a lane's own comes out of launch().
//
// What the sanitizers detect. Under ThreadSanitizer each lane is a thread and only sync() orders memory,
// among the lanes of its group; shuffles and votes do not, as on the GPU. A missing sync() is reported as a
// data race even in an order that happens to give the right result. Under AddressSanitizer every lane has its
// own stack.
//
// What it cannot detect: two collectives reached through different branches but at the same place in the
// source; lanes that wait in a loop for another's store (they never give way).
//
// Shared memory is any object of the caller's. On the GPU it is not initialised, so fill() it with a pattern,
// and run with several: whoever reads before writing gives different results.
//
// Worked example: sums of the values before and up to each lane, in tiles of four of a block of eight.
//
//   template <class Tile>
//   int inclusive_sum(const Tile& tile, int value) {
//     for (unsigned delta = 1; delta < Tile::num_threads(); delta *= 2) {
//       const int before = tile.shfl_up(value, delta);
//       if (tile.thread_rank() >= delta) value += before;
//     }
//     return value;
//   }
//
//   int sums[8];
//   simt::fill(sums, seed);
//   simt::launch(8, seed, [&](const simt::thread_block& block) {
//     const auto tile = simt::tiled_partition<4>(block);
//     const auto lane = block.thread_rank();
//     sums[lane] = inclusive_sum(tile, static_cast<int>(lane + 1));
//   });
//
// Lanes hold 1 2 3 4 | 5 6 7 8; after delta 1: 1 3 5 7 | 5 11 13 15; after delta 2: 1 3 6 10 | 5 11 18 26.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <source_location>
#include <span>
#include <stdexcept>
#include <type_traits>

namespace simt {

inline constexpr std::uint64_t ascending = 0;
inline constexpr std::uint64_t descending = 1;

// Lanes used their groups in a way that the GPU leaves undefined.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

#if defined(__cpp_lib_source_location)
using call_site = std::source_location;
#else  // clang before 16 lacks the builtin that the standard library's asks for, but has these
class call_site {
 public:
  static constexpr call_site current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE(),
                                     unsigned column = __builtin_COLUMN()) {
    call_site here;
    here.file_ = file;
    here.line_ = line;
    here.column_ = column;
    return here;
  }
  constexpr const char* file_name() const { return file_; }
  constexpr unsigned line() const { return line_; }
  constexpr unsigned column() const { return column_; }

 private:
  const char* file_ = "";
  unsigned line_ = 0, column_ = 0;
};
#endif

namespace detail {

enum class collective : std::uint8_t { sync, shfl, shfl_up, shfl_down, shfl_xor, ballot, any, all };

// What a lane brings to a collective and takes from it: 32 bytes, as in cooperative groups.
struct value {
  std::array<std::uint64_t, 4> words;
};

struct call {
  collective operation;
  unsigned argument;  // delta, mask or source; 0 for others
  call_site where;
};

// The lane of this rank in the block waits for its group of `width` lanes; width 0 is the block.
void meet(unsigned rank, unsigned width, const call& what, value& inout);
// Runs body(argument, rank) for each rank.
void run(unsigned threads, std::uint64_t order_seed, void (*body)(void*, unsigned), void* argument);
void fill(std::span<std::byte> bytes, std::uint64_t seed);

}  // namespace detail

class thread_block {
 public:
  thread_block(unsigned rank, unsigned threads) : rank_(rank), threads_(threads) {}
  unsigned thread_rank() const { return rank_; }
  unsigned num_threads() const { return threads_; }

  void sync(call_site where = call_site::current()) const {
    detail::value none{};
    detail::meet(rank_, 0, {detail::collective::sync, 0, where}, none);
  }

 private:
  unsigned rank_, threads_;
};

// Size lanes of one warp, neighbours in the block.
template <unsigned Size>
class tile {
  static_assert(std::has_single_bit(Size) && Size <= 32);

 public:
  // Of the lane of rank `rank` in the block, in a parent group of `parent_size` lanes.
  tile(unsigned rank, unsigned parent_size) : rank_(rank), parent_size_(parent_size) {}
  unsigned thread_rank() const { return rank_ % Size; }
  static constexpr unsigned num_threads() { return Size; }
  unsigned meta_group_rank() const { return rank_ % parent_size_ / Size; }
  unsigned meta_group_size() const { return (parent_size_ + Size - 1) / Size; }

  void sync(call_site where = call_site::current()) const { vote(detail::collective::sync, 0, where); }

  // The value of lane `source`, counted modulo the size; lanes may name different sources.
  template <class T>
  T shfl(T value, int source, call_site where = call_site::current()) const {
    return exchange(detail::collective::shfl, value, static_cast<unsigned>(source), where);
  }
  // The value of the lane `delta` below, above; a lane that has none there keeps its own.
  template <class T>
  T shfl_up(T value, unsigned delta, call_site where = call_site::current()) const {
    return exchange(detail::collective::shfl_up, value, delta, where);
  }
  template <class T>
  T shfl_down(T value, unsigned delta, call_site where = call_site::current()) const {
    return exchange(detail::collective::shfl_down, value, delta, where);
  }
  template <class T>
  T shfl_xor(T value, unsigned mask, call_site where = call_site::current()) const {
    return exchange(detail::collective::shfl_xor, value, mask, where);
  }

  // Bit k: the predicate of lane k of the tile.
  unsigned ballot(int predicate, call_site where = call_site::current()) const {
    return vote(detail::collective::ballot, predicate, where);
  }
  int any(int predicate, call_site where = call_site::current()) const {
    return static_cast<int>(vote(detail::collective::any, predicate, where));
  }
  int all(int predicate, call_site where = call_site::current()) const {
    return static_cast<int>(vote(detail::collective::all, predicate, where));
  }

  template <unsigned Part>
  tile<Part> part() const {
    static_assert(Part <= Size);
    return {rank_, Size};
  }

 private:
  unsigned vote(detail::collective operation, int predicate, call_site where) const {
    detail::value inout{{predicate != 0 ? 1U : 0U}};
    detail::meet(rank_, Size, {operation, 0, where}, inout);
    return static_cast<unsigned>(inout.words[0]);
  }

  template <class T>
  T exchange(detail::collective operation, const T& value, unsigned argument, call_site where) const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(detail::value));
    detail::value inout{};
    std::memcpy(&inout, &value, sizeof(T));
    detail::meet(rank_, Size, {operation, argument, where}, inout);
    T result = value;
    std::memcpy(static_cast<void*>(&result), &inout, sizeof(T));
    return result;
  }

  unsigned rank_, parent_size_;
};

template <unsigned Size>
tile<Size> tiled_partition(const thread_block& block) {
  return {block.thread_rank(), block.num_threads()};
}
template <unsigned Size, unsigned ParentSize>
tile<Size> tiled_partition(const tile<ParentSize>& parent) {
  return parent.template part<Size>();
}

// Calls body(const thread_block&) once for each of `threads` lanes (at most 1024), and returns when all have
// returned.
template <class Body>
void launch(unsigned threads, std::uint64_t order_seed, Body&& body) {
  struct bound {
    std::remove_reference_t<Body>* body;
    unsigned threads;
  } self{std::addressof(body), threads};
  const auto lane = [](void* argument, unsigned rank) {
    const auto* the = static_cast<const bound*>(argument);
    (*the->body)(thread_block(rank, the->threads));
  };
  detail::run(threads, order_seed, lane, &self);
}

// What __shared__ memory may hold: nvcc runs no constructors there, and drops default member initialisers.
template <class T>
concept shared_storage = std::is_trivially_default_constructible_v<T> && std::is_trivially_copyable_v<T>;

// Fills an object (an array, a struct of arrays) with the bytes of a pseudo-random sequence.
template <class T>
void fill(T& storage, std::uint64_t seed) {
  static_assert(shared_storage<T>);
  detail::fill(std::as_writable_bytes(std::span(&storage, 1)), seed);
}

}  // namespace simt
