"""Dense matrices, used where they lie: no copy, no cast."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pulasso.design._protocol import Moments, may_be_indicator
from pulasso.kernels import centred_sums, is_compiled, row_products, row_sums

__all__ = ["DenseDesign", "few_times"]

NUMBERS_AT_ONCE = 2**16  # the moments work on chunks of X of this size: half a megabyte in double precision
FAR = 1e4  # shifts beyond this many variances, squared, cost digits: four of sixteen, and no more
FEW = 4  # so many vectors are multiplied in one reading of the matrix, or one by one


def few_times(vectors: NDArray, matrix: NDArray, which: NDArray | None = None) -> NDArray:
    """Return ``vectors @ matrix`` for few rows on the left, computed in the precision of the matrix.

    The product of two matrices rearranges the large one first, which takes as long as reading it several times.

    Parameters
    ----------
    vectors : array of shape (n_vectors, n)
    matrix : array of shape (n, n_columns), in C or Fortran order
    which : array of int64, optional
        Look only at some rows of the matrix (C order) or at some of its columns (Fortran order), in place.
    """
    left = np.ascontiguousarray(vectors, dtype=matrix.dtype)
    by_columns = matrix.strides[0] == matrix.itemsize
    rows = matrix.T if by_columns else matrix
    if which is not None or (1 < len(left) <= FEW and is_compiled(rows)):
        product = (row_products if by_columns else row_sums)(rows, left, which)
    elif len(left) <= FEW:
        product = np.empty((len(left), matrix.shape[1]), dtype=matrix.dtype)
        for vector, out in zip(left, product, strict=True):
            np.matmul(vector, matrix, out=out)
    else:
        product = left @ matrix
    return product.astype(np.float64, copy=False)


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
        return few_times(theta.T, self.x.T).T

    def rmatmul(self, grad: NDArray) -> NDArray:
        """Return ``X.T @ grad``."""
        return few_times(grad.T, self.x).T

    def select(self, features: NDArray) -> "DenseDesign":
        """Return copies of some of the columns."""
        return DenseDesign(self.x.T[features].T)

    def moments(self, sample_weight: NDArray) -> Moments:
        """Return mean and variance of every column, and which are indicators.

        They are measured from one row, so that nothing cancels: the differences to that row are zero in a constant
        column, exactly, whatever the rounding of many weights adds up to; elsewhere they are about as large as the
        spread, so that one pass is enough.
        """
        one_row = self.x[np.argmax(sample_weight > 0)].astype(np.float64)
        shift, square = np.zeros(self.shape[1]), np.zeros(self.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):  # whoever asks refuses what is not finite
            for rows, columns in self._tiles():
                first, second = centred_sums(self.x[rows, columns], one_row[columns], sample_weight[rows])
                shift[columns] += first
                square[columns] += second
            variance = square - shift**2
            # The row happens to lie far from the mean: measure these columns from the mean itself.
            for j in np.flatnonzero(shift**2 > FAR * variance):
                variance[j] = sample_weight @ (self.x[:, j] - (one_row[j] + shift[j])) ** 2
        mean = one_row + shift
        return Moments(mean, variance, self._are_indicators(sample_weight, may_be_indicator(mean, variance)))

    def _are_indicators(self, sample_weight: NDArray, maybe: NDArray) -> NDArray:
        """Look at those columns that may hold zeros and ones only."""
        are, counts = maybe.copy(), sample_weight > 0
        for rows, columns in self._tiles() if maybe.any() else ():
            here = np.arange(self.shape[1])[columns]
            here = here[are[here]]
            numbers = self.x[rows, here]
            others = (numbers != 0) & (numbers != 1)
            are[here] = ~(others & counts[rows, None]).any(axis=0)
        return are

    def _tiles(self) -> Iterator[tuple[slice, slice]]:
        """Cut X along its contiguous axis into chunks that stay in the cache."""
        n, p = self.shape
        by_columns = self.x.flags.f_contiguous and not self.x.flags.c_contiguous
        length, other = (p, n) if by_columns else (n, p)
        step = max(1, NUMBERS_AT_ONCE // max(other, 1))
        for start in range(0, length, step):
            chunk = slice(start, start + step)
            yield (slice(None), chunk) if by_columns else (chunk, slice(None))
