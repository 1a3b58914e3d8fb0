#!/usr/bin/env python3
"""How fast is the Python package, as ratios of times in one process, on one thread?

    scripts/python.sh                                       # makes build/venv
    build/venv/bin/python bench/python/ratios.py [--quick] [QUESTION ...] > rows.csv

Times and ratios are medians over the runs; what is compared takes turns, and each run has a ratio.
The times include the build of the structure or tree. Packages that are not there are left out.
"""

import argparse
import csv
import ctypes
import gc
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import vicinal

ROOT = pathlib.Path(__file__).parents[2]
REACH = 0.01914  # in a million random points, scaled for other sizes: 29.4 neighbours


def cloud(n, dtype=np.float64):
    return np.random.default_rng(1).random((n, 3)).astype(dtype)


def reach_of(n):
    return REACH * (1e6 / n) ** (1 / 3)


# ---- taking times ----------------------------------------------------------------------------


def seconds_of(call, repeats=1):
    begin = time.perf_counter()
    for _ in range(repeats):
        result = call()
    seconds = (time.perf_counter() - begin) / repeats
    del result
    return seconds


class Table:
    """Rows of medians on standard output."""

    def __init__(self, quick):
        self.quick = quick
        self._csv = csv.writer(sys.stdout, lineterminator="\n")
        self._csv.writerow(
            ["question", "case", "runs", "other", "vicinal_ms", "other_ms", "ratio", "lower", "upper"]
        )

    def row(self, question, case, ours, other, theirs, runs=7, inverse=False, timed=False):
        """Ratio: theirs over ours, or ours over theirs if `inverse`. Median and quartiles are of
        the ratios of the single runs. `timed`: theirs() returns its seconds itself."""
        runs = 3 if self.quick else runs
        def enough(call):  # short calls several times, or one would measure the other's caches
            return max(1, round(0.02 / max(seconds_of(call), 1e-7)))

        seconds_of(ours), theirs()
        of_ours, of_theirs = enough(ours), 0 if timed else enough(theirs)
        a, b = [], []
        gc.collect()
        gc.disable()
        for _ in range(runs):
            a.append(seconds_of(ours, of_ours))
            b.append(theirs() if timed else seconds_of(theirs, of_theirs))
        gc.enable()
        ratios = [x / y if inverse else y / x for x, y in zip(a, b)]
        lower, middle, upper = statistics.quantiles(ratios, n=4, method="inclusive")
        theirs_ms = f"{1e3 * statistics.median(b):.4g}"
        self._write(question, case, runs, other, a, theirs_ms, middle, lower, upper)

    def alone(self, question, case, ours, per=1, repeats=1, runs=11):
        """The time of one call, divided by `per`, in microseconds."""
        runs = 3 if self.quick else runs
        seconds_of(ours, repeats)
        a = [seconds_of(ours, repeats) / per for _ in range(runs)]
        each = [1e6 * s for s in a]
        lower, _, upper = statistics.quantiles(each, n=4, method="inclusive")
        self._write(question, case, runs, "microseconds", a, "", statistics.median(each), lower, upper)

    def _write(self, question, case, runs, other, a, b, *ratio):
        ours = f"{1e3 * statistics.median(a):.4g}"
        self._csv.writerow([question, case, runs, other, ours, b, *(f"{r:.3g}" for r in ratio)])
        sys.stdout.flush()


def sizes(table):
    return (10_000,) if table.quick else (10_000, 100_000)


# ---- the questions -----------------------------------------------------------------------------


def compiled():
    """kept_list.cpp, linked with the library that the package uses."""
    library = vicinal._library.lib._name
    folder = tempfile.mkdtemp()
    program = f"{folder}/kept_list.so"
    source = pathlib.Path(__file__).with_name("kept_list.cpp")
    subprocess.run(
        ["c++", "-std=c++20", "-O2", "-shared", "-fPIC", f"-I{ROOT / 'include'}", source, "-o",
         program, library, f"-Wl,-rpath,{pathlib.Path(library).parent}"],
        check=True,
    )
    loaded = ctypes.CDLL(program)
    for name in ("kept_list_float", "kept_list_double"):
        getattr(loaded, name).restype = ctypes.c_double
    return loaded


