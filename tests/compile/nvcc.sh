#!/bin/sh
# nvcc.sh COMPILER PROJECT_DIR
#
# Compiles every header, all forms of the GPU solver (use.cu) and the kernels of the numeric tests, warnings as errors,
# for the architectures that ISO_CUDA_ARCHITECTURES lists: "80" unless the environment says otherwise, and
# "75 80 86 89 90 100 120" is all there are. Exit code 77: no such compiler.
set -eu
compiler=$1 project=$2
command -v "$compiler" >/dev/null 2>&1 || { echo "no CUDA compiler here"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
targets=""
for architecture in ${ISO_CUDA_ARCHITECTURES:-80}; do
  targets="$targets -gencode arch=compute_$architecture,code=sm_$architecture"
done

compile() {
  echo "$compiler: $1"
  # shellcheck disable=SC2086  # the targets are several arguments
  "$compiler" -std=c++20 $targets -Werror all-warnings -Xcompiler=-Wall,-Wextra,-Wshadow -I"$project/include" \
    -c "$1" -o "$work/out.o"
}

cd "$project/include"
{
  find iso -name '*.hpp' -o -name '*.cuh' | sort | sed 's/.*/#include <&>/'
  echo "#include \"$project/tests/compile/use.cu\""
} >"$work/use.cu"
compile "$work/use.cu"
compile "$project/tests/numeric/device_test.cu"
