// The fit of integers is not integers.
// error: no matching function for call to|(options|format)<int>
#include <span>

#include <iso/host.hpp>

#if defined(REFUSED)
using value = int;
#else
using value = double;
#endif

bool call(std::span<const value> y, std::span<value> fit) {
  return bool(iso::host::solve<value, false>(y, fit));
}
