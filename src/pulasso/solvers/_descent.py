"""What quadratic models share: their ridge, the decomposition of their diagonal blocks, and bounds with offsets."""

import numpy as np
from numpy.typing import NDArray

from pulasso.penalties import Thresholds

__all__ = ["decompose", "with_offsets"]

# Added to every diagonal entry, relative to it: collinear columns and single precision leave directions whose
# curvature is nothing but rounding.
RIDGE = 1e-5
PLAUSIBLE = 0.1  # seen curvature must be this part of the model's, or it is noise (or not convex)
FLAT = 1e-7  # eigenvalues of a block below this part of its largest are rounding


def with_offsets(bound: Thresholds, n_offsets: int) -> Thresholds:
    """Return a bound of the entries as one of offsets and entries; offsets have no penalty."""
    if not n_offsets:
        return bound
    entries = (None if each is None else np.append(np.zeros(n_offsets), each) for each in bound[1:])
    return Thresholds(np.append(0.0, bound.by_block), *entries)


def decompose(blocks: NDArray) -> tuple[NDArray, NDArray, bool]:
    """Return eigenvalues and eigenvectors (in rows) of symmetric matrices, and whether all are positive.

    Parameters
    ----------
    blocks : array of shape (n_blocks, size, size)
    """
    values, vectors = np.linalg.eigh(blocks)
    # A constant column, or two equal ones, in a block leave it without curvature in some direction.
    floor = FLAT * values[:, -1:]
    is_positive = bool((values > -floor).all())
    return np.maximum(values, floor), np.swapaxes(vectors, 1, 2), is_positive
