"""neighbor_list() of ase.neighborlist, with the same arguments and the same result."""

import os
import threading

import numpy as np

from .._bodies import refuse
from .._finder import Finder

_QUANTITIES = {"i", "j", "d", "D", "S"}
_MOST_KEPT = 10_000  # atoms: larger systems do not leave their memory behind
_kept = threading.local()


def _kinds(atoms, cutoff):
    """Cut-offs per pair of elements, as kinds from 0 and a table."""
    from ase.data import atomic_numbers

    kinds, elements = np.unique(atoms.numbers, return_inverse=True)
    table = np.full((len(kinds), len(kinds)), -1.0)
    place = {number: k for k, number in enumerate(kinds.tolist())}
    for pair, c in cutoff.items():
        a, b = (place.get(atomic_numbers.get(e, e)) for e in pair)
        if a is not None and b is not None:
            table[a, b] = table[b, a] = np.nextafter(c, 0) if c > 0 else -1
    return elements, table


def _finder_for(atoms):
    """A finder in the cell of the atoms. Each thread keeps one: to make it takes longer than to
    search a molecule."""
    periodic = np.broadcast_to(atoms.pbc, 3)
    box = np.asarray(atoms.cell[:]) if periodic.any() else None
    if len(atoms) > _MOST_KEPT:
        return Finder(box, periodic)
    threads = os.environ.get("VICINAL_THREADS")  # read when a finder is made
    if getattr(_kept, "threads", ...) != threads:
        _kept.finder, _kept.threads = Finder(), threads
    _kept.finder.set_box(box, periodic)
    return _kept.finder


def _search(atoms, cutoff, columns):
    """Full pairs, grouped by i, and the cut-off of each atom with itself."""
    finder = _finder_for(atoms)
    form = {"columns": columns, "full": True, "index": "int64", "layout": "two_by_n"}
    x = atoms.positions
    if isinstance(cutoff, dict):
        kinds, table = _kinds(atoms, cutoff)
        return finder.pairs(x, table, kinds=kinds, **form), table[kinds, kinds]
    if np.ndim(cutoff) == 0:
        # Strictly less: at most the next smaller number.
        p = finder.pairs(x, np.nextafter(cutoff, 0), **form)
        return p, np.full(len(x), float(cutoff))
    radii = np.asarray(cutoff, float)
    return finder.pairs(x, radii=radii, **form), 2 * radii


def neighbor_list(quantities, a, cutoff, self_interaction=False, max_nbins=1e6):
    """The neighbour list of an ase.Atoms object, as ase.neighborlist.neighbor_list makes it.

    quantities  any of i, j, d (distance), D (vector), S (shift): one array for each letter
    cutoff      a number, a dictionary {(element, element): cut-off}, or a radius for each atom
    max_nbins   ignored: memory does not depend on the volume

    Neighbours are nearer than the cut-off, not at it. They are in ascending order of i.

    >>> from ase import Atoms
    >>> neighbor_list("ijdS", Atoms("HO", [[0, 0, 0], [0, 0, 1]], cell=[9, 9, 9]), 1.1)
    (array([0, 1]), array([1, 0]), array([1., 1.]), array([[0, 0, 0],
           [0, 0, 0]]))
    """
    if not quantities or not set(quantities) <= _QUANTITIES:
        refuse(f"quantities is {quantities!r}; give letters of 'ijdDS'")
    radii = not isinstance(cutoff, dict) and np.ndim(cutoff) == 1
    columns = "ij" + "".join(q for q in "SdD" if q in quantities or (q == "d" and radii))
    p, own_cutoff = _search(a, cutoff, columns)
    n = len(p)
    found = {"i": p.i, "j": p.j, "d": p.distances, "D": p.vectors}
    if "S" in quantities:
        found["S"] = np.zeros((n, 3), int) if p.images is None else p.images.astype(int)
    if radii and n:
        keep = found["d"] < np.asarray(cutoff)[p.i] + np.asarray(cutoff)[p.j]
        if not keep.all():
            found = {q: v[keep] for q, v in found.items() if v is not None}
    if self_interaction:
        found = _with_selves(found, np.flatnonzero(own_cutoff > 0))
    listed = tuple(found[q] for q in quantities)
    return listed[0] if len(listed) == 1 else listed


def _with_selves(found, atoms):
    """Each atom as its own neighbour, before its others."""
    place = np.searchsorted(found["i"], atoms)
    own = {"i": atoms, "j": atoms, "d": 0.0, "D": 0.0, "S": 0}
    return {
        q: np.insert(v, place, own[q], axis=0) for q, v in found.items() if v is not None
    }
