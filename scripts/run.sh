#!/usr/bin/env bash
# Builds the tool and runs it with the given arguments; by default it simulates 20,000 spheres
# that fall into a box and pile up, which takes about a minute.
set -euo pipefail
caller=$PWD
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
need "${build_packages[@]}"
[ -f build/release/CMakeCache.txt ] || quietly cmake --preset release -DVICINAL_TESTS=OFF -DVICINAL_EXAMPLES=OFF
[ -x build/release/vicinal ] || echo "Building (a minute or two the first time) ..." >&2
quietly cmake --build build/release --target vicinal_tool
tool=$PWD/build/release/vicinal

if [ $# -gt 0 ]; then
    cd "$caller"
    exec "$tool" "$@"
fi
rm -rf build/example
"$tool" run falling response=dem walls=true fill=0.3 --n 20000 --steps 12000 --every 300 -o build/example
echo
echo "To see it, open file://$PWD/build/example/view.html in a browser. More: build/release/vicinal run --help"
