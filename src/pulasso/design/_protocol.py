"""What a design matrix must offer: products with it, nothing else.

Storage (dense, sparse, single or double precision, memory-mapped) is hidden here and nowhere else. Results
are always double precision; the n x m result of a product is class-major in memory, because everything
that follows works class by class.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Design", "Measurable", "StoredDesign"]


class Design(Protocol):
    """A matrix X with n_samples rows and n_features columns."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        ...

    @property
    def dtype(self) -> np.dtype:
        """Precision of the stored numbers."""
        ...

    def matmul(self, theta: NDArray) -> NDArray:
        """Return ``X @ theta``, shape (n_samples, n_outputs)."""
        ...

    def rmatmul(self, grad: NDArray) -> NDArray:
        """Return ``X.T @ grad``, shape (n_features, n_outputs)."""
        ...


class Measurable(Protocol):
    """Numbers whose moments can be asked for."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        ...

    @property
    def dtype(self) -> np.dtype:
        """Precision of the stored numbers."""
        ...

    def moments(self, sample_weight: NDArray) -> tuple[NDArray, NDArray]:
        """Return mean and variance of every column under weights that sum to one."""
        ...


class StoredDesign(Design, Measurable, Protocol):
    """A design that holds numbers of its own."""

    @property
    def x(self) -> Any:
        """The matrix itself."""
        ...
