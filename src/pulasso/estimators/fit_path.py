"""A whole regularisation path in one call."""

import os
import warnings
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from difflib import get_close_matches
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import listed
from pulasso.data.inputs import check_number
from pulasso.estimators._assemble import Assembled
from pulasso.estimators._base import BasePULasso
from pulasso.estimators._kept_path import deterministic, open_checkpoint, solve_kept_path
from pulasso.estimators._saving import parts_of_fields, save
from pulasso.estimators.multinomial import MultinomialPULasso
from pulasso.estimators.ordinal import OrdinalPULasso
from pulasso.exceptions import ConvergenceWarning
from pulasso.path import lam_grid
from pulasso.runs import Checkpoint
from pulasso.solvers import SOLVERS, Record, SolverResult

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
    group_norms : array of shape (n_lams, n_groups)
        Norms of the groups on the penalised scale.
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
    group_norms: NDArray
    n_active: NDArray
    n_iter: NDArray
    converged: NDArray
    lam_max: float
    classes: NDArray
    feature_names: NDArray | None
    warnings: list[str]
    _template: BasePULasso = field(repr=False)
    _histories: tuple[tuple[Record, ...], ...] = field(repr=False)

    def model(self, index: int) -> Any:
        """Return the solution at ``lams[index]`` as a fitted estimator, ready to predict and to score.

        Parameters
        ----------
        index : int
            Position on the path; -1 is the smallest lam.

        Returns
        -------
        MultinomialPULasso or OrdinalPULasso
        """
        index = range(len(self))[index]
        model = copy(self._template)
        model.lam = float(self.lams[index])
        model.coef_ = self.coefs[index].copy()
        if self.intercepts is not None:
            model.intercept_ = self.intercepts[index].copy()
        if self.thresholds is not None:
            model.thresholds_ = self.thresholds[index].copy()
        model.group_norms_ = self.group_norms[index].copy()
        model.objective_ = float(self.objective[index])
        model.kkt_ = float(self.kkt[index])
        model.converged_ = bool(self.converged[index])
        model.n_iter_ = int(self.n_iter[index])
        model.history_ = self._histories[index]
        model.warnings_ = list(self.warnings)
        return model

    def save(
        self, path: str | os.PathLike, *, force: bool = False, notes: Mapping[str, Any] | None = None
    ) -> None:
        """Write the path into a folder, from which `pulasso.load` reads it.

        Parameters
        ----------
        path, force, notes
            As for :meth:`MultinomialPULasso.save`.
        """
        save(self, path, force=force, notes=notes)

    def _saved_parts(self) -> dict[str, Any]:
        return parts_of_fields(self)

    def __len__(self) -> int:
        return len(self.lams)

    def __repr__(self) -> str:
        return (
            f"PathResult({len(self)} lams from {self.lams[0]:.4g} to {self.lams[-1]:.4g}, "
            f"{self.n_active[0]} to {self.n_active[-1]} groups, worst KKT {self.kkt.max():.1e})"
        )


