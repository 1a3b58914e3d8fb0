#!/usr/bin/env bash
# Runs a suite on one instruction set, if the machine has it (else 77: skipped).
#   on_target.sh TARGET CORE_TESTS SUITE
set -euo pipefail
export VICINAL_SIMD=$1 VICINAL_TEST_ALL=0
"$2" --gtest_filter=Simd.UsesTheSetAskedFor >/dev/null || exit 77
exec "$3"
