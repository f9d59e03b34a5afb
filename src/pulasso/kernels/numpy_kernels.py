"""The reference: block coordinate descent on a dense quadratic, in plain NumPy."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["block_descent"]

MAX_NEWTON = 50
NEGLIGIBLE = 0.1
DIVERGED = 1e6


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
    trail: NDArray | None = None,
) -> int:
    """Minimise a quadratic plus ``sum_j thresholds_j ||beta_j||`` by exact steps in one block after the other.

    Parameters
    ----------
    hessian : array of shape (n, n)
        Symmetric, in single precision; its diagonal blocks are positive definite.
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
        Stop when no block violates its optimality condition by more than this in a whole sweep; blocks that
        violate it by less than a tenth are passed over.
    trail : array of shape (max_sweeps, 2, n), optional
        Filled with beta and gradient after every sweep.

    Returns
    -------
    int
        The number of sweeps, negative if the last one still met a violation above `tol`, 0 if beta
        diverges.
    """
    limit = 0.0
    for sweep in range(1, max_sweeps + 1):
        worst = 0.0
        for start, size, threshold, at in zip(starts, sizes, thresholds, basis_starts, strict=True):
            block = slice(start, start + size)
            norm = float(np.linalg.norm(beta[block]))
            distance = _violation(gradient[block], beta[block], norm, threshold)
            if distance <= NEGLIGIBLE * tol:  # not worth the rows of the Hessian it would cost
                continue
            worst = max(worst, distance)
            at_zero = gradient[block] - hessian[block, block] @ beta[block]
            basis = bases[at : at + size * size].reshape(size, size)
            best = _minimise_block(at_zero, threshold, norm, eigenvalues[block], basis)
            gradient += (best - beta[block]) @ hessian[block]
            beta[block] = best
        if trail is not None:
            trail[sweep - 1] = beta, gradient
        if worst <= tol:
            return sweep
        limit = DIVERGED * worst if sweep == 1 else limit
        if not worst <= limit:
            return 0  # the quadratic has no minimum
    return -max_sweeps


def _violation(gradient: NDArray, beta: NDArray, norm: float, threshold: float) -> float:
    """Return the distance of ``-gradient`` to the subdifferential of ``threshold * ||beta||``."""
    if norm > 0:
        return float(np.linalg.norm(gradient + threshold / norm * beta))
    return max(0.0, float(np.linalg.norm(gradient)) - threshold)


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
