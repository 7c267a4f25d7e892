// Where a lane's pools lie while it fits a row (see lane_isotonic.cuh), in one of two ways.
//
// A pool of one word has a place of its own, beside the other lanes': 12 bytes an element with the value.
// Otherwise, to take less memory, a pool takes two words of the size of a value, and a lane's pools and
// values share its memory: pool k, of which k = 0 is the one below all others, is in the words 2 k and 2 k +
// 1, and value i of n is in word n + 2 + i.
//   - When the runs are summed up, and element i has been taken, there are pools up to number i + 1 at most,
//     in words up to 2 i + 3 < n + 2 + i + 1 for i < n: no value is lost that has not been taken.
//   - When the means are spread, down to element i, those not yet asked for are of pools that start before i:
//     their numbers are up to i, their words up to 2 i + 1 < n + 2 + i.
//
// Example, a row of 3 elements that rise: words 5 6 7 hold the values. With the second element taken, pools 1
// and 2 lie in words 2 3 and 4 5; the third value, in word 7, is still there. After it has been taken pool 3
// lies in words 6 and 7.
#pragma once

#include <cstdint>
#include <type_traits>

#include <iso/detail/config.hpp>
#include <iso/lane/packed_pool.cuh>
#include <iso/numeric/format.hpp>

namespace iso {

// Where a lane's pool lies, and what it fits after the pool's mean is known.
template <class T, int Most>
class pool_place {
 public:
  using pool = packed_pool<T, Most>;
  // Whether pools and values share the lane's memory.
  static constexpr bool in_place = pool::words > 1 || Most > 32;
  using word = std::conditional_t<in_place, T, pool>;

  // The mean of a pool, and its first element.
  struct fitted {
    T mean;
    int start;
  };

  // Words of a lane for a row of `length` elements; its values are in the last of them if they share it. An
  // odd number then, so that lanes in step meet no bank conflict.
  ISO_HOST_DEVICE static constexpr int words(int length) { return in_place ? 2 * length + 5 : length + 2; }
  ISO_HOST_DEVICE static constexpr int first_value(int length) { return in_place ? length + 2 : 0; }

  // The place of pool 0.
  ISO_HOST_DEVICE explicit pool_place(word* memory) : at(memory) {}

  ISO_HOST_DEVICE pool_place& operator++() {
    at += step;
    return *this;
  }
  ISO_HOST_DEVICE pool_place& operator--() {
    at -= step;
    return *this;
  }

  // The place of the pool so many numbers on.
  ISO_HOST_DEVICE pool_place after(int pools) const { return pool_place(at + pools * step); }

  ISO_HOST_DEVICE pool load() const {
    if constexpr (!in_place) {
      return *at;
    } else if constexpr (pool::words == 2) {
      return {{{f::to_bits(at[0]), f::to_bits(at[1])}}};
    } else {
      return {{{f::to_bits(at[0]) | std::uint64_t{f::to_bits(at[1])} << 32}}};
    }
  }
  ISO_HOST_DEVICE void store(const pool& p) const {
    if constexpr (!in_place) {
      *at = p;
    } else {
      at[0] = f::from_bits(static_cast<bits>(p.bits.word[0]));
      at[1] = f::from_bits(
          static_cast<bits>(pool::words == 2 ? p.bits.word[pool::words - 1] : p.bits.word[0] >> 32));
    }
  }
  ISO_HOST_DEVICE fitted load_fitted() const {
    const pool p = load();
    return {f::from_bits(static_cast<bits>(p.bits.word[0])),
            static_cast<int>(pool::words == 2 ? p.bits.word[pool::words - 1] : p.bits.word[0] >> 32)};
  }
  ISO_HOST_DEVICE void store_fitted(const fitted& v) const {
    const std::uint64_t mean = f::to_bits(v.mean), start = static_cast<std::uint32_t>(v.start);
    pool p = pool::none();
    p.bits.word[0] = pool::words == 2 ? mean : mean | start << 32;
    if constexpr (pool::words == 2) p.bits.word[1] = start;
    store(p);
  }

 private:
  using f = numeric::format<T>;
  using bits = typename f::bits_type;
  // The entries of a warp's lanes lie beside each other, or there are two words an entry.
  static constexpr int step = in_place ? 2 : 32;

  word* at;
};

}  // namespace iso
