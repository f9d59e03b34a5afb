"""Sweeps over blocks to a penalised minimum, extrapolated where they are slow."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["DIVERGED", "MEMORY", "PLAIN_SWEEPS", "accelerated"]

DIVERGED = 1e6  # a gradient that grew by this factor belongs to a quadratic without minimum
PLAIN_SWEEPS = 10  # sweeps before acceleration sets in
MEMORY = 5  # differences that the extrapolation combines


def accelerated(
    sweep: Callable[[int, NDArray | None], int],
    state: NDArray,
    slope_of: Callable[[NDArray], NDArray],
    starts: NDArray,
    thresholds: NDArray,
    l1: NDArray | None,
    max_sweeps: int,
) -> int:
    """Sweep to the minimum of a model plus ``sum_j thresholds_j ||beta_j|| + sum_k l1_k |beta_k|``.

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
    thresholds : array of shape (n_blocks,)
    l1 : array or None
    max_sweeps : int

    Returns
    -------
    int
        The number of sweeps, negative if more are needed, 0 if there is no minimum.
    """
    gradient = slope_of(state).copy()
    n = len(gradient)
    beta = state[:n].copy()

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
        outcome = total + outcome if outcome > 0 else outcome
        total += MEMORY
        if outcome < 0:
            guess = _anderson(trail[:, :n]) @ trail[1:]
            if objective(guess) < objective(state):
                state[:] = guess
    if outcome == 0 or has_diverged():
        return 0
    return outcome if outcome > 0 else -total


def _anderson(points: NDArray) -> NDArray:
    """Return the weights, with sum one, that make the combined last step shortest."""
    steps = np.diff(points, axis=0)
    gram = steps @ steps.T
    size = np.trace(gram)
    if size == 0.0:
        return np.eye(len(gram))[-1]
    weights = np.linalg.solve(gram / size + 1e-10 * np.eye(len(gram)), np.ones(len(gram)))
    return weights / weights.sum()
