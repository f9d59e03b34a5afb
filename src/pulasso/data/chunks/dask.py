"""Chunks that dask knows how to compute: chunks of an array, partitions of a data frame, rows that workers read."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from dask.base import compute, persist
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray
from scipy import sparse

from pulasso.data.chunks._slices import map_reduce_slices
from pulasso.data.chunks.columns import check_dtype, check_names, check_shape, is_number, refuse_kinds
from pulasso.data.chunks.local import Source, read_block
from pulasso.data.containers import unmasked
from pulasso.design import canonical
from pulasso.exceptions import ClusterError

__all__ = ["DaskChunks"]

T = TypeVar("T")
FAN_IN = 8  # results that one task adds up
TASK_BYTES = (
    2**26
)  # that workers read from a disk for one task: long enough that dask's own work does not show
# How dask says that a scheduler has gone, by names: distributed is not imported for the threads of one machine.
LOST = ("CancelledError", "FutureCancelledError", "CommClosedError", "StreamClosedError", "TimeoutError")


class DaskChunks:
    """Chunks of rows of a dask array or data frame, dense or sparse.

    Chunks are computed for every sum, unless the collection was persisted: then they stay on the workers. All
    tasks are functions of what is in the graph, so that those of a lost worker are simply computed again by another.
    The order of the sums is that of the chunks: the result is the same bit for bit, whichever worker does what.

    Parameters
    ----------
    blocks : sequence of Delayed
        Each gives a matrix of consecutive rows.
    lengths : array of int
        Their numbers of rows.
    n_features : int
    dtype : dtype
    feature_names : array, optional
    """

    def __init__(
        self,
        blocks: Sequence[Delayed],
        lengths: NDArray[np.intp],
        n_features: int,
        dtype: np.dtype,
        feature_names: NDArray | None = None,
    ):
        self.blocks, self.lengths = list(blocks), np.asarray(lengths, dtype=np.intp)
        self.shape = (int(self.lengths.sum()), n_features)
        self.dtype = np.dtype(np.float32 if dtype == np.float32 else np.float64)
        self.feature_names = feature_names
        self.n_passes = 0

    @classmethod
    def of(cls, collection: Any) -> "DaskChunks":
        """Return the chunks of a dask array, or the partitions of a dask data frame."""
        names = None
        kind = f"dask {type(collection).__name__}"
        if kind == "dask DataFrame":
            collection, names = _array_of_frame(collection)
        elif kind != "dask Array":
            raise TypeError(f"X is a {kind}; give a dask array with rows and columns, or a dask data frame.")
        if collection.ndim == 2 and np.isnan(collection.shape).any():
            with _named_losses():
                collection = collection.compute_chunk_sizes()
        check_shape(collection.shape, kind)
        check_dtype(collection.dtype, kind)
        whole_rows = collection.rechunk({1: -1}) if len(collection.chunks[1]) > 1 else collection
        blocks = whole_rows.to_delayed().ravel()
        lengths = np.array(whole_rows.chunks[0], dtype=np.intp)
        # Empty partitions are common in data frames; they have nothing to add.
        kept = lengths > 0
        return cls(blocks[kept], lengths[kept], collection.shape[1], collection.dtype, names)

    @classmethod
    def of_source(cls, source: Source, task_bytes: int = TASK_BYTES) -> "DaskChunks":
        """Return chunks of a source that the workers read, several of them for each task."""
        ends = np.cumsum(source.lengths)
        row_bytes = max(1, source.shape[1] * source.dtype.itemsize)
        task = ends * row_bytes // max(1, task_bytes)
        firsts = np.append(0, np.flatnonzero(np.diff(task)) + 1)
        lasts = np.append(firsts[1:], len(ends))
        spans = [_Span(source, int(a), int(b)) for a, b in zip(firsts, lasts, strict=True)]
        lengths = np.add.reduceat(source.lengths, firsts)
        blocks = [delayed(span, traverse=False, pure=False) for span in spans]
        return cls(blocks, lengths, source.shape[1], source.dtype, source.feature_names)

    def scatter(self, own: Sequence[tuple]) -> Sequence[Delayed]:
        """Bring labels and weights to the workers; the scheduler keeps a copy, should one of them be lost."""
        with _named_losses():
            return persist(*(delayed(tuple)(list(parts)) for parts in own))

    def map_reduce(self, function: Callable[..., T], placed: Sequence[Delayed], *shared: Any) -> T:
        """Return the sum over chunks of ``function(block, *own, *shared)``: one round trip to the workers."""
        self.n_passes += 1
        told = delayed(_Shared(shared, self.dtype, self.shape[1]), pure=False, traverse=False)
        parts = [
            delayed(_sum)(function, block, own, told) for block, own in zip(self.blocks, placed, strict=True)
        ]
        while len(parts) > 1:
            parts = [delayed(_add)(parts[i : i + FAN_IN]) for i in range(0, len(parts), FAN_IN)]
        with _named_losses():
            return parts[0].compute()

    def map_concat(self, function: Callable[..., NDArray], *shared: Any) -> NDArray:
        """Return ``function(block, *shared)`` of all chunks, one below the other."""
        self.n_passes += 1
        told = delayed(_Shared(shared, self.dtype, self.shape[1]), pure=False, traverse=False)
        parts = [delayed(_rows)(function, block, told) for block in self.blocks]
        with _named_losses():
            return np.concatenate(compute(*parts))


class _Shared:
    """Arguments that dask should not look into, and what a chunk must be."""

    def __init__(self, values: tuple, dtype: np.dtype, n_features: int):
        self.values, self.dtype, self.n_features = values, dtype, n_features


class _Span:
    """Some chunks of a source, one after the other, to be read where they are needed."""

    def __init__(self, source: Source, first: int, last: int):
        self.source, self.numbers = source, range(first, last)

    def parts(self, own: tuple) -> Iterator[tuple[Any, tuple]]:
        """Yield every chunk with its part of what belongs to the rows."""
        first = 0
        for number in self.numbers:
            block = read_block(self.source, number)
            rows = slice(first, first + block.shape[0])
            yield block, tuple(part[rows] if np.ndim(part) else part for part in own)
            first = rows.stop


def _sum(function: Callable[..., T], block: Any, own: tuple, shared: _Shared) -> T:
    own = tuple(map(_aligned, own))
    if isinstance(block, _Span):
        return _add([function(part, *mine, *shared.values) for part, mine in block.parts(own)])
    matrix = _as_matrix(block, shared)
    if any(np.ndim(part) and len(part) != matrix.shape[0] for part in own):
        raise ValueError(
            f"A chunk of X has {matrix.shape[0]} rows, but dask was told another number. Give the shape or the chunks "
            "that are true, or X.compute_chunk_sizes()."
        )
    return map_reduce_slices(function, matrix, own, shared.values)


def _rows(function: Callable[..., NDArray], block: Any, shared: _Shared) -> NDArray:
    if isinstance(block, _Span):
        return np.concatenate([function(part, *shared.values) for part, _ in block.parts(())])
    return function(_as_matrix(block, shared), *shared.values)


def _as_matrix(block: Any, shared: _Shared) -> Any:
    """Return a chunk as rows of numbers; it need not be what dask was told that it is."""
    if sparse.issparse(block):
        block = canonical(block)
    else:
        block = np.asarray(unmasked(block))
    if not is_number(block.dtype) or block.ndim != 2 or block.shape[1] != shared.n_features:
        raise ValueError(
            f"A chunk of X is an array of shape {block.shape} and dtype {block.dtype}, but dask was told that it holds "
            f"numbers in {shared.n_features} columns. Look at X.partitions[0].compute(), and give dtype and chunks "
            "that are true."
        )
    return _aligned(block.astype(shared.dtype, copy=False))


def _aligned(part: Any) -> Any:
    """Return an array whose numbers begin where they should; those that came over a network may not.

    Products of such arrays are computed by other code, with other last bits: a lost worker would show.
    """
    return part.copy(order="K") if isinstance(part, np.ndarray) and not part.flags.aligned else part


def _add(parts: list) -> Any:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _array_of_frame(frame: Any) -> tuple[Any, NDArray]:
    """Return a data frame as an array, with the names of its columns; refuse what are not numbers."""
    names = list(frame.columns)
    check_names(names)
    dtypes = list(frame.dtypes)
    refuse_kinds([(name, dtype) for name, dtype in zip(names, dtypes, strict=True) if not is_number(dtype)])
    # Beside other columns, truth values and pandas' own kinds (Int64, Sparse) would make objects of all.
    plain = [isinstance(dtype, np.dtype) and dtype.kind != "b" for dtype in dtypes]
    if not all(plain):
        frame = frame.astype(
            {name: np.float64 for name, is_plain in zip(names, plain, strict=True) if not is_plain}
        )
    with _named_losses():
        return frame.to_dask_array(lengths=True), np.array(names, dtype=object)


@contextmanager
def _named_losses() -> Iterator[None]:
    """Say what happened to the cluster, and how to go on."""
    try:
        yield
    except BaseException as error:
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if "KilledWorker" in kinds:
            raise ClusterError(
                f"The same chunk of X ended several workers: {error} They ran out of memory, probably: make the "
                "chunks smaller, or give the workers more memory."
            ) from error
        if kinds.intersection(LOST) and not isinstance(error, KeyboardInterrupt):
            raise ClusterError(
                f"The connection to the dask scheduler was lost ({type(error).__name__}). Start a cluster, connect a "
                "new Client, and make the same call again: inside pulasso.checkpoint('some/folder') it resumes from "
                "what was finished, elsewhere from the beginning."
            ) from error
        raise
