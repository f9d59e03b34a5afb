"""Products of rows with few vectors, read once for all of them: compiled, or by NumPy."""

import numpy as np
from numpy.typing import NDArray

from pulasso.kernels import native

__all__ = ["is_compiled", "numpy_row_products", "numpy_row_sums", "row_products", "row_sums"]


def numpy_row_products(rows: NDArray, vectors: NDArray, which: NDArray | None = None) -> NDArray:
    """Do what :func:`row_products` does, by NumPy."""
    return vectors @ (rows if which is None else rows[which]).T


def numpy_row_sums(rows: NDArray, coefficients: NDArray, which: NDArray | None = None) -> NDArray:
    """Do what :func:`row_sums` does, by NumPy."""
    return coefficients @ (rows if which is None else rows[which])


def row_products(rows: NDArray, vectors: NDArray, which: NDArray | None = None) -> NDArray:
    """Return the products of rows with few vectors.

    Parameters
    ----------
    rows : array of shape (n_rows, n)
    vectors : array of shape (n_vectors, n)
    which : array of int64, optional
        The rows in question, which are not copied.

    Returns
    -------
    array of shape (n_vectors, number of rows in question)
    """
    if not is_compiled(rows):
        return numpy_row_products(rows, vectors, which)
    n_rows = _number(rows, which)
    if vectors.ndim != 2 or vectors.shape[1] != rows.shape[1]:
        raise ValueError("vectors must be as long as the rows")
    return _call("row_products", rows, n_rows, which, vectors, np.empty((len(vectors), n_rows)))


def row_sums(rows: NDArray, coefficients: NDArray, which: NDArray | None = None) -> NDArray:
    """Return weighted sums of rows, for few sets of weights.

    Parameters
    ----------
    rows : array of shape (n_rows, n)
    coefficients : array of shape (n_vectors, number of rows in question)
    which : array of int64, optional
        The rows in question, which are not copied.

    Returns
    -------
    array of shape (n_vectors, n)
    """
    if not is_compiled(rows):
        return numpy_row_sums(rows, coefficients, which)
    n_rows = _number(rows, which)
    if coefficients.ndim != 2 or coefficients.shape[1] != n_rows:
        raise ValueError("coefficients must have one number for every row")
    return _call("row_sums", rows, n_rows, which, coefficients, np.empty((len(coefficients), rows.shape[1])))


def is_compiled(rows: NDArray) -> bool:
    """Say whether the compiled loops can read these rows: contiguous ones of doubles."""
    strides, unit = rows.strides, rows.itemsize
    if not native.is_loaded or rows.dtype != np.float64 or not rows.flags.aligned:
        return False  # a column of records, say, lies between other bytes
    return strides[1] == unit and strides[0] >= 0


def _number(rows: NDArray, which: NDArray | None) -> int:
    """Return how many rows are meant, after a look that they are there."""
    if which is None:
        return len(rows)
    if which.dtype != np.int64 or not which.flags.c_contiguous or which.ndim != 1:
        raise ValueError("which must be contiguous and of type int64")
    if len(which) and not 0 <= which.min() <= which.max() < len(rows):
        raise ValueError("which must be positions of rows")
    return len(which)


def _call(
    name: str, rows: NDArray, n_rows: int, which: NDArray | None, factors: NDArray, out: NDArray
) -> NDArray:
    factors = np.ascontiguousarray(factors, dtype=np.float64)
    where = None if which is None else which.ctypes.data
    native.call(
        name,
        *(rows.shape[1], n_rows, rows.strides[0] // 8, rows.ctypes.data, where),
        *(len(factors), factors.ctypes.data, out.ctypes.data),
    )
    return out
