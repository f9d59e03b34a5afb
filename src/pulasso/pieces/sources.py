"""Where pieces come from: ``.npy`` files, arrays on a disk (Zarr, memory maps), Parquet and Arrow datasets."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.exceptions import DataFileError
from pulasso.pieces._protocol import SLICE_BYTES

__all__ = ["ArraySource", "DatasetSource", "NpySource", "open_source"]

PIECE_BYTES = SLICE_BYTES  # of a row-wise array


class NpySource:
    """Rows of a ``.npy`` file, read without mapping it into memory.

    A map of the whole file would count against a limit on memory, and a file that is cut short while it is read
    would end the process; reading says what is wrong.

    Parameters
    ----------
    path : str or path
        An array of numbers with two axes, in C order.
    rows : int, optional
        Rows of a piece; by default as many as make up some megabytes.
    """

    def __init__(self, path: str | os.PathLike, rows: int | None = None):
        self.path = Path(path)
        self.feature_names: NDArray | None = None
        with self._named(), open(self.path, "rb") as file:
            shape, is_fortran, self.stored = _npy_header(file)
            self.start = file.tell()
            size = file.seek(0, os.SEEK_END)
        if len(shape) != 2 or is_fortran or self.stored.kind not in "fiub":
            raise DataFileError(
                f"{self.path} holds an array of shape {shape} and dtype {self.stored}"
                f"{' in Fortran order' if is_fortran else ''}; an array of numbers with rows and columns, in C order, "
                "is needed. Save it again with numpy.save(path, numpy.ascontiguousarray(X))."
            )
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
        """Return a piece."""
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
        Rows of a piece; by default the chunks of the array, or as many as make up some megabytes.
    """

    def __init__(self, array: Any, rows: int | None = None):
        self.array, self.shape = array, (int(array.shape[0]), int(array.shape[1]))
        self.feature_names: NDArray | None = None
        self.dtype = _precision(array.dtype)
        self.edges = _edges(self.shape, self.dtype, rows, getattr(array, "chunks", None))
        self.lengths = np.diff(self.edges)

    def read(self, number: int) -> NDArray:
        """Return a piece."""
        first, last = self.edges[number], self.edges[number + 1]
        try:
            return np.asarray(self.array[first:last], dtype=self.dtype)
        except (OSError, RuntimeError, ValueError) as error:
            where = getattr(self.array, "store_path", getattr(self.array, "filename", None))
            raise DataFileError(
                f"The rows {first} to {last - 1} of {where or type(self.array).__name__} cannot be read: {error}. "
                "A chunk is damaged or cut short; write it again."
            ) from error


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
        self.fragments: list[Any] = []
        lengths: list[int] = []
        for fragment in dataset.get_fragments():
            with _named_fragment(fragment):
                parts = _parts(fragment)
                lengths.extend(_n_rows(part) for part in parts)
            self.fragments.extend(parts)
        self.lengths = np.array(lengths, dtype=np.intp)
        self.shape = (int(self.lengths.sum()), len(dataset.schema.names))

    def read(self, number: int) -> NDArray:
        """Return a piece."""
        with _named_fragment(self.fragments[number]):
            table = self.fragments[number].to_table()
        block = np.empty((int(self.lengths[number]), self.shape[1]), dtype=self.dtype, order="F")
        for j, column in enumerate(table.columns):
            block[:, j] = column.to_numpy()
        return block


@contextmanager
def _named_fragment(fragment: Any) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:  # those of pyarrow are both
        raise DataFileError(
            f"{getattr(fragment, 'path', 'A part of the dataset')} cannot be read: {_first_sentence(error)} "
            "The file is damaged or cut short; write it again, or take it out of the folder."
        ) from error


def _first_sentence(error: Exception) -> str:
    return f"{str(error).splitlines()[0].rstrip('.')}."


def _precision(stored: np.dtype) -> np.dtype:
    return np.dtype(np.float32 if stored == np.float32 else np.float64)


def _edges(shape: tuple[int, int], dtype: np.dtype, rows: int | None, chunks: Any = None) -> NDArray[np.intp]:
    """Return where pieces begin, and the end."""
    usual = max(1, PIECE_BYTES // max(1, shape[1] * dtype.itemsize))
    if chunks:  # whole chunks: each of them is read, and unpacked, as a whole
        usual = max(1, usual // chunks[0]) * chunks[0]
    return np.append(np.arange(0, shape[0], rows or usual), shape[0])


def _parts(fragment: Any) -> list[Any]:
    return fragment.split_by_row_group() if hasattr(fragment, "split_by_row_group") else [fragment]


def _n_rows(part: Any) -> int:
    # count_rows of a single row group counts those of the whole file.
    groups = getattr(part, "row_groups", None)
    return sum(group.num_rows for group in groups) if groups else part.count_rows()


def open_source(x: Any) -> NpySource | ArraySource | DatasetSource:
    """Return the source of what lies on a disk: a path, an array that is read by slices, or a dataset."""
    if isinstance(x, str | os.PathLike):
        path = Path(x)
        if path.suffix == ".npy":
            return NpySource(path)
        x = _opened(path)
    is_dataset = type(x).__module__.partition(".")[0] == "pyarrow"
    return DatasetSource(x) if is_dataset else ArraySource(x)


def _opened(path: Path) -> Any:
    """Open a Zarr array or a Parquet dataset."""
    is_zarr = path.suffix == ".zarr"
    try:
        if is_zarr:
            import zarr

            return zarr.open_array(str(path), mode="r")
        import pyarrow.dataset  # type: ignore[import-untyped]

        return pyarrow.dataset.dataset(str(path))
    except ImportError as error:
        raise ImportError(
            f"{path} needs {'zarr' if is_zarr else 'pyarrow'}: pip install 'pulasso[pieces]'."
        ) from error
    except (OSError, ValueError, KeyError) as error:
        kind = "a Zarr array" if is_zarr else "Parquet"
        raise DataFileError(f"{path} cannot be read as {kind}: {_first_sentence(error)}") from error
