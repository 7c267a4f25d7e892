// The double solver, compiled for the tests.
#include <iso/host.hpp>

namespace iso::host {

template status solve<double, false>(batch<const double>, batch<double>, options<double>, int);
template status solve<double, true>(batch<const double>, batch<const double>, batch<double>, options<double>,
                                    int);

}  // namespace iso::host
