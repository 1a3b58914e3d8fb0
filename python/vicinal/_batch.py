"""Many small systems in one call."""

import ctypes as c

import numpy as np

from . import _library as lib
from ._bodies import domain_of, numbers_of, refuse, view_of, whole_numbers
from ._finder import form_of, is_periodic, set_options
from ._results import Owned, Rows


def _domains(boxes, periodic, dimension):
    """One domain for all systems, or one for each."""
    each = None if boxes is None else numbers_of(boxes, "boxes")
    if each is None or each.ndim == 0:
        return [domain_of(boxes, periodic)[0]]
    if each.ndim == 1 or each.shape[1:] not in ((dimension,), (dimension, dimension)):
        refuse(
            f"boxes has the shape {each.shape}; give one length for all, or for each system its "
            "lengths or its lattice vectors"
        )
    axes = np.asarray(periodic)
    if axes.ndim < 2:
        axes = np.broadcast_to(axes, (len(each), *axes.shape))
    if len(axes) != len(each):
        refuse(f"periodic has {len(axes)} rows, but there are {len(each)} boxes")
    return [domain_of(box, on)[0] for box, on in zip(each, axes)]


def batch(
    x, offsets, cutoff=None, boxes=None, *, periodic=True, columns="ijS", sorted=False,
    index="uint32", method="auto", threads=0, max_pairs=None, max_bytes=None, **bodies,
):
    """The neighbours of each body in many small systems, which do not see each other.

    System s consists of the bodies offsets[s] ... offsets[s + 1] - 1. `boxes` are the lengths or
    the lattice vectors of each system, one length for all, or None; `periodic` is for all, or has
    a row for each. Rows and indices count through all systems.

    >>> rows = batch([[0, 0], [1, 0], [0, 0], [9, 0]], [0, 2, 4], 1.0, [[5, 5], [10, 10]])
    >>> rows.indices.tolist(), rows.images.tolist()
    ([1, 0, 3, 2], [[0, 0], [0, 0], [-1, 0], [1, 0]])
    """
    view = view_of(x, cutoff, **bodies)
    given = np.ravel(np.asarray(offsets))
    starts = whole_numbers(given, "offsets", np.uint64)
    if len(starts) == 0:
        refuse("offsets is empty; give the first body of each system, and the number of bodies")
    domains = _domains(boxes, periodic, view.dimension)
    array = (lib.Domain * len(domains))(*domains)
    options = lib.Options()
    options.dimension = view.dimension
    options.scalar = view.struct.scalar
    set_options(options, str(method), threads, max_pairs, max_bytes)
    owned = Owned()
    lib.call(
        lib.lib.vicinal_batch, c.byref(options), view.at, starts.ctypes.data, len(starts) - 1,
        array, len(domains), form_of(columns, True, sorted, index),
        owned.at,
    )
    imaged = any(is_periodic(domain, view.dimension) for domain in domains)
    return Rows(owned.take(), columns, imaged, view.count)