def arrays(table):
    """n x 2 arrays, blocks and columns over the list that C++ keeps."""
    loaded = compiled()
    n = 100_000 if table.quick else 1_000_000
    for dtype, function in (
        (np.float32, loaded.kept_list_float), (np.float64, loaded.kept_list_double),
    ):
        x = cloud(n, dtype)
        count = ctypes.c_uint64()

        def kept():
            return function(
                ctypes.c_void_p(x.ctypes.data), ctypes.c_size_t(n), ctypes.c_double(reach_of(n)),
                ctypes.byref(count),
            )

        f = vicinal.Finder(threads=1)

        def blocks(columns="ij"):
            total = 0
            for block in f.stream(x, reach_of(n), columns=columns):
                total += len(block)
            return total

        kept()
        assert blocks() == count.value == len(f.pairs(x, reach_of(n)))
        name = f"{n} {np.dtype(dtype).name}"
        for what, ours in (
            ("n x 2 array", lambda: f.pairs(x, reach_of(n), columns="ij").indices),
            ("blocks", blocks),
            ("n x 2 array with d and D", lambda: f.pairs(x, reach_of(n), columns="ijdD").indices),
            ("blocks with d and D", lambda: blocks("ijdD")),
        ):
            table.row("arrays", f"{what}, {name}", ours, "list in C++", kept, 15, True, True)


def scipy_million(table):
    """scipy's KDTree with a million points. Takes minutes."""
    scipy(table, (1_000_000,))


def scipy(table, of_sizes=None):
    """scipy's KDTree."""
    from scipy.spatial import KDTree
    from vicinal.compat.scipy import KDTree as Ours

    f = vicinal.Finder(threads=1)
    for n in of_sizes or sizes(table):
        x, r = cloud(n), reach_of(n)
        runs = 7 if n < 1_000_000 else 3
        tree = "KDTree.{}"
        table.row(
            "scipy", f"pairs, {n}", lambda: f.pairs(x, r, columns="ij").indices,
            tree.format("query_pairs"), lambda: KDTree(x).query_pairs(r, output_type="ndarray"), runs,
        )
        table.row(
            "scipy", f"compat query_pairs, {n}",
            lambda: Ours(x).query_pairs(r, output_type="ndarray"),
            tree.format("query_pairs"), lambda: KDTree(x).query_pairs(r, output_type="ndarray"), runs,
        )
        table.row(
            "scipy", f"neighbours, {n}", lambda: f.neighbours(x, r, columns="ij").indices,
            tree.format("query_ball_point"), lambda: KDTree(x).query_ball_point(x, r), runs,
        )
        table.row(
            "scipy", f"nearest 8, {n}", lambda: nearest_rows(f, x),
            tree.format("query"), lambda: KDTree(x).query(x, k=8), runs,
        )
        table.row(
            "scipy", f"compat query, {n}", lambda: Ours(x).query(x, k=8),
            tree.format("query"), lambda: KDTree(x).query(x, k=8), runs,
        )


def nearest_rows(f, x):
    with f.hold(x, 0.0) as held:
        return held.nearest(x, 8, columns="ijd").distances


def ase(table):
    """ASE's neighbor_list, with nine kinds of cells."""
    from ase.neighborlist import neighbor_list as theirs
    from vicinal.compat.ase import neighbor_list as ours

    sys.path.insert(0, str(ROOT / "tests" / "python"))
    from test_ase import CELLS

    def row(case, atoms, runs):
        table.row(
            "ase", case, lambda: ours("ijdDS", atoms, 4.5), "neighbor_list",
            lambda: theirs("ijdDS", atoms, 4.5), runs,
        )

    vicinal_threads(1)
    for name, make in CELLS.items():
        atoms = make()
        row(f"{name}, {len(atoms)} atoms", atoms, 11)
        times = [max(1, round((1000 / len(atoms)) ** (1 / max(1, sum(atoms.pbc)))))] * 3
        atoms = atoms.repeat([t if on else 1 for t, on in zip(times, atoms.pbc)])
        if len(atoms) > 300:
            row(f"{name}, {len(atoms)} atoms", atoms, 7)


def vicinal_threads(n):
    import os

    os.environ["VICINAL_THREADS"] = str(n)


def both_ways(i, j, shifts, d, vectors):
    return (
        np.concatenate([i, j]), np.concatenate([j, i]), np.concatenate([shifts, -shifts]),
        np.concatenate([d, d]), np.concatenate([vectors, -vectors]),
    )


