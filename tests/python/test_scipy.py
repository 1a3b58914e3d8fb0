"""vicinal.compat.scipy.KDTree against scipy's own."""

import numpy as np
import pytest

pytest.importorskip("scipy")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from scipy.spatial import KDTree as Theirs  # noqa: E402
from vicinal.compat.scipy import KDTree as Ours  # noqa: E402


def both(n, dimension, seed, boxsize):
    x = np.random.default_rng(seed).random((n, dimension))
    return x, Theirs(x, boxsize=boxsize), Ours(x, boxsize=boxsize)


BOXES = [None, 1.0, (1.0, 0.0, 1.5)]


@pytest.mark.parametrize("boxsize", BOXES)
def test_query(boxsize):
    x, theirs, ours = both(300, 3, 1, boxsize)
    places = np.random.default_rng(2).random((5, 7, 3))
    for options in (
        {}, {"k": 1}, {"k": 4}, {"k": [2, 5]}, {"k": [1]}, {"k": 3, "distance_upper_bound": 0.1},
        {"k": 400}, {"k": 2, "workers": 2}, {"distance_upper_bound": 0.05},
    ):
        for at in (places, places[0], places[0, 0]):
            a, b = theirs.query(at, **options), ours.query(at, **options)
            assert np.shape(a[0]) == np.shape(b[0]) and np.shape(a[1]) == np.shape(b[1])
            assert np.array_equal(a[1], b[1]), options
            assert np.allclose(a[0], b[0], rtol=1e-12)
    for wrong in ({"k": 0}, {"p": 1}):
        with pytest.raises(ValueError):
            ours.query(places, **wrong)


@pytest.mark.parametrize("boxsize", BOXES)
@pytest.mark.parametrize("r", [0.05, 0.2, 0.7])
def test_within(boxsize, r):
    x, theirs, ours = both(120, 3, 3, boxsize)
    assert theirs.query_pairs(r) == ours.query_pairs(r)
    pairs = ours.query_pairs(r, output_type="ndarray")
    assert set(map(tuple, pairs.tolist())) == theirs.query_pairs(r) and len(pairs) == len(
        theirs.query_pairs(r, output_type="ndarray")
    )
    places = np.random.default_rng(4).random((4, 5, 3))
    for at in (places, places[0], places[0, 0]):
        a, b = theirs.query_ball_point(at, r), ours.query_ball_point(at, r)
        assert type(a) is type(b)
        if at.ndim == 1:
            assert sorted(a) == sorted(b)
        else:
            assert a.shape == b.shape and a.tolist() == b.tolist()
        counts = [t.query_ball_point(at, r, return_length=True) for t in (theirs, ours)]
        assert np.array_equal(*counts)
    radii = np.random.default_rng(5).random((4, 5)) * r
    assert (
        ours.query_ball_point(places, radii).tolist()
        == theirs.query_ball_point(places, radii).tolist()
    )
    y, their_other, our_other = both(50, 3, 6, boxsize)
    a = theirs.sparse_distance_matrix(their_other, r)
    b = ours.sparse_distance_matrix(our_other, r)
    assert type(a).__name__ == type(b).__name__ and set(a.keys()) == set(b.keys())
    assert np.allclose(a.toarray(), b.toarray(), rtol=1e-12)
    for kind in ("ndarray", "dict", "coo_matrix"):
        a = theirs.sparse_distance_matrix(their_other, r, output_type=kind)
        b = ours.sparse_distance_matrix(our_other, r, output_type=kind)
        assert type(a) is type(b)
        if kind == "ndarray":
            assert a.dtype == b.dtype
            a, b = ({(i, j): v for i, j, v in t.tolist()} for t in (a, b))
        if kind != "coo_matrix":
            assert a.keys() == b.keys()
            assert all(np.isclose(a[k], b[k], rtol=1e-12) for k in a)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    n=st.integers(1, 40), dimension=st.integers(2, 3), seed=st.integers(0, 2**32 - 1),
    r=st.floats(0.01, 1), k=st.integers(1, 50), periodic=st.booleans(),
)
def test_random(n, dimension, seed, r, k, periodic):
    x, theirs, ours = both(n, dimension, seed, 1.0 if periodic else None)
    assert theirs.query_pairs(r) == ours.query_pairs(r)
    a, b = theirs.query(x, k), ours.query(x, k)
    assert np.allclose(a[0], b[0], rtol=1e-12)
    assert np.array_equal(a[1], b[1])
