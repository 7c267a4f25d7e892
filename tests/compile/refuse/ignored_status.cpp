// An outcome that nobody looks at.
// error: nodiscard
#include <span>

#include <iso/host.hpp>

void call(std::span<const float> y, std::span<float> fit) {
#if defined(REFUSED)
  iso::host::solve<float, false>(y, fit);
#else
  iso::host::solve<float, false>(y, fit).check();
#endif
}
