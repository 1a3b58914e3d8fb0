# ASE's neighbor_list and scipy's cKDTree must give the pairs, images, distances and vectors that
# the tool writes: i, j and S identical, d and D to 1e-10. Coordinates are random, so that no
# distance equals a cut-off, which ASE excludes.
#   peers_agree.py TOOL
import os, subprocess, sys, tempfile
import ase, ase.io
import numpy as np
from ase.neighborlist import neighbor_list
from scipy.spatial import cKDTree

tool = os.path.abspath(sys.argv[1])
random = np.random.default_rng(11)
tolerance = 1e-10
checked = 0

def run(*arguments):
    subprocess.run([tool, *arguments], check=True, stdout=subprocess.DEVNULL)

def written(*arguments):
    """The arrays that a command writes."""
    run(*arguments, "-o", "out.npz")
    with np.load("out.npz") as file:
        return {name: file[name] for name in file.files}

def in_order(columns):
    """Sorted by (i, j, S)."""
    keys = [columns["i"], columns["j"], *(columns["S"].T if "S" in columns else ())]
    order = np.lexsort(keys[::-1])
    return {name: values[order] for name, values in columns.items()}

def agree(ours, theirs):
    assert set(ours) == set(theirs), (set(ours), set(theirs))
    ours, theirs = in_order(ours), in_order(theirs)
    if any(ours[name].shape != theirs[name].shape for name in ours):
        return False
    return all(np.array_equal(ours[name], theirs[name]) if name in "ijS" else
               np.allclose(ours[name], theirs[name], rtol=0, atol=tolerance) for name in ours)

def same(what, ours, theirs, others):
    """`ours` are `theirs`; `others`, of a slightly different question, are not."""
    global checked
    assert len(theirs["i"]) > 0, what
    assert agree(ours, theirs), (what, len(ours["i"]), len(theirs["i"]))
    assert not agree(others, theirs), what
    checked += 1

# Names, lattice vectors as rows, periodic axes, cut-off. Some atoms lie outside the cell.
left = [[5, 1, 0], [0.5, 1, 6], [-1, 7, 0.5]]
cells = {
    "cubic": (np.eye(3) * 6, "TTT", 1.9),
    "orthorhombic": (np.diag([5.0, 7, 9]), "TTT", 2.2),
    "hexagonal": ([[6, 0, 0], [-3, 27 ** 0.5, 0], [0, 0, 7]], "TTT", 2),
    "skewed": ([[5, 0, 0], [9, 6, 0], [-7, 11, 5]], "TTT", 1.8),
    "left-handed": (left, "TTT", 2),
    "slab": ([[6, 1, 0], [0, 6, 0], [0, 0, 8]], "TTF", 2),
    "wire, left-handed": (left, "FTF", 2),
    "open": (np.diag([6.0, 6, 6]), "FFF", 2),
    "one atom": ([[2, 0, 0], [1, 2.5, 0], [0.3, 0.2, 3]], "TTT", 5.1),
    "cut-off larger than the box": (np.diag([2.0, 3, 2.5]), "TTT", 4.3),
    "cut-off larger than a left-handed box": (np.array(left) / 3, "TTT", 3.5),
}
assert np.linalg.det(left) < 0

def atoms_of(name, cell, periodic):
    n = 1 if name == "one atom" else 12 if "larger" in name else 150
    atoms = ase.Atoms(numbers=random.choice([1, 6, 8], n), cell=cell, pbc=[p == "T" for p in periodic],
                      positions=(random.random((n, 3)) * 1.5 - 0.25) @ np.array(cell))
    # The coordinates are those of the file.
    ase.io.write("atoms.extxyz", atoms)
    return ase.io.read("atoms.extxyz")

def with_ase(atoms, cutoff):
    columns = dict(zip("ijdDS", neighbor_list("ijdDS", atoms, cutoff)))
    if not atoms.pbc.any():
        assert not columns.pop("S").any()
    return columns

def with_tool(cutoff, *flags):
    return written("pairs", "atoms.extxyz", "--cutoff", str(cutoff), "--columns", "ijSdD", *flags)

def half(columns):
    """Each pair once: i < j, or i = j and S > 0."""
    shift = columns.get("S", np.zeros((len(columns["i"]), 3)))
    first = np.array([next((n for n in row if n), 0) for row in shift])
    keep = (columns["i"] < columns["j"]) | ((columns["i"] == columns["j"]) & (first > 0))
    return {name: values[keep] for name, values in columns.items()}

