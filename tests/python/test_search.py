"""Every call and every layout of arrays against the plain loop."""

import numpy as np
import pytest
import vicinal
from plain import both_ways, keys, plain_boxes, plain_pairs, row_keys, without_images

DOMAINS = {
    "open": (None, True),
    "cube": (1.0, True),
    "slab": ((1.0, 0.9, 1.1), (True, True, False)),
    "triclinic": ([[1, 0, 0], [0.2, 0.9, 0], [-0.3, 0.1, 1.1]], True),
    "left-handed": ([[0, 1, 0], [0.9, 0, 0], [0.1, 0.2, 1.1]], (True, False, True)),
}


def cloud(n=120, dimension=3, dtype=np.float64, seed=1):
    return np.random.default_rng(seed).random((n, dimension)).astype(dtype)


def lattice_of(box, periodic, dimension=3):
    if box is None:
        return None, None
    box = np.asarray(box, float)
    if box.ndim < 2:
        box = np.diag(np.broadcast_to(box, dimension))
    return box, np.broadcast_to(periodic, dimension)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", DOMAINS)
def test_pairs(name, dtype):
    box, periodic = DOMAINS[name]
    x = cloud(dtype=dtype)
    expected = plain_pairs(x, dtype(0.2), *lattice_of(box, periodic))
    wanted = set(expected) if box is not None else without_images(expected)
    assert len(wanted) > 100
    f = vicinal.Finder(box, periodic)
    for form in ({}, {"index": "int64", "layout": "two_by_n"}, {"sorted": True, "index": "int32"}):
        p = f.pairs(x, 0.2, columns="ijSdD", **form)
        assert keys(p) == wanted
        assert p.indices.dtype == form.get("index", "uint32")
        images = [(0, 0, 0)] * len(p) if box is None else map(tuple, p.images.tolist())
        vectors = np.array([expected[k] for k in zip(p.i.tolist(), p.j.tolist(), images)])
        assert p.vectors.dtype == p.distances.dtype == dtype
        assert np.array_equal(p.vectors, vectors)
        v = vectors * vectors
        assert np.array_equal(p.distances, np.sqrt(v[:, 0] + v[:, 1] + v[:, 2]))
        assert p.edge_index.dtype == np.int64 and p.edge_index.shape == (2, len(p))
        assert np.array_equal(p.edge_index, [p.i, p.j])
        assert p.report["pairs"] == len(p)
        assert p.report is p.report
    p = f.pairs(x, 0.2, sorted=True)
    order = sorted(wanted, key=str if box is None else None)
    if box is not None:
        assert list(zip(p.i.tolist(), p.j.tolist(), map(tuple, p.images.tolist()))) == order
    assert keys(f.pairs(x, 0.2, full=True)) == both_ways(wanted)
    for options in ({}, {"spatial": True}, {"sorted": True, "index": "int64"}):
        assert row_keys(f.neighbours(x, 0.2, **options)) == both_ways(wanted)
    assert row_keys(f.neighbours(x, 0.2, full=False)) == wanted
    assert f.count(x, 0.2) == len(wanted)
    blocks = list(f.stream(x, 0.2, columns="ijSdD"))
    assert set().union(*(keys(b) for b in blocks)) == wanted
    assert sum(map(len, blocks)) == len(wanted)


def test_two_dimensions():
    x = cloud(dimension=2)
    expected = plain_pairs(x, 0.2, np.diag([1, 0.8]), [True, True])
    assert keys(vicinal.pairs(x, 0.2, box=(1, 0.8))) == set(expected)


