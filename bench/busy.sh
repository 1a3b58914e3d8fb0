#!/usr/bin/env bash
# Measures the cost of a busy core for a search on two threads: one and two threads, first on an idle
# machine, then with a process that keeps one core busy. Prints a table (medians in ms; ratio: two
# threads over one).
#   bench/busy.sh [TOOL]
set -euo pipefail
tool=$(realpath "${1:-$(dirname "$0")/../build/release/vicinal}")
work=$(mktemp -d)
loop=
trap 'rm -rf "$work"; [ -z "$loop" ] || kill "$loop"' EXIT

# "one two" of a scene: the medians of the two rows.
search() {
    "$tool" bench "${@:2}" --precision float --threads 1,2 --repeat "$1" -o "$work/rows.csv" >/dev/null
    awk -F, 'NR == 1 {for (k = 1; k <= NF; ++k) if ($k == "median_ms") at = k; next} {print $at}' \
        "$work/rows.csv" | paste -sd' '
}
# The same for a step of the simulation, search and response, after ten warm-up steps.
simulate() {
    local threads
    for threads in 1 2; do
        "$tool" run falling --n "$1" --steps 60 --every 0 --threads $threads -o "$work/fall$threads" >/dev/null
        awk -F, 'NR > 11 {print 1e3 * ($3 + $4)}' "$work/fall$threads/series.csv" | sort -g |
            awk '{step[NR] = $1} END {print step[int((NR + 1) / 2)]}'
        rm -rf "$work/fall$threads"
    done | paste -sd' '
}
measure() {
    local name=$1 idle busy
    shift
    idle=$("$@")
    sh -c 'while :; do :; done' & loop=$!
    sleep 0.2
    busy=$("$@")
    kill "$loop"
    wait "$loop" 2>/dev/null || true
    loop=
    echo "$name $idle $busy" | awk '{printf "| %s | %.3g | %.3g | %.2f | %.3g | %.3g | %.2f |\n",
        $1, $2, $3, $3 / $2, $4, $5, $5 / $4}'
}

echo "| | one thread | two | ratio | busy: one thread | two | ratio |"
echo "|---|---|---|---|---|---|---|"
for size in "1000 301" "10000 101" "100000 41" "1000000 15"; do
    read -r n repeats <<<"$size"
    measure "points,$n" search "$repeats" --scene uniform --n "$n"
    measure "boxes,$n" search "$repeats" --scene equal_spheres --boxes --n "$n"
done
for n in 1000 10000 100000 1000000; do measure "falling,$n" simulate $n; done
