"""From the null model down a grid of lam values, each solution the start of the next."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pulasso.chunked import ChunkedProblem
from pulasso.problem import Params, Problem
from pulasso.solvers import (
    SolverResult,
    solve_summed_path,
    solve_working_set,
    solve_working_set_path,
)

__all__ = ["lam_grid", "lams_down_to", "scale_by_null", "solve_path"]

AnyProblem = TypeVar("AnyProblem", bound=Problem | ChunkedProblem)

# Neighbours on the way down to one lam differ by this factor; close enough to be good starts.
STEP_DOWN = 0.7
NULL_TOL, NULL_STEPS, NULL_NOISE = 1e-10, 200, 1e-7
# Gradients below this are looked at: are they small, or the rounding of sums that cancel?
SUSPICIOUS, ROUNDING = 1e-10, 1e-14


def scale_by_null(problem: AnyProblem, null_log_odds: NDArray) -> tuple[AnyProblem, Params]:
    """Return the problem with its exact lam_max, and the null model, where every path starts.

    Parameters
    ----------
    problem : Problem
        Its lam and lam_max are not used.
    null_log_odds : array of shape (K,)
        Class log odds of the intercept-only maximum likelihood.
    """
    null = Params(np.zeros(problem.shape), problem.response.null_offsets(null_log_odds))
    grad = problem.gradient_at(null).theta
    lam_max = problem.penalty.lam_max(grad)
    if problem.penalty.has_unpenalized:
        null = _fit_unpenalized(problem, null)
        left = problem.penalty.lam_max(problem.gradient_at(null).theta)
        # Where the unpenalised features explain everything, what is left is rounding.
        lam_max = left if left > NULL_NOISE * np.abs(grad).max(initial=0.0) else 0.0
    elif _is_rounding(problem, null, grad):
        lam_max = 0.0
    return replace(problem, lam=lam_max, lam_max=lam_max), null


def _is_rounding(problem: AnyProblem, null: Params, grad: NDArray) -> bool:
    """Say whether a gradient is what is left of sums that cancel: nothing, next to their terms."""
    largest = np.abs(grad).max(initial=0.0)
    if largest > SUSPICIOUS or not isinstance(problem, Problem):
        return False
    # With random signs the terms of a sum do not cancel: its size is that of their root mean square.
    rows = problem.at(null).grad_linear
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(len(rows), 1))
    return bool(largest <= ROUNDING * np.abs(problem.design.rmatmul(signs * rows)).max(initial=0.0))


def _fit_unpenalized(problem: AnyProblem, start: Params) -> Params:
    """Fit offsets and unpenalised blocks, with every penalised block at zero."""
    # lam only has to be positive: the remaining weights are 0 and infinity.
    free = replace(problem, penalty=problem.penalty.without_penalized(), lam=1.0, lam_max=0.0)
    lams = np.array([free.lam])
    path = solve_path(free, start, lams, solver=solve_working_set, tol=NULL_TOL, max_iter=NULL_STEPS)
    return next(path).params


def lam_grid(lam_max: float, n_lams: int = 100, lam_min_ratio: float = 0.05) -> NDArray:
    """Return `n_lams` values from lam_max down to ``lam_min_ratio * lam_max``, equally spaced in logs."""
    return np.geomspace(lam_max, lam_min_ratio * lam_max, n_lams) if lam_max > 0 else np.zeros(n_lams)


def lams_down_to(lam: float, lam_max: float) -> NDArray:
    """Return the few values that lead from lam_max to one lam, the last of them."""
    if lam >= lam_max:
        return np.array([lam])
    lowest = max(lam, 1e-3 * lam_max)
    n_steps = int(np.ceil(np.log(lowest / lam_max) / np.log(STEP_DOWN)))
    way_down = np.geomspace(lam_max, lowest, n_steps + 1)[1:]
    return np.append(way_down[way_down > lam], lam)


def solve_path(
    problem: AnyProblem,
    start: Params,
    lams: NDArray,
    *,
    solver: Callable[..., SolverResult],
    tol: NDArray | float,
    max_iter: int,
) -> Iterator[SolverResult]:
    """Solve the problem for every lam in turn, each from the solution before it.

    Parameters
    ----------
    problem : Problem
    start : Params
    lams : array of shape (n_lams,)
        Usually decreasing.
    solver : callable
        One of ``SOLVERS``.
    tol : float or array of shape (n_lams,)
        Tolerance of the certificate, one for all or one each.
    max_iter : int
        Iterations for each lam.
    """
    if isinstance(problem, ChunkedProblem):
        if solver is not solve_working_set:
            raise ValueError("Data in chunks are fitted by solver='working-set' only; leave solver out.")
        yield from solve_summed_path(problem, start, lams, tol=tol, max_iter=max_iter)
        return
    if solver is solve_working_set:
        # It keeps columns and curvature from one lam to the next, and certifies several lams at once.
        yield from solve_working_set_path(problem, start, lams, tol=tol, max_iter=max_iter)
        return
    for lam, accuracy in zip(lams, np.broadcast_to(tol, len(lams)), strict=True):
        result = solver(problem.at_lam(float(lam)), start, tol=float(accuracy), max_iter=max_iter)
        start = result.params
        yield result
