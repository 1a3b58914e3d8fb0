"""The finder, and the calls that need none."""

import ctypes as c
import json
import math

import numpy as np

from . import _library as lib
from ._bodies import domain_of, refuse, view_of, whole
from ._results import Changes, Owned, Pairs, Rows
from ._stream import blocks_of

_SEARCH = lib.lib
_call = lib.call
_forms = {}  # of all combinations in use; there are few


def form_of(
    columns, full=False, sorted=False, index="uint32", layout="n_by_2", spatial=False
):
    """A pointer to the form of a result. A small search takes as long as making one."""
    key = (columns, full, sorted, index, layout, spatial)
    try:
        form = _forms.get(key)
    except TypeError:  # not hashable
        raise lib.OptionError(
            f"one of {key} is not what it should be; columns, index and layout are words, full, "
            "sorted and spatial True or False"
        ) from None
    if form is None:
        form = lib.Form()
        if not isinstance(columns, str) or not columns.isalpha() or not columns.isascii():
            raise lib.OptionError(f"columns is {columns!r}; give letters such as 'ijSdD'")
        if index not in lib.INDICES:
            raise lib.OptionError(f"there is no index type {index!r}; use {list(lib.INDICES)}")
        if layout not in ("n_by_2", "two_by_n"):
            raise lib.OptionError(f"there is no layout {layout!r}; use 'n_by_2' or 'two_by_n'")
        form.columns = columns.encode()
        form.order = int(bool(sorted))
        form.kind = lib.FULL if full else lib.HALF
        form.layout = int(layout == "two_by_n")
        form.index = lib.INDICES[index]
        form.row_order = int(bool(spatial))
        form = _forms[key] = c.pointer(form)
    return form


def set_options(options, method, threads, max_pairs, max_bytes):
    if "\0" in method or not method.isascii():
        raise lib.OptionError(f"there is no method {method!r}; vicinal.methods() lists them")
    options.method = method.encode()
    options.threads = whole(threads, "threads", most=2**31 - 1)
    options.interruptible = 1
    if max_pairs is not None:
        options.max_pairs = whole(max_pairs, "max_pairs", 1)
    if max_bytes is not None:
        options.max_bytes = whole(max_bytes, "max_bytes", 1)


class _Handle:
    """A finder of the library, for one scalar type and dimension."""

    __slots__ = ("pointer", "options", "domain", "imaged", "updates", "searches", "_free")

    def __init__(self, owner, scalar, dimension):
        options = self.options = lib.Options()
        options.dimension = dimension
        options.scalar = lib.FLOAT if scalar == np.float32 else lib.DOUBLE
        self.domain = owner._domain
        options.domain = c.pointer(self.domain)
        set_options(options, owner.method, owner.threads, owner.max_pairs, owner.max_bytes)
        self.imaged = is_periodic(self.domain, dimension)
        self.updates = self.searches = 0
        self.pointer = c.c_void_p()
        self._free = _SEARCH.vicinal_free
        _call(_SEARCH.vicinal_new, c.byref(options), c.byref(self.pointer))

    def __del__(self):
        if getattr(self, "pointer", None):
            self._free(self.pointer)

    def report(self):
        text = c.c_char_p()
        _call(_SEARCH.vicinal_report, self.pointer, c.byref(text))
        return text.value

    def search(self, function, *arguments):
        """The result of a function of the library, whose last argument it is."""
        owned = Owned()
        self.searches += 1
        _call(function, self.pointer, *arguments, owned.at)
        return owned.take()

    def pairs(self, function, view, columns, form):
        return Pairs(self.search(function, view, form), columns, self.imaged, self)

    def rows(self, function, view, columns, form, width):
        owned = self.search(function, view, form)
        return Rows(owned, columns, self.imaged, width, self)

    def nearest(self, view, k, max_distance, columns, form, width):
        arguments = (view, whole(k, "k", 1), max_distance, form)
        owned = self.search(_SEARCH.vicinal_nearest, *arguments)
        return Rows(owned, columns, self.imaged, width, self)

    def count(self, view):
        self.searches += 1
        count = c.c_uint64()
        _call(_SEARCH.vicinal_count, self.pointer, view, c.byref(count))
        return count.value


def is_periodic(domain, dimension):
    return domain.kind != lib.OPEN and not all(domain.open_axes[:dimension])


