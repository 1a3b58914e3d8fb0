"""vicinal.compat.ase.neighbor_list against ASE's own, in nine kinds of cells and at random."""

import numpy as np
import pytest

ase = pytest.importorskip("ase")

from ase import Atoms  # noqa: E402
from ase.build import bulk, fcc111, molecule  # noqa: E402
from ase.neighborlist import neighbor_list as theirs  # noqa: E402
from hypothesis import assume, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from vicinal.compat.ase import neighbor_list as ours  # noqa: E402


def rattled(atoms, seed=1):
    atoms.positions += np.random.default_rng(seed).normal(0, 0.05, atoms.positions.shape)
    return atoms


def random_atoms(cell, pbc, n=30, seed=2):
    random = np.random.default_rng(seed)
    return Atoms(
        random.choice(["H", "O", "Na"], n), scaled_positions=3 * random.random((n, 3)) - 1,
        cell=cell, pbc=pbc,
    )


CELLS = {
    "molecule": lambda: molecule("C6H6"),
    "cubic": lambda: rattled(bulk("NaCl", "rocksalt", 5.64, cubic=True).repeat(2)),
    "primitive": lambda: rattled(bulk("Cu")),  # the cut-off spans several periods
    "slab": lambda: rattled(fcc111("Al", (2, 2, 3), vacuum=5)),
    "slab without a height": lambda: rattled(fcc111("Al", (2, 2, 3))),
    "wire": lambda: random_atoms([6, 7, 8], (False, False, True)),
    "orthorhombic": lambda: random_atoms([5, 7, 9], True),
    "triclinic": lambda: random_atoms([[6, 0, 0], [2, 6, 0], [-1, 1.5, 7]], True),
    "left-handed": lambda: random_atoms([[0, 6, 0], [6, 1, 0], [0, 0.5, 7]], (True, True, False)),
}


def table(found):
    """Rows (i, j, S) in order, with their distances and vectors."""
    i, j, d, vectors, shifts = found
    keys = np.column_stack([i, j, shifts])
    order = np.lexsort(keys.T[::-1])
    assert (np.diff(i) >= 0).all()
    return keys[order], d[order], vectors[order]


def compare(atoms, cutoff, **options):
    a, b = (table(f("ijdDS", atoms, cutoff, **options)) for f in (theirs, ours))
    assert np.array_equal(a[0], b[0])
    assert np.allclose(a[1], b[1], rtol=1e-12, atol=1e-12)
    assert np.allclose(a[2], b[2], rtol=1e-12, atol=1e-12)
    return len(a[0])


@pytest.mark.parametrize("name", CELLS)
def test_cells(name):
    atoms = CELLS[name]()
    assert compare(atoms, 4.5) > 20
    compare(atoms, 4.5, self_interaction=True)
    radii = np.random.default_rng(3).random(len(atoms)) * 2.5
    compare(atoms, radii)
    compare(atoms, radii, self_interaction=True)
    elements = atoms.get_chemical_symbols()
    cutoffs = {(elements[0], elements[-1]): 4.0, ("H", 8): 3.0, ("Xe", "Kr"): 9.0}
    compare(atoms, cutoffs)
    compare(atoms, cutoffs, self_interaction=True)


def test_threads_are_those_of_the_environment(monkeypatch):
    from vicinal.compat import ase as module

    for threads in (1, 3, 2):
        monkeypatch.setenv("VICINAL_THREADS", str(threads))
        ours("i", CELLS["cubic"](), 4.0)
        assert module._kept.finder.report["threads"] == threads


def test_form():
    atoms = CELLS["cubic"]()
    for quantities in ("i", "d", "ij", "Sj", "DdS", "ijdDS", "iiS"):
        a, b = theirs(quantities, atoms, 4.0), ours(quantities, atoms, 4.0)
        if len(quantities) == 1:
            a, b = [a], [b]
        assert isinstance(b, (tuple, list)) and len(a) == len(b)
        for x, y in zip(a, b):
            assert x.dtype == y.dtype and x.shape == y.shape
    with pytest.raises(ValueError):
        ours("ijx", atoms, 4.0)
    empty = Atoms(cell=[1, 1, 1], pbc=True)
    assert [v.shape for v in ours("ijdDS", empty, 1.0)] == [
        v.shape for v in theirs("ijdDS", empty, 1.0)
    ]


def test_strictly_less():
    atoms = Atoms("HH", [[0, 0, 0], [0, 0, 1]])
    for cutoff in (1.0, [0.5, 0.5], {("H", "H"): 1.0}):
        assert len(theirs("i", atoms, cutoff)) == len(ours("i", atoms, cutoff)) == 0
    for cutoff in (1.0001, [0.5, 0.5001], {("H", "H"): 1.0001}):
        assert len(theirs("i", atoms, cutoff)) == len(ours("i", atoms, cutoff)) == 2


numbers = st.floats(-3, 3, width=32)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    vectors=st.lists(numbers, min_size=9, max_size=9),
    pbc=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    n=st.integers(1, 12),
    seed=st.integers(0, 2**32 - 1),
    cutoff=st.floats(0.5, 4),
)
def test_random_cells(vectors, pbc, n, seed, cutoff):
    cell = np.reshape(vectors, (3, 3)) + 2 * np.eye(3)
    assume(abs(np.linalg.det(cell)) > 4)
    x = 3 * np.random.default_rng(seed).random((n, 3)) - 1
    atoms = Atoms("H" * n, scaled_positions=x, cell=cell, pbc=pbc)
    d = theirs("d", atoms, cutoff + 1e-6)
    assume(not (abs(d - cutoff) < 1e-9).any())  # there the two may round differently
    compare(atoms, cutoff)
