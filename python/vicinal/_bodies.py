"""The caller's arrays as views for the library."""

import ctypes as c
import operator

import numpy as np

from . import _library as lib

_SIZE, _NONE = c.sizeof(lib.Bodies), lib.Column()
_SCALARS = {np.dtype(np.float32): lib.FLOAT, np.dtype(np.float64): lib.DOUBLE}


def refuse(message, element=None):
    error = lib.InputError(message)
    error.element = element
    raise error


def array_of(given, name):
    """Any array, without a copy where it is in the memory of the CPU."""
    if type(given) is np.ndarray:
        return given
    if not hasattr(given, "__array__") and hasattr(given, "__dlpack__"):
        try:
            return np.from_dlpack(given)
        except (RuntimeError, TypeError, BufferError) as error:
            refuse(f"{name}: the array is not in the memory of the CPU ({error}); copy it there")
    if isinstance(given, np.ma.MaskedArray):
        if np.ma.is_masked(given):
            refuse(f"{name} is a masked array; remove its masked elements")
        return given.data
    try:
        return np.asarray(given)
    except (TypeError, RuntimeError) as error:  # what tensors on a GPU raise
        refuse(f"{name}: {error}")
    except ValueError as error:  # rows of different lengths
        refuse(f"{name}: {error}; give an array with one row for each body")


def viewable(array):
    """True if the library can read the array where it is."""
    return array.flags.aligned and array.dtype.isnative and 0 not in array.strides


class BodyView:
    """Bodies as a struct of the library, and the arrays that it points to."""

    __slots__ = ("struct", "scalar", "dimension", "count", "at", "_arrays", "_copies")

    def __init__(self, first, copies):
        self.scalar = first.dtype
        self.count, self.dimension = first.shape
        self._arrays = []
        self._copies = copies
        first, address = self.keep(first)
        # All at once: a search among ten bodies takes as long as setting a few fields.
        self.struct = lib.Bodies(
            _SIZE, self.dimension, _SCALARS[self.scalar], 0, 0, self.count, 0.0, 0.0, _NONE,
            lib.Vectors(address, *first.strides),
        )
        self.at = c.addressof(self.struct)

    def keep(self, array):
        """The array, or a copy of it, that lives as long as the view; and its address."""
        if self._copies:
            array = array.copy()
        self._arrays.append(array)
        return array, array.__array_interface__["data"][0]

    def vectors(self, field, array, name):
        if len(array) != self.count:
            refuse(f"{name} has {len(array)} rows, but there are {self.count} bodies")
        array, field.data = self.keep(array)
        field.stride, field.axis_stride = array.strides

    def column(self, field, given, name, dtype):
        array = column_of(given, name, dtype)
        if len(array) != self.count:
            refuse(f"{name} has {len(array)} elements, but there are {self.count} bodies")
        array, field.data = self.keep(array)
        field.stride = array.strides[0]


def vectors_of(given, name, dimension=None, dtype=None):
    """An array n x 2 or n x 3 of the type, or of float32 or float64, that the library can read."""
    array = array_of(given, name)
    if array.ndim != 2 or array.shape[1] not in ((2, 3) if dimension is None else (dimension,)):
        columns = "2 or 3 columns" if dimension is None else f"{dimension} columns"
        refuse(f"{name} has the shape {array.shape}; give one row for each body, with {columns}")
    if dtype is None:
        dtype = scalar_type(array, name)
    if array.dtype != dtype:
        return converted(array, name, dtype)
    return array if viewable(array) else np.array(array, dtype, order="C", copy=True)


def scalar_type(array, name):
    if array.dtype in _SCALARS:
        return array.dtype
    if array.dtype.kind not in "fiub":
        refuse(f"{name} has the type {array.dtype}; give numbers, float32 or float64")
    return np.dtype(np.float32 if array.dtype in (np.float16, ">f4") else np.float64)


def converted(array, name, dtype):
    if array.dtype.kind not in "fiub":
        refuse(f"{name} has the type {array.dtype}; give numbers")
    return np.ascontiguousarray(array, dtype)


