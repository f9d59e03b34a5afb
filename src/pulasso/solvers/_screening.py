"""A guess of the blocks that the next lam needs, by how gradients moved so far: about work, never about the answer."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["strong_rule"]

# How gradients are expected to move as lam falls: growth seen last times FASTER, decay times SLOWER, plus DRIFT.
FASTER, SLOWER, DRIFT = 1.5, 0.5, 0.02


def strong_rule(norms: NDArray, growth: NDArray, weights: NDArray, *, seen_at: float, lam: float) -> NDArray:
    """Return the blocks whose gradient may reach lam times their weight.

    The sequential strong rule assumes that gradients grow by at most w for each unit by which lam falls.
    Most grow far more slowly, or shrink: what was seen last, with a margin, is the better guess.

    Parameters
    ----------
    norms, growth : array of shape (n_blocks,)
        Norms of the gradient at the lam `seen_at`, and by how much they grew for each unit by which lam fell.
    weights : array of shape (n_blocks,)
        Of the penalty; blocks of infinite weight are never needed.
    seen_at, lam : float

    Returns
    -------
    array of bool of shape (n_blocks,)
    """
    finite = np.where(np.isinf(weights), 0.0, weights)
    expected = np.where(growth > 0, FASTER * growth, SLOWER * growth) + DRIFT * finite
    guess = norms + np.minimum(expected, finite) * max(seen_at - lam, 0.0)
    return (guess >= lam * finite) & np.isfinite(weights)
