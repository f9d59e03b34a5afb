"""What data in chunks must offer: a sum, over the chunks, of a function of each."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Chunks", "map_reduce_slices", "split"]

T = TypeVar("T")
SLICE_BYTES = 2**22  # small enough to be still in the cache when it is read again


class Chunks(Protocol):
    """A matrix with n_samples rows in chunks, each a dense or CSR/CSC block of consecutive rows."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns of all chunks together."""
        ...

    @property
    def dtype(self) -> np.dtype:
        """Precision of the numbers."""
        ...

    @property
    def lengths(self) -> NDArray[np.intp]:
        """Rows of every chunk."""
        ...

    @property
    def feature_names(self) -> NDArray | None:
        """Names of the columns, if they have any."""
        ...

    def scatter(self, own: Sequence[tuple]) -> Any:
        """Bring what belongs to each chunk (labels, weights) to where the chunk is; return how to name it."""
        ...

    def map_reduce(self, function: Callable[..., T], placed: Any, *shared: Any) -> T:
        """Return the sum over chunks of ``function(block, *own, *shared)``, in the order of the chunks.

        The function must not change its arguments: a chunk may be computed again if a machine is lost.
        """
        ...

    def map_concat(self, function: Callable[..., NDArray], *shared: Any) -> NDArray:
        """Return ``function(block, *shared)`` of all chunks, one below the other."""
        ...


def split(array: NDArray, lengths: NDArray[np.intp]) -> list[NDArray]:
    """Cut what has one entry for each row into the parts of the chunks."""
    return np.split(array, np.cumsum(lengths)[:-1])


def map_reduce_slices(function: Callable[..., T], block: Any, own: tuple, shared: tuple) -> T:
    """Return ``function`` of one block, as a sum over slices of rows that stay in the cache.

    Only large dense blocks in C order are cut; what belongs to each row (labels, weights) is cut along.
    """
    is_cut = isinstance(block, np.ndarray) and block.flags.c_contiguous and block.nbytes > 2 * SLICE_BYTES
    if not is_cut:
        return function(block, *own, *shared)
    step = max(1, SLICE_BYTES // max(1, block.nbytes // len(block)))
    total: Any = None
    for first in range(0, len(block), step):
        rows = slice(first, first + step)
        mine = (part[rows] if np.ndim(part) and len(part) == len(block) else part for part in own)
        result = function(block[rows], *mine, *shared)
        total = result if total is None else total + result
    return total
