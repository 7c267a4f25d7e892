#!/bin/sh
# nvcc.sh COMPILER PROJECT_DIR
#
# Compiles every numeric header, and the kernels that use them, warnings as errors. Exit code 77: no such compiler.
set -eu
compiler=$1 project=$2
command -v "$compiler" >/dev/null 2>&1 || { echo "no CUDA compiler here"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$project/include"
{
  for header in iso/numeric/*.hpp; do echo "#include <$header>"; done
  echo "#include \"$project/tests/numeric/device_test.cu\""
} >"$work/numeric.cu"
"$compiler" -std=c++20 -arch=sm_80 -Werror all-warnings -Xcompiler=-Wall,-Wextra -I"$project/include" \
  -c "$work/numeric.cu" -o "$work/numeric.o"
