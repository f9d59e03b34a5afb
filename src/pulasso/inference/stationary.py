"""Look for other stationary points of one fit."""

import os
from copy import copy
from typing import Any

from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg, warn
from pulasso.data.inputs import check_number
from pulasso.estimators.fitting import solve
from pulasso.estimators.stationary import StationaryPoints, explore
from pulasso.exceptions import ConvergenceWarning
from pulasso.inference._fitting import open_seeded_run, prepare
from pulasso.losses import ObservedLoss
from pulasso.problem import Problem
from pulasso.runs import run_steps
from pulasso.solvers import Solution

__all__ = ["find_stationary_points"]


def find_stationary_points(
    estimator: Any,
    X: Any,
    z: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    n_restarts: int = 20,
    scale: float = 1.0,
    random_state: Any = None,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike | None = None,
    progress: bool | None = None,
) -> StationaryPoints:
    """Solve one problem from many starts, and list the distinct points where the solver ends.

    The objective of a PU model is not convex. Starts are the solution at the end of the path (what `fit`
    gives), the naive solution (unlabeled read as class 0), the EM solution begun without a path, and random
    steps away from the path's solution, on its support and off it, with other intercepts. All are solved by the
    estimator's solver to its `tol`.

    Two solutions count as one point if their objectives differ by at most ``1e-7 (1 + |F|)`` and their
    coefficients, on the penalised scale, by at most 1 % of 1 + the largest.

    Parameters
    ----------
    estimator : MultinomialPULasso or OrdinalPULasso
        With the lam in question; it is not fitted, nor changed.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    z : array-like of shape (n_samples,)
        Observed labels.
    sample_weight : array-like of shape (n_samples,), optional
    n_restarts : int, default=20
        Number of random starts.
    scale : float, default=1.0
        Size of the random steps: the linear predictor moves by a third to three times `scale` times its own root
        mean square (at least 1), the intercepts by `scale` times a standard Gaussian.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int, optional
        Number of processes; results are bitwise identical for any number.
    checkpoint : str or path, optional
        Folder that saves every finished start; the same call resumes from there.
    progress : bool, optional
        None shows a bar if stderr is a terminal.

    Returns
    -------
    StationaryPoints

    Notes
    -----
    Many starts that lead to one point suggest that it is the global minimum; they do not prove it. A point may
    also lie at infinity: where a class has a probability of nearly 0 or 1 in all rows the objective is flat, and the
    solver stops there.

    Examples
    --------
    >>> from pulasso import OrdinalPULasso
    >>> from pulasso.datasets import simulate_ordinal
    >>> from pulasso.inference import find_stationary_points
    >>> data = simulate_ordinal(200, 20, signal=(1, 2), random_state=1)
    >>> model = OrdinalPULasso(lam=0.05, **data.scenario_params)
    >>> points = find_stationary_points(model, data.X, data.z, n_restarts=3, random_state=0)
    >>> len(points), points.n_starts, points.path_index
    (1, array([6]), 0)
    """
    check_number("n_restarts", n_restarts, least=0, whole=True)
    check_number("scale", scale, above=0.0)
    template, problem = prepare(estimator, X, z, sample_weight, "find_stationary_points")
    if not isinstance(problem.loss, ObservedLoss):
        raise TypeError(
            "find_stationary_points examines the likelihood of observed labels, which is not convex; "
            f"{type(estimator).__name__} minimises another loss. Pass one of the likelihood."
        )
    settings, ignored = {**problem.data.fingerprint(), "scale": float(scale)}, ("n_restarts",)
    entropy, run = open_seeded_run(
        "stationary points", template, settings, random_state, checkpoint, progress, ignored
    )
    path = run_steps(_path_step, {"path": (template, problem)}, run=run, progress=False)[0]
    points, _ = explore(
        template,
        problem,
        Solution.from_arrays(path),
        n_restarts=int(n_restarts),
        entropy=entropy,
        scale=float(scale),
        n_jobs=n_jobs,
        run=run,
        progress=progress,
    )
    if not points.best.converged_:
        warn(
            f"From no start did the solver reach tol={template.tol:g}: what it returns are no stationary points. "
            f"Try a larger {arg('lam')} or {arg('tol')}, or {arg('max_iter')} above {template.max_iter}.",
            ConvergenceWarning,
        )
    return points


def _path_step(template: Any, problem: Problem) -> dict[str, NDArray]:
    return solve(copy(template).set_params(n_restarts=0), problem)[0].to_arrays()
