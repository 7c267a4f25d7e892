#include "run.cuh"

outcome run_second() {
  return run("second");
}