def by_scipy(x, r, side):
    from scipy.spatial import KDTree

    i, j = KDTree(x, boxsize=side).query_pairs(r, output_type="ndarray").T
    vectors = x[j] - x[i]
    shifts = -np.rint(vectors / side).astype(int)
    vectors += shifts * side
    return both_ways(i, j, shifts, np.linalg.norm(vectors, axis=1), vectors)


def by_ase(x, r, side):
    from ase.neighborlist import primitive_neighbor_list

    return primitive_neighbor_list("ijSdD", (True,) * 3, side * np.eye(3), x, r)


def by_mdanalysis(x, r, side):
    from MDAnalysis.lib.distances import self_capped_distance

    box = np.array([side, side, side, 90, 90, 90], np.float32)
    pairs, d = self_capped_distance(x.astype(np.float32), r, box=box)
    i, j = pairs.T
    vectors = x[j] - x[i]
    shifts = -np.rint(vectors / side).astype(int)
    return both_ways(i, j, shifts, d, vectors + shifts * side)


def by_pymatgen(x, r, side):
    from pymatgen.optimization.neighbors import find_points_in_spheres

    pbc = np.ones(3, int)
    i, j, shifts, d = find_points_in_spheres(x, x, r, pbc, side * np.eye(3))
    keep = d > 1e-8
    i, j, shifts, d = i[keep], j[keep], shifts[keep], d[keep]
    return i, j, shifts, d, x[j] - x[i] + shifts * side


def full_million(table):
    """The same with a million atoms."""
    full(table, (1_000_000,))


def full(table, of_sizes=None):
    """Full periodic lists with images, distances and vectors, over what Debian's Python offers."""
    r = 5.0  # in a box of the size that gives as many neighbours: ASE's cells are at least 3 wide
    for n in of_sizes or sizes(table):
        side = r / reach_of(n)
        x = side * cloud(n)
        f = vicinal.Finder(box=side, threads=1)

        def ours():
            return f.pairs(x, r, columns="ijSdD", full=True)

        def rows():
            return f.neighbours(x, r, columns="ijSdD")

        for theirs, most in (
            (by_scipy, 1_000_000), (by_ase, 10_000), (by_mdanalysis, 1_000_000),
            (by_pymatgen, 1_000_000),
        ):
            if n > most:
                continue
            name = theirs.__name__[3:]
            try:
                found = len(theirs(x, r, side)[0])
            except ImportError:
                continue
            assert abs(found - len(ours())) < 1e-5 * found  # MDAnalysis rounds to float
            runs = 5 if n < 1_000_000 else 3
            table.row("full", f"pairs, {n}", ours, name, lambda: theirs(x, r, side), runs)
            table.row("full", f"rows, {n}", rows, name, lambda: theirs(x, r, side), runs)


def small(table):
    """Small systems: the time of a call, and of a system of a batch."""
    x = cloud(10)
    f = vicinal.Finder(threads=1)
    table.alone("small", "10 points, pairs", lambda: f.pairs(x, 0.3), repeats=20000)
    table.alone(
        "small", "10 points, pairs, and read indices", lambda: f.pairs(x, 0.3).indices, repeats=20000
    )
    g = vicinal.Finder(box=1.0, threads=1)
    table.alone("small", "10 points, periodic", lambda: g.pairs(x, 0.3), repeats=20000)
    table.alone("small", "10 points, rows", lambda: f.neighbours(x, 0.3), repeats=20000)
    table.alone("small", "10 points, count", lambda: f.count(x, 0.3), repeats=20000)
    x = cloud(100_000)
    offsets = np.arange(0, 100_001, 100)
    for neighbours in (14, 33):
        r = (neighbours / 100 * 3 / (4 * np.pi)) ** (1 / 3)
        for columns in ("ij", "ijS", "ijSdD"):
            table.alone(
                "small", f"batch of 1000 x 100, {neighbours} neighbours, {columns}",
                lambda: vicinal.batch(x, offsets, r, 1.0, columns=columns, threads=1), per=1000,
            )


QUESTIONS = {
    f.__name__: f for f in (arrays, scipy, scipy_million, ase, full, full_million, small)
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="three runs, small sizes")
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help=", ".join(QUESTIONS))
    arguments = parser.parse_args()
    unknown = set(arguments.questions) - set(QUESTIONS)
    if unknown:
        parser.error(f"there is no question {unknown.pop()!r}; use {', '.join(QUESTIONS)}")
    rows = Table(arguments.quick)
    for question in arguments.questions or QUESTIONS:
        QUESTIONS[question](rows)
