"""Errors name the fault, and leave everything usable."""

import copy
import pickle

import numpy as np
import pytest
import vicinal
from vicinal import _library as lib


def test_classes():
    assert issubclass(vicinal.Error, ValueError)
    for kind in (vicinal.InputError, vicinal.OptionError, vicinal.LimitError, vicinal.BusyError):
        assert issubclass(kind, vicinal.Error)
    assert issubclass(vicinal.LimitError, MemoryError)


def test_element():
    x = np.zeros((5, 3))
    x[3, 1] = np.nan
    f = vicinal.Finder()
    with pytest.raises(vicinal.InputError, match="body 3") as caught:
        f.pairs(x, 1.0)
    assert caught.value.element == 3
    with pytest.raises(vicinal.InputError, match="radi") as caught:
        f.pairs(np.zeros((2, 3)), radii=[1.0, -1.0])
    assert caught.value.element == 1
    assert f.count(np.zeros((2, 3)), 1.0) == 1


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("cut-off", lambda x: vicinal.pairs(x)),
        ("both", lambda x: vicinal.pairs(x, 1.0, radii=1.0)),
        ("corners", lambda x: vicinal.pairs(lower=x)),
        ("both", lambda x: vicinal.pairs(x, lower=x, upper=x)),
        ("shape", lambda x: vicinal.pairs(x[0], 1.0)),
        ("shape", lambda x: vicinal.pairs(np.zeros((4, 4)), 1.0)),
        ("2 or 3 columns", lambda x: vicinal.pairs(np.zeros((4, 1)), 1.0)),
        ("type", lambda x: vicinal.pairs(x.astype(str), 1.0)),
        ("type", lambda x: vicinal.pairs(x.astype(complex), 1.0)),
        ("one row for each body", lambda x: vicinal.pairs([[0, 0], [1]], 1.0)),
        ("elements", lambda x: vicinal.pairs(x, radii=[1.0, 2.0])),
        ("rows", lambda x: vicinal.pairs(x, 1.0, displacement=x[:2])),
        ("3 columns", lambda x: vicinal.pairs(x, 1.0, displacement=x[:, :2])),
        ("box has the shape", lambda x: vicinal.pairs(x, 1.0, box=np.zeros((2, 3)))),
        ("2-D", lambda x: vicinal.pairs(x, 1.0, box=(1, 1))),
        ("periodic", lambda x: vicinal.pairs(x, 1.0, box=(1, 1, 1), periodic=(True, False))),
        ("periodic", lambda x: vicinal.pairs(x, 1.0, box=1, periodic=(True, False))),
        ("periodic", lambda x: vicinal.pairs(x, 1.0, box=1, periodic="yes")),
        ("periodic", lambda x: vicinal.pairs(x, 1.0, box=1, periodic=())),
        ("box is", lambda x: vicinal.pairs(x, 1.0, box=1j)),
        ("masked", lambda x: vicinal.pairs(np.ma.masked_less(x, 0.5), 1.0)),
        ("the cut-off is 'a'", lambda x: vicinal.pairs(x, "a")),
        ("table for kinds", lambda x: vicinal.pairs(x, [1.0, 2.0])),
        ("radii has the type", lambda x: vicinal.pairs(x, radii="a")),
        ("a tuple", lambda x: vicinal.between(x, x, radii=1.0)),
        ("max_distance", lambda x: vicinal.nearest(x, k=1, cutoff=1.0)),
        ("box", lambda x: vicinal.pairs(x, 1.0, shear=0.1)),
        ("shear", lambda x: vicinal.pairs(x, 1.0, box=1, shear=(1, 2, 3))),
        ("period along x", lambda x: vicinal.pairs(x, 1.0, box=0.0)),
        ("independent", lambda x: vicinal.pairs(x, 1.0, box=np.ones((3, 3)))),
        ("whole numbers", lambda x: vicinal.pairs(x, 1.0, group=[0.5] * 4)),
        ("from 0", lambda x: vicinal.pairs(x, 1.0, group=[-1] * 4)),
        ("square", lambda x: vicinal.pairs(x, [1.0, 2.0], kinds=[0] * 4)),
        ("row .i, j.", lambda x: vicinal.pairs(x, 1.0, excluded=[1, 2, 3])),
        ("vertices", lambda x: vicinal.pairs(x, 1.0, vertices=[1, 2, 3, 4])),
        ("offsets", lambda x: vicinal.batch(x, [0, 3], 1.0)),
        ("boxes", lambda x: vicinal.batch(x, [0, 2, 4], 1.0, boxes=[1.0, 2.0])),
        ("the cut-off is -1", lambda x: vicinal.pairs(x, -1.0)),
    ],
)
def test_input(words, call):
    with pytest.raises(vicinal.InputError, match=words):
        call(np.random.default_rng(1).random((4, 3)))


