#include "solver.cuh"

template struct device_test::solver<float, true>;