class Finder:
    """Finds which bodies are close enough to interact, and keeps its memory between searches.

    Bodies are points, `x` (n x 2 or n x 3) and `cutoff`; spheres, `x` and `radii`; or axis-aligned
    boxes, `lower` and `upper`. Each search takes them as arguments.

    >>> f = Finder(box=10.0)
    >>> f.pairs([[0.1, 5, 5], [9.8, 5, 5]], cutoff=1).images
    array([[-1,  0,  0]], dtype=int16)

    box         one length, a length for each axis, or lattice vectors as rows; None: open
    periodic    which axes are periodic
    shear       Lees-Edwards: the offset of the image across x, or (offset, change)
    method      "name(key=value, ...)"; vicinal.methods() lists them
    threads     0: the environment variable VICINAL_THREADS, or all cores
    max_pairs   more pairs than this are a LimitError
    max_bytes   more memory than this is a LimitError
    """

    def __init__(
        self, box=None, periodic=True, shear=None, method="auto", threads=0, max_pairs=None,
        max_bytes=None,
    ):
        self._arguments = (box, periodic, shear, method, threads, max_pairs, max_bytes)
        self.method = str(method)
        self.threads = threads
        self.max_pairs = max_pairs
        self.max_bytes = max_bytes
        self._domain, self._dimension = domain_of(box, periodic, shear)
        self._handles = {}
        self._last = self._handle(np.dtype(np.float64), self._dimension or 3)  # checks the options

    def __reduce__(self):
        """Pickles the options, not the memory."""
        return Finder, self._arguments

    def __repr__(self):
        names = ("box", "periodic", "shear", "method", "threads", "max_pairs", "max_bytes")
        defaults = (None, True, None, "auto", 0, None, None)
        given = [
            f"{name}={value!r}"
            for name, value, default in zip(names, self._arguments, defaults)
            if value is not default
        ]
        return f"vicinal.Finder({', '.join(given)})"

    def _handle(self, scalar, dimension):
        if self._dimension not in (None, dimension):
            refuse(
                f"the box is {self._dimension}-D but the bodies are {dimension}-D; give `box` and "
                "`periodic` for each axis of the bodies"
            )
        handle = self._handles.get((scalar, dimension))
        if handle is None:
            handle = self._handles[scalar, dimension] = _Handle(self, scalar, dimension)
        self._last = handle
        return handle

    def _begin(self, view):
        """The library's finder for the bodies, and the bodies if it has not taken them."""
        handle = self._handle(view.scalar, view.dimension)
        handle.updates += 1
        if handle.domain is self._domain:
            return handle, view.at
        self._update(handle, view)
        return handle, None

    def _update(self, handle, view):
        domain = self._domain
        _call(_SEARCH.vicinal_update, handle.pointer, view.at, c.byref(domain))
        handle.domain = domain
        handle.imaged = is_periodic(domain, view.dimension)

    def set_box(self, box=None, periodic=True, shear=None):
        """Another domain from the next search on: a box that changes size, a shear that advances.

        >>> f = Finder(box=10)
        >>> f.set_box(9.5)
        >>> f.count([[0.1, 5, 5], [9.1, 5, 5]], cutoff=1)
        1
        """
        domain, dimension = domain_of(box, periodic, shear)
        self._domain, self._dimension = domain, dimension
        self._arguments = (box, periodic, shear, *self._arguments[3:])

    @property
    def report(self):
        """What the last search did, as a dictionary.

        >>> f = Finder(method="kd_tree")
        >>> f.count([[0, 0], [1, 0]], cutoff=1), f.report["pairs"], f.report["method"][:7]
        (1, 1, 'kd_tree')
        """
        return json.loads(self._last.report())

    def pairs(
        self, x=None, cutoff=None, *, columns="ijS", full=False, sorted=False, index="uint32",
        layout="n_by_2", **bodies,
    ):
        """All pairs of bodies that are close enough, each once with i < j.

        columns   letters: "ij" and any of S (images), d (distances), D (vectors)
        full      also (j, i)
        sorted    by (i, j, image); otherwise the order depends on input and method
        index     type of the indices: "uint32", "int32" or "int64"
        layout    "n_by_2" or "two_by_n"
        bodies    of spheres and boxes: radii, rule, lower, upper; of all: displacement, kinds,
                  group, mask, ids, excluded, vertices

        >>> p = Finder().pairs([[0, 0], [3, 4]], cutoff=5, columns="ijdD", full=True)
        >>> p.indices.tolist(), p.distances.tolist(), p.vectors.tolist()
        ([[0, 1], [1, 0]], [5.0, 5.0], [[3.0, 4.0], [-3.0, -4.0]])
        """
        view = view_of(x, cutoff, **bodies)
        form = form_of(columns, full, sorted, index, layout)
        handle, taken = self._begin(view)
        return handle.pairs(_SEARCH.vicinal_pairs, taken, columns, form)

    def neighbours(
        self, x=None, cutoff=None, *, columns="ijS", full=True, sorted=False, index="uint32",
        spatial=False, **bodies,
    ):
        """The neighbours of each body. With spatial=True, row k is that of body rows.bodies[k].

        >>> rows = Finder(box=10).neighbours([[0, 0], [1, 0], [9, 0]], cutoff=1, sorted=True)
        >>> [row.tolist() for row in rows], rows.images.tolist()
        ([[1, 2], [0], [0]], [[0, 0], [-1, 0], [0, 0], [1, 0]])
        """
        view = view_of(x, cutoff, **bodies)
        form = form_of(columns, full, sorted, index, "n_by_2", spatial)
        handle, taken = self._begin(view)
        return handle.rows(_SEARCH.vicinal_neighbours, taken, columns, form, view.count)

    def count(self, x=None, cutoff=None, **bodies):
        """The number of pairs.

        >>> Finder().count([[0, 0], [1, 0], [5, 0]], radii=[1, 0.5, 3])
        1
        """
        view = view_of(x, cutoff, **bodies)
        handle, taken = self._begin(view)
        return handle.count(taken)

    def nearest(self, x, k, *, max_distance=math.inf, columns="ijSd", index="uint32", **bodies):
        """The k nearest neighbours of each body, nearest first.

        >>> Finder().nearest([[0, 0], [1, 0], [3, 0]], 1).indices
        array([1, 0, 1], dtype=uint32)
        """
        if "cutoff" in bodies:
            refuse("nearest neighbours have no cut-off; give max_distance")
        view = view_of(x, needs_cutoff=False, **bodies)
        form = form_of(columns, True, False, index)
        handle, taken = self._begin(view)
        if taken is not None:
            self._update(handle, view)
        return handle.nearest(None, k, max_distance, columns, form, view.count)

    def stream(self, x=None, cutoff=None, *, columns="ijS", **bodies):
        """Yields blocks of pairs, without storing all of them: for b in f.stream(x, 5.0): ...

        Each block has i, j, indices, images, distances, vectors like Pairs. Blocks come in no
        fixed order. The arrays of the bodies are copied, so that they may change in the loop.

        >>> sum(len(block) for block in Finder().stream([[0, 0], [1, 0], [2, 0]], 1.5))
        2
        """
        view = view_of(x, cutoff, copies=True, **bodies)
        handle, taken = self._begin(view)
        return blocks_of(handle, view, taken, columns, form_of(columns))

    def hold(self, x=None, cutoff=None, **bodies):
        """Takes the bodies once, for several searches: with f.hold(x, 5.0) as s: s.count() ...

        The arrays are copied, so that they cannot change between two searches.

        >>> with Finder().hold([[0, 0], [1, 0], [5, 0]], 1.5) as s:
        ...     s.count(), s.nearest(k=1).indices.tolist()
        (1, [1, 0, 1])
        """
        view = view_of(x, cutoff, copies=True, **bodies)
        handle, taken = self._begin(view)
        if taken is not None:
            self._update(handle, view)
        return Held(handle, view)