@pytest.mark.parametrize(
    "arguments",
    [
        {"method": "no_such"}, {"threads": -1}, {"columns": "ijx"}, {"columns": None},
        {"index": "int8"}, {"layout": "3_by_n"},
        # What C would cut off or wrap around.
        {"method": "kd_tree\0"}, {"threads": 2**32 + 1}, {"columns": "ij\0d"}, {"max_pairs": -1},
        {"max_pairs": 0}, {"max_bytes": 2**64}, {"threads": 1.5}, {"index": ["int64"]},
    ],
)
def test_options(arguments):
    with pytest.raises(vicinal.Error):
        vicinal.pairs([[0.0, 0], [1, 0]], 1.0, **arguments)
    with pytest.raises(vicinal.OptionError):
        vicinal.pairs([[0.0, 0], [1, 0]], radii=1.0, rule="none")


@pytest.mark.parametrize("k", [0, -1, 1.5, 2**64 + 1])
def test_number_of_neighbours(k):
    with pytest.raises(vicinal.OptionError, match="k is"):
        vicinal.nearest([[0.0, 0], [1, 0]], k=k)


def test_unknown_arguments():
    with pytest.raises(TypeError):
        vicinal.pairs([[0.0, 0], [1, 0]], 1.0, cut=1)


def test_results_are_not_pickled():
    p = vicinal.pairs([[0.0, 0], [1, 0]], 1.0)
    for copies in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="arrays"):
            copies(p)
    assert np.array_equal(copy.copy(p).indices, p.indices)
    for wrong in (1.5, "a", slice(2)):
        with pytest.raises(TypeError):
            vicinal.neighbours([[0.0, 0], [1, 0]], 1.0)[wrong]


def test_limits():
    x = np.zeros((100, 3))
    with pytest.raises(vicinal.LimitError, match="max_pairs"):
        vicinal.pairs(x, 1.0, max_pairs=10)
    with pytest.raises(MemoryError, match="max_bytes"):
        vicinal.pairs(np.random.default_rng(1).random((100000, 3)), 0.1, max_bytes=100000)


def test_wrong_struct_size():
    x = np.zeros((2, 3))
    from vicinal._bodies import view_of

    view = view_of(x, 1.0)
    view.struct.size -= 8
    f = vicinal.Finder()
    handle, taken = f._begin(view)
    with pytest.raises(vicinal.InputError, match="its size is"):
        lib.call(lib.lib.vicinal_update, handle.pointer, taken, None)


def test_held_bodies():
    x = np.random.default_rng(1).random((50, 3))
    f = vicinal.Finder()
    with f.hold(x, 0.3) as s:
        before = s.count()
        x[:] = 0  # a copy is held
        assert s.count() == before
        with pytest.raises(vicinal.InputError, match="2-D"):
            s.probe([[0.0, 0]], 1.0)
        f.count(x, 0.1)
        with pytest.raises(vicinal.Error, match="other bodies"):
            s.count()
    with f.hold(x, 0.1) as s:
        pass
    with pytest.raises(vicinal.Error, match="no longer held"):
        s.count()


def test_not_on_the_cpu():
    class OnDevice:
        def __dlpack__(self, **_):
            raise BufferError("the array is on the device")

        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(vicinal.InputError, match="CPU"):
        vicinal.pairs(OnDevice(), 1.0)
