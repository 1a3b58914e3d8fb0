"""KDTree of scipy.spatial, for points in 2-D and 3-D and Euclidean distances."""

import math

import numpy as np

from .._bodies import refuse
from .._finder import Finder
from .._library import OptionError


class KDTree:
    """The part of scipy.spatial.KDTree that finds neighbours.

    As in scipy, a pair of points in a periodic box has one distance, that of the nearest image.

    >>> tree = KDTree([[0, 0], [1, 0], [3, 0]])
    >>> tree.query([[2.9, 0]])
    (array([0.1]), array([2]))
    >>> tree.query_ball_point([0.5, 0], 1)
    [0, 1]
    >>> tree.query_pairs(1.5)
    {(0, 1)}
    """

    def __init__(
        self, data, leafsize=10, compact_nodes=True, copy_data=False, balanced_tree=True,
        boxsize=None,
    ):
        self.data = np.array(data, float) if copy_data else np.ascontiguousarray(data, float)
        if self.data.ndim != 2 or self.data.shape[1] not in (2, 3):
            refuse(f"data has the shape {self.data.shape}; give points in 2-D or 3-D")
        self.n, self.m = self.data.shape
        self.leafsize = leafsize
        self.boxsize = None
        if boxsize is not None:
            self.boxsize = np.broadcast_to(np.asarray(boxsize, float), self.m)
        if self.n:
            self.maxes, self.mins = self.data.max(axis=0), self.data.min(axis=0)
        else:
            self.maxes = self.mins = np.zeros(self.m)

    def _finder(self, workers=1):
        """A finder in the box. Axes of length 0 are not periodic."""
        threads = 0 if workers == -1 else workers
        if self.boxsize is None:
            return Finder(threads=threads)
        lengths = np.where(self.boxsize > 0, self.boxsize, 1.0)
        return Finder(lengths, self.boxsize > 0, threads=threads)

    def _checked(self, x, p):
        if p != 2:
            raise OptionError(f"p is {p}; only Euclidean distances, p=2, are possible")
        x = np.asarray(x, float)
        if x.ndim == 0 or x.shape[-1] != self.m:
            refuse(f"x has the shape {x.shape}; the last must be {self.m}")
        return x, x.reshape(-1, self.m)

    # ---- the nearest ------------------------------------------------------------------------

    def query(self, x, k=1, eps=0, p=2, distance_upper_bound=math.inf, workers=1):
        """Distances and indices of the k nearest points; inf and n where there are fewer."""
        x, flat = self._checked(x, p)
        wanted = np.arange(1, k + 1) if np.ndim(k) == 0 else np.asarray(k, int)
        if wanted.size == 0 or wanted.min() < 1:
            refuse(f"k is {k}; give at least 1")
        distances, indices = self._nearest_of(
            flat, int(wanted.max()), self._below(distance_upper_bound), workers
        )
        shape = x.shape[:-1] if np.ndim(k) == 0 and k == 1 else (*x.shape[:-1], len(wanted))
        distances = distances[:, wanted - 1].reshape(shape)
        indices = indices[:, wanted - 1].reshape(shape)
        return (distances, indices) if shape else (distances[()], int(indices[()]))

    @staticmethod
    def _below(bound):
        """Neighbours are nearer than the bound, not at it."""
        return bound if math.isinf(bound) else max(np.nextafter(bound, 0), 0.0)

    def _nearest_of(self, x, k, bound, workers):
        distances = np.full((len(x), k), math.inf)
        indices = np.full((len(x), k), self.n, np.int64)
        pending = np.arange(len(x))
        with self._finder(workers).hold(self.data, 0.0) as held:
            more = min(k, max(self.n, 1))
            while len(pending):
                rows = held.nearest(x[pending], more, max_distance=bound, columns="ijd")
                count, row = rows.counts, np.repeat(np.arange(len(pending)), rows.counts)
                j, d = rows.indices.astype(np.int64), rows.distances
                if self.boxsize is not None:  # several images of a point count once
                    row, j, d = _first_of_each(row, j, d)
                place = np.arange(len(row)) - np.searchsorted(row, row)
                first = place < k
                at = pending[row[first]], place[first]
                distances[at], indices[at] = d[first], j[first]
                found = np.bincount(row, minlength=len(pending))
                # A row that is full of images of few points may have missed others.
                pending = pending[(found < min(k, self.n)) & (count == more)]
                more *= 2
        return distances, indices

    # ---- within a radius --------------------------------------------------------------------

    def query_pairs(self, r, p=2, eps=0, output_type="set"):
        """The pairs (i, j), i < j, of points at a distance of at most r."""
        self._checked(self.data, p)
        pairs = self._finder().pairs(self.data, r, columns="ij", index="int64").indices
        if self.boxsize is not None:
            pairs = pairs[pairs[:, 0] < pairs[:, 1]]  # a point and its image are none
            if (2 * r >= self.boxsize[self.boxsize > 0]).any():
                pairs = np.unique(pairs, axis=0)
        return pairs if output_type == "ndarray" else set(map(tuple, pairs.tolist()))

    def _ball_rows(self, x, r, columns, workers=1):
        """Row of the query, index and distance of each point within r of it, each once."""
        finder = self._finder(workers)
        if np.ndim(r) == 0:
            with finder.hold(self.data, r) as held:
                rows = held.rows_with(x, r, columns=columns)
        else:
            with finder.hold(self.data, 0.0) as held:
                rows = held.probe_rows(x, radii=np.broadcast_to(r, len(x)), columns=columns)
        return rows

    def _unique_rows(self, rows, r):
        """Indices and counts, without further images of the same point."""
        j, counts = rows.indices, rows.counts
        if self.boxsize is None or (2 * np.max(r) < self.boxsize[self.boxsize > 0]).all():
            return j, counts
        row, j, _ = _first_of_each(np.repeat(np.arange(len(rows)), counts), j, None)
        return j, np.bincount(row, minlength=len(rows))

    def query_ball_point(
        self, x, r, p=2.0, eps=0, workers=1, return_sorted=None, return_length=False
    ):
        """For each place x, the list of points at a distance of at most r."""
        x, flat = self._checked(x, p)
        radii = r if np.ndim(r) == 0 else np.broadcast_to(r, x.shape[:-1]).reshape(-1)
        rows = self._ball_rows(flat, radii, "ij", workers)
        j, counts = self._unique_rows(rows, r)
        if return_length:
            return counts.reshape(x.shape[:-1]) if x.ndim > 1 else int(counts[0])
        if return_sorted or (return_sorted is None and x.ndim > 1):
            row = np.repeat(np.arange(len(counts)), counts)
            j = j[np.lexsort((j, row))]
        listed, ends = j.tolist(), np.cumsum(counts).tolist()
        lists = np.empty(len(flat), object)
        lists[:] = [listed[a:b] for a, b in zip([0, *ends], ends)]
        return lists.reshape(x.shape[:-1]) if x.ndim > 1 else lists[0]

    def sparse_distance_matrix(self, other, max_distance, p=2.0, output_type="dok_matrix"):
        """The distances of points i of this tree and j of the other up to max_distance."""
        self._checked(self.data, p)
        rows = other._ball_rows(self.data, max_distance, "ijd")
        i = np.repeat(np.arange(self.n), rows.counts)
        j, d = rows.indices.astype(np.int64), rows.distances
        if other.boxsize is not None:
            order = np.lexsort((d, j, i))
            i, j, d = _first_of_each(i[order], j[order], d[order])
        if output_type == "ndarray":
            found = np.empty(len(i), [("i", np.intp), ("j", np.intp), ("v", np.float64)])
            found["i"], found["j"], found["v"] = i, j, d
            return found
        if output_type == "dict":
            return dict(zip(zip(i.tolist(), j.tolist()), d.tolist()))
        from scipy.sparse import coo_matrix

        matrix = coo_matrix((d, (i, j)), (self.n, other.n))
        if output_type not in ("dok_matrix", "coo_matrix"):
            raise OptionError(f"there is no output type {output_type!r}")
        return matrix if output_type == "coo_matrix" else matrix.todok()


def _first_of_each(row, j, d):
    """The first entry of each (row, j), in the order in which they stand."""
    order = np.lexsort((j, row))  # stable
    row_in_order, j_in_order = row[order], j[order]
    new = np.ones(len(order), bool)
    new[1:] = (row_in_order[1:] != row_in_order[:-1]) | (j_in_order[1:] != j_in_order[:-1])
    keep = np.sort(order[new])
    return row[keep], j[keep], None if d is None else d[keep]
