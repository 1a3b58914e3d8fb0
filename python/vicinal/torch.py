"""Neighbour lists as tensors of PyTorch."""

import torch

from ._finder import Finder


def neighbor_list(
    positions, cutoff, box=None, periodic=True, *, columns="ijSdD", full=True, method="auto",
    threads=0,
):
    """Edges of the graph of all atoms within the cut-off of each other.

    Returns edge_index (2 x n, int64) and a tensor for each letter of `columns` after "ij", in
    their order: S (images, int64), d (distances), D (vectors). d and D have the type of the
    positions and are differentiable with respect to the positions, and to the box if it is a
    tensor of lattice vectors (rows).

    The search runs on the CPU; tensors elsewhere are copied there, and the result back.

    >>> x = torch.tensor([[0.0, 0, 0], [0, 0, 2]], requires_grad=True)
    >>> edges, d = neighbor_list(x, 2.5, columns="ijd")
    >>> d.sum().backward()
    >>> edges.tolist(), x.grad.tolist()
    ([[0, 1], [1, 0]], [[0.0, 0.0, -2.0], [0.0, 0.0, 2.0]])
    """
    x = positions.detach().cpu().numpy()
    lattice = box.detach().cpu().numpy() if isinstance(box, torch.Tensor) else box
    found = Finder(lattice, periodic, method=method, threads=threads).pairs(
        x, cutoff, columns="ijS", full=full, index="int64", layout="two_by_n"
    )
    edges = torch.from_numpy(found.edge_index).to(positions.device)
    if found.images is None:
        images = edges.new_zeros((len(found), positions.shape[1]))
    else:
        images = torch.from_numpy(found.images).to(positions.device, torch.int64)
    vectors = None
    if "d" in columns or "D" in columns:
        vectors = positions[edges[1]] - positions[edges[0]]
        if found.images is not None:
            vectors = vectors + images.to(vectors.dtype) @ _lattice(box, positions)
    listed = {"S": images, "D": vectors}
    if "d" in columns:
        listed["d"] = torch.linalg.norm(vectors, dim=1)
    return (edges, *(listed[letter] for letter in columns if letter in "SdD"))


def _lattice(box, positions):
    """The lattice vectors as rows, of the type of the positions."""
    box = torch.as_tensor(box, dtype=positions.dtype, device=positions.device)
    return box if box.ndim == 2 else torch.diag(box.expand(positions.shape[1]))
