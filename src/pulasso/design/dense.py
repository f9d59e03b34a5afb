"""Dense matrices, used where they lie: no copy, no cast."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["DenseDesign"]

NUMBERS_AT_ONCE = 2**16  # the moments work on pieces of X of this size: half a megabyte in double precision


class DenseDesign:
    """A dense X in C or Fortran order, float64 or float32, possibly read-only or memory-mapped.

    Parameters
    ----------
    x : array of shape (n_samples, n_features)
        Used as it is. Only an array with no contiguous axis (say ``X[::2, ::2]``) is copied, once, because
        the linear algebra library would copy it in every product.
    """

    def __init__(self, x: NDArray):
        unit = x.dtype.itemsize
        self.x = x if unit in x.strides or x.size == 0 else np.ascontiguousarray(x)
        self.shape = x.shape
        self.dtype = x.dtype

    def matmul(self, theta: NDArray) -> NDArray:
        """Return ``X @ theta``."""
        product = np.ascontiguousarray(theta.T, dtype=self.dtype) @ self.x.T
        return product.astype(np.float64, copy=False).T

    def rmatmul(self, grad: NDArray) -> NDArray:
        """Return ``X.T @ grad``."""
        product = np.ascontiguousarray(grad.T, dtype=self.dtype) @ self.x
        return product.astype(np.float64, copy=False).T

    def moments(self, share: NDArray) -> tuple[NDArray, NDArray]:
        """Return mean and variance of every column, in two passes so that nothing cancels.

        Means are taken of the differences to one row: those of a constant column are exactly zero, whatever
        the rounding of many weights adds up to.
        """
        one_row = self.x[np.argmax(share > 0)].astype(np.float64)
        mean, variance = one_row.copy(), np.zeros(self.shape[1])
        for rows, columns in self._tiles():
            mean[columns] += share[rows] @ (self.x[rows, columns] - one_row[columns])
        for rows, columns in self._tiles():
            difference = self.x[rows, columns] - mean[columns]
            variance[columns] += share[rows] @ np.square(difference, out=difference)
        return mean, variance

    def _tiles(self) -> Iterator[tuple[slice, slice]]:
        """Cut X along its contiguous axis into pieces that stay in the cache."""
        n, p = self.shape
        by_columns = self.x.flags.f_contiguous and not self.x.flags.c_contiguous
        length, other = (p, n) if by_columns else (n, p)
        step = max(1, NUMBERS_AT_ONCE // max(other, 1))
        for start in range(0, length, step):
            piece = slice(start, start + step)
            yield (slice(None), piece) if by_columns else (piece, slice(None))
