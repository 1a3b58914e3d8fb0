#!/usr/bin/env bash
# A run that is killed repeatedly, at least once during a write, and resumed ends in the state of an
# uninterrupted run. Ctrl-C ends the current step, writes a checkpoint and prints how to resume. It
# makes no page, which may take long.
#   run_kill.sh TOOL
set -euo pipefail
set -m  # else the shell makes its background jobs ignore INT
tool=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*" >&2; exit 1; }
state() { grep '^state' "$1"; }

how=(--n 4000 response=dem fill=0.3 gravity=10 dt=0.0003)

# Repeats until it has been killed often enough; then runs to the end of the uninterrupted run.
RANDOM=7
"$tool" run falling "${how[@]}" --steps 1 -o killed --every 50 --checkpoint 1 >/dev/null
kills=0 torn=0
while [ "$kills" -lt 6 ] || [ "$torn" -eq 0 ]; do
    [ "$kills" -lt 60 ] || fail "no kill met a write"
    "$tool" run --resume killed --steps 1000000 >/dev/null &
    job=$!
    sleep "0.0$((RANDOM % 90 + 10))"
    kill -9 "$job" 2>/dev/null || true
    wait "$job" 2>/dev/null && fail "it finished before it was killed"
    kills=$((kills + 1))
    ls -A killed | grep -q '^\.vicinal-' && torn=$((torn + 1))
done
steps=$(($(wc -l <killed/series.csv) + 60))
"$tool" run --resume killed --steps "$steps" >killed.txt
"$tool" run falling "${how[@]}" --steps "$steps" -o straight --every 50 >straight.txt
[ "$(state straight.txt)" = "$(state killed.txt)" ] || fail "another state after $kills kills"
for file in straight/*.vtp straight/bodies.pvd; do cmp "$file" "killed/${file#straight/}"; done
for run in straight killed; do cut -d, -f1,2,5- $run/series.csv >$run.csv; done
cmp straight.csv killed.csv
[ -z "$(ls -A killed | grep '^\.vicinal-')" ] || fail "unfinished files were left"

# Ctrl-C, and the signal of batch systems.
for signal in INT TERM; do
    rm -rf stopped
    "$tool" run falling "${how[@]}" --steps 100000 -o stopped --every 10 >stopped.txt &
    job=$!
    until [ "$(wc -l 2>/dev/null <stopped/series.csv || echo 0)" -gt 1 ]; do sleep 0.01; done
    kill "-$signal" "$job"
    code=0
    wait "$job" || code=$?
    [ "$code" -eq $((128 + $(kill -l $signal))) ] || fail "exit code $code after SIG$signal"
    [ ! -e stopped/view.html ] || fail "it made the page after SIG$signal"
    view=$(sed -n 's/^no page .*; to make it: vicinal //p' stopped.txt)
    "$tool" $view >/dev/null && rm stopped/view.html || fail "it does not say how to make the page"
    grep -q 'resume with: vicinal run --resume stopped' stopped.txt || fail "it does not say how to resume"
    step=$(tail -n 1 stopped/series.csv | cut -d, -f1)
    grep -q "stopped after step $step;" stopped.txt || fail "the checkpoint is not of the last step"
    "$tool" run --resume stopped --steps $((step + 5)) >resumed.txt
    "$tool" run falling "${how[@]}" --steps $((step + 5)) >straight.txt
    [ "$(state straight.txt)" = "$(state resumed.txt)" ] || fail "another state after SIG$signal"
done

# A run has a checkpoint from the beginning, before the first is due.
"$tool" run falling "${how[@]}" --steps 100000 -o early --every 0 >/dev/null &
job=$!
until [ -s early/checkpoint ]; do sleep 0.01; done
kill -9 "$job"
wait "$job" 2>/dev/null || true
"$tool" run --resume early --steps 5 >resumed.txt
"$tool" run falling "${how[@]}" --steps 5 >straight.txt
[ "$(state straight.txt)" = "$(state resumed.txt)" ] || fail "another state after an early kill"
