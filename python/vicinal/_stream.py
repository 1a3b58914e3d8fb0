"""Blocks of pairs, while a thread of their own searches."""

import atexit
import ctypes as c
import queue
import sys
import threading
import weakref

import numpy as np

from . import _library as lib

# To hand a block over to the other thread takes as long as to find some thousand pairs.
_PAIRS_PER_BLOCK = 1 << 17


class Block:
    """A part of the pairs, with the columns that were requested. Its arrays are yours.

    >>> for block in vicinal.Finder().stream([[0, 0], [0, 3]], cutoff=3, columns="ijd"):
    ...     block.i, block.j, block.distances, block.images
    (array([0], dtype=uint32), array([1], dtype=uint32), array([3.]), None)
    """

    __slots__ = ("indices", "images", "distances", "vectors")

    def __init__(self, indices, images, distances, vectors):
        self.indices = indices
        self.images = images
        self.distances = distances
        self.vectors = vectors

    @property
    def i(self):
        return self.indices[:, 0]

    @property
    def j(self):
        return self.indices[:, 1]

    def __len__(self):
        return len(self.indices)

    def __repr__(self):
        return f"<vicinal.Block: {len(self)} pairs>"


def _references(arrays):
    return [sys.getrefcount(a) for a in arrays.values()]


# That of an array which only its dictionary has: what the interpreter itself adds differs.
_FREE = _references({"any": np.empty(0)})[0]


class _Columns:
    """The arrays that a worker fills; new ones for each block, or old ones nobody uses."""

    def __init__(self, shapes, give):
        self._shapes = shapes  # name: (width, dtype)
        self._give = give
        self._spare = []
        self._begin()

    def _begin(self):
        self._used = 0
        for arrays in self._spare:
            # A block or a view of an array that the caller keeps is one more reference.
            if all(count == _FREE for count in _references(arrays)):
                self._fill(arrays)
                return
        arrays = {
            name: np.empty((_PAIRS_PER_BLOCK, *width), dtype)
            for name, (width, dtype) in self._shapes.items()
        }
        self._fill(arrays)
        if len(self._spare) < 4:
            self._spare.append(arrays)

    def _fill(self, arrays):
        self._arrays = arrays
        self._places = [(name, a.ctypes.data, a.strides[0]) for name, a in arrays.items()]

    def add(self, block):
        done, count, copy = 0, block.count, c.memmove
        while done < count:
            n = min(count - done, _PAIRS_PER_BLOCK - self._used)
            for name, place, size in self._places:
                copy(place + self._used * size, getattr(block, name) + done * size, n * size)
            done += n
            self._used += n
            if self._used == _PAIRS_PER_BLOCK:
                self.flush()

    def flush(self):
        if self._used:
            filled = {name: array[: self._used] for name, array in self._arrays.items()}
            self._arrays = None
            self._give(
                Block(
                    filled.pop("pairs"), filled.get("images"), filled.get("distances"),
                    filled.get("vectors"),
                )
            )
            del filled
            self._begin()


class _Stopped(Exception):
    """The caller wants no more blocks."""


class _Search:
    """A search in a thread, which waits when blocks are not taken."""

    def __init__(self, handle, view, taken, columns, form):
        self._blocks = queue.SimpleQueue()
        self._room = queue.SimpleQueue()  # an element for each block that may be added
        for _ in range(2):
            self._room.put(None)
        self._stopping = False
        self._error = None
        dimension = view.dimension
        self._shapes = {"pairs": ((2,), np.uint32)}
        if "S" in columns and handle.imaged:
            self._shapes["images"] = ((dimension,), np.int16)
        if "d" in columns:
            self._shapes["distances"] = ((), view.scalar)
        if "D" in columns:
            self._shapes["vectors"] = ((dimension,), view.scalar)
        self._workers = {}
        self._thread = threading.Thread(
            target=self._run, args=(handle, view, taken, form), daemon=True
        )
        handle.searches += 1
        _running.add(self)
        self._thread.start()

    def _run(self, handle, view, taken, form):
        consumer = lib.Consumer(self._consume)
        try:
            status = lib.lib.vicinal_stream(handle.pointer, taken, form, consumer, None)
            if status == lib.CANCELLED and self._error is not None:
                raise self._error
            if status:
                lib.raise_error(status)
            for columns in self._workers.values():
                columns.flush()
        except _Stopped:
            return
        except BaseException as error:
            self._error = error
        self._blocks.put(None)

    def _consume(self, block, _):
        try:
            block = block.contents
            columns = self._workers.get(block.worker)
            if columns is None:
                columns = self._workers[block.worker] = _Columns(self._shapes, self._offer)
            columns.add(block)
            return 0
        except BaseException as error:  # also that of a full memory; raised by _run()
            self._error = error
            return 1

    def _offer(self, block):
        self._room.get()
        if self._stopping:
            self._room.put(None)  # for the other workers
            raise _Stopped
        self._blocks.put(block)

    def __iter__(self):
        try:
            while (block := self._blocks.get()) is not None:
                yield block
                del block  # so that its memory can be used again
                self._room.put(None)
            if self._error is not None:
                raise self._error
        finally:
            self.stop()

    def stop(self):
        self._stopping = True
        self._room.put(None)
        self._thread.join()


# Searches of loops that were left without an end. A thread that is in the library when Python
# ends it takes the process with it.
_running = weakref.WeakSet()


@atexit.register
def _stop_all():
    for search in list(_running):
        search.stop()


def blocks_of(handle, view, taken, columns, form):
    """Yields the blocks of a search. The search begins with the first."""
    return _blocks(handle, handle.updates, view, taken, columns, form)


def _blocks(handle, updates, view, taken, columns, form):
    if taken is None and handle.updates != updates:
        raise lib.Error("the finder has taken other bodies since; begin the loop at once")
    yield from _Search(handle, view, taken, columns, form)
