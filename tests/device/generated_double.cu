#include "generated.cuh"

template iso::status device_test::solve_generated<double>(stream, const double*, double*, iso::shape,
                                                          iso::options<double>);
