"""The reference: block coordinate descent on a dense quadratic, in plain NumPy."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["block_descent"]

MAX_NEWTON = 50


def block_descent(
    hessian: NDArray,
    gradient: NDArray,
    beta: NDArray,
    starts: NDArray,
    sizes: NDArray,
    thresholds: NDArray,
    eigenvalues: NDArray,
    bases: NDArray,
    basis_starts: NDArray,
    max_sweeps: int,
    tol: float,
) -> int:
    """Minimise a quadratic plus ``sum_j thresholds_j ||beta_j||`` by exact steps in one block after the other.

    Parameters
    ----------
    hessian : array of shape (n, n)
        Symmetric; its diagonal blocks are positive definite.
    gradient : array of shape (n,)
        Gradient of the quadratic at `beta`; updated in place.
    beta : array of shape (n,)
        Start and, updated in place, result.
    starts, sizes : array of shape (n_blocks,)
        Blocks of consecutive entries.
    thresholds : array of shape (n_blocks,)
    eigenvalues : array of shape (n,)
        Eigenvalues of the diagonal blocks, laid out like `beta`.
    bases : array
        Eigenvectors of the diagonal blocks, one in each row, block after block.
    basis_starts : array of shape (n_blocks,)
        Where each block's eigenvectors begin.
    max_sweeps : int
    tol : float
        Stop when no entry moves by more than tol over its curvature in a whole sweep.

    Returns
    -------
    int
        The number of sweeps.
    """
    for sweep in range(1, max_sweeps + 1):
        largest = 0.0
        for start, size, threshold, at in zip(starts, sizes, thresholds, basis_starts, strict=True):
            block = slice(start, start + size)
            diagonal = hessian[block, block]
            at_zero = gradient[block] - diagonal @ beta[block]
            basis = bases[at : at + size * size].reshape(size, size)
            best = _minimise_block(at_zero, threshold, np.linalg.norm(beta[block]), eigenvalues[block], basis)
            change = best - beta[block]
            if change.any():
                gradient += change @ hessian[block]
                beta[block] = best
                largest = max(largest, np.max(np.abs(change) * np.diagonal(diagonal)))
        if largest <= tol:
            break
    return sweep


def _minimise_block(
    gradient: NDArray, threshold: float, norm_now: float, eigenvalues: NDArray, basis: NDArray
) -> NDArray:
    """Return the minimiser of one block, given the gradient of the quadratic with the block at zero."""
    if np.linalg.norm(gradient) <= threshold:
        return np.zeros_like(gradient)
    rotated = basis @ gradient
    rho = _radius(rotated, eigenvalues, threshold, norm_now) if threshold > 0 else 1.0
    return (-rho * rotated / (eigenvalues * rho + threshold)) @ basis


def _radius(c: NDArray, eigenvalues: NDArray, threshold: float, rho: float) -> float:
    """Solve ``||c / (eigenvalues rho + threshold)|| = 1`` by Newton on the reciprocal norm."""
    for _ in range(MAX_NEWTON):
        scale = eigenvalues * rho + threshold
        squares = (c / scale) ** 2
        norm = np.sqrt(squares.sum())
        step = (norm - 1.0) * norm**2 / np.sum(squares * eigenvalues / scale)
        rho, before = max(rho + step, 0.0), rho
        if abs(step) <= 1e-14 * rho or rho == before:
            break
    return rho
