#!/usr/bin/env bash
# Measures the methods and other libraries on the standard scenes. Prints a table for each and
# writes all rows to one CSV file and to an HTML page with plots of the same name.
# Installs the other libraries; takes up to 20 minutes.
#   scripts/bench.sh [--quick] [-o FILE.csv]       --quick: fewer scenes and one size, two minutes
set -euo pipefail
caller=$PWD
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
usage() { echo "usage: scripts/bench.sh [--quick] [-o FILE.csv]" >&2; exit 2; }

quick=
results=$PWD/build/bench/results.csv
while [ $# -gt 0 ]; do
    case "$1" in
        --quick) quick=1 ;;
        -o) [ $# -gt 1 ] || usage; results=$(cd "$caller" && realpath -m -- "$2"); shift ;;
        *) usage ;;
    esac
    shift
done

need "${build_packages[@]}" libnanoflann-dev libembree-dev libcgal-dev libboost-dev libfcl-dev libbullet-dev \
    python3-scipy lammps openmpi-bin
need_page
echo "Building ..." >&2
quietly cmake --preset bench -DVICINAL_TESTS=OFF -DVICINAL_EXAMPLES=OFF
quietly cmake --build build/bench --target vicinal_tool
tool=build/bench/vicinal

threads=1
[ "$(nproc)" -eq 1 ] || threads=1,$(nproc)
# All methods except the double loop, which would take hours.
methods=auto$("$tool" methods | grep -oE '^[a-z_]+ ' | grep -v brute_force | sed 's/^/,/' | tr -d ' \n')
started=$(date -u '+%Y-%m-%d %H:%M UTC')
commit=$(git describe --always --dirty 2>/dev/null) || commit="not known"
part=$(mktemp --suffix .csv)
trap 'rm -f "$part"' EXIT
: >"$results"

# measure REPEATS ARGUMENTS...: prints a table and appends its rows to the results.
measure() {
    "$tool" bench "${@:2}" --repeat "$1" --precision float --methods "$methods" --threads "$threads" \
        --peers all -o "$part"
    echo
    if [ -s "$results" ]; then tail -n +2 "$part"; else cat "$part"; fi >>"$results"
}

if [ -n "$quick" ]; then
    for scene in uniform clusters; do measure 3 --scene $scene --n 100000; done
    for scene in equal_spheres polydisperse sheets; do measure 3 --scene $scene --n 100000 --boxes; done
    measure 3 --scene polydisperse --n 100000
else
    # Fewer repeats where one repeat of all rows takes half a minute.
    for size in "10000 5" "100000 5" "1000000 3"; do
        read -r n repeats <<<"$size"
        for scene in uniform lattice clusters shell; do measure "$repeats" --scene $scene --n $n; done
        for scene in equal_spheres polydisperse; do measure "$repeats" --scene $scene --n $n --boxes; done
        measure "$repeats" --scene polydisperse --n $n
    done
    measure 5 --scene three_sizes --n 200000 --boxes
    measure 3 --scene sheets
fi
page=${results%.csv}.html
node bench/page/make.mjs "$results" "$page" "$started" "$commit"
echo "all rows: $results"
echo "with plots: $page"
