#!/usr/bin/env bash
# Compiles each snippet of messages.txt, which must fail with the expected words.
# messages.sh COMPILER INCLUDE_DIRECTORY
set -u
compiler=$1 include=$2
here=$(dirname "${BASH_SOURCE[0]}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 count=0

# check CODE WORDS: CODE must not compile, and the errors must contain WORDS; without words it
# must compile.
check() {
    count=$((count + 1))
    cat >"$work/snippet.cpp" <<CODE
#include <deque>
#include <span>
#include <vector>
$(case $1 in *Finder*) echo '#include <vicinal/finder.hpp>' ;; esac)
#include <vicinal/bodies.hpp>
using namespace vicinal;
struct Particle { int kind; double position[3]; };
inline std::vector<double> x;
inline std::vector<float> small;
inline std::vector<Particle> particles;
inline std::deque<double> far;
void snippet() { $1 }
CODE
    if "$compiler" -std=c++20 -fsyntax-only -I "$include" "$work/snippet.cpp" 2>"$work/errors"; then
        [ -z "$2" ] && return
        echo "compiles: $1"
    elif [ -z "$2" ]; then
        echo "does not compile: $1"
        cat "$work/errors"
    elif grep 'error:' "$work/errors" | tr -d '"\n' | grep -qF "$2"; then
        return
    else
        echo "$1: no '$2' in the errors"
        cat "$work/errors"
    fi
    failed=1
}

while IFS= read -r line; do
    case $line in '' | '#'*) continue ;; esac
    code=${line%%=>*} words=${line#*=>}
    check "$code" "$(echo "$words" | sed 's/^ *//; s/ *$//')"
done <"$here/messages.txt"
[ "$count" -gt 8 ] || { echo "only $count snippets were read"; failed=1; }
exit $failed
