"""vicinal.torch, where PyTorch is."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import vicinal  # noqa: E402
from vicinal.torch import neighbor_list  # noqa: E402


@pytest.mark.parametrize("box", [None, 1.0, (1.0, 0.9, 1.1), np.eye(3) + 0.2 * np.tri(3, k=-1)])
def test_edges(box):
    x = np.random.default_rng(1).random((100, 3))
    p = vicinal.pairs(x, 0.2, box=box, columns="ijSdD", full=True)
    edges, images, d, vectors = neighbor_list(torch.from_numpy(x), 0.2, box)
    assert edges.dtype == torch.int64
    assert np.array_equal(edges.numpy(), p.edge_index)
    assert np.array_equal(images.numpy(), 0 * p.vectors if p.images is None else p.images)
    assert np.allclose(d, p.distances) and np.allclose(vectors, p.vectors)


def test_gradients():
    x = torch.rand((20, 3), dtype=torch.float64, requires_grad=True)
    box = torch.eye(3, dtype=torch.float64, requires_grad=True)

    def energy(x, box):
        (_, d) = neighbor_list(x, 0.4, box, columns="ijd")
        return (d**2).sum()

    assert torch.autograd.gradcheck(energy, (x, box), eps=1e-8, atol=1e-5)
