"""The columns that every step reads, apart from those that were loaded because they might be needed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pulasso.design import ColumnStore

__all__ = ["NearColumns", "near_columns"]

FEW = 0.5  # of the loaded columns: only then are they told apart (and copied, where the kernels cannot pick them),
MANY = 2**17  # and only if so many numbers are loaded, more than the nearest memory holds


@dataclass(frozen=True, eq=False)
class NearColumns:
    """Some of the loaded columns, one behind the other, for products with what is zero in all others.

    Attributes
    ----------
    slots : array of int
    columns : ColumnStore
        Of these slots.
    """

    slots: NDArray
    columns: ColumnStore

    def matmul(self, theta: NDArray) -> NDArray:
        """Return ``X_loaded @ theta`` for coefficients that are zero outside of the slots."""
        return self.columns.matmul(theta[self.slots])

    def renew(self, gradient: NDArray, grad_linear: NDArray) -> NDArray:
        """Return a gradient in the loaded columns with that of the slots computed anew."""
        renewed = gradient.copy()
        renewed[self.slots] = self.columns.rmatmul(grad_linear)
        return renewed


def near_columns(store: ColumnStore, slots: NDArray) -> NearColumns | None:
    """Return the columns of these slots, which may be given twice; None if it is as well to use all that are loaded."""
    n_loaded, n_samples = len(store.features), store.design.shape[0]
    if n_loaded * n_samples < MANY:
        return None
    slots = np.flatnonzero(np.bincount(slots, minlength=n_loaded))
    return NearColumns(slots, store.select(slots)) if len(slots) <= FEW * n_loaded else None
