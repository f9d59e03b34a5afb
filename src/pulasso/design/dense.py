"""Dense matrices, used where they lie: no copy, no cast."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["DenseDesign"]

ROWS_AT_ONCE = 4096  # the moments take this many rows at a time: memory beyond X stays small


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
        mean = one_row.copy()
        for rows, part in self._parts():
            mean += share[rows] @ (part - one_row)
        variance = np.zeros(self.shape[1])
        for rows, part in self._parts():
            variance += share[rows] @ (part - mean) ** 2
        return mean, variance

    def _parts(self):
        for start in range(0, self.shape[0], ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            yield rows, self.x[rows].astype(np.float64, copy=False)
