#!/usr/bin/env bash
# The format of all sources, and clang-tidy on the library. Needs a configured build/asan.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
need "${lint_packages[@]}"
find bench common examples include io reference scenes sim src tests tool \
    -name node_modules -prune -o \( -name '*.[ch]pp' -o -name vicinal.h \) -print0 | xargs -0 clang-format-19 --dry-run -Werror
# Kernel files are compiled once per instruction set, and would take minutes each.
grep -L foreach_target.h src/*/*.cpp |
    xargs -P "$(nproc)" -n 1 clang-tidy-19 -p build/asan --quiet 2> >(grep -v ' warnings\? generated' >&2)