def test_spheres_boxes_and_motion():
    x = cloud()
    radii = cloud(dimension=2)[:, 0] * 0.15
    for rule, reach in (
        ("sum", radii[:, None] + radii),
        ("max", np.maximum(radii[:, None], radii)),
        ("min", np.minimum(radii[:, None], radii)),
    ):
        expected = plain_pairs(x, reach)
        assert keys(vicinal.pairs(x, radii=radii, rule=rule)) == without_images(expected)
    expected = without_images(plain_pairs(x, 0.2))
    assert keys(vicinal.pairs(x, radii=0.1)) == expected
    upper = x + radii[:, None]
    assert keys(vicinal.pairs(lower=x, upper=upper)) == {
        (i, j, None) for i, j in plain_boxes(x, upper)
    }
    # A sphere that flies past another.
    p = vicinal.pairs([[0, 0], [5, 0]], radii=[1, 1], displacement=[[10, 0], [0, 0]])
    assert keys(p) == {(0, 1, None)}
    assert len(vicinal.pairs([[0, 0], [5, 0]], radii=[1, 1])) == 0


def test_filters():
    x = cloud()
    everything = without_images(plain_pairs(x, 0.2))
    n = np.arange(len(x))
    group, mask = 1 << (n % 3), np.full(len(x), 0b011)
    allowed = lambda i, j: group[i] & mask[j] and group[j] & mask[i]  # noqa: E731
    p = vicinal.pairs(x, 0.2, group=group, mask=mask)
    assert keys(p) == {k for k in everything if allowed(k[0], k[1])} != everything
    excluded = [(i, j) for i, j, _ in list(everything)[:20]]
    p = vicinal.pairs(x, 0.2, excluded=excluded)
    assert keys(p) == {k for k in everything if k[:2] not in excluded}
    p = vicinal.pairs(x, 0.2, vertices=np.stack([n, n // 2], axis=1) + 1000)
    assert keys(p) < everything or keys(p) == everything
    table = np.array([[0.2, 0.1], [0.1, -1]])
    kinds = n % 2
    p = vicinal.pairs(x, table, kinds=kinds)
    reach = table[kinds[:, None], kinds]
    expected = {k for k in plain_pairs(x, np.abs(reach)) if reach[k[0], k[1]] >= 0}
    assert keys(p) == without_images(expected)


def views(x):
    """The same numbers in many layouts."""
    n = len(x)
    padded = np.zeros((n, 5), x.dtype)
    padded[:, 1:4] = x
    record = np.zeros(n, [("tag", "u1"), ("x", x.dtype, 3)])  # unaligned
    record["x"] = x
    broadcast = np.broadcast_to(x[:, None, :], (n, 4, 3))[:, 2]
    return {
        "C": x,
        "Fortran": np.asfortranarray(x),
        "padded": padded[:, 1:4],
        "every second": np.repeat(x, 2, axis=0)[::2],
        "backwards": np.ascontiguousarray(x[::-1])[::-1],
        "axes backwards": np.ascontiguousarray(x[:, ::-1])[:, ::-1],
        "unaligned": record["x"],
        "big-endian": x.astype(x.dtype.newbyteorder(">")),
        "read-only": np.frombuffer(x.tobytes(), x.dtype).reshape(n, 3),
        "broadcast": broadcast,
        "list": x.tolist(),
        "memory view": memoryview(x),
        "DLPack": OnlyDLPack(x),
        "array interface": OnlyInterface(x),
    }


class OnlyDLPack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnlyInterface:
    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__
        self.array = array


def test_layouts_of_positions():
    x = cloud()
    expected = without_images(plain_pairs(x, 0.2))
    for name, view in views(x).items():
        assert keys(vicinal.pairs(view, 0.2)) == expected, name
    same = np.broadcast_to(np.float64([1, 2, 3]), (9, 3))  # strides of zero
    assert len(vicinal.pairs(same, 0.0)) == 36
    assert len(vicinal.pairs(np.broadcast_to(np.arange(9.0)[:, None], (9, 3)), 1.8)) == 8


@pytest.mark.parametrize("dtype", ["f2", "i4", "u1", "i8", ">f4"])
def test_other_types(dtype):
    x = (cloud() * 50).astype(dtype)
    exact = x.astype(np.float32 if dtype in ("f2", ">f4") else np.float64)
    assert keys(vicinal.pairs(x, 7)) == without_images(plain_pairs(exact, 7))


def test_layouts_of_columns():
    x = cloud()
    radii = cloud(dimension=2)[:, 0] * 0.15
    expected = keys(vicinal.pairs(x, radii=radii))
    packed = np.zeros(len(x), [("tag", "u1"), ("r", "f8")])
    packed["r"] = radii
    for given in (
        np.repeat(radii, 3)[::3], radii[::-1].copy()[::-1], packed["r"], radii.tolist(),
        radii.astype(">f8"), OnlyDLPack(radii),
    ):
        assert keys(vicinal.pairs(x, radii=given)) == expected
    assert keys(vicinal.pairs(x, radii=np.broadcast_to(0.1, len(x)))) == keys(
        vicinal.pairs(x, radii=0.1)
    )


def test_no_bodies_and_one():
    for n in (0, 1):
        p = vicinal.pairs(np.zeros((n, 3)), 1.0, columns="ijSdD", box=10)
        assert len(p) == 0 and p.indices.shape == (0, 2) and p.vectors.shape == (0, 3)
        assert p.edge_index.shape == (2, 0) and p.images.shape == (0, 3)
        rows = vicinal.neighbours(np.zeros((n, 3)), 1.0)
        assert len(rows) == n and rows.counts.tolist() == [0] * n


def test_two_sets_and_queries():
    x, y = cloud(), cloud(40, seed=2)
    box, periodic = DOMAINS["triclinic"]
    lattice = lattice_of(box, periodic)
    expected = set(plain_pairs(x, 0.2, *lattice, other=y))
    with vicinal.Finder(box).hold(x, 0.2) as s:
        assert keys(s.pairs_with(y, 0.2)) == expected
        assert row_keys(s.rows_with(y, 0.2)) == expected
        assert keys(s.probe(y, 0.2)) == expected
        assert row_keys(s.probe_rows(y, 0.2)) == expected
        assert keys(s.probe(y, radii=0.2)) == expected
        assert keys(s.probe(y.astype(np.float32), 0.0)) == set()
        assert sorted(s.order().tolist()) == list(range(len(x)))
    assert keys(vicinal.between(y, x, 0.2, box=box)) == expected
    radii = np.full(len(y), 0.05), np.full(len(x), 0.15)
    assert keys(vicinal.between(y, x, radii=radii, box=box)) == expected
    segment = vicinal.Finder().hold([[0.0, 0], [5, 0]], 1.0)
    assert segment.probe([[-1.0, 0]], displacement=[[3, 0]]).j.tolist() == [0]


def test_nearest():
    x, y = cloud(), cloud(30, seed=3)
    d = np.linalg.norm(x[None] - y[:, None], axis=2)
    rows = vicinal.nearest(x, y, k=5)
    assert rows.indices.reshape(-1, 5).tolist() == np.argsort(d, axis=1)[:, :5].tolist()
    assert np.allclose(rows.distances.reshape(-1, 5), np.sort(d, axis=1)[:, :5], rtol=1e-14)
    own = vicinal.nearest(x, k=3)
    d = np.linalg.norm(x[None] - x[:, None], axis=2)
    assert own.indices.reshape(-1, 3).tolist() == np.argsort(d, axis=1)[:, 1:4].tolist()
    near = vicinal.nearest(x, y, k=5, max_distance=0.1)
    assert (near.distances <= 0.1).all() and len(near.indices) < len(rows.indices)


def test_batch():
    x = cloud(300)
    offsets = [0, 100, 100, 300]
    boxes = np.array([np.eye(3), np.eye(3), [[1, 0, 0], [0.2, 0.9, 0], [0, 0.1, 1.1]]])
    rows = vicinal.batch(x, offsets, 0.2, boxes, columns="ijSd")
    found = row_keys(rows)
    for s in range(3):
        begin, end = offsets[s : s + 2]
        expected = plain_pairs(x[begin:end], 0.2, boxes[s], [True] * 3)
        moved = {(i + begin, j + begin, n) for i, j, n in both_ways(expected)}
        assert {k for k in found if begin <= k[0] < end} == moved
    assert (rows.distances <= 0.2).all()
    assert vicinal.batch(x, offsets, 0.2).images is None
    assert row_keys(vicinal.batch(x, [0, 300], 0.2, 1.0)) == both_ways(
        plain_pairs(x, 0.2, np.eye(3), [True] * 3)
    )


def test_rows():
    x = cloud()
    rows = vicinal.neighbours(x, 0.2, columns="ijd")
    matrix = rows.to_scipy()
    assert matrix.shape == (len(x), len(x)) and matrix.nnz == len(rows.indices)
    for k in (0, 7, -1):
        i = k % len(x)
        assert set(rows[k].tolist()) == set(matrix.indices[slice(*matrix.indptr[i : i + 2])])
        assert np.array_equal(rows.distances[rows.slice(k)], matrix.data[rows.slice(k)])
    with pytest.raises(IndexError):
        rows[len(x)]
    assert sum(len(row) for row in rows) == len(rows.indices)


def test_changes():
    x = cloud()
    f = vicinal.Finder(box=1.0)
    current = set()
    for step in range(4):
        with f.hold(x, 0.2) as s:
            changes = s.changes()
        listed = lambda name: {  # noqa: E731
            (i, j, tuple(n))
            for (i, j), n in zip(
                getattr(changes, name).tolist(), getattr(changes, name + "_images").tolist()
            )
        }
        assert listed("ended") <= current
        current -= listed("ended") | listed("renamed_from")
        current |= listed("began") | listed("renamed_to")
        assert current == set(plain_pairs(x, 0.2, np.eye(3), [True] * 3))
        x = x + 0.02 * (cloud(seed=step + 5) - 0.5)


def test_sheared():
    x = np.array([[0.05, 0.1], [0.95, 0.9]])
    assert len(vicinal.pairs(x, 0.15, box=(1, 1), periodic=(True, False))) == 0
    p = vicinal.pairs(x, 0.15, box=(1, 1), shear=0.8, columns="ijSD")
    lattice = np.array(p.report["lattice"])
    assert len(p) == 1 and lattice[0, 1] % 1 == 0.8
    assert np.allclose(p.vectors, x[1] - x[0] + p.images @ lattice)
    assert np.allclose(p.vectors, [[-0.1, 0]])
    # The image moves against the body, and meets it during the step.
    still = {"box": (1, 1), "shear": (0.3, 0.5), "displacement": np.zeros((2, 2))}
    assert len(vicinal.pairs(x, 0.15, **still)) == 1
    assert len(vicinal.pairs(x, 0.15, box=(1, 1), shear=0.3)) == 0


def test_reports():
    x = cloud()
    f = vicinal.Finder()
    p = f.pairs(x, 0.2)
    f.count(x, 0.1)
    with pytest.raises(vicinal.Error, match="again"):
        p.report
    assert f.report["pairs"] < len(p)
    p = vicinal.pairs(x, 0.2)
    vicinal.pairs(x, 0.1)
    assert p.report["pairs"] == len(p)


def test_set_box():
    x = cloud()
    f = vicinal.Finder()
    for box in (1.0, 0.95, None, DOMAINS["triclinic"][0]):
        f.set_box(box)
        expected = plain_pairs(x, 0.2, *lattice_of(box, True))
        wanted = set(expected) if box is not None else without_images(expected)
        assert keys(f.pairs(x, 0.2)) == wanted
        assert row_keys(f.neighbours(x, 0.2)) == both_ways(wanted)
        with f.hold(x, 0.2) as s:
            assert s.count() == len(wanted)
        assert repr(f) == f"vicinal.Finder({'' if box is None else f'box={box!r}'})"


@pytest.mark.parametrize("method", [m["name"] for m in vicinal.methods()])
def test_methods(method):
    x = cloud()
    expected = set(plain_pairs(x, 0.2, np.eye(3), [True] * 3))
    assert keys(vicinal.pairs(x, 0.2, box=1, method=method)) == expected
