#include "suite.cuh"

int main(int argc, char** argv) {
  return bench::run_suite<double, false>(argc, argv);
}
