// Weights that take no memory: the suite's shapes with values from an array and weights from a Thrust
// iterator.
#include <cstdint>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "suite.cuh"

namespace {

struct weight_at {
  __host__ __device__ float operator()(std::int64_t k) const { return static_cast<float>(bench::weight(k)); }
};

}  // namespace

int main(int argc, char** argv) {
  if (const int status = bench::find_device(); status != 0) return status;
  bench::add_solves<float>(
      "float generated weights", false, iso::workspace_bytes<float, true>,
      [](const bench::problem<float>& p, std::int64_t call, cudaStream_t stream) {
        const auto weights =
            thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), weight_at{});
        iso::solve<float, true>(stream, p.y(call), weights, p.fit(call), p.size(), p.options()).check();
      });
  return bench::run_registered(argc, argv);
}
