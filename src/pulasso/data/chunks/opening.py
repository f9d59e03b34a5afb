"""From whatever a user has to chunks."""

import os
from typing import Any

from pulasso.data.chunks.local import LocalChunks
from pulasso.data.chunks.sources import open_source
from pulasso.design import Chunks

__all__ = ["as_chunked", "is_chunked"]


def is_chunked(x: Any) -> bool:
    """Say whether X is one of the forms that are worked on chunk by chunk."""
    module = type(x).__module__.partition(".")[0]
    return module in ("zarr", "dask", "pyarrow") or _is_chunks(x)


def _is_chunks(x: Any) -> bool:
    # Asked of the type: a data frame may well have columns called map_reduce and map_concat.
    return hasattr(type(x), "map_reduce") and hasattr(type(x), "map_concat")


def as_chunked(x: Any, n_threads: int | None = None, *, by_workers: bool = False) -> Chunks:
    """Return X as chunks.

    Parameters
    ----------
    x : Chunks, path, numpy.memmap, Zarr array, pyarrow dataset, dask array or dask data frame
        A path leads to a ``.npy`` file, a Zarr array, a Parquet file or a folder of Parquet files.
    n_threads : int, optional
        Chunks that are read and worked on at a time on this machine; by default the number of cores.
    by_workers : bool
        Whether the workers of the active dask client read the chunks, from a disk that all of them see.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> folder = tempfile.mkdtemp()
    >>> np.save(f"{folder}/X.npy", np.eye(4))
    >>> as_chunked(f"{folder}/X.npy").shape
    (4, 4)
    """
    if _is_chunks(x):
        return x
    if type(x).__module__.partition(".")[0] == "dask":
        return _dask_chunks().of(x)
    source = open_source(x)
    if by_workers:
        return _dask_chunks().of_source(source)
    return LocalChunks(source, n_threads or os.cpu_count() or 1)


def _dask_chunks() -> Any:
    try:
        from pulasso.data.chunks.dask import DaskChunks
    except ImportError as error:
        raise ImportError("Workers need dask: pip install 'pulasso[chunked]'.") from error
    return DaskChunks
