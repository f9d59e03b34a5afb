"""Where chunks come from: ``.npy`` files, and arrays on a disk (Zarr, memory maps)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pulasso.data.chunks._slices import SLICE_BYTES
from pulasso.data.chunks.columns import check_dtype, check_shape, is_number
from pulasso.data.chunks.dataset import DatasetSource, first_sentence
from pulasso.data.containers import unmasked
from pulasso.exceptions import DataFileError

__all__ = ["ArraySource", "NpySource", "open_source"]

CHUNK_BYTES = SLICE_BYTES  # of a row-wise array


class NpySource:
    """Rows of a ``.npy`` file, read without mapping it into memory.

    A map of the whole file would count against a limit on memory, and a file that is cut short while it is read
    would end the process; reading says what is wrong.

    Parameters
    ----------
    path : str or path
        An array of numbers with two axes, in C order.
    rows : int, optional
        Rows of a chunk; by default as many as make up some megabytes.
    """

    def __init__(self, path: str | os.PathLike, rows: int | None = None):
        self.path = Path(path)
        self.feature_names: NDArray | None = None
        with self._named(), open(self.path, "rb") as file:
            shape, is_fortran, self.stored = _npy_header(file)
            self.start = file.tell()
            size = file.seek(0, os.SEEK_END)
        if len(shape) != 2 or is_fortran or not is_number(self.stored):
            raise DataFileError(
                f"{self.path} holds an array of shape {shape} and dtype {self.stored}"
                f"{' in Fortran order' if is_fortran else ''}; an array of numbers with rows and columns, in C order, "
                "is needed. Save it again with numpy.save(path, numpy.ascontiguousarray(X))."
            )
        check_shape(shape, f"file {self.path}")
        self.shape = (int(shape[0]), int(shape[1]))
        self.row_bytes = self.shape[1] * self.stored.itemsize
        missing = self.start + self.shape[0] * self.row_bytes - size
        if missing > 0:
            raise DataFileError(
                f"{self.path} is cut short: its header promises {self.shape[0]} rows of {self.shape[1]} numbers, but "
                f"{missing} bytes are missing. Write or copy it again."
            )
        self.dtype = _precision(self.stored)
        self.edges = _edges(self.shape, self.dtype, rows)
        self.lengths = np.diff(self.edges)

    def read(self, number: int) -> NDArray:
        """Return a chunk."""
        first, last = int(self.edges[number]), int(self.edges[number + 1])
        block = np.empty((last - first, self.shape[1]), dtype=self.stored)
        left = block.reshape(-1).view(np.uint8).data
        with self._named(), open(self.path, "rb", buffering=0) as file:
            file.seek(self.start + first * self.row_bytes)
            while len(left):
                n_read = file.readinto(left)
                if not n_read:
                    raise DataFileError(
                        f"{self.path} ended in the middle of the rows {first} to {last - 1}: somebody has cut or "
                        "replaced it since it was opened. Write it again, and start again."
                    )
                left = left[n_read:]
        return block.astype(self.dtype, copy=False)

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise DataFileError(f"{self.path} cannot be read: {error.strerror or error}.") from error


def _npy_header(file: Any) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Return shape, order and dtype by NumPy's public readers of headers."""
    try:
        version = np.lib.format.read_magic(file)
        reader = (
            np.lib.format.read_array_header_1_0 if version[0] == 1 else np.lib.format.read_array_header_2_0
        )
        return reader(file)
    except ValueError as error:
        raise DataFileError(f"{file.name} is not a .npy file, or damaged: {error}") from error


