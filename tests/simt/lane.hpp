// A lane's part in a collective: what it brings, what it gets, and whether lanes agree on which it is.
#pragma once

#include <string>

#include "simt.hpp"

namespace simt::detail {

struct lane {
  call what;  // the latest collective, or the present one
  value brought, taken;
  bool called;   // whether there is any
  bool waiting;  // in it, another lane running
  bool inside;   // begun, and not returned
};

// Whether these can be one collective of one group: the same call with the same arguments, if they must
// agree.
bool agree(const call& a, const call& b);

// What each of `size` lanes of a group gets, from what all have brought.
void exchange(lane* lanes, unsigned size);

// For messages: the collective and its call site.
std::string describe(const call& what);

}  // namespace simt::detail
