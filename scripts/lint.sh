#!/usr/bin/env bash
# The format of all sources, and clang-tidy on the library. Needs a configured build/asan.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
need "${lint_packages[@]}"
git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 --dry-run -Werror
# Kernel files are compiled once per instruction set, and would take minutes each.
grep -L foreach_target.h src/*/*.cpp |
    xargs -P "$(nproc)" -n 1 clang-tidy-19 -p build/asan --quiet 2> >(grep -v ' warnings\? generated' >&2)
