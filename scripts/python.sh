#!/usr/bin/env bash
# Installs the Python package in a virtual environment, build/venv, and runs its tests. Everything
# it needs is in Debian's packages: nothing is downloaded by pip.
#   scripts/python.sh [OPTION OF PYTEST ...]
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
need "${build_packages[@]}" "${python_packages[@]}"

# Debian's Python: another one on PATH would not have Debian's packages.
[ -x build/venv/bin/python ] || quietly /usr/bin/python3 -m venv --system-site-packages build/venv
echo "Building (a minute or two the first time) ..." >&2
quietly build/venv/bin/pip install --no-index --force-reinstall --no-deps .
# Not in the root, where Python would find the sources instead of the package.
cd tests/python
../../build/venv/bin/python -m pytest "$@"
