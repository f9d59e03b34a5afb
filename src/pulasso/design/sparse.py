"""Sparse matrices: the cost of every product is proportional to the stored entries."""

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.sparsefuncs import mean_variance_axis

__all__ = ["SparseDesign"]


class SparseDesign:
    """A CSR or CSC matrix (``spmatrix`` or ``sparray``), never made dense.

    Parameters
    ----------
    x : sparse matrix or array of shape (n_samples, n_features)
    """

    def __init__(self, x):
        self.x = x
        self.shape = x.shape
        self.dtype = x.dtype

    def matmul(self, theta: NDArray) -> NDArray:
        """Return ``X @ theta``."""
        return np.asarray(self.x @ theta.astype(self.dtype, copy=False), dtype=np.float64, order="F")

    def rmatmul(self, grad: NDArray) -> NDArray:
        """Return ``X.T @ grad``."""
        return np.asarray(self.x.T @ grad.astype(self.dtype, copy=False), dtype=np.float64)

    def moments(self, sample_weight: NDArray) -> tuple[NDArray, NDArray]:
        """Return mean and variance of every column, the implicit zeros included."""
        mean, variance = mean_variance_axis(
            self.x, axis=0, weights=sample_weight.astype(self.dtype, copy=False)
        )
        # Rounding may leave the variance of a constant column a little below zero.
        return mean.astype(np.float64), np.maximum(variance, 0.0, dtype=np.float64)
