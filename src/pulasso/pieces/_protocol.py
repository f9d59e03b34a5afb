"""What data in pieces must offer: a sum, over the pieces, of a function of each."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Pieces", "split"]

T = TypeVar("T")


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
