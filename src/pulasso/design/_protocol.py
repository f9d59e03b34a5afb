"""What a design matrix must offer: products with it, nothing else.

Storage (dense, sparse, single or double precision, memory-mapped) is hidden here and nowhere else. Results
are always double precision; the n x m result of a product is class-major in memory, because everything
that follows works class by class.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Design"]


class Design(Protocol):
    """A matrix X with n_samples rows and n_features columns."""

    shape: tuple[int, int]
    dtype: np.dtype

    def matmul(self, theta: NDArray) -> NDArray:
        """Return ``X @ theta``, shape (n_samples, n_outputs)."""
        ...

    def rmatmul(self, grad: NDArray) -> NDArray:
        """Return ``X.T @ grad``, shape (n_features, n_outputs)."""
        ...

    def moments(self, share: NDArray) -> tuple[NDArray, NDArray]:
        """Return mean and variance of every column under weights that sum to one."""
        ...
