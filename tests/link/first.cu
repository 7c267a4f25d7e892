#include "run.cuh"

outcome run_first() {
  return run("first");
}
