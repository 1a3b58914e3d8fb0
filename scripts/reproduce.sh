#!/usr/bin/env bash
# Repeats the experiments of the papers, all or those named, and ends with a table of verdicts: claim,
# published, ours, verdict, why. Writes an HTML page with the papers' figures beside ours; --full, at the
# papers' sizes, also writes the tables of docs/reproduction.md. Results are kept by commit and size in
# build/reproduce: a stopped run continues where it was, and nothing is run twice.
#   scripts/reproduce.sh [--quick|--full] [NAME...]    --quick: small sizes, a few minutes
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

size=usual
case "${1:-}" in
    --quick | --full) size=${1#--}; shift ;;
    -*) echo "usage: scripts/reproduce.sh [--quick|--full] [NAME...]" >&2; exit 2 ;;
esac

need "${build_packages[@]}" libcgal-dev libboost-dev  # Delaunay triangulation is CGAL's
need_page
echo "Building ..." >&2
quietly cmake --preset bench -DVICINAL_TESTS=OFF -DVICINAL_EXAMPLES=OFF
quietly cmake --build build/bench --target vicinal_tool

# The last commit that changed what the results depend on.
sources=(CMakeLists.txt CMakePresets.json bench/papers bench/peers common include io scenes sim src tool)
commit=$(git log -1 --format=%h -- "${sources[@]}")
changes=$(git diff HEAD -- "${sources[@]}" | sha1sum | cut -c1-7)
git diff --quiet HEAD -- "${sources[@]}" || commit+=-$changes

results=build/reproduce
failed=
node bench/reproduce/run.mjs build/bench/vicinal $results $size "$commit" "$@" || failed=1
node bench/reproduce/verdicts.mjs $results $size "$@"
node bench/reproduce/page.mjs $results $size $results/$size.html || failed=1
echo "with figures: $results/$size.html"
if [ $size = full ]; then
    node bench/reproduce/docs.mjs $results full docs/reproduction.md
    echo "written: docs/reproduction.md"
fi
[ -z "$failed" ]
