"""What a design matrix must offer: products with it, nothing else.

Storage (dense, sparse, single or double precision, memory-mapped) is hidden here and nowhere else. Results
are always double precision; the n x m result of a product is class-major in memory, because everything
that follows works class by class.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Design", "Measurable", "Moments", "StoredDesign", "may_be_indicator"]

# Sums of many weights in single precision are off by less than this.
ROUGHLY = 0.01


class Moments(NamedTuple):
    """What is measured of every column, under weights that sum to one."""

    mean: NDArray
    variance: NDArray
    is_indicator: NDArray  # whether it holds zeros and ones only, in rows of positive weight


def may_be_indicator(mean: NDArray, variance: NDArray) -> NDArray:
    """Say which columns are worth a look: zeros and ones have the variance ``mean * (1 - mean)``."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.abs(variance + mean**2 - mean) <= ROUGHLY * np.abs(mean)


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

    def moments(self, sample_weight: NDArray) -> Moments:
        """Return mean and variance of every column under weights that sum to one, and which are indicators."""
        ...


class StoredDesign(Design, Measurable, Protocol):
    """A design that holds numbers of its own."""

    @property
    def x(self) -> Any:
        """The matrix itself."""
        ...
