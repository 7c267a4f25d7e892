#!/bin/sh
# symbols.sh NM FILE...
#
# Passes if no function of iso that reaches a launch is one that a linker may replace by another file's, in any of
# the object files and shared libraries: neither iso::solve, nor what takes a stream, nor a kernel. Exit code 77:
# there is no nm.
set -eu
nm=$1
shift
command -v "$nm" >/dev/null 2>&1 || { echo "no nm here"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Of symbols, the names of those that are not local. Lower case is local, but for u, v and w.
shared() { sed -n 's/^[0-9a-f]* [A-Zuvw] //p'; }

bad=0
for file in "$@"; do
  "$nm" --defined-only "$file" >"$work/all"
  # A kernel's name is the end of the name of what launches it.
  sed -n 's/^.*__device_stub_\(_ZN3iso.*\)$/\1/p' "$work/all" >"$work/kernels"
  [ -s "$work/kernels" ] || { echo "$file: has no kernels of iso"; exit 1; }

  shared <"$work/all" | grep '^_ZN3iso' >"$work/names" || true
  while read -r name; do
    ! grep -q -F -e "$name" "$work/kernels" || echo "$name"
  done <"$work/names" >"$work/bad"
  # Exported or not, and what only the table of exported symbols has.
  { "$nm" -C --defined-only "$file"; "$nm" -C -D --defined-only "$file" 2>/dev/null || true; } | shared |
    grep -E '\<iso::(solve<|.*CUstream_st)' >>"$work/bad" || true
  if [ -s "$work/bad" ]; then
    echo "$file: a linker may replace"
    sort -u "$work/bad" | cut -c1-300
    bad=1
  fi
done
exit $bad
