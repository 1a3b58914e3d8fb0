# Sourced by the other scripts: installs and reports missing packages.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# need PACKAGE...: installs these Debian packages if they are missing.
need() {
    local missing=() package root=()
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    echo "Installing: ${missing[*]}" >&2
    if ! command -v apt-get >/dev/null; then
        echo "This script installs packages with apt-get, which is not here; install the equivalents of: ${missing[*]}" >&2
        exit 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || { echo "Run as root or install sudo, to install: ${missing[*]}" >&2; exit 1; }
        root=(sudo)
    fi
    "${root[@]}" apt-get update -qq >&2
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

build_packages=(g++ cmake ninja-build libhwy-dev libcli11-dev libfmt-dev nlohmann-json3-dev zlib1g-dev libpugixml-dev
    libhdf5-dev)
test_packages=(libgtest-dev libtbb-dev libeigen3-dev python3-numpy)
all_packages=(clang-19 libclang-rt-19-dev chromium mandoc pkg-config dpkg-dev file gfortran python3-vtk9 python3-pandas python3-ase
    python3-h5py python3-scipy openmpi-bin libopenmpi-dev libtrilinos-zoltan-dev libbullet-dev)
# Of scripts/python.sh.
python_packages=(python3-venv python3-pip python3-numpy python3-scipy python3-ase python3-matplotlib python3-sklearn
    python3-pytest python3-hypothesis gcc)
lint_packages=(clang-format-19 clang-tidy-19)

# need_page: installs the dependencies of bench/page/make.mjs. A Node that is not Debian's includes npm
# and conflicts with Debian's npm, so this checks for the command.
need_page() {
    command -v npm >/dev/null || need nodejs npm
    quietly npm ci --prefix bench/page
}

# quietly COMMAND...: runs it and shows its output only on failure.
quietly() {
    local log
    log=$(mktemp)
    if ! "$@" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        exit 1
    fi
    rm -f "$log"
}
