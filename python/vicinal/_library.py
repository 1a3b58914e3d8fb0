"""The C library: structs, functions and errors. The structs are those of vicinal.h."""

import ctypes as c
import os
import pathlib

_int, _long, _number, _pointer = c.c_int32, c.c_uint64, c.c_double, c.c_void_p


class Column(c.Structure):
    _fields_ = [("data", _pointer), ("stride", c.c_ssize_t)]


class Vectors(c.Structure):
    _fields_ = [("data", _pointer), ("stride", c.c_ssize_t), ("axis_stride", c.c_ssize_t)]


class _Struct(c.Structure):
    """A struct that begins with its own size."""

    def __init__(self, *args, **fields):
        super().__init__(*args, **fields)
        self.size = c.sizeof(self)


class Bodies(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("dimension", _int),
        ("scalar", _int),
        ("shape", _int),
        ("rule", _int),
        ("count", _long),
        ("cutoff", _number),
        ("equal_radius", _number),
        ("radius", Column),
        ("position", Vectors),
        ("upper", Vectors),
        ("displacement", Vectors),
        ("group", Column),
        ("mask", Column),
        ("id", Column),
        ("kind", Column),
        ("cutoffs", _pointer),
        ("kinds", _long),
        ("excluded", _pointer),
        ("excluded_count", _long),
        ("vertices", _pointer),
        ("vertices_per_body", _long),
    ]


class Domain(_Struct):
    _fields_ = [
        ("size", c.c_size_t),
        ("kind", _int),
        ("open_axes", _int * 3),
        ("lengths", _number * 3),
        ("vectors", (_number * 3) * 3),
        ("offset", _number),
        ("change", _number),
    ]


class Options(_Struct):
    _fields_ = [
        ("size", c.c_size_t),
        ("dimension", _int),
        ("scalar", _int),
        ("domain", c.POINTER(Domain)),
        ("method", c.c_char_p),
        ("threads", _int),
        ("interruptible", _int),
        ("max_pairs", _long),
        ("max_bytes", _long),
        ("allocate", _pointer),
        ("release", _pointer),
        ("allocator_context", _pointer),
        ("cancelled", _pointer),
        ("cancelled_context", _pointer),
    ]


class Form(_Struct):
    _fields_ = [
        ("size", c.c_size_t),
        ("columns", c.c_char_p),
        ("order", _int),
        ("kind", _int),
        ("layout", _int),
        ("index", _int),
        ("row_order", _int),
    ]


class Result(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("count", _long),
        ("rows", _long),
        ("indices", _pointer),
        ("images", _pointer),
        ("vectors", _pointer),
        ("distances", _pointer),
        ("offsets", _pointer),
        ("bodies", _pointer),
        ("dimension", _int),
        ("scalar", _int),
        ("index", _int),
        ("layout", _int),
    ]


class Block(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("count", _long),
        ("pairs", _pointer),
        ("images", _pointer),
        ("vectors", _pointer),
        ("distances", _pointer),
        ("worker", _int),
    ]


class Keys(c.Structure):
    _fields_ = [("count", _long), ("pairs", _pointer), ("images", _pointer)]


class Changes(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("began", Keys),
        ("ended", Keys),
        ("renamed_from", Keys),
        ("renamed_to", Keys),
    ]


Consumer = c.CFUNCTYPE(c.c_int, c.POINTER(Block), c.c_void_p)

# Values of enumerations in vicinal.h.
FLOAT, DOUBLE = 1, 2
SHAPES = {"points": 0, "spheres": 1, "boxes": 2}
RULES = {"sum": 0, "max": 1, "min": 2}
OPEN, ORTHOGONAL, SHEARED, TRICLINIC = range(4)
HALF, FULL = 1, 2
N_BY_2, TWO_BY_N = 0, 1
INDICES = {"uint32": 0, "int32": 1, "int64": 2}
OK, INPUT, OPTION, LIMIT, MEMORY, CANCELLED, BUSY, INTERNAL = range(8)


