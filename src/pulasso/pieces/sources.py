"""Where pieces come from: arrays on a disk (memory-mapped or Zarr), Parquet and Arrow datasets, dask."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.pieces._protocol import Pieces
from pulasso.pieces.local import LocalPieces

__all__ = ["ArraySource", "DatasetSource", "as_pieces", "is_in_pieces"]

PIECE_BYTES = 2**23  # of a row-wise array: small enough to be still in the cache when it is read again


class ArraySource:
    """Rows of anything that is sliced like an array and need not be in memory.

    Parameters
    ----------
    array : array-like with ``shape``, ``dtype`` and slices of rows
        ``numpy.memmap`` or a Zarr array, for example.
    rows : int, optional
        Rows of a piece; by default the chunks of the array, or as many as make up some megabytes.
    """

    def __init__(self, array: Any, rows: int | None = None):
        self.array, self.shape = array, (int(array.shape[0]), int(array.shape[1]))
        self.feature_names: NDArray | None = None
        self.dtype = np.dtype(np.float32 if array.dtype == np.float32 else np.float64)
        chunks = getattr(array, "chunks", None)
        usual = max(1, PIECE_BYTES // max(1, self.shape[1] * self.dtype.itemsize))
        if chunks:  # whole chunks: each of them is read, and unpacked, as a whole
            usual = max(1, usual // chunks[0]) * chunks[0]
        step = rows or usual
        self.edges = np.append(np.arange(0, self.shape[0], step), self.shape[0])
        self.lengths = np.diff(self.edges)

    def read(self, number: int) -> NDArray:
        """Return a piece."""
        first, last = self.edges[number], self.edges[number + 1]
        return np.asarray(self.array[first:last], dtype=self.dtype)


class DatasetSource:
    """Row groups of a Parquet or Arrow dataset.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset
        All columns must be numbers.
    """

    def __init__(self, dataset: Any):
        self.feature_names: NDArray | None = np.array(dataset.schema.names, dtype=object)
        singles = all(str(field.type) in ("float", "halffloat") for field in dataset.schema)
        self.dtype = np.dtype(np.float32 if singles else np.float64)
        self.fragments = [part for fragment in dataset.get_fragments() for part in _parts(fragment)]
        self.lengths = np.array([_n_rows(part) for part in self.fragments], dtype=np.intp)
        self.shape = (int(self.lengths.sum()), len(dataset.schema.names))

    def read(self, number: int) -> NDArray:
        """Return a piece."""
        table = self.fragments[number].to_table()
        block = np.empty(self.shape_of(number), dtype=self.dtype, order="F")
        for j, column in enumerate(table.columns):
            block[:, j] = column.to_numpy()
        return block

    def shape_of(self, number: int) -> tuple[int, int]:
        """Return the shape of a piece."""
        return int(self.lengths[number]), self.shape[1]


def _parts(fragment: Any) -> list[Any]:
    return fragment.split_by_row_group() if hasattr(fragment, "split_by_row_group") else [fragment]


def _n_rows(part: Any) -> int:
    # count_rows of a single row group counts those of the whole file.
    groups = getattr(part, "row_groups", None)
    return sum(group.num_rows for group in groups) if groups else part.count_rows()


def is_in_pieces(x: Any) -> bool:
    """Say whether X is one of the forms that are worked on piece by piece."""
    module = type(x).__module__.partition(".")[0]
    return module in ("zarr", "dask", "pyarrow") or _is_pieces(x)


def _is_pieces(x: Any) -> bool:
    # Asked of the type: a data frame may well have columns called total and gather.
    return hasattr(type(x), "total") and hasattr(type(x), "gather")


def as_pieces(x: Any, n_threads: int | None = None) -> Pieces:
    """Return X as pieces.

    Parameters
    ----------
    x : Pieces, path, numpy.memmap, Zarr array, pyarrow dataset, dask array or dask data frame
        A path leads to a ``.npy`` file, a Zarr array, a Parquet file or a folder of Parquet files.
    n_threads : int, optional
        Pieces that are read and worked on at a time on this machine; by default the number of cores.
    """
    if _is_pieces(x):
        return x
    if type(x).__module__.partition(".")[0] == "dask":
        from pulasso.pieces.dask import DaskPieces

        return DaskPieces.of(x)
    if isinstance(x, str | os.PathLike):
        x = _opened(Path(x))
    threads = n_threads or os.cpu_count() or 1
    is_dataset = type(x).__module__.partition(".")[0] == "pyarrow"
    return LocalPieces(DatasetSource(x) if is_dataset else ArraySource(x), threads)


def _opened(path: Path) -> Any:
    if path.suffix == ".npy":
        return np.load(path, mmap_mode="r")
    if path.suffix == ".zarr":
        import zarr

        return zarr.open(str(path), mode="r")
    import pyarrow.dataset  # type: ignore[import-untyped]

    return pyarrow.dataset.dataset(str(path))
