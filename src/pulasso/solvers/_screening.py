"""A guess of the blocks that the next lam needs, by how gradients moved so far: about work, never about the answer."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["strong_rule"]

# How critical lams are expected to move as lam falls: growth seen last times FASTER, decay times SLOWER, plus DRIFT.
FASTER, SLOWER, DRIFT = 1.5, 0.5, 0.02


def strong_rule(critical: NDArray, growth: NDArray, *, seen_at: float, lam: float) -> NDArray:
    """Return the blocks that may not be zero at lam.

    The sequential strong rule assumes that critical lams grow by at most 1 for each unit by which lam falls.
    Most grow far more slowly, or shrink: what was seen last, with a margin, is the better guess.

    Parameters
    ----------
    critical, growth : array of shape (n_blocks,)
        Smallest lam at which each block may be zero, by the gradient at the lam `seen_at`; and by how much it grew for
        each unit by which lam fell.
    seen_at, lam : float

    Returns
    -------
    array of bool of shape (n_blocks,)
    """
    expected = np.where(growth > 0, FASTER * growth, SLOWER * growth) + DRIFT
    return critical + np.minimum(expected, 1.0) * max(seen_at - lam, 0.0) >= lam