class Error(ValueError):
    """Any error of Vicinal: one line that names the fault and the remedy."""


class InputError(Error):
    """The bodies or the domain are not valid.

    `element` is the index of the offending body, or None.
    """

    element = None


class OptionError(Error):
    """An unknown method or option, or a value out of range."""


class LimitError(Error, MemoryError):
    """More than max_pairs pairs or max_bytes of memory, or the system has no more memory."""


class BusyError(Error):
    """The finder is running another call, of another thread."""


def _find():
    """The library of this package, or the one that VICINAL_LIBRARY names."""
    named = os.environ.get("VICINAL_LIBRARY")
    if named:
        return named
    return str(pathlib.Path(__file__).parent / "libvicinal.so")


lib = c.CDLL(_find())

_finder, _result = c.c_void_p, c.POINTER(c.POINTER(Result))
_signatures = {
    "vicinal_message": (c.c_char_p,),
    "vicinal_element": (c.c_int64,),
    "vicinal_version": (c.c_char_p,),
    "vicinal_new": (c.c_int, _pointer, c.POINTER(_finder)),
    "vicinal_free": (None, _finder),
    "vicinal_update": (c.c_int, _finder, _pointer, _pointer),
    "vicinal_pairs": (c.c_int, _finder, _pointer, _pointer, _result),
    "vicinal_neighbours": (c.c_int, _finder, _pointer, _pointer, _result),
    "vicinal_count": (c.c_int, _finder, _pointer, c.POINTER(_long)),
    "vicinal_stream": (c.c_int, _finder, _pointer, _pointer, Consumer, _pointer),
    "vicinal_pairs_with": (c.c_int, _finder, _pointer, _pointer, _result),
    "vicinal_rows_with": (c.c_int, _finder, _pointer, _pointer, _result),
    "vicinal_probe": (c.c_int, _finder, _pointer, _pointer, _result),
    "vicinal_probe_rows": (c.c_int, _finder, _pointer, _pointer, _result),
    "vicinal_nearest": (c.c_int, _finder, _pointer, _long, _number, _pointer, _result),
    "vicinal_changes": (c.c_int, _finder, c.POINTER(c.POINTER(Changes))),
    "vicinal_order": (c.c_int, _finder, _pointer, _long),
    "vicinal_report": (c.c_int, _finder, c.POINTER(c.c_char_p)),
    "vicinal_batch": (
        c.c_int, _pointer, _pointer, _pointer, _long, _pointer, _long, _pointer, _result,
    ),
    "vicinal_methods": (c.c_int, c.POINTER(c.c_char_p)),
    "vicinal_release": (None, c.POINTER(Result)),
    "vicinal_release_changes": (None, c.POINTER(Changes)),
    "vicinal_trim": (None,),
}
for _name, (_returned, *_arguments) in _signatures.items():
    _function = getattr(lib, _name)
    _function.restype = _returned
    _function.argtypes = _arguments


def raise_error(status):
    message = lib.vicinal_message().decode(errors="replace")
    if status == INPUT:
        element = lib.vicinal_element()
        error = InputError(message)
        error.element = element if element >= 0 else None
        raise error
    kinds = {OPTION: OptionError, LIMIT: LimitError, MEMORY: LimitError, BUSY: BusyError}
    raise kinds.get(status, Error)(message)


def call(function, *arguments):
    """Calls a function of the library, which releases the GIL, and raises its error.

    Ctrl-C ends the call with the status CANCELLED. By then Python's handler has taken a note,
    and Python runs it before the next line here: it raises KeyboardInterrupt. If it does not,
    because the program has a handler of its own that returns, the call is made again, as
    Python does with system calls (PEP 475).
    """
    status = function(*arguments)
    while status == CANCELLED:
        status = function(*arguments)
    if status:
        raise_error(status)