def column_of(given, name, dtype):
    """A one-dimensional array of the type that the library can read."""
    array = array_of(given, name)
    if array.ndim != 1:
        refuse(f"{name} has the shape {array.shape}; give one number for each body")
    if array.dtype == dtype:
        return array if viewable(array) else np.ascontiguousarray(array.copy())
    if np.dtype(dtype).kind in "iu":
        return whole_numbers(array, name, dtype)
    return converted(array, name, dtype)


def whole_numbers(array, name, dtype):
    """The array in another integer type, which must hold all its values."""
    if array.dtype.kind not in "iub" and array.size > 0:
        refuse(f"{name} has the type {array.dtype}; give whole numbers")
    limits = np.iinfo(dtype)
    wrong = np.flatnonzero((array < limits.min) | (array > limits.max)) if array.size else []
    if len(wrong):
        refuse(
            f"{name}: {array.flat[wrong[0]]} is not a number from {limits.min} to {limits.max}",
            int(wrong[0]),
        )
    return np.ascontiguousarray(array, dtype)


def _table(view, cutoff, kinds):
    table = array_of(cutoff, "cutoff")
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        refuse(f"the cut-offs of kinds have the shape {table.shape}; give a square table")
    table = np.ascontiguousarray(table, view.scalar)
    _, view.struct.cutoffs = view.keep(table)
    view.struct.kinds = len(table)
    view.column(view.struct.kind, kinds, "kinds", np.int32)


def _filters(view, group, mask, ids, excluded, vertices):
    struct = view.struct
    for field, given, name in (
        (struct.group, group, "group"),
        (struct.mask, mask, "mask"),
        (struct.id, ids, "ids"),
    ):
        if given is not None:
            view.column(field, given, name, np.uint32)
    if excluded is not None:
        pairs = array_of(excluded, "excluded")
        if pairs.size == 0:
            pairs = np.empty((0, 2), np.uint32)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            refuse(f"excluded has the shape {pairs.shape}; give one row (i, j) for each pair")
        pairs = whole_numbers(pairs, "excluded", np.uint32)
        _, struct.excluded = view.keep(pairs)
        struct.excluded_count = len(pairs)
    if vertices is not None:
        numbers = array_of(vertices, "vertices")
        if numbers.ndim != 2 or len(numbers) != view.count:
            refuse(f"vertices has the shape {numbers.shape}; give one row for each body")
        numbers = whole_numbers(numbers, "vertices", np.uint32)
        _, struct.vertices = view.keep(numbers)
        struct.vertices_per_body = numbers.shape[1]


def view_of(
    x=None, cutoff=None, *, radii=None, lower=None, upper=None, rule="sum", displacement=None,
    kinds=None, group=None, mask=None, ids=None, excluded=None, vertices=None,
    needs_cutoff=True, scalar=None, copies=False, **unknown,
):
    """Points (x and cutoff), spheres (x and radii) or boxes (lower and upper)."""
    if unknown:
        raise TypeError(f"there is no argument {next(iter(unknown))!r}")
    if x is None:
        if lower is None or upper is None:
            refuse("give positions x, or the corners of boxes, lower and upper")
        if cutoff is not None or radii is not None:
            refuse("boxes have neither a cut-off nor radii")
        first = array_of(lower, "lower")
        dtype = scalar or scalar_type(first, "lower")
        if dtype == np.float32 and scalar is None:  # float64 if either is
            dtype = np.result_type(dtype, scalar_type(array_of(upper, "upper"), "upper"))
        first = vectors_of(first, "lower", dtype=dtype)
    else:
        if lower is not None or upper is not None:
            refuse("give positions x or the corners of boxes, lower and upper, but not both")
        first = vectors_of(x, "x", dtype=scalar)
    view = BodyView(first, copies)
    struct = view.struct
    if upper is not None:
        struct.shape = lib.SHAPES["boxes"]
        corners = vectors_of(upper, "upper", view.dimension, view.scalar)
        view.vectors(struct.upper, corners, "upper")
    elif radii is not None:
        if cutoff is not None:
            refuse("give a cut-off for points or radii for spheres, but not both")
        _spheres(view, radii, rule)
    elif kinds is not None:
        _table(view, cutoff, kinds)
    elif cutoff is not None:
        try:
            struct.cutoff = cutoff
        except TypeError:
            refuse(f"the cut-off is {cutoff!r}; give one number, or a table for kinds")
    elif needs_cutoff:
        refuse("give a cut-off for points, or radii for spheres")
    if displacement is not None:
        motion = vectors_of(displacement, "displacement", view.dimension, view.scalar)
        view.vectors(struct.displacement, motion, "displacement")
    if not (group is mask is ids is excluded is vertices is None):  # one of them is given
        _filters(view, group, mask, ids, excluded, vertices)
    return view


