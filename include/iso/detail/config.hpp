// The library's only macros.
#pragma once

// Marks a function that runs on the host and, when nvcc compiles it, on the device too.
#if defined(__CUDACC__)
#define ISO_HOST_DEVICE __host__ __device__
#else
#define ISO_HOST_DEVICE
#endif
