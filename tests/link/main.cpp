// Each translation unit runs the kernels it was compiled with, whatever others in the program were compiled
// for.
//
// The build compiles the first one for an architecture that few devices are, without PTX, and the second one
// so that every device runs it, unless both are compiled alike. So the second one must fit its row, and the
// first one must either fit it or say that it has no kernel for this device. Exit code 4: there is no device.
#include <cstdio>

#include "run.hpp"

int main() {
  const outcome first = run_first(), second = run_second(), first_again = run_first();
  if (first == outcome::no_device && second == outcome::no_device) {
    std::printf("no device here\n");
    return 4;
  }
  const bool first_ok = first == outcome::right || first == outcome::no_kernel;
  if (!first_ok || first_again != first) std::printf("the first one failed\n");
  if (second != outcome::right) std::printf("the second one failed\n");
  return first_ok && first_again == first && second == outcome::right ? 0 : 1;
}
