#!/usr/bin/env bash
# Builds the tool and runs it: with arguments passes them on, without finds the pairs of an
# example scene.
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
mkdir -p build/example
"$tool" scene polydisperse --n 100000 -o build/example/spheres.npy
echo
"$tool" pairs build/example/spheres.npy --radius column -o build/example/pairs.npy
