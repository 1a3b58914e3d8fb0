#!/usr/bin/env bash
# The header compiles as C. The shared library exports the functions of vicinal.h, which are kept
# in symbols.txt, and otherwise nothing but C++ of the versioned namespace.
#   symbols.sh LIBRARY INCLUDE
set -euo pipefail
kept=$(dirname "$0")/symbols.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cc -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$2" -x c - <<<'#include <vicinal.h>'

nm -D --defined-only --format=posix "$1" | awk '{print $1}' | sort >"$work/exported"
grep '^vicinal_' "$work/exported" >"$work/c" || true
diff "$kept" "$work/c" ||
    { echo "the C functions are not those of $kept: left as kept, right as exported" >&2; exit 1; }
# Functions, template instances, vtables and type information of vicinal::v0_1,
# and instances of the standard library's templates, which are weak.
grep -v '^vicinal_' "$work/exported" | c++filt |
    grep -vE 'vicinal::v[0-9]+_[0-9]+::|std::' >"$work/others" || true
[ ! -s "$work/others" ] || { echo "these symbols should be hidden:" >&2; cat "$work/others" >&2; exit 1; }
# Each is declared in the header and in the Fortran module.
while read -r name; do
    for file in vicinal.h vicinal.f90; do
        grep -qE "\<$name\>" "$2/$file" || { echo "$name is not in $file" >&2; exit 1; }
    done
done <"$kept"
