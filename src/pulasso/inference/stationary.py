"""Look for other stationary points of one fit."""

import os
import warnings
from typing import Any

from numpy.typing import ArrayLike, NDArray

from pulasso.data.inputs import check_number
from pulasso.estimators.stationary import StationaryPoints, arrays_of_result, explore, result_from_arrays
from pulasso.exceptions import ConvergenceWarning
from pulasso.inference._fitting import Run, read_all
from pulasso.runs import run_steps

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
        Number of processes; the result is the same for any number.
    checkpoint : str or path, optional
        Folder that keeps every finished start; the same call goes on from there.
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
    everything = read_all(estimator, X, z, sample_weight, "find_stationary_points")
    template, assembled = everything.template, everything.assembled
    # How many restarts does not matter to the ones that are finished.
    settings = {**everything.fingerprint(), "n_restarts": None, "scale": float(scale)}
    run = Run.start(
        {"what": "stationary points", **settings},
        random_state=random_state,
        n_jobs=n_jobs,
        checkpoint=checkpoint,
        progress=progress,
    )
    path = run_steps(
        _path_step, {"path": (template, assembled)}, **{**run.options, "progress": False, "n_jobs": None}
    )
    points, _ = explore(
        template,
        assembled,
        result_from_arrays(path[0]),
        n_restarts=int(n_restarts),
        entropy=run.entropy,
        scale=float(scale),
        **run.options,
    )
    if not points.best.converged_:
        warnings.warn(
            f"From no start did the solver reach tol={template.tol:g}: what it returns are no stationary points. "
            f"Try a larger lam or tol, or max_iter above {template.max_iter}.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return points


def _path_step(template: Any, assembled: Any) -> dict[str, NDArray]:
    return arrays_of_result(template._solve(assembled)[-1])
