"""A whole regularisation path in one call."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso.estimators._inputs import check_number
from pulasso.estimators.multinomial import MultinomialPULasso
from pulasso.estimators.ordinal import OrdinalPULasso
from pulasso.exceptions import ConvergenceWarning
from pulasso.path import lam_grid, solve_path
from pulasso.solvers import SOLVERS

__all__ = ["PathResult", "fit_path"]


@dataclass(frozen=True, eq=False)
class PathResult:
    """Solutions along a path, on the scale of the user's X; first axis: lams.

    Attributes
    ----------
    lams : array of shape (n_lams,)
    coefs : array of shape (n_lams, K, n_features), or (n_lams, n_features) for the ordinal model
    intercepts : array of shape (n_lams, K) or None
        Multinomial model only.
    thresholds : array of shape (n_lams, K) or None
        Ordinal model only.
    objective : array of shape (n_lams,)
    kkt : array of shape (n_lams,)
        KKT violation relative to `lam_max`.
    n_active : array of shape (n_lams,)
        Number of groups that are not zero.
    n_iter : array of shape (n_lams,)
    converged : array of shape (n_lams,)
    lam_max : float
    classes : array of shape (K + 1,)
    feature_names : array of str, or None
    warnings : list of str
    """

    lams: NDArray
    coefs: NDArray
    intercepts: NDArray | None
    thresholds: NDArray | None
    objective: NDArray
    kkt: NDArray
    n_active: NDArray
    n_iter: NDArray
    converged: NDArray
    lam_max: float
    classes: NDArray
    feature_names: NDArray | None
    warnings: list[str]

    def __len__(self) -> int:
        return len(self.lams)

    def __repr__(self) -> str:
        return (
            f"PathResult({len(self)} lams from {self.lams[0]:.4g} to {self.lams[-1]:.4g}, "
            f"{self.n_active[0]} to {self.n_active[-1]} groups, worst KKT {self.kkt.max():.1e})"
        )


def fit_path(
    X: Any,  # noqa: N803
    z: ArrayLike,
    *,
    response: str = "multinomial",
    lams: ArrayLike | None = None,
    n_lams: int = 100,
    lam_min_ratio: float = 0.05,
    sample_weight: ArrayLike | None = None,
    **settings: Any,
) -> PathResult:
    """Fit a model for a decreasing sequence of lam values, each from the solution before it.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    z : array-like of shape (n_samples,)
        Observed labels, with the marker of unlabeled rows.
    response : {"multinomial", "ordinal"}, default="multinomial"
    lams : array-like, optional
        Values of lam; sorted from large to small. By default `n_lams` values, equally spaced in logs, from
        the exact lam_max down to ``lam_min_ratio * lam_max``.
    n_lams : int, default=100
    lam_min_ratio : float, default=0.05
        Much below 0.05 the objective is far from convex and solutions depend on the way that led to them.
    sample_weight : array-like of shape (n_samples,), optional
    **settings
        Everything else that :class:`MultinomialPULasso` or :class:`OrdinalPULasso` take: scenario, prevalence,
        label_frequency, groups, standardize, solver, tol, max_iter, unlabeled, ...

    Returns
    -------
    PathResult

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import fit_path
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = (X[:, 0] + rng.logistic(size=200) > 0).astype(int)
    >>> path = fit_path(X, y, scenario="fully-observed", n_lams=5)
    >>> path.n_active[0], path.coefs.shape
    (np.int64(0), (5, 1, 4))
    """
    estimator = _estimator(response, settings)
    assembled = estimator._assemble(X, z, sample_weight)
    problem = assembled.problem
    grid = _grid(lams, problem.lam_max, n_lams, lam_min_ratio)
    results = list(
        solve_path(
            problem,
            assembled.null,
            grid,
            solver=SOLVERS[estimator.solver],
            tol=estimator.tol,
            max_iter=estimator.max_iter,
        )
    )
    solutions = [assembled.coefficients(result.params) for result in results]
    is_ordinal = response == "ordinal"
    aux = np.array([solution.aux for solution in solutions])
    norms = [assembled.blocks.norms(result.params.theta) for result in results]
    path = PathResult(
        lams=grid,
        coefs=np.array([solution.coef[0] if is_ordinal else solution.coef for solution in solutions]),
        intercepts=None if is_ordinal else aux,
        thresholds=np.cumsum(aux, axis=1) if is_ordinal else None,
        objective=np.array([result.objective for result in results]),
        kkt=np.array([result.kkt for result in results]),
        n_active=np.array([np.count_nonzero(each) for each in norms]),
        n_iter=np.array([result.n_iter for result in results]),
        converged=np.array([result.converged for result in results]),
        lam_max=problem.lam_max,
        classes=assembled.labels.classes,
        feature_names=getattr(estimator, "feature_names_in_", None),
        warnings=list(assembled.warnings),
    )
    path.warnings.extend(_warn_unless_converged(path, estimator.tol))
    return path


def _estimator(response: str, settings: dict[str, Any]) -> MultinomialPULasso | OrdinalPULasso:
    by_name = {"multinomial": MultinomialPULasso, "ordinal": OrdinalPULasso}
    if response not in by_name:
        raise ValueError(f"response={response!r} is unknown; use one of {', '.join(map(repr, by_name))}.")
    estimator = by_name[response](**settings)
    estimator._check_params()
    return estimator


def _grid(lams: ArrayLike | None, lam_max: float, n_lams: int, lam_min_ratio: float) -> NDArray:
    if lams is None:
        check_number("n_lams", n_lams, least=1)
        check_number("lam_min_ratio", lam_min_ratio, above=0.0)
        return lam_grid(lam_max, int(n_lams), lam_min_ratio)
    grid = np.sort(np.atleast_1d(np.asarray(lams, dtype=float)))[::-1]
    for lam in grid:
        check_number("lams", lam, least=0.0)
    if not grid.size:
        raise ValueError("lams is empty; give at least one value, or None for the default grid.")
    return grid


def _warn_unless_converged(path: PathResult, tol: float) -> list[str]:
    late = ~path.converged
    if not late.any():
        return []
    words = (
        f"{late.sum()} of {len(path)} fits did not reach tol={tol:g}, the first at lam={path.lams[late][0]:.4g}; the "
        f"worst KKT violation is {path.kkt[late].max():.2g} of lam_max. Try a larger lam_min_ratio, tol or max_iter."
    )
    warnings.warn(words, ConvergenceWarning, stacklevel=3)
    return [words]
