"""The table "you used, now write" of docs/python.md, for the packages that are here."""

import numpy as np
import pytest
import vicinal


def cloud(n=300, seed=1):
    return np.random.default_rng(seed).random((n, 3))


def test_scikit_learn():
    neighbors = pytest.importorskip("sklearn.neighbors")
    x, r = cloud(), 0.2
    theirs = neighbors.NearestNeighbors(radius=r).fit(x).radius_neighbors_graph(mode="distance")
    ours = vicinal.neighbours(x, r, columns="ijd").to_scipy()
    assert (theirs != 0).nnz == ours.nnz > 1000
    assert abs(theirs - ours).max() < 1e-12
    d, j = neighbors.NearestNeighbors(n_neighbors=5).fit(x).kneighbors(cloud(20, 2))
    rows = vicinal.nearest(x, cloud(20, 2), 5)
    assert np.array_equal(j, rows.indices.reshape(-1, 5))
    assert np.allclose(d, rows.distances.reshape(-1, 5), rtol=1e-12)


def test_mdanalysis():
    distances = pytest.importorskip("MDAnalysis.lib.distances")
    a, b = cloud().astype(np.float32), cloud(100, 2).astype(np.float32)
    box = np.array([1, 1, 1, 90, 90, 90], np.float32)
    theirs, d = distances.capped_distance(a, b, 0.2, box=box)
    ours = vicinal.between(a, b, 0.2, box=box[:3], columns="ijd")
    found = dict(zip(map(tuple, ours.indices.tolist()), ours.distances))
    expected = dict(zip(map(tuple, theirs.tolist()), d))
    near = 1e-5  # they round differently at the cut-off
    for one, other in ((found, expected), (expected, found)):
        assert all(abs(one[k] - 0.2) < near for k in one.keys() - other.keys())
    common = found.keys() & expected.keys()
    assert len(common) > 500
    assert all(abs(found[k] - expected[k]) < near for k in common)
