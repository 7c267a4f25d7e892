// In place of device.cu where there is no CUDA compiler.
#include "device.hpp"

namespace app {

bool has_device() {
  return false;
}

bool solve_on_device(std::span<const double>, std::span<const double>, std::span<double>,
                     const iso::options<double>&) {
  return false;
}

}  // namespace app
