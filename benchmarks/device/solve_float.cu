#include "suite.cuh"

int main(int argc, char** argv) {
  return bench::run_suite<float, false>(argc, argv);
}
