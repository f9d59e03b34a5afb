"""Sweeps over the blocks of a quadratic model to its penalised minimum, extrapolated where they are slow."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pulasso.penalties import Thresholds

__all__ = ["decompose", "descend", "with_offsets"]

# Added to every diagonal entry, relative to it: collinear columns and single precision leave directions whose
# curvature is nothing but rounding.
RIDGE = 1e-5
PLAUSIBLE = 0.1  # seen curvature must be this part of the model's, or it is noise (or not convex)
FLAT = 1e-7  # eigenvalues of a block below this part of its largest are rounding
DIVERGED = 1e6  # a gradient that grew by this factor belongs to a quadratic without minimum
PLAIN_SWEEPS = 10  # sweeps before acceleration sets in
MEMORY = 5  # differences that the extrapolation combines


def descend(
    sweep: Callable[[int, NDArray | None], int],
    state: NDArray,
    slope_of: Callable[[NDArray], NDArray],
    starts: NDArray,
    bound: Thresholds,
    max_sweeps: int,
) -> NDArray | None:
    """Return the minimiser of a model plus a bound of the penalty, or None if there is none.

    Where plain sweeps do not suffice, every few of them are followed by Anderson extrapolation, kept if it decreases
    the objective. All of the state is linear in the variables, so an extrapolated one costs nothing.

    Parameters
    ----------
    sweep : callable
        Takes a number of sweeps and an array for the states after each, changes `state` in place, and returns the
        number of sweeps, negative if more are needed, 0 if there is no minimum.
    state : array
        The variables at first, then whatever depends linearly on them.
    slope_of : callable
        From a state to the gradient of the model.
    starts : array of shape (n_blocks,)
        Where the blocks of variables begin.
    bound : Thresholds
        Of all variables, offsets included; a ridge is part of the model.
    max_sweeps : int
    """
    gradient = slope_of(state).copy()
    n = len(gradient)
    beta, thresholds, l1 = state[:n].copy(), bound.by_block, bound.by_entry

    def objective(point: NDArray) -> float:
        norms = np.sqrt(np.add.reduceat(point[:n] ** 2, starts))
        extra = 0.0 if l1 is None else l1 @ np.abs(point[:n])
        return 0.5 * ((point[:n] - beta) @ (gradient + slope_of(point))) + thresholds @ norms + extra

    def has_diverged() -> bool:
        return not np.abs(slope_of(state)).max() <= limit

    limit = DIVERGED * max(np.abs(gradient).max(), thresholds.max())
    trail = np.empty((MEMORY + 1, len(state)))  # the start and what every sweep leads to
    outcome, total = sweep(PLAIN_SWEEPS, None), PLAIN_SWEEPS
    while outcome < 0 and total < max_sweeps and not has_diverged():
        trail[0] = state
        outcome = sweep(MEMORY, trail[1:])
        total += MEMORY
        if outcome < 0:
            guess = _anderson(trail[:, :n]) @ trail[1:]
            if objective(guess) < objective(state):
                state[:] = guess
    return state[:n].copy() if outcome != 0 and not has_diverged() else None


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


def _anderson(points: NDArray) -> NDArray:
    """Return the weights, with sum one, that make the combined last step shortest."""
    steps = np.diff(points, axis=0)
    gram = steps @ steps.T
    size = np.trace(gram)
    if size == 0.0:
        return np.eye(len(gram))[-1]
    weights = np.linalg.solve(gram / size + 1e-10 * np.eye(len(gram)), np.ones(len(gram)))
    return weights / weights.sum()
