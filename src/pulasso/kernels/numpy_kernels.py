"""The reference: every hot loop in plain NumPy."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from pulasso.kernels.extrapolation import DIVERGED, accelerated
from pulasso.numerics import class_scores, log_normalize

__all__ = [
    "KroneckerFactors",
    "accelerated_descent",
    "block_descent",
    "centred_sums",
    "kronecker_descent",
    "observed_loss",
    "rank_two",
    "sparse_gram",
]

MAX_NEWTON = 50
NEGLIGIBLE = 0.1


class KroneckerFactors(NamedTuple):
    """``gram (x) mean + low diag(sign) low^T``, for entries that stand in a row of gram and an output of mean."""

    gram: NDArray  # (n_rows, n_rows), in single precision
    mean: NDArray  # (n_outputs, n_outputs)
    low: NDArray  # (n, rank)
    sign: NDArray  # (rank,)
    row: NDArray  # (n,)
    output: NDArray  # (n,)

    def state(self, beta: NDArray) -> NDArray:
        """Return what a descent from here on keeps up to date: beta, and two parts of H times its change."""
        return np.append(beta, np.zeros(len(self.gram) * len(self.mean) + len(self.sign)))

    def parts(self, state: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Return views of beta, of ``gram @ change @ mean`` and of ``sign * (low.T @ change)``."""
        n, shape = len(self.row), (len(self.gram), len(self.mean))
        size = n + shape[0] * shape[1]
        return state[:n], state[n:size].reshape(shape), state[size:]

    def apply(self, change: NDArray) -> NDArray:
        """Return H times a vector."""
        full = np.zeros((len(self.gram), len(self.mean)))
        full[self.row, self.output] = change
        product = self.gram @ full @ self.mean
        return product[self.row, self.output] + self.low @ (self.sign * (change @ self.low))


def block_descent(
    hessian: NDArray,
    gradient: NDArray,
    beta: NDArray,
    starts: NDArray,
    sizes: NDArray,
    thresholds: NDArray,
    l1: NDArray | None,
    eigenvalues: NDArray,
    bases: NDArray,
    basis_starts: NDArray,
    max_sweeps: int,
    tols: NDArray,
    trail: NDArray | None = None,
) -> int:
    """Minimise a quadratic plus ``sum_j thresholds_j ||beta_j|| + sum_k l1_k |beta_k|``, one block after the other.

    Parameters
    ----------
    hessian : array of shape (n, n)
        Symmetric, in single precision.
    gradient : array of shape (n,)
        Gradient of the quadratic at `beta`; updated in place.
    beta : array of shape (n,)
        Start and, updated in place, result.
    starts, sizes : array of shape (n_blocks,)
        Blocks of consecutive entries.
    thresholds : array of shape (n_blocks,)
    l1 : array of shape (n,) or None
        Without it every block is minimised exactly; with it blocks take proximal steps.
    eigenvalues : array of shape (n,)
        Eigenvalues of the diagonal blocks, laid out like `beta`; positive, the largest of a block last. They need not
        be those of `hessian` as it is now: they set the length of steps, not where these end.
    bases : array
        Eigenvectors of the diagonal blocks, one in each row, block after block.
    basis_starts : array of shape (n_blocks,)
        Where each block's eigenvectors begin.
    max_sweeps : int
    tols : array of shape (n_blocks,)
        Stop when no block violates its optimality condition by more than this in a whole sweep; blocks that
        violate it by less than a tenth are passed over.
    trail : array of shape (max_sweeps, 2, n), optional
        Filled with beta and gradient after every sweep.

    Returns
    -------
    int
        The number of sweeps, negative if the last one still met a violation above its tolerance, 0 if beta
        diverges.
    """
    limit = 0.0
    for sweep in range(1, max_sweeps + 1):
        worst = 0.0  # in units of the tolerance
        for start, size, threshold, at, tol in zip(
            starts, sizes, thresholds, basis_starts, tols, strict=True
        ):
            block = slice(start, start + size)
            own_l1 = None if l1 is None else l1[block]
            distance = _violation(gradient[block], beta[block], threshold, own_l1) / tol
            if distance <= NEGLIGIBLE:  # not worth the rows of the Hessian it would cost
                continue
            worst = max(worst, distance)
            basis = bases[at : at + size * size].reshape(size, size)
            best = _minimise_block(gradient[block], beta[block], threshold, own_l1, eigenvalues[block], basis)
            gradient += (best - beta[block]) @ hessian[block]
            beta[block] = best
        if trail is not None:
            trail[sweep - 1] = beta, gradient
        if worst <= 1.0:
            return sweep
        limit = DIVERGED * worst if sweep == 1 else limit
        if not worst <= limit:
            return 0  # the quadratic has no minimum
    return -max_sweeps


