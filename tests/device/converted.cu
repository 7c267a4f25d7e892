#include <iso/solve.cuh>

#include "generated.hpp"

iso::status device_test::solve_converted(stream s, const int* y, const unsigned char* w, double* fit,
                                         iso::shape size, iso::options<float> opt) {
  return iso::solve<float, true>(s, y, w, fit, size, opt);
}