def rows(cutoff):
    """The files of --rows as one list."""
    run("pairs", "atoms.extxyz", "--cutoff", str(cutoff), "--rows", "--columns", "ijSdD", "-o", "rows")
    columns = {name: np.load(f"rows.{file}.npy") for name, file in
               {"j": "indices", "d": "distances", "D": "vectors", "S": "images"}.items()
               if os.path.exists(f"rows.{file}.npy")}
    counts = np.diff(np.load("rows.offsets.npy").astype(int))
    return {"i": np.repeat(np.arange(len(counts)), counts), **columns}

def cells_agree():
    for name, (cell, periodic, cutoff) in cells.items():
        atoms = atoms_of(name, cell, periodic)
        theirs = with_ase(atoms, cutoff)
        if name == "one atom" or "larger" in name:
            assert (theirs["i"] == theirs["j"]).any(), name
        less = 0.9 * cutoff
        same((name, "full"), with_tool(cutoff, "--full"), theirs, with_tool(less, "--full"))
        same((name, "half"), with_tool(cutoff), half(theirs), with_tool(less))
        same((name, "rows"), rows(cutoff), theirs, rows(less))
        for file in os.listdir():
            os.remove(file)

def species_agree():
    reach = {("O", "O"): 2.1, ("O", "H"): 1.3, ("H", "H"): 0.9, ("C", "C"): 1.7, ("C", "H"): 1.1, ("C", "O"): 2.6}
    spelt = lambda table: ",".join(f"{a}-{b}:{r}" for (a, b), r in table.items())
    for name in ("cubic", "skewed", "left-handed", "slab", "open", "cut-off larger than the box"):
        atoms = atoms_of(name, *cells[name][:2])
        less = spelt({**reach, ("C", "O"): 2.3})
        same((name, "species"), with_tool(spelt(reach), "--full"), with_ase(atoms, reach), with_tool(less, "--full"))
        # What neighbor_list does not find is `never`.
        some = {pair: r for pair, r in reach.items() if pair != ("C", "O")}
        ours = with_tool(spelt(some) + ",C-O:never", "--full")
        same((name, "never"), ours, with_ase(atoms, some), with_tool(spelt(reach), "--full"))

def scipy_agrees():
    x, y, r, box = random.random((400, 3)), random.random((90, 3)), 0.13, [1, 1.25, 0.8]
    x *= box
    y *= box
    np.save("x.npy", x)
    np.save("y.npy", y)
    near, far = ("--cutoff", str(r)), ("--cutoff", str(0.98 * r))
    for tree, other, domain in ((cKDTree(x), cKDTree(y), "open"),
                                (cKDTree(x, boxsize=box), cKDTree(y, boxsize=box), "periodic:1,1.25,0.8")):
        # The cut-off is less than half the box: no two images of a body are near the same one.
        ask = lambda *arguments: written(*arguments, "--domain", domain)
        pairs = tree.query_pairs(r, output_type="ndarray")
        same((domain, "query_pairs"), ask("pairs", "x.npy", *near, "--columns", "ij"),
             {"i": pairs[:, 0], "j": pairs[:, 1]}, ask("pairs", "x.npy", *far, "--columns", "ij"))

        found = tree.query_ball_point(y, r)
        same((domain, "query_ball_point"), ask("probe", "x.npy", "y.npy", "--points", *near, "--columns", "ij"),
             {"i": np.repeat(np.arange(len(y)), [len(row) for row in found]), "j": np.concatenate(found).astype(int)},
             ask("probe", "x.npy", "y.npy", "--points", *far, "--columns", "ij"))

        sparse = tree.sparse_distance_matrix(other, r, output_type="coo_matrix")
        between = ("pairs", "x.npy", "--with", "y.npy", "--columns", "ijd")
        same((domain, "sparse_distance_matrix"), ask(*between, *near),
             {"i": sparse.row, "j": sparse.col, "d": sparse.data}, ask(*between, *far))

        distance, index = tree.query(y, k=5)
        nearest = ("nearest", "x.npy", "y.npy", "--columns", "ijd")
        same((domain, "query"), ask(*nearest, "--k", "5"),
             {"i": np.repeat(np.arange(len(y)), 5), "j": index.ravel(), "d": distance.ravel()},
             ask(*nearest, "--k", "4"))

with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    cells_agree()
    species_agree()
    scipy_agrees()
    print(checked, "lists agree")
    os.chdir("/")
