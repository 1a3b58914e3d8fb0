#!/usr/bin/env bash
# Which directory may include which. A room of src/ sees itself, the rooms before it in
# src/CMakeLists.txt and common/; everything outside src/ and tests/ sees public headers only. Prints what
# is wrong, or nothing.
#   tests/layers/layers.sh [TREE]       check a source tree
#   tests/layers/layers.sh --planted    plant faults in a copy: each must be found
set -euo pipefail
own=$(cd "$(dirname "$0")/../.." && pwd)

check() {
    cd "$1"
    local rooms seen=common room wrong=0
    rooms=$(sed -n 's/^vicinal_room(\([a-z_]*\).*/\1/p' src/CMakeLists.txt)
    complain() { echo "$1"; wrong=1; }
    # An include with quotes names its room: "room/file.hpp".
    includes() { grep -rnE '^ *# *include +"' "$@" --include='*.[ch]pp' || true; }
    for room in $rooms; do
        seen="$seen|$room"
        while read -r line; do
            [ -z "$line" ] || complain "$line: the room $room may include only $seen"
        done < <(includes "src/$room" | grep -vE "\"($seen)/")
    done
    # vicinal::mpi is a library of its own, on public headers.
    while read -r line; do
        [ -z "$line" ] || complain "$line: src/mpi may include only public headers and its own"
    done < <(includes src/mpi | grep -v '"mpi/')
    rooms="$rooms mpi"
    for room in src/*/; do
        [[ " ${rooms//$'\n'/ } " == *" $(basename "$room") "* ]] ||
            complain "$room: no room of this name in src/CMakeLists.txt"
    done
    while read -r line; do
        [ -z "$line" ] || complain "$line: only tests may look inside the library"
    done < <(includes bench common examples io reference scenes sim tool |
        grep -E "\"(${seen#common|})/")
    # A method must not use other methods, thread libraries or intrinsics.
    while read -r line; do
        [ -z "$line" ] || complain "$line: not in a method"
    done < <(grep -nE '^ *# *(include +("methods/|<(omp|thread|mutex|iostream|immintrin|hwy|mpi))|pragma +omp)' \
        src/methods/*.cpp src/row_grid/row_grid.cpp | grep -vE '"methods/registry.hpp"')
    # Only one file names shapes; all others use their properties.
    while read -r line; do
        [ -z "$line" ] || complain "$line: ask scene/shape.hpp for the property, not for the shape"
    done < <(grep -rn 'Shape::' src --include='*.[ch]pp' | grep -v '^src/scene/shape\.hpp:')
    # All of the library is in the versioned namespace.
    while read -r line; do
        [ -z "$line" ] || complain "$line: write namespace vicinal::inline VICINAL_API"
    done < <(grep -rnE '^namespace vicinal' src include --include='*.[ch]pp' |
        grep -v 'namespace vicinal::inline VICINAL_API')
    return $wrong
}

if [ "${1:-}" != --planted ]; then
    check "${1:-$own}"
    exit
fi
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
plant() {  # FILE LINE
    rm -rf "${copy:?}"/*
    (cd "$own" && cp -r bench common examples include io reference scenes sim src tool "$copy")
    (check "$copy") >/dev/null || { echo "the tree itself is wrong" >&2; exit 1; }
    sed -i "1i $2" "$copy/$1"
    if (check "$copy") >/dev/null; then
        echo "not found: '$2' in $1" >&2
        exit 1
    fi
}
plant src/base/buffer.hpp '#include "scene/scene.hpp"'
plant src/simd/runs.hpp '#include "sieve/decide.hpp"'
plant src/structures/tree.hpp '#include "row_grid/strips.hpp"'
plant src/methods/kd_tree.cpp '#include "methods/bvh.cpp"'
plant src/methods/bvh.cpp '#include <omp.h>'
plant src/row_grid/strips.hpp '#include "strips-inl.hpp"'
plant sim/fluid.hpp '#include "base/parallel.hpp"'
plant reference/plain.hpp '#include "sieve/decide.hpp"'
plant src/mpi/finder.cpp '#include "parts/cell.hpp"'
plant src/output/rows.cpp 'namespace vicinal {}'
plant src/methods/bvh.cpp 'constexpr auto planted = vicinal::Shape::boxes;'
echo "11 planted faults found"
