// The fit goes to memory that may be written.
// error: no matching function for call to
#include <span>

#include <iso/host.hpp>

#if defined(REFUSED)
using output = const float;
#else
using output = float;
#endif

bool call(std::span<const float> y, std::span<output> fit) {
  return bool(iso::host::solve<float, false>(y, fit));
}
