"""From whatever a user has to pieces."""

import os
from typing import Any

from pulasso.pieces._protocol import Pieces
from pulasso.pieces.local import LocalPieces
from pulasso.pieces.sources import open_source

__all__ = ["as_pieces", "is_in_pieces"]


def is_in_pieces(x: Any) -> bool:
    """Say whether X is one of the forms that are worked on piece by piece."""
    module = type(x).__module__.partition(".")[0]
    return module in ("zarr", "dask", "pyarrow") or _is_pieces(x)


def _is_pieces(x: Any) -> bool:
    # Asked of the type: a data frame may well have columns called total and gather.
    return hasattr(type(x), "total") and hasattr(type(x), "gather")


def as_pieces(x: Any, n_threads: int | None = None, *, by_workers: bool = False) -> Pieces:
    """Return X as pieces.

    Parameters
    ----------
    x : Pieces, path, numpy.memmap, Zarr array, pyarrow dataset, dask array or dask data frame
        A path leads to a ``.npy`` file, a Zarr array, a Parquet file or a folder of Parquet files.
    n_threads : int, optional
        Pieces that are read and worked on at a time on this machine; by default the number of cores.
    by_workers : bool
        Whether the workers of the active dask client read the pieces, from a disk that all of them see.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> folder = tempfile.mkdtemp()
    >>> np.save(f"{folder}/X.npy", np.eye(4))
    >>> as_pieces(f"{folder}/X.npy").shape
    (4, 4)
    """
    if _is_pieces(x):
        return x
    if type(x).__module__.partition(".")[0] == "dask":
        return _dask_pieces().of(x)
    source = open_source(x)
    if by_workers:
        return _dask_pieces().of_source(source)
    return LocalPieces(source, n_threads or os.cpu_count() or 1)


def _dask_pieces() -> Any:
    try:
        from pulasso.pieces.dask import DaskPieces
    except ImportError as error:
        raise ImportError("Workers need dask: pip install 'pulasso[pieces]'.") from error
    return DaskPieces
