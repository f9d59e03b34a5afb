"""A growing set of standardised columns, kept where the solver can reach them quickly.

Rows of the store are called slots; slot s holds feature ``features[s]``. Dense columns are copied, standardised
and one after the other in memory; sparse ones stay sparse and are standardised by algebra.
"""

from copy import copy
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, hstack

from pulasso.design.dense import DenseDesign, few_times
from pulasso.design.sparse import SparseDesign
from pulasso.design.standardized import StandardizedDesign
from pulasso.kernels import is_compiled, sparse_gram

__all__ = ["ColumnStore", "as_slice", "column_store"]

SMALL = 1e6  # products of fewer numbers than this are computed in the precision of X
COLUMNS_AT_ONCE = (
    32  # are standardised together: temporaries stay small, and rows of X are read by whole cache lines
)
MANY, MOST = 64, 0.8  # from so many coefficients on zeros are left out, if no more than this part is left
PICKED = 12  # for products with more vectors than these it pays to copy what is picked
ROOM, ROOM_AT_MOST = 0.1, 2**24  # of the columns have room from the start, but for no more numbers than these
PANELS = 4  # a symmetric product is computed by so many panels of rows, up to the diagonal


def as_slice(numbers: NDArray) -> Any:
    """Return a slice for equally spaced numbers, which needs no copy of what it picks; others as they are.

    Examples
    --------
    >>> as_slice(np.array([3, 5, 7]))
    slice(3, 8, 2)
    >>> as_slice(np.array([3, 5, 8]))
    array([3, 5, 8])
    """
    count = len(numbers)
    if not count:
        return slice(0, 0)
    first, last = int(numbers[0]), int(numbers[-1])
    step = (last - first) // (count - 1) if count > 1 else 1
    if step > 0 and last - first == step * (count - 1) and (np.diff(numbers) == step).all():
        return slice(first, last + 1, step)
    return numbers


class ColumnStore(Protocol):
    """Products with the loaded columns of a standardised design."""

    features: NDArray
    design: StandardizedDesign

    def load(self, features: NDArray) -> None:
        """Append these features."""
        ...

    def select(self, slots: NDArray) -> "ColumnStore":
        """Return a store of some of the columns, for `matmul` and `rmatmul`."""
        ...

    def matmul(self, theta: NDArray) -> NDArray:
        """Return ``X_loaded @ theta``, shape (n_samples, n_outputs), class-major."""
        ...

    def rmatmul(self, grad: NDArray) -> NDArray:
        """Return ``X_loaded.T @ grad``, shape (n_loaded, n_outputs)."""
        ...

    def gram(self, weight: NDArray, left: Any, right: Any) -> NDArray:
        """Return ``X_left.T @ diag(weight) @ X_right`` for two index sets (or slices) of slots."""
        ...

    def sums(self, weights: NDArray, slots: Any) -> NDArray:
        """Return ``X_slots.T @ weights``, shape (n_slots, n_weights)."""
        ...


