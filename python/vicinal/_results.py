"""Results: arrays in the memory of the library, which live as long as somebody uses them."""

import ctypes as c
import html
import json
import operator

import numpy as np

from . import _library as lib

_ResultPointer = c.POINTER(lib.Result)
_INDEX_TYPES = ("<u4", "<i4", "<i8")
_SCALAR_TYPES = {lib.FLOAT: "<f4", lib.DOUBLE: "<f8"}


class _Memory:
    """What numpy needs to make an array in memory that `owner` keeps."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner, address, shape, typestr):
        self.owner = owner
        self.__array_interface__ = {
            "data": (address, False), "shape": shape, "typestr": typestr, "version": 3,
        }


def array_at(owner, address, shape, typestr):
    """An array at an address, without a copy; `owner` lives as long as the array."""
    if 0 in shape:
        return np.empty(shape, typestr)
    return np.asarray(_Memory(owner, address, shape, typestr))


class Owned:
    """A result of the library, released with the last array that uses it."""

    __slots__ = ("pointer", "at", "fields", "_release")

    def __init__(self):
        self.pointer = _ResultPointer()
        self.at = c.byref(self.pointer)
        self._release = lib.lib.vicinal_release

    def __del__(self):
        if self.pointer:
            self._release(self.pointer)

    def __reduce__(self):
        raise TypeError("results cannot be pickled or deep-copied; take their arrays instead")

    def take(self):
        """Reads the struct, after the library has filled in the pointer."""
        self.fields = self.pointer.contents
        return self


class _Columns:
    """The columns of pairs and of rows."""

    __slots__ = ("_owned", "_letters", "_imaged", "_finder", "_search", "_report", "_cache")

    def __init__(self, owned, letters, imaged, finder=None):
        self._owned = owned
        self._letters = letters
        self._imaged = imaged
        self._finder = finder  # of the library; knows the report until it searches again
        self._search = finder and finder.searches
        self._report = None
        self._cache = {}

    def _column(self, name, width, typestr):
        if name not in self._cache:
            fields = self._owned.fields
            shape = (fields.count, width) if width else (fields.count,)
            self._cache[name] = array_at(self._owned, getattr(fields, name), shape, typestr)
        return self._cache[name]

    @property
    def images(self):
        """The image of each j, in lattice vectors; None unless requested, and in open domains."""
        if "S" not in self._letters or not self._imaged:
            return None
        return self._column("images", self._owned.fields.dimension, "<i2")

    @property
    def distances(self):
        """The distance of each pair; None unless requested."""
        if "d" not in self._letters:
            return None
        return self._column("distances", 0, _SCALAR_TYPES[self._owned.fields.scalar])

    @property
    def vectors(self):
        """The vector from i to j of each pair; None unless requested."""
        if "D" not in self._letters:
            return None
        fields = self._owned.fields
        return self._column("vectors", fields.dimension, _SCALAR_TYPES[fields.scalar])

    @property
    def report(self):
        """What the search did, as a dictionary: method, why, pairs, bytes, seconds and more.

        To be read before the next search of the same finder. A batch has none.
        """
        if self._report is None and self._finder is not None:
            if self._finder.searches != self._search:
                raise lib.Error(
                    "the finder has searched again; read the report before its next search"
                )
            self._report = json.loads(self._finder.report())
        return self._report

    def detached(self):
        """The result with its report, but without the finder and its memory."""
        self.report  # noqa: B018
        self._finder = None
        return self

    def _table(self, head):
        names = ["images", "distances", "vectors"]
        columns = [head] + [v for v in (getattr(self, n) for n in names) if v is not None]
        titles = "".join(
            f"<th>{t}</th>"
            for t in ["i", "j"] + [n for n in names if getattr(self, n) is not None]
        )
        lines = []
        for k in range(min(len(head), 8)):
            cells = [str(v) for v in head[k]] + [str(v[k]) for v in columns[1:]]
            lines.append("<tr>" + "".join(f"<td>{t}</td>" for t in cells) + "</tr>")
        rest = f"<p>... {len(head) - 8} more</p>" if len(head) > 8 else ""
        return (
            f"<p>{html.escape(repr(self))}</p><table><thead><tr>{titles}</tr></thead>"
            f"<tbody>{''.join(lines)}</tbody></table>{rest}"
        )


class Pairs(_Columns):
    """Pairs as arrays: `i`, `j`, and the columns that were requested.

    >>> import vicinal
    >>> p = vicinal.pairs([[0, 0, 0], [1, 0, 0], [3, 0, 0]], cutoff=1.5, columns="ijd")
    >>> p.i, p.j, p.distances
    (array([0], dtype=uint32), array([1], dtype=uint32), array([1.]))
    """

    __slots__ = ()

    def __len__(self):
        return self._owned.fields.count

    @property
    def indices(self):
        """All pairs: n x 2, or 2 x n with layout="two_by_n"."""
        if "indices" not in self._cache:
            f = self._owned.fields
            shape = (f.count, 2) if f.layout == lib.N_BY_2 else (2, f.count)
            self._cache["indices"] = array_at(
                self._owned, f.indices, shape, _INDEX_TYPES[f.index]
            )
        return self._cache["indices"]

    def _side(self, which):
        by_pair = self._owned.fields.layout == lib.N_BY_2
        return self.indices[:, which] if by_pair else self.indices[which]

    @property
    def i(self):
        """The first body of each pair."""
        return self._side(0)

    @property
    def j(self):
        """The second body of each pair."""
        return self._side(1)

    @property
    def edge_index(self):
        """2 x n, int64, as graph networks expect it; without a copy if the pairs were found
        with index="int64" and layout="two_by_n"."""
        indices = self.indices
        if self._owned.fields.layout == lib.N_BY_2:
            indices = indices.T
        return np.ascontiguousarray(indices, np.int64)

    def __repr__(self):
        return f"<vicinal.Pairs: {len(self)} pairs, columns {self._letters}>"

    def _repr_html_(self):
        head = self.indices if self._owned.fields.layout == lib.N_BY_2 else self.indices.T
        return self._table(head)


class Rows(_Columns):
    """Neighbours as compressed sparse rows: `rows[k]` are the neighbours of body k.

    >>> import vicinal
    >>> rows = vicinal.neighbours([[0, 0], [1, 0], [2, 0]], 1.5)
    >>> [sorted(row.tolist()) for row in rows]
    [[1], [0, 2], [1]]
    """

    __slots__ = ("_width",)

    def __init__(self, owned, letters, imaged, width, finder=None):
        super().__init__(owned, letters, imaged, finder)
        self._width = width

    def __len__(self):
        return self._owned.fields.rows

    @property
    def offsets(self):
        """Row k has the entries offsets[k] ... offsets[k + 1] - 1."""
        if "offsets" not in self._cache:
            f = self._owned.fields
            self._cache["offsets"] = array_at(self._owned, f.offsets, (f.rows + 1,), "<u8")
        return self._cache["offsets"]

    @property
    def indices(self):
        """The neighbours of all rows."""
        return self._column("indices", 0, _INDEX_TYPES[self._owned.fields.index])

    @property
    def bodies(self):
        """The body of each row."""
        f = self._owned.fields
        typestr = _INDEX_TYPES[f.index]
        if not f.bodies:
            return np.arange(f.rows, dtype=typestr)
        return array_at(self._owned, f.bodies, (f.rows,), typestr)

    @property
    def counts(self):
        """The number of neighbours of each row."""
        return np.diff(self.offsets.view(np.int64))

    def __getitem__(self, k):
        return self.indices[self.slice(k)]

    def slice(self, k):
        """The entries of row k, for any column: rows.vectors[rows.slice(7)]."""
        n = len(self)
        k = operator.index(k)
        if not -n <= k < n:
            raise IndexError(f"row {k} of {n}")
        return slice(*self.offsets[k % n : k % n + 2].tolist())

    def to_scipy(self):
        """A scipy.sparse.csr_array of the distances, or of ones if they were not requested.

        Several images of one body become several entries, which scipy adds up if asked to.

        >>> import vicinal
        >>> rows = vicinal.neighbours([[0, 0], [2, 0], [5, 0]], 2, columns="ijd")
        >>> rows.to_scipy().toarray().tolist()
        [[0.0, 2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        """
        from scipy.sparse import csr_array

        if self._owned.fields.bodies:
            raise lib.OptionError("to_scipy() needs rows in the order of the bodies")
        values = self.distances if self.distances is not None else np.ones(len(self.indices))
        index = np.int32 if len(values) < 2**31 else np.int64
        arrays = (values, self.indices.astype(index), self.offsets.astype(index))
        return csr_array(arrays, (len(self), self._width))

    def __repr__(self):
        return (
            f"<vicinal.Rows: {len(self)} rows, {self._owned.fields.count} neighbours, columns "
            f"{self._letters}>"
        )

    def _repr_html_(self):
        first = np.repeat(self.bodies, self.counts)
        return self._table(np.stack([first, self.indices], axis=1))


class Changes:
    """Which pairs began, ended, or go on under another image since the last call.

    `began` and `ended` are n x 2 arrays of ids, `began_images` and `ended_images` the images.
    `renamed_from` and `renamed_to`, and their images, are pairs whose bodies were wrapped.
    """

    __slots__ = tuple(
        name + suffix
        for name in ("began", "ended", "renamed_from", "renamed_to")
        for suffix in ("", "_images")
    )

    def __init__(self, struct, dimension):
        for name in ("began", "ended", "renamed_from", "renamed_to"):
            keys = getattr(struct, name)
            pairs = array_at(None, keys.pairs, (keys.count, 2), "<u4")
            images = array_at(None, keys.images, (keys.count, dimension), "<i2")
            setattr(self, name, pairs.copy())
            setattr(self, name + "_images", images.copy())

    def __repr__(self):
        return f"<vicinal.Changes: {len(self.began)} began, {len(self.ended)} ended>"
