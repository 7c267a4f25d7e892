// An unweighted solve takes no weights that it would then ignore.
// error: no matching function for call to
#include <span>

#include <iso/host.hpp>

bool call(std::span<const float> y, std::span<const float> w, std::span<float> fit) {
#if defined(REFUSED)
  return bool(iso::host::solve<float, false>(y, w, fit));
#else
  (void)w;
  return bool(iso::host::solve<float, false>(y, fit));
#endif
}
