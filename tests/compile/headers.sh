#!/bin/sh
# headers.sh alone|macros|use COMPILER PROJECT_DIR
#
# Compiles public headers with COMPILER under the project's warnings as errors:
#   alone    each one as the only include of a translation unit, twice in a row: whether it includes what it uses
#            depends on the standard library, so one compiler does
#   macros   all of them after the macros that windows.h is known for
#   use      the interface instantiated (use.cpp) and the widths of its numbers (widths.cpp)
# What only nvcc can compile (what launches, see nvcc.sh) is left out; code for groups of threads is in.
# Exit code 77: there is no such compiler.
set -eu
what=$1 compiler=$2 project=$3
command -v "$compiler" >/dev/null 2>&1 || { echo "no compiler $compiler here"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$project/include"
headers=$(find iso -name '*.hpp' -o -name '*.cuh' | grep -v -e '^iso/solve\.cuh$' -e '^iso/device/.*\.cuh$' | sort)
[ -n "$headers" ] || { echo "no headers under $PWD"; exit 1; }

check() {
  echo "$compiler: $2"
  "$compiler" -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I"$project/include" \
    -c "$1" -o "$work/out.o"
}

case $what in
  alone)
    for header in $headers; do
      printf '#include <%s>\n#include <%s>\n' "$header" "$header" >"$work/alone.cpp"
      check "$work/alone.cpp" "$header"
    done ;;
  macros)
    # Whoever includes windows.h has the standard headers first: they may not survive these macros either.
    {
      sed -n 's/^#include <\([a-z_]*\)>.*/#include <\1>/p' $headers | sort -u
      cat "$project/tests/compile/macros.inc"
      for header in $headers; do echo "#include <$header>"; done
    } >"$work/macros.cpp"
    check "$work/macros.cpp" "every header after the macros of macros.inc" ;;
  use)
    check "$project/tests/compile/use.cpp" use.cpp
    check "$project/tests/compile/widths.cpp" widths.cpp ;;
esac