def accelerated_descent(
    hessian: NDArray,
    state: NDArray,
    starts: NDArray,
    sizes: NDArray,
    thresholds: NDArray,
    l1: NDArray | None,
    eigenvalues: NDArray,
    bases: NDArray,
    basis_starts: NDArray,
    max_sweeps: int,
    tols: NDArray,
) -> int:
    """Do what `block_descent` does, with Anderson extrapolation where plain sweeps do not suffice.

    `state` holds beta and the gradient, one after the other, and is updated in place; the rest is as it is there.
    """
    n = len(state) // 2
    blocks = (starts, sizes, thresholds, l1, eigenvalues, bases, basis_starts)

    def sweep(count: int, trail: NDArray | None) -> int:
        by_parts = None if trail is None else trail.reshape(count, 2, n)
        return block_descent(hessian, state[n:], state[:n], *blocks, count, tols, by_parts)

    return accelerated(sweep, state, lambda at: at[n:], starts, thresholds, l1, max_sweeps)


def kronecker_descent(
    factors: KroneckerFactors,
    gradient: NDArray,
    ridge: NDArray,
    state: NDArray,
    starts: NDArray,
    sizes: NDArray,
    thresholds: NDArray,
    l1: NDArray | None,
    eigenvalues: NDArray,
    bases: NDArray,
    basis_starts: NDArray,
    max_sweeps: int,
    tols: NDArray,
    trail: NDArray | None = None,
) -> int:
    """Do what :func:`block_descent` does for a Hessian that is never formed.

    Parameters
    ----------
    factors : KroneckerFactors
        The Hessian.
    gradient : array of shape (n,)
        Gradient of the quadratic at the start, without the ridge.
    ridge : array of shape (n,)
        Added to the diagonal, and ``ridge * beta`` to the gradient.
    state : array
        As :meth:`KroneckerFactors.state` makes it; updated in place.
    starts, sizes, thresholds, l1, eigenvalues, bases, basis_starts, max_sweeps, tols
        As there; blocks may share eigenvectors.
    trail : array of shape (max_sweeps, len(state)), optional
        Filled with the state after every sweep.
    """
    gram, mean, low, sign, row, output = factors
    beta, pulled, along = factors.parts(state)
    limit = 0.0
    for sweep in range(1, max_sweeps + 1):
        worst = 0.0
        for start, size, threshold, at, tol in zip(
            starts, sizes, thresholds, basis_starts, tols, strict=True
        ):
            block = slice(start, start + size)
            own_l1 = None if l1 is None else l1[block]
            slope = gradient[block] + ridge[block] * beta[block] + pulled[row[block], output[block]]
            slope += low[block] @ along
            distance = _violation(slope, beta[block], threshold, own_l1) / tol
            if distance <= NEGLIGIBLE:
                continue
            worst = max(worst, distance)
            basis = bases[at : at + size * size].reshape(size, size)
            best = _minimise_block(slope, beta[block], threshold, own_l1, eigenvalues[block], basis)
            change = best - beta[block]
            beta[block] = best
            pulled += gram[:, row[block]] @ (change[:, None] * mean[output[block]])
            along += sign * (change @ low[block])
        if trail is not None:
            trail[sweep - 1] = state
        if worst <= 1.0:
            return sweep
        limit = DIVERGED * worst if sweep == 1 else limit
        if not worst <= limit:
            return 0
    return -max_sweeps


def _soft(values: NDArray, thresholds: NDArray) -> NDArray:
    return np.sign(values) * np.maximum(np.abs(values) - thresholds, 0.0)


def _violation(gradient: NDArray, beta: NDArray, threshold: float, l1: NDArray | None) -> float:
    """Return the distance of ``-gradient`` to the subdifferential of ``threshold ||beta|| + sum l1 |beta|``."""
    norm = float(np.linalg.norm(beta))
    residual = gradient + (threshold / norm if norm > 0 else 0.0) * beta
    if l1 is not None:
        residual = np.where(beta != 0, residual + l1 * np.sign(beta), _soft(residual, l1))
    distance = float(np.linalg.norm(residual))
    return distance if norm > 0 else max(0.0, distance - threshold)


