#!/usr/bin/env bash
# A signal during writing leaves neither a partial nor a temporary file.
#   interrupt.sh TOOL
set -euo pipefail
tool=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

for signal in HUP TERM; do  # a shell makes its background jobs ignore INT
    "$tool" scene uniform --n 4000000 -o big.csv >/dev/null &
    job=$!
    until [ -n "$(find . -name '.vicinal-*' -size +0)" ]; do
        kill -0 "$job" 2>/dev/null || { echo "it ended before it wrote anything" >&2; exit 1; }
        sleep 0.01
    done
    kill -"$signal" "$job"
    if wait "$job"; then echo "it went on after the signal" >&2; exit 1; fi
    [ -z "$(ls -A)" ] || { echo "left behind:" >&2; ls -lA >&2; exit 1; }
done