def fit_path(
    X: Any,
    z: ArrayLike,
    *,
    response: str = "multinomial",
    lams: ArrayLike | None = None,
    n_lams: int = 100,
    lam_min_ratio: float = 0.05,
    sample_weight: ArrayLike | None = None,
    checkpoint: str | os.PathLike | None = None,
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
    checkpoint : str or path, optional
        Folder that keeps the solution of every lam. A path that was interrupted or killed, called again with the same
        data and settings, goes on from there and ends with the same bits.
    **settings
        Everything else that :class:`MultinomialPULasso` or :class:`OrdinalPULasso` take: scenario,
        prevalence, label_frequency, groups, standardize, solver, tol, max_iter, unlabeled, ...

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
    >>> path.model(-1).predict(X[:2]).shape
    (2,)
    """
    estimator = _estimator(response, settings)
    with deterministic(checkpoint):
        assembled = estimator._assemble(X, z, sample_weight)
        grid = make_grid(lams, assembled.problem.lam_max, n_lams, lam_min_ratio)
        return follow_path(
            estimator, assembled, grid, open_checkpoint(checkpoint, estimator, assembled, grid)
        )


def follow_path(
    estimator: MultinomialPULasso | OrdinalPULasso,
    assembled: Assembled,
    grid: NDArray,
    kept: Checkpoint | None = None,
) -> PathResult:
    """Solve an assembled problem down a grid of lams; the estimator becomes the template of the models."""
    results = solve_kept_path(
        assembled.problem,
        assembled.null,
        grid,
        solver=SOLVERS[estimator.solver],
        tol=estimator.tol,
        max_iter=estimator.max_iter,
        kept=kept,
    )
    estimator._store_data(assembled)
    path = _collect(estimator, assembled, grid, results)
    path.warnings.extend(_warn_unless_converged(path, estimator.tol))
    return path


def _collect(
    estimator: MultinomialPULasso | OrdinalPULasso,
    assembled: Assembled,
    grid: NDArray,
    results: list[SolverResult],
) -> PathResult:
    """Stack solutions along the path."""
    solutions = [assembled.coefficients(result.params) for result in results]
    is_ordinal = isinstance(estimator, OrdinalPULasso)
    offsets = np.array([solution.offsets for solution in solutions])
    if is_ordinal:
        offsets = np.cumsum(offsets, axis=1)
    elif not estimator.fit_intercept:
        offsets = np.zeros((len(grid), len(estimator.classes_) - 1), dtype=offsets.dtype)
    group_norms = np.array([assembled.blocks.norms(result.params.theta) for result in results])
    return PathResult(
        lams=grid,
        coefs=np.array([solution.coef[0] if is_ordinal else solution.coef for solution in solutions]),
        intercepts=None if is_ordinal else offsets,
        thresholds=offsets if is_ordinal else None,
        objective=np.array([result.objective for result in results]),
        kkt=np.array([result.kkt for result in results]),
        group_norms=group_norms,
        n_active=np.count_nonzero(group_norms, axis=1),
        n_iter=np.array([result.n_iter for result in results]),
        converged=np.array([result.converged for result in results]),
        lam_max=assembled.problem.lam_max,
        classes=assembled.labels.classes,
        feature_names=getattr(estimator, "feature_names_in_", None),
        warnings=list(assembled.warnings),
        _template=estimator,
        _histories=tuple(result.history for result in results),
    )


def _estimator(response: str, settings: dict[str, Any]) -> MultinomialPULasso | OrdinalPULasso:
    by_name = {"multinomial": MultinomialPULasso, "ordinal": OrdinalPULasso}
    if response not in by_name:
        raise ValueError(f"response={response!r} is unknown; use one of {listed(by_name)}.")
    if "lam" in settings:
        raise TypeError(
            "fit_path follows a whole path and takes lams=, not lam=; for one value fit an estimator."
        )
    n_restarts = settings.get("n_restarts", 0)
    if not isinstance(n_restarts, Integral) or n_restarts != 0:
        raise TypeError(
            "fit_path follows one path and makes no restarts; leave out n_restarts=, and look at single lams with "
            "pulasso.inference.find_stationary_points."
        )
    chosen = by_name[response]
    known = chosen().get_params()
    for name in settings:
        if name not in known:
            close = get_close_matches(name, [*known, "lams", "n_lams", "lam_min_ratio", "sample_weight"], n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise TypeError(
                f"fit_path() got an unexpected keyword argument {name!r} for response={response!r}.{hint}"
            )
    estimator = chosen(**settings)
    estimator._check_params()
    return estimator


def make_grid(lams: ArrayLike | None, lam_max: float, n_lams: int, lam_min_ratio: float) -> NDArray:
    """Return the lams a user asked for, from large to small, or the default grid."""
    if lams is None:
        check_number("n_lams", n_lams, least=1, whole=True)
        check_number("lam_min_ratio", lam_min_ratio, above=0.0, most=1.0)
        return lam_grid(lam_max, int(n_lams), lam_min_ratio)
    try:
        grid = np.sort(np.asarray(lams, dtype=float).ravel())[::-1]
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"lams={lams!r} is not a sequence of numbers.") from None
    for lam in grid.tolist():
        check_number("lams", lam, least=0.0)
    if not grid.size:
        raise ValueError("lams is empty; give at least one value, or None for the default grid.")
    return grid


def _warn_unless_converged(path: PathResult, tol: float) -> list[str]:
    late = ~path.converged
    if not late.any():
        return []
    words = (
        f"{late.sum()} of {len(path)} fits did not reach tol={tol:g}, the first at "
        f"lam={path.lams[late][0]:.4g}; the worst KKT violation is {path.kkt[late].max():.2g} of lam_max. "
        "Try a larger lam_min_ratio, tol or max_iter."
    )
    warnings.warn(words, ConvergenceWarning, stacklevel=4)
    return [words]
