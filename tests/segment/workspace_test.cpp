// How much device memory long rows need.
#include <cstddef>
#include <cstdint>

#include <iso/device/workspace.cuh>

#include "catch.hpp"

namespace {

template <class T, bool Weighted>
double bytes_an_element(iso::shape size) {
  const iso::device::detail::workspace<T, Weighted> at(size, nullptr);
  constexpr std::size_t alignment = 256;  // of memory that begins anywhere
  return static_cast<double>(at.bytes + alignment - 1) / static_cast<double>(size.rows * size.length);
}

}  // namespace

TEST_CASE("rows of a million elements and more take less memory than their data") {
  for (const std::int64_t n : {1000000, 1000448, 1000449, 1048576, 10000000, 100000000, 2000000000}) {
    for (const std::int64_t rows : {1, 3, 100}) {
      CAPTURE(rows, n);
      CHECK(bytes_an_element<float, false>({rows, n}) < 1);
      CHECK(bytes_an_element<double, false>({rows, n}) < 2);
      CHECK(bytes_an_element<float, true>({rows, n}) < 4);
      CHECK(bytes_an_element<double, true>({rows, n}) < 4);
    }
  }
}
