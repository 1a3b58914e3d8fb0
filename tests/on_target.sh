#!/usr/bin/env bash
# Runs a suite on one instruction set. Skips (77) a set that the machine does not support, and its
# best one, on which ctest runs the suite anyway.
#   on_target.sh SET SIMD_SETS CORE_TESTS SUITE [OPTIONS OF THE SUITE ...]
set -euo pipefail
mapfile -t sets < <("$2")
[ "$1" != "${sets[0]}" ] || exit 77
printf '%s\n' "${sets[@]}" | grep -qx -- "$1" || exit 77
export VICINAL_SIMD=$1 VICINAL_TEST_ALL=0
"$3" --gtest_filter=Simd.UsesTheSetAskedFor
exec "${@:4}"
