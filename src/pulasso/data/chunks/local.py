"""Chunks that this machine reads one after the other: larger than its memory, smaller than its disk."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from operator import add
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from pulasso.data.chunks._slices import map_reduce_slices
from pulasso.design import canonical

__all__ = ["LocalChunks", "Source", "read_block"]

T = TypeVar("T")
AHEAD = 2  # chunks that are under way for every thread


class Source(Protocol):
    """Something that rows can be read from."""

    shape: tuple[int, int]
    dtype: np.dtype
    lengths: NDArray[np.intp]
    feature_names: NDArray | None

    def read(self, number: int) -> Any:
        """Return a chunk, as a dense array or a CSR or CSC matrix."""
        ...


def read_block(source: Source, number: int) -> Any:
    """Return a chunk of a source, a sparse one checked: sources may be anybody's."""
    block = source.read(number)
    return canonical(block) if issparse(block) else block


class LocalChunks:
    """Chunks of a source, read anew for every sum; at most a few are in memory at a time.

    Parameters
    ----------
    source : Source
    n_threads : int
        Chunks that are worked on at a time. Reading and linear algebra release the interpreter.
    """

    def __init__(self, source: Source, n_threads: int = 1):
        self.source, self.n_threads = source, n_threads
        self.n_passes = 0

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.source.shape

    @property
    def dtype(self) -> np.dtype:
        """Precision of the numbers."""
        return self.source.dtype

    @property
    def lengths(self) -> NDArray[np.intp]:
        """Rows of every chunk."""
        return self.source.lengths

    @property
    def feature_names(self) -> NDArray | None:
        """Names of the columns, if they have any."""
        return self.source.feature_names

    def scatter(self, own: Sequence[tuple]) -> Sequence[tuple]:
        """Return what belongs to each chunk: it is here already."""
        return own

    def map_reduce(self, function: Callable[..., T], placed: Sequence[tuple], *shared: Any) -> T:
        """Return the sum over chunks of ``function(block, *own, *shared)``."""
        self.n_passes += 1
        return reduce(
            add,
            self._each(lambda i: map_reduce_slices(function, read_block(self.source, i), placed[i], shared)),
        )

    def map_concat(self, function: Callable[..., NDArray], *shared: Any) -> NDArray:
        """Return ``function(block, *shared)`` of all chunks, one below the other."""
        self.n_passes += 1
        return np.concatenate(list(self._each(lambda i: function(read_block(self.source, i), *shared))))

    def _each(self, compute: Callable[[int], T]) -> Iterator[T]:
        """Yield the results of all chunks in their order, with a few chunks under way at a time."""
        numbers = range(len(self.lengths))
        if self.n_threads <= 1:
            yield from map(compute, numbers)
            return
        with ThreadPoolExecutor(self.n_threads) as pool:
            running = []
            for number in numbers:
                running.append(pool.submit(compute, number))
                if len(running) >= AHEAD * self.n_threads:
                    yield running.pop(0).result()
            yield from (future.result() for future in running)
