#!/usr/bin/env bash
# vicinal manual: a page for every command with every flag of its --help, pages without warnings,
# and completion in bash.
#   manual.sh TOOL
set -euo pipefail
tool=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" >&2; exit 1; }

SOURCE_DATE_EPOCH=86400 "$tool" manual "$work/share" >/dev/null
pages=$work/share/man/man1
commands=$("$tool" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 10 ] || fail "commands found: $commands"
[ "$(ls "$pages" | wc -l)" -eq $(($(wc -w <<<"$commands") + 1)) ] || fail "not one page per command: $(ls "$pages")"

# Every flag and every setting that the help shows is on the page.
for command in $commands; do
    page=$pages/vicinal-$command.1
    [ -f "$page" ] || fail "no page for $command"
    sed 's/\\-/-/g; s/\\f[BIR]//g' "$page" >"$work/plain"
    "$tool" "$command" --help >"$work/help"
    grep -oE '^ +(-[a-z],)?--[a-z-]+' "$work/help" | grep -oE -- '--[a-z-]+' >"$work/flags"
    [ -s "$work/flags" ] || fail "no flags in the help of $command"
    while read -r flag; do
        grep -qE -- "(^|, )$flag( |\$)" "$work/plain" || fail "$command: $flag is not on its page"
    done <"$work/flags"
    sed -n '/^Examples*:/,$s/^  //p' "$work/help" >"$work/examples"
    while read -r line; do
        grep -qxF -- "$line" "$work/plain" || fail "$command: not on its page: $line"
    done <"$work/examples"
done
grep -q '1970-01-02' "$pages/vicinal.1" || fail "SOURCE_DATE_EPOCH is ignored"

if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$pages"/*.1 || fail "mandoc: warnings"
fi
if command -v man >/dev/null; then
    for page in "$pages"/*.1; do
        man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>"$work/warnings" >/dev/null || true
        [ ! -s "$work/warnings" ] || { cat "$work/warnings" >&2; fail "man: warnings on $page"; }
    done
fi

# complete WORD...: what bash offers for the last word.
. "$work/share/bash-completion/completions/vicinal"
complete -p vicinal | grep -q -- '-F _vicinal' || fail "completion is not registered"
offered() {
    COMP_WORDS=(vicinal "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _vicinal
    echo "${COMPREPLY[*]}"
}
expect() {  # ANSWER WORD...
    local answer=$1
    shift
    [ "$(offered "$@")" = "$answer" ] || fail "completion of 'vicinal $*': '$(offered "$@")' instead of '$answer'"
}
expect "stats" sta
expect "scenes scene" sce
expect "--help --version" --
[ "$(offered "" | wc -w)" -eq $(($(wc -w <<<"$commands") + 2)) ] || fail "not all commands are offered: $(offered "")"
expect "--cutoff" pairs points.npy --cu
expect "--resume" run --re
expect "sum max min" pairs balls.csv --radius column --rule ""
expect "float" pairs points.npy --precision f
expect "float" pairs points.npy --precision = f
expect "column" stats balls.csv --radius c
expect "kd_tree" pairs points.npy --method kd
expect "falling fluid" run f
expect "response= restitution=" run falling re
expect "response= restitution=" run falling --steps 5 re
expect "polydisperse plane" scene p
expect "neighbours=" scene uniform -o x.npy n
expect "shell sheets" bench --scene she
expect "" pairs points.npy --cutoff ""
expect "" pairs poi
expect "" nonsense --cu

"$tool" manual /dev/null/share 2>"$work/error" && fail "wrote to /dev/null/share"
grep -q '^vicinal: /dev/null/share/man/man1: cannot be created' "$work/error" || fail "$(cat "$work/error")"
