"""Sparse matrices: the cost of every product is proportional to the stored entries."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.sparsefuncs import mean_variance_axis

from pulasso._messages import arg
from pulasso.design._protocol import Moments, may_be_indicator
from pulasso.design.dense import DenseDesign
from pulasso.exceptions import InputError

__all__ = ["SparseDesign", "canonical"]

NUMBERS_AT_ONCE = 2**20  # full columns are measured by so many numbers at a time, eight megabytes
ROWS_AND_COLUMNS = {"csr": ("row", "column"), "csc": ("column", "row"), "bsr": ("row", "column")}


def canonical(x: Any) -> Any:
    """Return a sparse matrix as CSR or CSC whose entries are sorted and stored once; the one given stays as it is.

    SciPy allows several entries at one place, and means their sum; variances would count them one by one. It does not
    look at positions, either, and compiled code would follow those outside of the matrix into foreign memory.

    Raises
    ------
    InputError
        If the parts do not fit together: positions out of range, arrays of different lengths.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> twice = csr_array(([1.0, 2.0], [0, 0], [0, 2]), shape=(1, 1))
    >>> canonical(twice).data.tolist(), twice.data.tolist()
    ([3.0], [1.0, 2.0])
    """
    if x.ndim != 2:
        return x
    _refuse_damage(x)
    if x.format not in ("csr", "csc"):
        x = x.tocsr()
        _refuse_damage(x)  # rows of a list of lists are only looked at now
    # What an object says of its entries may be out of date, and asking would write it down: ask another one.
    fresh = type(x)((x.data, x.indices, x.indptr), shape=x.shape)
    if fresh.has_canonical_format:
        return fresh
    fresh = fresh.copy()
    fresh.sum_duplicates()
    return fresh


def _refuse_damage(x: Any) -> None:
    """Say what is wrong with the positions in a sparse matrix, if anything is."""
    if x.format == "coo":
        problem = _unlike_lengths(data=x.data, row=x.row, col=x.col)
        for name, numbers, size in (("row", x.row, x.shape[0]), ("column", x.col, x.shape[1])):
            problem = problem or _outside(name, numbers, size)
    elif x.format in ROWS_AND_COLUMNS:
        problem = _damage_of_compressed(x)
    else:
        return
    if problem:
        raise InputError(
            f"{arg('X')} is a damaged {x.format.upper()} matrix: {problem}.",
            parameter="X",
            remedy="Build it again, for example as scipy.sparse.coo_array((values, (rows, columns)), shape=...).",
        )


def _damage_of_compressed(x: Any) -> str:
    major, minor = ROWS_AND_COLUMNS[x.format]
    high, wide = getattr(x, "blocksize", (1, 1))
    shape = (x.shape[0] // high, x.shape[1] // wide)
    n_major, n_minor = shape if major == "row" else shape[::-1]
    indptr, indices, n_stored = x.indptr, x.indices, len(x.data)
    if (
        indptr.ndim != 1
        or indices.ndim != 1
        or indptr.dtype.kind not in "iu"
        or indices.dtype.kind not in "iu"
    ):
        return "indptr and indices must be arrays of whole numbers with one axis"
    if len(indptr) != n_major + 1:
        return f"indptr has {len(indptr)} numbers, where {n_major} {major}s need {n_major + 1}"
    if indptr[0] != 0:
        return f"indptr starts with {indptr[0]} instead of 0"
    down = np.flatnonzero(indptr[1:] < indptr[:-1])
    if len(down):
        return f"indptr falls from {indptr[down[0]]} to {indptr[down[0] + 1]} at {major} {down[0]}"
    if indptr[-1] > min(len(indices), n_stored):
        return f"indptr ends at {indptr[-1]}, but there are {len(indices)} indices and {n_stored} values"
    return _unlike_lengths(data=x.data, indices=indices) or _outside(minor, indices[: indptr[-1]], n_minor)


def _unlike_lengths(**arrays: NDArray) -> str:
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) == 1:
        return ""
    return "its arrays differ in length: " + ", ".join(f"{name} has {n}" for name, n in lengths.items())


def _outside(name: str, numbers: NDArray, size: int) -> str:
    for found in (numbers.min(initial=0), numbers.max(initial=0)) if size else numbers[:1]:
        if not 0 <= found < size:
            return f"an entry lies in {name} {found}, but {name}s go from 0 to {size - 1}"
    return ""


class SparseDesign:
    """A CSR or CSC matrix (``spmatrix`` or ``sparray``), never made dense.

    Parameters
    ----------
    x : sparse matrix or array of shape (n_samples, n_features)
    """

    def __init__(self, x: Any):
        self.x = x
        self.shape = x.shape
        self.dtype = x.dtype

    def matmul(self, theta: NDArray) -> NDArray:
        """Return ``X @ theta``."""
        return np.asarray(self.x @ theta.astype(self.dtype, copy=False), dtype=np.float64, order="F")

    def rmatmul(self, grad: NDArray) -> NDArray:
        """Return ``X.T @ grad``."""
        return np.asarray(self.x.T @ grad.astype(self.dtype, copy=False), dtype=np.float64)

    def select(self, features: NDArray) -> "SparseDesign":
        """Return copies of some of the columns."""
        return SparseDesign(self.x[:, features])

    def moments(self, sample_weight: NDArray) -> Moments:
        """Return mean and variance of every column, the implicit zeros included, and which are indicators.

        Columns without implicit zeros may be constant, or nearly: they are measured as dense columns are, in double
        precision and without cancellation.
        """
        mean, variance = mean_variance_axis(
            self.x, axis=0, weights=sample_weight.astype(self.dtype, copy=False)
        )
        mean, variance = mean.astype(np.float64), np.maximum(variance, 0.0, dtype=np.float64)
        is_csr = self.x.format == "csr"
        stored = np.bincount(self.x.indices, minlength=self.shape[1]) if is_csr else np.diff(self.x.indptr)
        full = np.flatnonzero(stored >= max(1, int(np.count_nonzero(sample_weight))))
        columns = self.x[:, full].tocsc() if len(full) else None
        step = max(1, NUMBERS_AT_ONCE // max(self.shape[0], 1))
        for first in range(0, len(full), step):
            some = slice(first, first + step)
            dense = DenseDesign(columns[:, some].toarray())  # type: ignore[index]
            mean[full[some]], variance[full[some]], _ = dense.moments(sample_weight)
        return Moments(mean, variance, self._are_indicators(sample_weight, may_be_indicator(mean, variance)))

    def _are_indicators(self, sample_weight: NDArray, maybe: NDArray) -> NDArray:
        """Look at those columns that may hold zeros and ones only."""
        data, is_csr, are = self.x.data[: self.x.indptr[-1]], self.x.format == "csr", maybe.copy()
        others = np.flatnonzero((data != 0) & (data != 1)) if maybe.any() else np.empty(0, dtype=np.intp)
        others = others[maybe[self.x.indices[others]]] if is_csr else others
        along, across = np.searchsorted(self.x.indptr, others, side="right") - 1, self.x.indices[others]
        rows, columns = (along, across) if is_csr else (across, along)
        are[columns[sample_weight[rows] > 0]] = False
        return are
