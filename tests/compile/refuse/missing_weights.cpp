// A weighted solve wants weights.
// error: no matching function for call to
#include <span>

#include <iso/host.hpp>

bool call(std::span<const float> y, std::span<const float> w, std::span<float> fit) {
#if defined(REFUSED)
  (void)w;
  return bool(iso::host::solve<float, true>(y, fit));
#else
  return bool(iso::host::solve<float, true>(y, w, fit));
#endif
}
