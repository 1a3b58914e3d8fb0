#!/usr/bin/env bash
# Every command in README and docs runs; every piece of C++, C and Fortran quoted there is in an example; every
# method has its page; every link to a file leads somewhere; papers are named by author and year.
#   docs.sh SOURCE TOOL
set -euo pipefail
source=$(realpath "$1")
tool=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$tool" "$work/bin/vicinal"
mpi_tool=$(dirname "$tool")/vicinal-mpi
[ ! -x "$mpi_tool" ] || ln -s "$mpi_tool" "$work/bin/vicinal-mpi"
export PATH=$work/bin:$PATH
# OpenMPI refuses to run as root, or more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

pages=("$source"/*.md "$source"/docs/*.md "$source"/docs/methods/*.md "$source"/docs/simulators/*.md "$source"/src/methods/README.md
    "$source"/bench/peers/README.md "$source"/bench/results/README.md)
fail() { echo "$*" >&2; exit 1; }

# blocks PAGE LANGUAGE: the contents of its fenced blocks, a blank line between two.
blocks() { awk -v open="^\`\`\`$2\$" '$0 ~ open {on=1; next} /^```/ {if (on) print ""; on=0} on' "$1"; }

cat "$source"/examples/*.cpp >"$work/examples.cpp"
cat "$source"/examples/*.c >"$work/examples.c"
cat "$source"/examples/*.f90 >"$work/examples.fortran"
commands=0
for page in "${pages[@]}"; do
    name=${page#"$source"/}
    blocks "$page" sh >"$work/script"
    if [ -s "$work/script" ]; then
        rm -rf "$work/here" && mkdir "$work/here"
        (cd "$work/here" && bash -eux "$work/script") >"$work/log" 2>&1 ||
            { cat "$work/log" >&2; fail "$name: a command fails"; }
        commands=$((commands + $(grep -c . "$work/script")))
    fi
    # Commands of vicinal-mpi, if it is built.
    blocks "$page" mpi >"$work/script"
    if [ -s "$work/script" ] && [ -x "$mpi_tool" ]; then
        mkdir -p "$work/here"
        (cd "$work/here" && bash -eux "$work/script") >"$work/log" 2>&1 ||
            { cat "$work/log" >&2; fail "$name: a command of vicinal-mpi fails"; }
    fi
    for language in cpp c fortran; do
        while IFS= read -r line; do
            [ -z "$line" ] || grep -qxF -- "$line" "$work/examples.$language" ||
                fail "$name quotes what no example has: $line"
        done < <(blocks "$page" $language)
    done
    for link in $(grep -oE '\]\([^)#:]+[)#]' "$page" | sed 's/^](//; s/[)#]$//'); do
        [ -e "$(dirname "$page")/$link" ] || fail "$name: no such file: $link"
    done
done
[ "$commands" -gt 20 ] || fail "only $commands commands found: are the blocks still marked sh?"

vicinal methods | grep -oE '^[a-z_]+  ' >"$work/methods"
while read -r method; do
    [ -f "$source/docs/methods/$method.md" ] || fail "no page for method $method"
    grep -qF "[$method]($method.md)" "$source/docs/methods/README.md" || fail "no row for method $method"
done <"$work/methods"
[ "$(wc -l <"$work/methods")" -ge 2 ] || fail "no methods listed: has the output of vicinal methods changed?"

# Papers have numbers only in the names of experiments, which are in lower case.
{ cat "${pages[@]}"; vicinal methods; vicinal run --help; vicinal bench --help; } >"$work/prose"
! grep -nwE 'P[1-5]' "$work/prose" >&2 || fail "a paper is named by a number: write author and year"
