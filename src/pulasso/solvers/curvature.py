"""How convex the loss is at a solution, on what it selected: what a concave penalty must not exceed."""

import numpy as np
from numpy.typing import NDArray

from pulasso.design import column_store
from pulasso.problem import Params, Problem
from pulasso.solvers._chunked_oracle import ChunkedOracle
from pulasso.solvers._quadratic import fill_hessian
from pulasso.solvers.working_set import is_chunked_problem

__all__ = ["least_curvature"]

MOST_ENTRIES = 4_000  # eigenvalues of more take minutes


def least_curvature(problem: Problem, params: Params) -> float:
    """Return the smallest eigenvalue of the loss in the selected coefficients, the offsets being fitted along.

    Where it exceeds the concavity of the penalty, the objective is convex around the solution within what is selected.
    NaN where nothing is selected, or far too much.
    """
    active = np.flatnonzero(problem.blocks.norms(params.theta) > 0)
    if not 0 < problem.blocks.sizes[active].sum() <= MOST_ENTRIES:
        return float("nan")
    hessian, n = _hessian(problem, params, active), len(params.offsets)
    own, across, offsets = hessian[n:, n:], hessian[n:, :n], hessian[:n, :n]
    profiled = own - across @ np.linalg.pinv(offsets) @ across.T
    return float(np.linalg.eigvalsh(0.5 * (profiled + profiled.T))[0])


def _hessian(problem: Problem, params: Params, active: NDArray) -> NDArray:
    """Return the true Hessian in the offsets and in the entries of some blocks."""
    if is_chunked_problem(problem):
        oracle = ChunkedOracle(problem, params)
        wanted = np.flatnonzero(np.isin(oracle.working.blocks, active))
        hessian = oracle.evaluate(params, wanted).hessian
        assert hessian is not None
        return hessian
    rows, outputs = problem.blocks.entries(active)
    features, slots = np.unique(rows, return_inverse=True)
    store = column_store(problem.design)  # type: ignore[arg-type]
    store.load(features)
    point, n = problem.at(params), len(params.offsets)
    second, coupling = problem.second_order(point), problem.coupling(point)
    hessian = np.empty((n + len(rows),) * 2)
    hessian[:n, :n] = second.oo
    fill_hessian(hessian, store, second, slots, outputs, n)
    if coupling is not None:
        directions = np.vstack([coupling.offsets, coupling.entries(store, slots, outputs)])
        hessian += directions @ directions.T
    return hessian