class DenseColumns:
    """Loaded columns of a dense design, as contiguous rows of buffers that double when they are full.

    Curvature is a means, not an end: Gram matrices are computed from a copy in single precision, at twice the
    speed. Gradients, which make up the certificate, use the columns as they are.
    """

    def __init__(self, design: StandardizedDesign):
        self.design = design
        self.features = np.empty(0, dtype=np.intp)
        # Memory that nothing was written to costs little, but copying what was written does cost.
        n_rows = max(16, min(int(ROOM * design.shape[1]), ROOM_AT_MOST // max(design.shape[0], 1)))
        self._buffer = np.empty((n_rows, design.shape[0]), dtype=design.dtype)
        is_single = design.dtype == np.float32
        self._single = self._buffer if is_single else np.empty(self._buffer.shape, dtype=np.float32)
        self._which: NDArray | None = None  # rows of the buffer, if not the first ones

    def load(self, features: NDArray) -> None:
        """Append these features, standardised."""
        old = len(self.features)
        new = old + len(features)
        if new > len(self._buffer):
            self._buffer = _grown(self._buffer, old, new, self.design.shape[1])
            is_single = self.design.dtype == np.float32
            self._single = self._buffer if is_single else _grown(self._single, old, new, self.design.shape[1])
        for first in range(0, len(features), COLUMNS_AT_ONCE):
            some = features[first : first + COLUMNS_AT_ONCE]
            slots = slice(old + first, old + first + len(some))
            # Rows of the transpose: whole columns at a time where X is in Fortran order.
            columns = self.design.base.x.T[some] - self.design.mean[some, None]
            np.divide(columns, self.design.scale[some, None], out=self._buffer[slots], casting="same_kind")
            if self._single is not self._buffer:
                self._single[slots] = self._buffer[slots]
        self.features = np.append(self.features, features)

    def select(self, slots: NDArray) -> "DenseColumns":
        """Return some of the columns, for products with them."""
        some = copy(self)
        some.features = self.features[slots]
        assert self._which is None  # of all that are loaded, not of some of them
        if is_compiled(self._buffer):
            some._which = slots
        else:
            some._buffer = self._buffer[slots]
        return some

    def matmul(self, theta: NDArray) -> NDArray:
        """Return ``X_loaded @ theta``."""
        rows, which = self._rows(theta.shape[1])
        # Most of the loaded columns may have no part in a step.
        if len(theta) >= MANY and theta.shape[1] <= PICKED and is_compiled(rows):
            used = np.flatnonzero(theta.any(axis=1))
            if len(used) < MOST * len(theta):
                theta, which = theta[used], used if which is None else which[used]
        return few_times(theta.T, rows, which).T

    def rmatmul(self, grad: NDArray) -> NDArray:
        """Return ``X_loaded.T @ grad``."""
        rows, which = self._rows(grad.shape[1])
        return few_times(grad.T, rows.T, which).T

    def _rows(self, n_vectors: int) -> tuple[NDArray, NDArray | None]:
        """Return rows of the buffer, and which of them to pick; for many vectors they are copied, once."""
        if self._which is None:
            return self._buffer[: len(self.features)], None
        if n_vectors > PICKED:
            self._buffer, self._which = self._buffer[self._which], None
            return self._buffer, None
        return self._buffer, self._which

    def gram(self, weight: NDArray, left: Any, right: Any) -> NDArray:
        """Return ``X_left.T @ diag(weight) @ X_right``, in single precision."""
        # Small products are exact enough not to depend on the order of the rows, whatever their weights.
        columns = self._buffer if self._is_small(left) else self._single
        rows = columns[left]
        scaled = rows * weight.astype(columns.dtype, copy=False)
        if left is not right:
            return scaled @ columns[right].T
        product = np.empty((len(rows), len(rows)), dtype=columns.dtype)
        edges = np.linspace(0, len(rows), PANELS + 1, dtype=int)
        for first, last in zip(edges[:-1], edges[1:], strict=True):  # the lower triangle, panel by panel
            product[first:last, :last] = scaled[first:last] @ rows[:last].T
            product[:first, first:last] = product[first:last, :first].T
        return product

    def _is_small(self, slots: Any) -> bool:
        n_slots = len(self.features[slots])
        return n_slots * len(self.features) * self.design.shape[0] <= SMALL

    def sums(self, weights: NDArray, slots: Any) -> NDArray:
        """Return ``X_slots.T @ weights``."""
        some, which = (self._buffer[slots], None) if isinstance(slots, slice) else (self._buffer, slots)
        return few_times(weights.T, some.T, which).T


def _grown(buffer: NDArray, used: int, needed: int, limit: int) -> NDArray:
    grown = np.empty((max(needed, min(2 * len(buffer), limit)), buffer.shape[1]), dtype=buffer.dtype)
    grown[:used] = buffer[:used]
    return grown


class SparseColumns:
    """Loaded columns of a sparse design, in CSC form; centring and scaling are applied to the products."""

    def __init__(self, design: StandardizedDesign):
        self.design = design
        self.features = np.empty(0, dtype=np.intp)
        self._columns = csc_array((design.shape[0], 0), dtype=design.dtype)
        self._mean = self._scale = np.empty(0)

    def load(self, features: NDArray) -> None:
        """Append these features."""
        new = csc_array(self.design.base.x[:, features])
        self._columns = new if not len(self.features) else hstack([self._columns, new], format="csc")
        self.features = np.append(self.features, features)
        self._mean, self._scale = self.design.mean[self.features], self.design.scale[self.features]

    def select(self, slots: NDArray) -> "SparseColumns":
        """Return a store of some of the columns."""
        some = copy(self)
        some.features, some._columns = self.features[slots], self._columns[:, slots]
        some._mean, some._scale = self._mean[slots], self._scale[slots]
        return some

    def matmul(self, theta: NDArray) -> NDArray:
        """Return ``X_loaded @ theta``."""
        scaled = theta / self._scale[:, None]
        product = self._columns @ scaled.astype(self._columns.dtype, copy=False)
        return np.asfortranarray(product.astype(np.float64, copy=False) - self._mean @ scaled)

    def rmatmul(self, grad: NDArray) -> NDArray:
        """Return ``X_loaded.T @ grad``."""
        product = self._columns.T @ grad.astype(self._columns.dtype, copy=False)
        return (product - np.outer(self._mean, grad.sum(axis=0))) / self._scale[:, None]

    def gram(self, weight: NDArray, left: Any, right: Any) -> NDArray:
        """Return ``X_left.T @ diag(weight) @ X_right``."""
        columns = self._columns[:, left]
        others = columns if left is right else self._columns[:, right]
        means, scales = (self._mean[left], self._mean[right]), (self._scale[left], self._scale[right])
        return sparse_gram(columns, others, weight, means, scales)

    def sums(self, weights: NDArray, slots: Any) -> NDArray:
        """Return ``X_slots.T @ weights``."""
        product = self._columns[:, slots].T @ weights
        return (product - np.outer(self._mean[slots], weights.sum(axis=0))) / self._scale[slots][:, None]


def column_store(design: StandardizedDesign) -> ColumnStore:
    """Return an empty store for the columns of this design."""
    if isinstance(design.base, SparseDesign):
        return SparseColumns(design)
    assert isinstance(design.base, DenseDesign)
    return DenseColumns(design)
