#!/bin/sh
# nvcc.sh headers|host|float|double|iterators|tuning COMPILER PROJECT_DIR
#
# Compiles, warnings as errors: headers, every header; host, the CPU solver beside the GPU's; float and double, all forms
# of the GPU solver (use.cu); iterators, its calls with iterators of Thrust. For the architectures that
# ISO_CUDA_ARCHITECTURES lists: "80" unless the environment says otherwise, and
# "75 80 86 89 90 100 120" is all there are. tuning: that every architecture the compiler knows can hold what its
# kernels are told to hold at once. Unless architectures are listed, the code is what takes the compiler least, if it
# can be told so: nothing runs it, and faults in it are found all the same. Exit code 77: no such compiler.
set -eu
what=$1 compiler=$2 project=$3
command -v "$compiler" >/dev/null 2>&1 || { echo "no CUDA compiler here"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
targets=""
architectures=${ISO_CUDA_ARCHITECTURES:-80}
[ "$what" = tuning ] && architectures=$("$compiler" --list-gpu-arch | sed 's/compute_//')
for architecture in $architectures; do
  targets="$targets -gencode arch=compute_$architecture,code=sm_$architecture"
done

fast=""
if [ -z "${ISO_CUDA_ARCHITECTURES:-}" ] && "$compiler" --help | grep -q -e --Ofast-compile; then
  fast=--Ofast-compile=max
fi

# A call of one of the function templates of use.cu: its name and value type.
use() {
  printf '#include "%s/tests/compile/use.cu"\n' "$project"
  printf 'bool use(cudaStream_t stream, const memory<%s>& at) { return %s(stream, at); }\n' "$2" "$1"
}

case $what in
  headers) (cd "$project/include" && find iso -name '*.hpp' -o -name '*.cuh' | sort | sed 's/.*/#include <&>/') ;;
  host) printf '#include <iso/solve.cuh>\n#include "%s/tests/compile/use.cpp"\n' "$project" ;;
  float | double) use solve_spans_and_batches "$what" ;;
  iterators) use solve_iterators float ;;
  tuning)
    echo '#include <iso/device/tuning.cuh>'
    echo 'using namespace iso::device::detail;'
    hold() { echo "__global__ void __launch_bounds__($2, $3) $1() {}"; }
    hold merging 32 'merging_blocks<char>'
    hold lane_rows 128 'tuning.lane_row_threads / 128'
    hold weighted_rows 128 'weighted_lane_threads<float> / 128'
    hold hulls 128 'tuning.hull_threads / 128' ;;
  *) echo "no such thing to compile: $what"; exit 1 ;;
esac >"$work/$what.cu"

echo "$compiler: $what"
# shellcheck disable=SC2086  # the targets are several arguments, and nothing may be one
"$compiler" -std=c++20 $targets $fast -Werror all-warnings -Xcompiler=-Wall,-Wextra,-Wshadow -I"$project/include" \
  -c "$work/$what.cu" -o "$work/out.o"