class Held:
    """Bodies that a finder has taken, for several searches. Made by Finder.hold().

    >>> with Finder().hold([[0, 0], [1, 0], [5, 0]], 1.5) as s:
    ...     s.count(), s.probe([[4.5, 0]], 1.0).j
    (1, array([2], dtype=uint32))
    """

    def __init__(self, handle, view):
        self._handle = handle
        self._view = view
        self._updates = handle.updates

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._view = None

    def _checked(self):
        if self._view is None:
            raise lib.Error("the bodies are no longer held; search inside the with statement")
        if self._handle.updates != self._updates:
            raise lib.Error("the finder has taken other bodies since; use another finder for them")
        return self._handle

    def _queries(self, x, cutoff, bodies):
        """A view of a second set, of the type of the bodies."""
        view = view_of(x, cutoff, needs_cutoff=False, scalar=self._view.scalar, **bodies)
        if view.dimension != self._view.dimension:
            refuse(
                f"the queries are {view.dimension}-D but the bodies are {self._view.dimension}-D"
            )
        return view

    @property
    def report(self):
        """As Finder.report."""
        return json.loads(self._checked().report())

    def pairs(self, *, columns="ijS", full=False, sorted=False, index="uint32", layout="n_by_2"):
        """As Finder.pairs()."""
        form = form_of(columns, full, sorted, index, layout)
        return self._checked().pairs(_SEARCH.vicinal_pairs, None, columns, form)

    def neighbours(self, *, columns="ijS", full=True, sorted=False, index="uint32", spatial=False):
        """As Finder.neighbours()."""
        form = form_of(columns, full, sorted, index, "n_by_2", spatial)
        handle = self._checked()
        return handle.rows(_SEARCH.vicinal_neighbours, None, columns, form, self._view.count)

    def count(self):
        """The number of pairs."""
        return self._checked().count(None)

    def stream(self, *, columns="ijS"):
        """As Finder.stream()."""
        return blocks_of(self._checked(), self._view, None, columns, form_of(columns))

    def pairs_with(
        self, x=None, cutoff=None, *, columns="ijS", sorted=False, index="uint32",
        layout="n_by_2", **bodies,
    ):
        """Pairs between another set (i) and the bodies (j), by the rule within one set.

        >>> with Finder().hold([[0, 0], [5, 0]], radii=[1, 2]) as s:
        ...     s.pairs_with([[2.5, 0]], radii=[1]).indices.tolist()
        [[0, 1]]
        """
        handle, view = self._checked(), self._queries(x, cutoff, bodies)
        form = form_of(columns, False, sorted, index, layout)
        return handle.pairs(_SEARCH.vicinal_pairs_with, view.at, columns, form)

    def rows_with(
        self, x=None, cutoff=None, *, columns="ijS", sorted=False, index="uint32", **bodies
    ):
        """As pairs_with(), as rows: row i holds the bodies that pair with the i-th of the set."""
        handle, view = self._checked(), self._queries(x, cutoff, bodies)
        form = form_of(columns, True, sorted, index)
        return handle.rows(_SEARCH.vicinal_rows_with, view.at, columns, form, self._view.count)

    def probe(
        self, x=None, cutoff=None, *, columns="ijS", sorted=False, index="uint32",
        layout="n_by_2", **bodies,
    ):
        """Pairs (query, body). Queries have any shape and sizes of their own: points with a
        cutoff, spheres, boxes; with a displacement, points are line segments.

        >>> with Finder().hold([[0, 0], [5, 0]], radii=1) as s:
        ...     s.probe(lower=[[4, -1]], upper=[[9, 1]]).j.tolist()
        ...     s.probe([[-3, 0]], displacement=[[9, 0]]).j.tolist()
        [1]
        [0, 1]
        """
        handle, view = self._checked(), self._queries(x, cutoff, bodies)
        form = form_of(columns, False, sorted, index, layout)
        return handle.pairs(_SEARCH.vicinal_probe, view.at, columns, form)

    def probe_rows(
        self, x=None, cutoff=None, *, columns="ijS", sorted=False, index="uint32", **bodies
    ):
        """As probe(), as rows: row i holds the bodies that meet query i."""
        handle, view = self._checked(), self._queries(x, cutoff, bodies)
        form = form_of(columns, True, sorted, index)
        return handle.rows(_SEARCH.vicinal_probe_rows, view.at, columns, form, self._view.count)

    def nearest(
        self, x=None, k=1, *, max_distance=math.inf, columns="ijSd", index="uint32", **bodies
    ):
        """The k nearest bodies of each query x; without x, of each of the bodies.

        >>> with Finder().hold([[0, 0], [5, 0]], 1) as s:
        ...     s.nearest([[2, 0]], 2).distances.tolist()
        [2.0, 3.0]
        """
        handle = self._checked()
        at = view = None
        if x is not None or bodies:
            view = self._queries(x, None, bodies)
            at = view.at
        form = form_of(columns, True, False, index)
        return handle.nearest(at, k, max_distance, columns, form, self._view.count)

    def changes(self):
        """Which pairs began and ended since the last call of changes() on this finder.

        >>> f = Finder()
        >>> with f.hold([[0, 0], [1, 0], [9, 0]], 1) as s:
        ...     s.changes()
        <vicinal.Changes: 1 began, 0 ended>
        >>> with f.hold([[0, 0], [8, 0], [9, 0]], 1) as s:
        ...     changes = s.changes()
        ...     changes.began.tolist(), changes.ended.tolist()
        ([[1, 2]], [[0, 1]])
        """
        handle = self._checked()
        changes = c.POINTER(lib.Changes)()
        _call(_SEARCH.vicinal_changes, handle.pointer, c.byref(changes))
        try:
            return Changes(changes.contents, self._view.dimension)
        finally:
            _SEARCH.vicinal_release_changes(changes)

    def order(self):
        """An order in which neighbours are near each other in memory: x[s.order()].

        >>> with Finder().hold([[0, 0], [9, 0], [1, 0]], 1) as s:
        ...     sorted(s.order().tolist())
        [0, 1, 2]
        """
        handle = self._checked()
        order = np.empty(self._view.count, np.uint32)
        _call(_SEARCH.vicinal_order, handle.pointer, order.ctypes.data, len(order))
        return order
