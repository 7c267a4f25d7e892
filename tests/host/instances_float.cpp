// The float solver, compiled for the tests.
#include <iso/host.hpp>

namespace iso::host {

template status solve<float, false>(batch<const float>, batch<float>, options<float>, int);
template status solve<float, true>(batch<const float>, batch<const float>, batch<float>, options<float>, int);

}  // namespace iso::host
