"""Pieces that dask knows how to compute: chunks of an array or partitions of a data frame."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from dask.base import compute, persist
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["DaskPieces"]

T = TypeVar("T")
FAN_IN = 8  # results that one task adds up


class DaskPieces:
    """Chunks of rows of a dask array or data frame, dense or sparse.

    Chunks are computed for every sum, unless the collection was persisted: then they stay on the workers. All
    tasks are functions of what is in the graph, so that those of a lost worker are simply computed again by another.

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
    def of(cls, collection: Any) -> "DaskPieces":
        """Return the chunks of a dask array, or the partitions of a dask data frame."""
        names = None
        if hasattr(collection, "to_dask_array"):
            names = np.array(collection.columns, dtype=object)
            collection = collection.to_dask_array(lengths=True)
        if collection.ndim != 2:
            raise ValueError(
                f"X must have rows and columns, but this dask array has shape {collection.shape}."
            )
        if np.isnan(collection.shape[0]):
            collection = collection.compute_chunk_sizes()
        whole_rows = collection.rechunk({1: -1}) if len(collection.chunks[1]) > 1 else collection
        blocks = whole_rows.to_delayed().ravel()
        lengths = np.array(whole_rows.chunks[0], dtype=np.intp)
        # Empty partitions are common in data frames; they have nothing to add.
        kept = lengths > 0
        return cls(blocks[kept], lengths[kept], collection.shape[1], collection.dtype, names)

    def place(self, own: Sequence[tuple]) -> Sequence[Delayed]:
        """Bring labels and weights to the workers; the scheduler keeps a copy, should one of them be lost."""
        return persist(*(delayed(tuple)(list(parts)) for parts in own))

    def total(self, function: Callable[..., T], placed: Sequence[Delayed], *shared: Any) -> T:
        """Return the sum over pieces of ``function(block, *own, *shared)``: one trip to the workers."""
        self.n_passes += 1
        told = delayed(_Shared(shared), pure=False, traverse=False)
        parts = [
            delayed(_apply)(function, block, own, told, self.dtype)
            for block, own in zip(self.blocks, placed, strict=True)
        ]
        while len(parts) > 1:
            parts = [delayed(_add)(parts[i : i + FAN_IN]) for i in range(0, len(parts), FAN_IN)]
        return parts[0].compute()

    def gather(self, function: Callable[..., NDArray], *shared: Any) -> NDArray:
        """Return ``function(block, *shared)`` of all pieces, one below the other."""
        self.n_passes += 1
        told = delayed(_Shared(shared), pure=False, traverse=False)
        parts = [delayed(_apply)(function, block, (), told, self.dtype) for block in self.blocks]
        return np.concatenate(compute(*parts))


class _Shared:
    """Arguments that dask should not look into."""

    def __init__(self, values: tuple):
        self.values = values


def _apply(function: Callable[..., T], block: Any, own: tuple, shared: _Shared, dtype: np.dtype) -> T:
    return function(_as_matrix(block, dtype), *own, *shared.values)


def _as_matrix(block: Any, dtype: np.dtype) -> Any:
    if sparse.issparse(block):
        block = block if block.format in ("csr", "csc") else block.tocsr()
        return block.astype(dtype, copy=False)
    return np.asarray(block, dtype=dtype)


def _add(parts: list) -> Any:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
