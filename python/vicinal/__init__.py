"""Which bodies are close enough to interact? Exactly, and fast.

>>> import numpy as np, vicinal
>>> x = np.random.default_rng(1).random((1000, 3))
>>> p = vicinal.pairs(x, cutoff=0.1, box=1.0, columns="ijSdD")
>>> bool((p.distances <= 0.1).all())
True
>>> rows = vicinal.neighbours(x, 0.1, box=1.0)
>>> len(rows[7]) == (p.i == 7).sum() + (p.j == 7).sum()
True
"""

import json as _json
import ctypes as _c

from . import _library
from ._batch import batch
from ._bodies import refuse as _refuse
from ._finder import Finder, Held
from ._library import BusyError, Error, InputError, LimitError, OptionError
from ._results import Changes, Pairs, Rows
from ._stream import Block

__all__ = [
    "Block", "BusyError", "Changes", "Error", "Finder", "Held", "InputError", "LimitError",
    "OptionError", "Pairs", "Rows", "batch", "between", "count", "methods", "nearest",
    "neighbours", "pairs", "trim",
]
__version__ = _library.lib.vicinal_version().decode()

_OF_FINDER = ("box", "periodic", "shear", "method", "threads", "max_pairs", "max_bytes")


def _finder(arguments):
    """A new finder with its part of the arguments, which are removed."""
    return Finder(**{name: arguments.pop(name) for name in _OF_FINDER if name in arguments})


def pairs(x=None, cutoff=None, **arguments):
    """All pairs of bodies that are close enough: Finder(box, ...).pairs(x, cutoff, ...).

    >>> vicinal.pairs([[0, 0], [1, 0], [9, 0]], cutoff=1, box=10, sorted=True).indices
    array([[0, 1],
           [0, 2]], dtype=uint32)
    >>> vicinal.pairs([[0, 0], [1, 0]], radii=[0.2, 0.9]).indices
    array([[0, 1]], dtype=uint32)
    >>> vicinal.pairs(lower=[[0, 0], [5, 0]], upper=[[1, 1], [6, 1]],
    ...               displacement=[[4, 0], [0, 0]]).indices
    array([[0, 1]], dtype=uint32)
    """
    return _finder(arguments).pairs(x, cutoff, **arguments).detached()


def neighbours(x=None, cutoff=None, **arguments):
    """The neighbours of each body: Finder(box, ...).neighbours(x, cutoff, ...).

    >>> rows = vicinal.neighbours([[0, 0], [1, 0], [9, 0]], 1, box=10)
    >>> rows[1].tolist(), rows.counts.tolist()
    ([0], [2, 1, 1])
    """
    return _finder(arguments).neighbours(x, cutoff, **arguments).detached()


def count(x=None, cutoff=None, **arguments):
    """The number of pairs: Finder(box, ...).count(x, cutoff, ...).

    >>> vicinal.count([[0, 0], [1, 0], [9, 0]], 1, box=10)
    2
    """
    return _finder(arguments).count(x, cutoff, **arguments)


def between(a, b, cutoff=None, *, radii=None, **arguments):
    """Pairs (i in a, j in b) of two sets of points, or of spheres with radii=(radii of a, of b).

    >>> vicinal.between([[0, 0]], [[5, 0], [0.5, 0]], cutoff=1.0).j
    array([1], dtype=uint32)
    """
    if radii is not None and (not isinstance(radii, (tuple, list)) or len(radii) != 2):
        _refuse("radii must be a tuple: (radii of a, radii of b)")
    own, other = (None, None) if radii is None else radii
    finder = _finder(arguments)
    rule = {"rule": arguments.pop("rule")} if "rule" in arguments else {}
    with finder.hold(b, cutoff, radii=other, **rule) as held:
        return held.pairs_with(a, cutoff, radii=own, **rule, **arguments).detached()


def nearest(x, queries=None, k=1, **arguments):
    """The k nearest of the points x for each query, or for each of x without queries.

    >>> rows = vicinal.nearest([[0, 0], [1, 0], [3, 0]], [[2.5, 0]], k=2)
    >>> rows[0].tolist(), rows.distances.tolist()
    ([2, 1], [0.5, 1.5])
    """
    finder = _finder(arguments)
    if queries is None:
        return finder.nearest(x, k, **arguments).detached()
    with finder.hold(x, 0.0) as held:
        return held.nearest(queries, k, **arguments).detached()


def methods():
    """Every method, with its options: a list of dictionaries.

    >>> "kd_tree" in [m["name"] for m in vicinal.methods()]
    True
    """
    text = _c.c_char_p()
    _library.call(_library.lib.vicinal_methods, _c.byref(text))
    return _json.loads(text.value)


def trim():
    """Returns the memory of results that nobody uses any more to the system.

    >>> vicinal.trim()
    """
    _library.lib.vicinal_trim()
