"""What data in pieces must offer: a sum, over the pieces, of a function of each."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Pieces", "split", "sum_in_slices"]

T = TypeVar("T")
SLICE_BYTES = 2**22  # small enough to be still in the cache when it is read again


class Pieces(Protocol):
    """A matrix with n_samples rows in pieces, each a dense or CSR/CSC block of consecutive rows."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns of all pieces together."""
        ...

    @property
    def dtype(self) -> np.dtype:
        """Precision of the numbers."""
        ...

    @property
    def lengths(self) -> NDArray[np.intp]:
        """Rows of every piece."""
        ...

    @property
    def feature_names(self) -> NDArray | None:
        """Names of the columns, if they have any."""
        ...

    def place(self, own: Sequence[tuple]) -> Any:
        """Bring what belongs to each piece (labels, weights) to where the piece is; return how to name it."""
        ...

    def total(self, function: Callable[..., T], placed: Any, *shared: Any) -> T:
        """Return the sum over pieces of ``function(block, *own, *shared)``, in the order of the pieces.

        The function must not change its arguments: a piece may be computed again if a machine is lost.
        """
        ...

    def gather(self, function: Callable[..., NDArray], *shared: Any) -> NDArray:
        """Return ``function(block, *shared)`` of all pieces, one below the other."""
        ...


def split(array: NDArray, lengths: NDArray[np.intp]) -> list[NDArray]:
    """Cut what has one entry for each row into the parts of the pieces."""
    return np.split(array, np.cumsum(lengths)[:-1])


def sum_in_slices(function: Callable[..., T], block: Any, own: tuple, shared: tuple) -> T:
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