def _minimise_block(
    gradient: NDArray,
    beta: NDArray,
    threshold: float,
    l1: NDArray | None,
    eigenvalues: NDArray,
    basis: NDArray,
) -> NDArray:
    """Return the minimiser of one block, in the eigenbasis of its curvature, or with l1 where a proximal step ends.

    Where the curvature has changed since it was decomposed, this is a step of another length to the same minimum.
    """
    if l1 is not None:
        best = _soft(beta - gradient / eigenvalues[-1], l1 / eigenvalues[-1])
        norm = float(np.linalg.norm(best))
        return best * max(0.0, 1.0 - threshold / eigenvalues[-1] / norm) if norm > 0 else best
    at_zero = basis @ gradient - eigenvalues * (basis @ beta)
    if np.linalg.norm(at_zero) <= threshold:
        return np.zeros_like(gradient)
    now = float(np.linalg.norm(beta))
    rho = _radius(at_zero, eigenvalues, threshold, now) if threshold > 0 else 1.0
    return (-rho * at_zero / (eigenvalues * rho + threshold)) @ basis


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


def rank_two(hessian: NDArray, gained: NDArray, lost: NDArray) -> None:
    """Add ``gained gained' - lost lost'`` to a symmetric matrix, in place."""
    hessian += np.outer(gained, gained) - np.outer(lost, lost)


def observed_loss(
    eta: NDArray, codes: NDArray, sample_weight: NDArray, log_total: NDArray, log_hidden: NDArray | None
) -> tuple[float, NDArray]:
    """Return the loss of observed labels, up to a constant, and its gradient in eta.

    With ``N = sum_k (a_k + c_k) e_k`` and ``U = sum_k c_k e_k`` the loss of one sample is
    ``log N - eta_z - 1{z = 0} log U``.

    Parameters
    ----------
    eta : array of shape (n_samples, K)
    codes : array of shape (n_samples,)
        0 unlabeled, k class k, K + 1 confirmed negative.
    sample_weight : array of shape (n_samples,)
    log_total, log_hidden : array of shape (K + 1,) or (n_samples, K + 1)
        Logs of a + c and of c, class 0 first; without `log_hidden` unlabeled means class 0.

    Returns
    -------
    value : float
    grad : array of shape (n_samples, K), class-major in memory
    """
    log_n, q = log_normalize(class_scores(eta, log_total))
    hidden = np.flatnonzero(codes == 0)
    rows = np.flatnonzero((codes > 0) & (codes <= eta.shape[1]))
    columns = codes[rows] - 1
    value = sample_weight @ log_n - sample_weight[rows] @ eta[rows, columns]
    grad = q[:, 1:]
    grad[rows, columns] -= 1.0
    if log_hidden is not None:
        own = log_hidden if log_hidden.ndim == 1 else log_hidden[hidden]
        log_u, yhat = log_normalize(class_scores(eta[hidden], own))
        value -= sample_weight[hidden] @ log_u
        grad[hidden] -= yhat[:, 1:]
    grad *= sample_weight[:, None]
    return float(value), grad


def centred_sums(x: NDArray, origin: NDArray, weight: NDArray) -> tuple[NDArray, NDArray]:
    """Return the sums of ``weight (x - origin)`` and of ``weight (x - origin)^2`` in every column.

    Parameters
    ----------
    x : array of shape (n_samples, n_columns)
    origin : array of shape (n_columns,)
    weight : array of shape (n_samples,)
    """
    difference = x - origin
    shift = weight @ difference
    return shift, weight @ np.square(difference, out=difference)


def sparse_gram(
    left: csc_array,
    right: csc_array,
    weight: NDArray,
    means: tuple[NDArray, NDArray],
    scales: tuple[NDArray, NDArray],
) -> NDArray:
    """Return ``Z_left.T @ diag(weight) @ Z_right`` of standardised columns ``z = (x - mean) / scale``.

    Parameters
    ----------
    left, right : csc_array of shape (n_samples, n_left) and (n_samples, n_right)
    weight : array of shape (n_samples,)
    means, scales : pair of arrays of shape (n_left,) and (n_right,)

    Returns
    -------
    array of shape (n_left, n_right)
    """
    weighted = csc_array((right.data * weight[right.indices], right.indices, right.indptr), shape=right.shape)
    product = (left.T @ weighted).toarray()
    excess = left.T @ weight - means[0] * weight.sum()
    product -= np.outer(means[0], right.T @ weight) + np.outer(excess, means[1])
    return product / np.outer(*scales)