class ArraySource:
    """Rows of anything that is sliced like an array and need not be in memory.

    Parameters
    ----------
    array : array-like with ``shape``, ``dtype`` and slices of rows
        ``numpy.memmap`` or a Zarr array, for example.
    rows : int, optional
        Rows of a chunk; by default the chunks of the array, or as many as make up some megabytes.
    """

    def __init__(self, array: Any, rows: int | None = None):
        _check_array(array)
        self.array, self.shape = array, (int(array.shape[0]), int(array.shape[1]))
        self.feature_names: NDArray | None = None
        self.dtype = _precision(array.dtype)
        self.edges = _edges(self.shape, self.dtype, rows, getattr(array, "chunks", None))
        self.lengths = np.diff(self.edges)

    def read(self, number: int) -> NDArray:
        """Return a chunk."""
        first, last = self.edges[number], self.edges[number + 1]
        try:
            block = self.array[first:last]
        except (OSError, RuntimeError, ValueError) as error:
            where = getattr(self.array, "store_path", getattr(self.array, "filename", None))
            raise DataFileError(
                f"The rows {first} to {last - 1} of {where or type(self.array).__name__} cannot be read: "
                f"{first_sentence(error)} A chunk is damaged or cut short, probably; write it again."
            ) from error
        return np.asarray(unmasked(block), dtype=self.dtype)


def _check_array(array: Any) -> None:
    """Refuse what cannot be read by slices of rows, or holds no numbers."""
    kind = type(array).__name__
    if sparse.issparse(array) or not (hasattr(array, "shape") and hasattr(array, "dtype")):
        raise TypeError(
            f"X is a {kind}, which is not read in chunks. What is in memory goes to fit as it is; what is not may be a "
            "path to .npy, Zarr or Parquet, a memory map, a Zarr array, a pyarrow dataset or table, or a dask array or "
            "data frame."
        )
    check_shape(array.shape, kind)
    check_dtype(array.dtype, kind)


def _precision(stored: np.dtype) -> np.dtype:
    return np.dtype(np.float32 if stored == np.float32 else np.float64)


def _edges(shape: tuple[int, int], dtype: np.dtype, rows: int | None, chunks: Any = None) -> NDArray[np.intp]:
    """Return where chunks begin, and the end."""
    usual = max(1, CHUNK_BYTES // max(1, shape[1] * dtype.itemsize))
    if chunks:  # whole chunks: each of them is read, and unpacked, as a whole
        usual = max(1, usual // chunks[0]) * chunks[0]
    return np.append(np.arange(0, shape[0], rows or usual), shape[0])


def open_source(x: Any) -> NpySource | ArraySource | DatasetSource:
    """Return the source of what lies on a disk: a path, an array that is read by slices, or a dataset."""
    if isinstance(x, str | os.PathLike):
        path = Path(x)
        if path.suffix == ".npy":
            return NpySource(path)
        x = _opened(path)
    if type(x).__module__.partition(".")[0] != "pyarrow":
        return ArraySource(x)
    if hasattr(x, "get_fragments"):
        return DatasetSource(x)
    if not hasattr(x, "schema"):
        raise TypeError(
            f"X is a {type(x).__name__} of pyarrow; give a dataset or a table, which have named columns."
        )
    import pyarrow.dataset  # type: ignore[import-untyped]

    return DatasetSource(pyarrow.dataset.dataset(x))


def _opened(path: Path) -> Any:
    """Open a Zarr array or a Parquet dataset."""
    is_zarr = path.suffix == ".zarr"
    try:
        if is_zarr:
            import zarr

            return zarr.open_array(str(path), mode="r")
        import pyarrow.dataset

        return pyarrow.dataset.dataset(str(path))
    except ImportError as error:
        raise ImportError(
            f"{path} needs {'zarr' if is_zarr else 'pyarrow'}: pip install 'pulasso[chunked]'."
        ) from error
    except (OSError, ValueError, KeyError) as error:
        kind = "a Zarr array" if is_zarr else "Parquet"
        missing = isinstance(error, FileNotFoundError)
        words = "there is no such file or folder." if missing else first_sentence(error)
        raise DataFileError(f"{path} cannot be read as {kind}: {words}") from error
