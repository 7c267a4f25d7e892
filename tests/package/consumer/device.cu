// A CUDA source that links iso::iso: the target makes it C++20, and the exact arithmetic compiles in a
// kernel.
#include <cstdint>

#include <iso/numeric/integer.hpp>

static_assert(__cplusplus >= 202002L, "iso::iso did not ask for C++20");

__global__ void multiply(std::int64_t a, std::int64_t b, iso::numeric::integer<2>* product) {
  using word = iso::numeric::integer<1>;
  *product = iso::numeric::multiply(word::from(a), word::from(b));
}