def _spheres(view, radii, rule):
    struct = view.struct
    struct.shape = lib.SHAPES["spheres"]
    if rule not in lib.RULES:
        raise lib.OptionError(f"there is no rule {rule!r}; use 'sum', 'max' or 'min'")
    struct.rule = lib.RULES[rule]
    radii = array_of(radii, "radii")
    if radii.dtype.kind not in "fiub":
        refuse(f"radii has the type {radii.dtype}; give numbers")
    if radii.ndim == 0:
        struct.equal_radius = radii
    else:
        view.column(struct.radius, radii, "radii", view.scalar)


def numbers_of(given, name):
    """A small array of doubles."""
    array = array_of(given, name)
    if array.dtype.kind not in "fiub":
        refuse(f"{name} is {given!r}; give numbers")
    return np.asarray(array, float)


def whole(value, name, least=0, most=2**63 - 1):
    """A whole number of the caller as an int."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or not least <= number <= most:
        raise lib.OptionError(f"{name} is {value!r}; give a whole number from {least} to {most}")
    return number


def domain_of(box, periodic=True, shear=None):
    """A domain of the library and its dimension (None if it is open)."""
    domain = lib.Domain()
    if box is None:
        if shear is not None:
            refuse("a shear needs a box; give the lengths of the box")
        return domain, None
    lengths = numbers_of(box, "box")
    if lengths.shape not in ((), (2,), (3,), (2, 2), (3, 3)):
        refuse(
            f"box has the shape {lengths.shape}; give one length, a length for each axis, or the "
            "lattice vectors as rows"
        )
    return domain, _fill(domain, lengths, periodic, shear)


def _fill(domain, lengths, periodic, shear):
    axes = np.ravel(np.asarray(periodic))
    dimension = lengths.shape[0] if lengths.ndim else (axes.size if axes.size > 1 else None)
    if axes.dtype.kind not in "biu" or (axes.size not in (1, dimension or axes.size)) or not (
        0 < axes.size <= 3
    ):
        refuse(f"periodic is {periodic!r}; give one bool, or one for each axis")
    domain.open_axes = tuple(int(not axes[a % axes.size]) for a in range(3))
    if lengths.ndim == 2:
        if shear is not None:
            refuse("give a shear with the lengths of the box, or lattice vectors, but not both")
        domain.kind = lib.TRICLINIC
        vectors = _completed(lengths, domain.open_axes)
        for a, row in enumerate(vectors):
            domain.vectors[a][: len(row)] = row
        return dimension
    domain.kind = lib.ORTHOGONAL
    each = np.broadcast_to(lengths, 3) if lengths.ndim == 0 else lengths
    domain.lengths[: len(each)] = each
    if shear is not None:
        domain.kind = lib.SHEARED
        offset = np.ravel(numbers_of(shear, "shear"))
        if offset.size not in (1, 2):
            refuse(f"shear is {shear!r}; give the offset, or (offset, change during the step)")
        domain.offset = offset[0]
        domain.change = offset[1] if offset.size == 2 else 0
    return dimension


def _completed(vectors, open_axes):
    """Replaces zero vectors of open axes, whose length does not matter, by independent ones."""
    missing = [a for a in range(len(vectors)) if open_axes[a] and not vectors[a].any()]
    if not missing:
        return vectors
    vectors = vectors.copy()
    _, _, normal = np.linalg.svd(np.delete(vectors, missing, axis=0))
    vectors[missing] = normal[len(vectors) - len(missing) :]
    return vectors
