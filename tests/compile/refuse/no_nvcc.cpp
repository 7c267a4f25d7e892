// The GPU solver included where no CUDA compiler reads it says what to do instead.
// error: iso/solve.cuh is compiled by nvcc
#if defined(REFUSED)
#include <iso/solve.cuh>
#else
#include <iso/host.hpp>
#endif
