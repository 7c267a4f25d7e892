#include "generated.cuh"

template iso::status device_test::solve_generated<float>(stream, const float*, float*, iso::shape,
                                                         iso::options<float>);
