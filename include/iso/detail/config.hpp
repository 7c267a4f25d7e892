// The library's only macros.
#pragma once

// Marks a function that runs on the host and, when nvcc compiles it, on the device too.
#if defined(__CUDACC__)
#define ISO_HOST_DEVICE __host__ __device__
#else
#define ISO_HOST_DEVICE
#endif

// Marks a function of threads that work together: it runs on the device, and, where nvcc does not compile it,
// on emulated threads.
#if defined(__CUDACC__)
#define ISO_DEVICE __device__
#else
#define ISO_DEVICE
#endif
