// Values of another precision are not silently converted.
// error: no matching function for call to
#include <span>

#include <iso/host.hpp>

#if defined(REFUSED)
using input = double;
#else
using input = float;
#endif

bool call(std::span<const input> y, std::span<float> fit) {
  return bool(iso::host::solve<float, false>(y, fit));
}
