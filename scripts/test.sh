#!/usr/bin/env bash
# Runs the tests. --all: also everything slow (more combinations of the agreement and torture
# suites, each instruction set, the second compiler, sanitizers, format and clang-tidy, fuzzing,
# the pages of vicinal view and of the bench in a browser).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
case "${1:-}" in
    "" | --all) ;;
    *) echo "usage: scripts/test.sh [--all]" >&2; exit 2 ;;
esac
need "${build_packages[@]}" "${test_packages[@]}"
if [ "${1:-}" = --all ]; then
    need "${all_packages[@]}"
    page=yes
    need_page || { page=; echo "The bench's page will not be tested: npm could not install its library." >&2; }
fi

# Each step prints the time since the start.
step() { printf '\n== %d:%02d  %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"; }

# build PRESET [TARGET ...], then its tests: run_tests PRESET [OPTION OF CTEST ...]
build() {
    local preset=$1
    shift
    step "build: $preset"
    quietly cmake --preset "$preset" -DVICINAL_TESTS=ON -DVICINAL_EXAMPLES=ON
    quietly cmake --build "build/$preset" ${*:+--target "$@"}
}
run_tests() {
    local preset=$1
    shift
    step "test: $preset"
    ctest --test-dir "build/$preset" --output-on-failure -j "$(nproc)" "$@" --progress 2>&1 | tail -n 40
}

# Three targets, a minute each.
fuzz() {
    local target limit
    for target in readers finders durations; do
        mkdir -p "build/asan/corpus_$target"
        # Inputs of any length from the start; entropic scheduling takes more time than the
        # target. durations has a limit of its own for each call, and an input makes several.
        limit=20
        [ $target != durations ] || limit=300
        (cd build/asan && quietly "tests/fuzz_$target" -max_total_time=60 -timeout=$limit -rss_limit_mb=2048 \
            -len_control=0 -entropic=0 -print_final_stats=1 "corpus_$target")
    done
}

# Without these, each scalar type and each dimension is still tested once.
other_flavours='float_2d|double_3d'

build release
if [ "${1:-}" != --all ]; then
    run_tests release -LE slow -E "$other_flavours"
    exit
fi

[ -z "$page" ] || ctest --test-dir build/release -N -L page | grep ': page$' >/dev/null ||
    { echo "the test of the bench's page is not registered: see tests/CMakeLists.txt" >&2; exit 1; }
ctest --test-dir build/release -N -L page | grep ': view$' >/dev/null ||
    { echo "the test of vicinal view's pages is not registered: see tests/CMakeLists.txt" >&2; exit 1; }
registered=$(ctest --test-dir build/release -N)
for name in tool.ase_and_scipy_agree tool.files_of_other_programs; do
    grep ": $name\$" <<<"$registered" >/dev/null ||
        { echo "the test $name is not registered: see tests/tool/CMakeLists.txt" >&2; exit 1; }
done
VICINAL_TEST_ALL=1 run_tests release

step "test: Python"
scripts/python.sh

build asan  # with the second compiler, warnings are errors
step "format, clang-tidy and fuzzing"
fuzz &
fuzzing=$!
scripts/lint.sh || { kill $fuzzing; exit 1; }
wait $fuzzing
# Sanitizers are slow: simulators run with one method.
slow="$other_flavours|every_method|whatever_the_method"
run_tests asan -E "$slow"

# Only the library runs on several threads; readers and the tool are left out.
threaded=(agreement nearest tree_options torture unit_core)
build tsan "${threaded[@]}"
TSAN_OPTIONS=die_after_fork=0 run_tests tsan -L "^($(IFS='|'; echo "${threaded[*]}"))\$" -E "$slow"
step "everything passed"
