#!/usr/bin/env bash
# vicinal-mpi: its pairs are those of a plain evaluation, on any number of ranks; errors are one line; a rank that is
# killed ends the job, which names it.
#   tool.sh TOOL MPI_TOOL MPIEXEC
set -euo pipefail
tool=$(realpath "$1")
mpi_tool=$(realpath "$2")
mpiexec=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*" >&2; exit 1; }
ranks() { "$mpiexec" -n "$1" --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 "${@:2}"; }

"$tool" scene uniform --n 3000 -o points.npy >/dev/null
"$tool" scene polydisperse --n 2000 -o spheres.npy >/dev/null
for n in 1 3; do
    while IFS= read -r search; do
        rm -f pairs.npy
        # shellcheck disable=SC2086
        ranks "$n" "$mpi_tool" pairs $search -o pairs.npy --json >found.json || fail "$search on $n ranks fails"
        set -- $search
        "$tool" verify "$1" pairs.npy "${@:2}" --sample 0 >/dev/null || fail "$search on $n ranks: wrong pairs"
        # shellcheck disable=SC2086
        ranks "$n" "$mpi_tool" pairs $search --json >count.json
        [ "$(grep '"pairs"' found.json)" = "$(grep '"pairs"' count.json)" ] || fail "$search: counts differ"
        grep -q '"pairs": [1-9]' found.json || fail "$search: no pairs"
    done <<'SEARCHES'
points.npy --cutoff 0.1
points.npy --cutoff 0.1 --domain periodic:1,1,1
points.npy --cutoff 0.1 --domain sheared:1,1,1:0.3 --precision float
spheres.npy --radius column
SEARCHES
done
[ ! -e pairs.npy.partial ] || fail "a partial file is left"

# expect_error CODE WORDS COMMAND...: the same exit code, and one line that says it.
expect_error() {
    local code=0
    "${@:3}" >out 2>err || code=$?
    [ "$code" -eq "$1" ] || fail "${*:3}: exit code $code"
    [ "$(grep -c '^vicinal' err)" -eq 1 ] || { cat err >&2; fail "${*:3}: not one line"; }
    grep -q "$2" err || { cat err >&2; fail "${*:3}: the message does not say $2"; }
}
expect_error 1 'absent.npy' ranks 2 "$mpi_tool" pairs absent.npy --cutoff 0.1
printf 'text' >text.npy
expect_error 1 'not a .npy file' ranks 2 "$mpi_tool" pairs text.npy --cutoff 0.1
LC_ALL=C sed '1s/(3000, 3), } \{20\}/(300000000000000000000000, 3), }/' points.npy >overflow.npy
expect_error 1 'its shape is beyond 64 bits' ranks 2 "$mpi_tool" pairs overflow.npy --cutoff 0.1
# A value that one rank alone refuses: 1e300, the last of all.
cp points.npy large.npy
printf '\x9c\x75\x00\x88\x3c\xe4\x37\x7e' | dd of=large.npy bs=1 seek=$(($(stat -c %s large.npy) - 8)) conv=notrunc 2>dd.log
expect_error 1 'z = 1e+300 in row 3000 of the file' ranks 2 "$mpi_tool" pairs large.npy --cutoff 0.1 --precision float
expect_error 1 'cannot be opened' ranks 2 "$mpi_tool" pairs points.npy --cutoff 0.1 -o no/pairs.npy
expect_error 2 'unknown method' ranks 2 "$mpi_tool" pairs points.npy --cutoff 0.1 --method nonsense
expect_error 2 'at most 2147483647' ranks 2 "$mpi_tool" run fluid n=3000000000
# Plain vicinal under mpirun.
code=0
ranks 2 "$tool" pairs points.npy --cutoff 0.1 --count >out 2>err || code=$?
[ "$code" -eq 2 ] && grep -q 'give it vicinal-mpi' err || fail "vicinal under mpirun does not name vicinal-mpi"

# Virtual ranks: all bodies are owned, one rank has no copies.
"$mpi_tool" plan uniform --n 5000 --periodic --ranks 1,8 --json >plan.json
grep -q '"copies": 0' plan.json || fail "one rank has copies"
[ "$(grep -c '"mean_copies"' plan.json)" -eq 2 ] || fail "plan: not two lines"

ranks 2 "$mpi_tool" bench --n 20000 --repeat 2 --json | grep -q '"ratio"' || fail "bench has no ratio"

# A run of the fluid: the same state on any number of ranks, also resumed on another number.
fluid=(fluid n=3000 spheres=20 size=0.05)
state() { grep -o '"state": "[0-9a-f]*"'; }
expected=$("$tool" run "${fluid[@]}" --steps 25 -o whole --json | state)
for n in 1 2 3 7; do
    found=$(ranks "$n" "$mpi_tool" run "${fluid[@]}" --steps 25 --json | state)
    [ -n "$found" ] && [ "$found" = "$expected" ] || fail "fluid on $n ranks: $found instead of $expected"
done
ranks 3 "$mpi_tool" run "${fluid[@]}" --steps 12 --checkpoint fluid.state >/dev/null
for n in 1 2; do
    found=$(ranks "$n" "$mpi_tool" run --resume fluid.state --steps 13 --json | state)
    [ "$found" = "$expected" ] || fail "fluid resumed on $n ranks: $found instead of $expected"
done

# A rank that is killed: the last checkpoint is resumed.
"$mpiexec" -n 3 --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
    "$mpi_tool" run "${fluid[@]}" --steps 1000000 --checkpoint killed.state --every 5 >log 2>&1 &
job=$!
victim=
for _ in $(seq 100); do
    victim=$(pgrep -P "$job" -f "$mpi_tool" | tail -1) && [ -n "$victim" ] && break
    sleep 0.1
done
[ -n "$victim" ] || fail "the ranks did not start"
for _ in $(seq 100); do
    [ -e killed.state ] && break
    sleep 0.1
done
kill -9 "$victim"
begin=$SECONDS
wait "$job" && fail "the job ended well without a rank"
[ $((SECONDS - begin)) -le 10 ] || fail "the job ended only after $((SECONDS - begin)) s"
grep -q 'process rank [0-2].*signal 9' log || { cat log >&2; fail "the rank is not named"; }
ranks 2 "$mpi_tool" run --resume killed.state --steps 1 --json | grep -q '"state"' ||
    fail "the last checkpoint of the killed run does not resume"
