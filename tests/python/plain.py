"""The plain loop: the formula of docs/promises.md, for every pair of bodies and every image."""

import itertools

import numpy as np


def shifts(lattice, periodic, dtype, most=3):
    """All images up to `most` periods, and their shifts as the formula computes them."""
    ranges = [range(-most, most + 1) if on else (0,) for on in periodic]
    h = np.asarray(lattice, dtype)
    for n in itertools.product(*ranges):
        s = dtype(n[0]) * h[0]
        for k in range(1, len(n)):
            s = s + dtype(n[k]) * h[k]
        yield n, s if any(n) else np.zeros_like(s)


def plain_pairs(x, reach, lattice=None, periodic=None, other=None):
    """{(i, j, image): vector}; i < j within one set, or i of `other` and j of x."""
    dtype = x.dtype.type
    dimension = x.shape[1]
    lattice = np.eye(dimension) if lattice is None else np.asarray(lattice, float)
    periodic = [False] * dimension if periodic is None else periodic
    first = x if other is None else other
    reach = np.broadcast_to(np.asarray(reach, dtype), (len(first), len(x)))
    found = {}
    for n, s in shifts(lattice, periodic, dtype):
        d = (x[None, :, :] - first[:, None, :]) + s
        square = d[..., 0] * d[..., 0] + d[..., 1] * d[..., 1]
        if dimension == 3:
            square = square + d[..., 2] * d[..., 2]
        for i, j in zip(*np.nonzero(square <= reach * reach)):
            if other is not None or i < j or (i == j and n > (0,) * dimension):
                found[int(i), int(j), n] = d[i, j]
    return found


def plain_boxes(lower, upper):
    meet = ((lower[None] - upper[:, None]) <= 0) & ((upper[None] - lower[:, None]) >= 0)
    return {(int(i), int(j)) for i, j in zip(*np.nonzero(meet.all(axis=2))) if i < j}


def keys(result, i=None, j=None):
    """The pairs of a result as a set; each must be there once."""
    i = result.i if i is None else i
    j = result.j if j is None else j
    if result.images is None:
        images = [None] * len(i)
    else:
        images = [tuple(n) for n in result.images.tolist()]
    listed = list(zip(i.tolist(), j.tolist(), images))
    found = set(listed)
    assert len(found) == len(listed)
    return found


def without_images(found):
    return {(i, j, None) for i, j, _ in found}


def both_ways(found):
    return set(found) | {(j, i, n and tuple(-k for k in n)) for i, j, n in found}


def row_keys(rows):
    return keys(rows, np.repeat(rows.bodies, rows.counts), rows.indices)
