# Types of the package. tests/python/test_library.py compares the names with the code.
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

_Index = Literal["uint32", "int32", "int64"]
_Layout = Literal["n_by_2", "two_by_n"]
_Indices = NDArray[Any]  # uint32, int32 or int64
_Scalars = NDArray[Any]  # float32 or float64
_Images = NDArray[np.int16]
_Report = dict[str, Any]

__version__: str

class Error(ValueError): ...

class InputError(Error):
    element: int | None

class OptionError(Error): ...
class LimitError(Error, MemoryError): ...
class BusyError(Error): ...

class _Columns:
    @property
    def images(self) -> _Images | None: ...
    @property
    def distances(self) -> _Scalars | None: ...
    @property
    def vectors(self) -> _Scalars | None: ...
    @property
    def report(self) -> _Report | None: ...

class Pairs(_Columns):
    def __len__(self) -> int: ...
    @property
    def indices(self) -> _Indices: ...
    @property
    def i(self) -> _Indices: ...
    @property
    def j(self) -> _Indices: ...
    @property
    def edge_index(self) -> NDArray[np.int64]: ...

class Rows(_Columns):
    def __len__(self) -> int: ...
    def __getitem__(self, k: int) -> _Indices: ...
    @property
    def offsets(self) -> NDArray[np.uint64]: ...
    @property
    def indices(self) -> _Indices: ...
    @property
    def bodies(self) -> _Indices: ...
    @property
    def counts(self) -> NDArray[np.int64]: ...
    def slice(self, k: int) -> slice: ...
    def to_scipy(self) -> csr_array: ...

class Block:
    indices: NDArray[np.uint32]
    images: _Images | None
    distances: _Scalars | None
    vectors: _Scalars | None
    def __len__(self) -> int: ...
    @property
    def i(self) -> NDArray[np.uint32]: ...
    @property
    def j(self) -> NDArray[np.uint32]: ...

class Changes:
    began: NDArray[np.uint32]
    ended: NDArray[np.uint32]
    renamed_from: NDArray[np.uint32]
    renamed_to: NDArray[np.uint32]
    began_images: _Images
    ended_images: _Images
    renamed_from_images: _Images
    renamed_to_images: _Images

class Held:
    def __enter__(self) -> Held: ...
    def __exit__(self, *_: object) -> None: ...
    @property
    def report(self) -> _Report: ...
    def pairs(
        self, *, columns: str = ..., full: bool = ..., sorted: bool = ..., index: _Index = ...,
        layout: _Layout = ...,
    ) -> Pairs: ...
    def neighbours(
        self, *, columns: str = ..., full: bool = ..., sorted: bool = ..., index: _Index = ...,
        spatial: bool = ...,
    ) -> Rows: ...
    def count(self) -> int: ...
    def stream(self, *, columns: str = ...) -> Iterator[Block]: ...
    def pairs_with(
        self, x: ArrayLike | None = ..., cutoff: ArrayLike | None = ..., *, columns: str = ...,
        sorted: bool = ..., index: _Index = ..., layout: _Layout = ..., **bodies: Any,
    ) -> Pairs: ...
    def rows_with(
        self, x: ArrayLike | None = ..., cutoff: ArrayLike | None = ..., *, columns: str = ...,
        sorted: bool = ..., index: _Index = ..., **bodies: Any,
    ) -> Rows: ...
    def probe(
        self, x: ArrayLike | None = ..., cutoff: ArrayLike | None = ..., *, columns: str = ...,
        sorted: bool = ..., index: _Index = ..., layout: _Layout = ..., **bodies: Any,
    ) -> Pairs: ...
    def probe_rows(
        self, x: ArrayLike | None = ..., cutoff: ArrayLike | None = ..., *, columns: str = ...,
        sorted: bool = ..., index: _Index = ..., **bodies: Any,
    ) -> Rows: ...
    def nearest(
        self, x: ArrayLike | None = ..., k: int = ..., *, max_distance: float = ...,
        columns: str = ..., index: _Index = ..., **bodies: Any,
    ) -> Rows: ...
    def changes(self) -> Changes: ...
    def order(self) -> NDArray[np.uint32]: ...

class Finder:
    method: str
    threads: int
    max_pairs: int | None
    max_bytes: int | None
    def __init__(
        self, box: ArrayLike | None = ..., periodic: bool | Sequence[bool] = ...,
        shear: float | tuple[float, float] | None = ..., method: str = ..., threads: int = ...,
        max_pairs: int | None = ..., max_bytes: int | None = ...,
    ) -> None: ...
    @property
    def report(self) -> _Report: ...
    def set_box(
        self, box: ArrayLike | None = ..., periodic: bool | Sequence[bool] = ...,
        shear: float | tuple[float, float] | None = ...,
    ) -> None: ...
    def pairs(
        self, x: ArrayLike | None = ..., cutoff: ArrayLike | None = ..., *, columns: str = ...,
        full: bool = ..., sorted: bool = ..., index: _Index = ..., layout: _Layout = ...,
        **bodies: Any,
    ) -> Pairs: ...
    def neighbours(
        self, x: ArrayLike | None = ..., cutoff: ArrayLike | None = ..., *, columns: str = ...,
        full: bool = ..., sorted: bool = ..., index: _Index = ..., spatial: bool = ...,
        **bodies: Any,
    ) -> Rows: ...
    def count(
        self, x: ArrayLike | None = ..., cutoff: ArrayLike | None = ..., **bodies: Any
    ) -> int: ...
    def nearest(
        self, x: ArrayLike, k: int, *, max_distance: float = ..., columns: str = ...,
        index: _Index = ..., **bodies: Any,
    ) -> Rows: ...
    def stream(
        self, x: ArrayLike | None = ..., cutoff: ArrayLike | None = ..., *, columns: str = ...,
        **bodies: Any,
    ) -> Iterator[Block]: ...
    def hold(
        self, x: ArrayLike | None = ..., cutoff: ArrayLike | None = ..., **bodies: Any
    ) -> Held: ...

def pairs(
    x: ArrayLike | None = ..., cutoff: ArrayLike | None = ..., **arguments: Any
) -> Pairs: ...
def neighbours(
    x: ArrayLike | None = ..., cutoff: ArrayLike | None = ..., **arguments: Any
) -> Rows: ...
def count(
    x: ArrayLike | None = ..., cutoff: ArrayLike | None = ..., **arguments: Any
) -> int: ...
def between(
    a: ArrayLike, b: ArrayLike, cutoff: float | None = ..., *,
    radii: tuple[ArrayLike, ArrayLike] | None = ..., **arguments: Any,
) -> Pairs: ...
def nearest(
    x: ArrayLike, queries: ArrayLike | None = ..., k: int = ..., **arguments: Any
) -> Rows: ...
def batch(
    x: ArrayLike, offsets: ArrayLike, cutoff: ArrayLike | None = ...,
    boxes: ArrayLike | None = ..., *, periodic: ArrayLike = ..., columns: str = ...,
    sorted: bool = ..., index: _Index = ..., method: str = ..., threads: int = ...,
    max_pairs: int | None = ..., max_bytes: int | None = ..., **bodies: Any,
) -> Rows: ...
def methods() -> list[dict[str, Any]]: ...
def trim() -> None: ...
