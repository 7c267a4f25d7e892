// The working memory of a solve, all of it taken before anything is written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <iso/host/diagram.hpp>
#include <iso/host/scan.hpp>
#include <iso/numeric/format.hpp>
#include <iso/numeric/sums.hpp>

namespace iso::host::detail {

// What one thread needs for the chunks it works on. Memory that is not used is never touched.
template <class T, bool Weighted>
struct scratch {
  explicit scratch(std::int64_t longest)
      : points(std::make_unique_for_overwrite<std::byte[]>(
            diagram<T, Weighted, numeric::most_product_words<T, Weighted>,
                    numeric::most_weight_words<T, Weighted>>::
                bytes(static_cast<std::size_t>((std::min)(longest, std::int64_t{chunk_elements})) + 1))),
        buffer(std::make_unique_for_overwrite<T[]>(2 * chunk_elements)),
        vertex(std::make_unique_for_overwrite<int[]>(chunk_elements + 2)) {}

  // Copies of a chunk's values and weights, where they must be copied.
  T* y() { return buffer.get(); }
  T* w() { return buffer.get() + chunk_elements; }

  findings found;                       // in the chunks this thread has scanned
  std::unique_ptr<std::byte[]> points;  // of the chunk's diagram
  std::unique_ptr<T[]> buffer;
  std::unique_ptr<int[]> vertex;  // of its hull, and one before them
};

// What a row of several chunks needs.
template <class T, bool Weighted>
struct row_memory {
  using widest =
      numeric::sums<numeric::most_product_words<T, Weighted>, numeric::most_weight_words<T, Weighted>>;

  explicit row_memory(std::int64_t longest) {
    if (longest <= chunk_elements) return;
    const auto chunks = static_cast<std::size_t>((longest - 1) / chunk_elements + 1);
    starts = std::make_unique_for_overwrite<std::uint64_t[]>(chunks * (chunk_elements / 64));
    grids = std::make_unique_for_overwrite<numeric::grid[]>(chunks);
    crossings =
        std::make_unique_for_overwrite<std::byte[]>(chunks * (2 * sizeof(std::int64_t) + sizeof(widest)));
  }

  std::unique_ptr<std::uint64_t[]> starts;
  std::unique_ptr<numeric::grid[]> grids;
  std::unique_ptr<std::byte[]> crossings;
};

}  // namespace iso::host::detail
