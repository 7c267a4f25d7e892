#!/bin/sh
# refuse.sh COMPILER PROJECT_DIR FILE
#
# Passes if FILE compiles as it is, and with REFUSED defined does not, for the reason that the file's line
# "// error: REGEX" names. The first half guards the second: a file broken in some other way fails both.
set -eu
compiler=$1 project=$2 file=$3
compile() { "$compiler" -std=c++20 -Wall -Werror -fsyntax-only -I"$project/include" "$@" "$file" 2>&1; }

reason=$(sed -n 's,^// error: ,,p' "$file")
[ -n "$reason" ] || { echo "$file: has no line '// error: REGEX'"; exit 1; }
if ! output=$(compile); then
  printf '%s\n' "$output"
  echo "$file: the allowed variant does not compile"
  exit 1
fi
if output=$(compile -DREFUSED); then
  echo "$file: the refused variant compiles"
  exit 1
fi
if ! printf '%s\n' "$output" | grep -E -q -e "$reason"; then
  printf '%s\n' "$output"
  echo "$file: refused, but not for the reason '$reason'"
  exit 1
fi
