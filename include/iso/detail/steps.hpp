// How arrays of rows are stepped through.
#pragma once

#include <cstdint>

namespace iso::detail {

// From row to row and from element to element.
struct steps {
  std::int64_t row = 0;
  std::int64_t element = 0;
};

// In place of an iterator over weights where there are none.
struct no_weights {};

}  // namespace iso::detail
