"""A whole regularisation path in one call."""

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import Message, arg, did_you_mean, warn
from pulasso.build import as_response
from pulasso.data.inputs import check_number
from pulasso.estimators._base import (
    BasePULasso,
    public_attributes,
    unchanged_on_failure,
    words_about_far_columns,
)
from pulasso.estimators._estimate_prior import find_scenario
from pulasso.estimators.multinomial import MultinomialPULasso
from pulasso.estimators.ordinal import OrdinalPULasso
from pulasso.estimators.shares import words_about_shares
from pulasso.exceptions import ConvergenceWarning, InputError
from pulasso.path import lam_grid, solve_path
from pulasso.problem import Problem
from pulasso.responses import RESPONSES, Response
from pulasso.runs import one_blas_thread, open_run
from pulasso.solvers import Record, Solution

__all__ = ["PathResult", "collect_path", "fit_path", "make_grid"]


@dataclass(frozen=True, eq=False)
class PathResult:
    """Solutions along a path, on the scale of the user's X; first axis: lams.

    Attributes
    ----------
    lams : array of shape (n_lams,)
    coefs : array of shape (n_lams, K, n_features), or (n_lams, n_features) for the ordinal model
    offsets : array of shape (n_lams, K)
        Also called `intercepts` (multinomial model) or `thresholds` (ordinal model).
    objective : array of shape (n_lams,)
    kkt : array of shape (n_lams,)
        The largest KKT violation, relative to `lam_max` under the usual weights.
    group_norms : array of shape (n_lams, n_groups)
        Norms of the groups on the penalised scale.
    n_iter : array of shape (n_lams,)
    converged : array of shape (n_lams,)
    lam_max : float
    classes : array of shape (K + 1,)
    feature_names : array of str, or None
    warnings : tuple of str
    class_shares : array of shape (n_lams, K + 1), or None
        Mean prediction over the rows that are a sample of the population, beside the `told_shares_` of the models.
    """

    lams: NDArray
    coefs: NDArray
    offsets: NDArray
    objective: NDArray
    kkt: NDArray
    group_norms: NDArray
    n_iter: NDArray
    converged: NDArray
    lam_max: float
    classes: NDArray
    feature_names: NDArray | None
    warnings: tuple[str, ...]
    _template: BasePULasso = field(repr=False)
    _histories: tuple[tuple[Record, ...], ...] = field(repr=False)
    class_shares: NDArray | None = None

    @property
    def n_active(self) -> NDArray:
        """Number of groups that are not zero, shape (n_lams,)."""
        return np.count_nonzero(self.group_norms, axis=1)

    @property
    def intercepts(self) -> NDArray | None:
        """Intercepts of the multinomial model, shape (n_lams, K); None for others."""
        return self.offsets if self._template._response.offsets_name == "intercept_" else None

    @property
    def thresholds(self) -> NDArray | None:
        """Thresholds of the ordinal model, shape (n_lams, K); None for others."""
        return self.offsets if self._template._response.offsets_name == "thresholds_" else None

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
        check_number("index", index, whole=True)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index={index} is not on the path, which has {len(self)} lams.")
        index = int(index) % len(self)
        model = copy(self._template)
        model.lam = float(self.lams[index])
        model.coef_ = self.coefs[index].copy()
        setattr(model, model._response.offsets_name, self.offsets[index].copy())
        model.group_norms_ = self.group_norms[index].copy()
        model.class_shares_ = None if self.class_shares is None else self.class_shares[index].copy()
        model.objective_ = float(self.objective[index])
        model.kkt_ = float(self.kkt[index])
        model.converged_ = bool(self.converged[index])
        model.n_iter_ = int(self.n_iter[index])
        model.history_ = self._histories[index]
        said = [*self.warnings, Message(words_about_shares(model))]
        model.warnings_ = [*filter(None, dict.fromkeys(said))]
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
        from pulasso.estimators.persistence import save

        save(self, path, force=force, notes=notes)

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
    response: str | type[Response] = "multinomial",
    lams: ArrayLike | None = None,
    n_lams: int = 100,
    lam_min_ratio: float = 0.05,
    sample_weight: ArrayLike | None = None,
    source: ArrayLike | None = None,
    checkpoint: str | os.PathLike | None = None,
    **settings: Any,
) -> PathResult:
    """Fit a model for a decreasing sequence of lam values, each from the solution before it.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    z : array-like of shape (n_samples,)
        Observed labels, with the marker of unlabeled rows.
    response : {"multinomial", "ordinal"} or Response class, default="multinomial"
    lams : array-like, optional
        Values of lam; sorted from large to small. By default `n_lams` values, equally spaced in logs, from
        the exact lam_max down to ``lam_min_ratio * lam_max``.
    n_lams : int, default=100
    lam_min_ratio : float, default=0.05
        Much below 0.05 the objective is far from convex and solutions depend on the way that led to them.
    sample_weight : array-like of shape (n_samples,), optional
    source : array-like of shape (n_samples,), optional
        Where each row comes from, with ``scenario=Sources({...})``.
    checkpoint : str or path, optional
        Folder that saves the solution of every lam, as :func:`pulasso.checkpoint` does.
    **settings
        Everything else that :class:`MultinomialPULasso` or :class:`OrdinalPULasso` take: scenario,
        prevalence, label_frequency, penalty, groups, standardize, solver, tol, max_iter, unlabeled, ...

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
    with unchanged_on_failure(estimator):
        data = estimator._read(X, z, sample_weight, source)
        grid = {"lams": lams, "n_lams": n_lams, "lam_min_ratio": lam_min_ratio}
        run = open_run("path", {**estimator._fingerprint(data), **grid}, checkpoint)
        with one_blas_thread() if run else nullcontext():
            problem = estimator._build(data, find_scenario(estimator, data, along_path=True))
            wanted = make_grid(lams, problem.lam_max, n_lams, lam_min_ratio)
            how = {"solver": estimator.solver, "tol": estimator.tol, "max_iter": estimator.max_iter}
            solutions = list(solve_path(problem, wanted, run=run, **how))
    estimator._store_problem(problem)
    return collect_path(estimator, problem, solutions)


def collect_path(
    estimator: BasePULasso, problem: Problem, solutions: Sequence[Solution], who: str = ""
) -> PathResult:
    """Stack solutions along a path; the estimator, which knows the problem, becomes the template of its models.

    `who` names a path whose last model was chosen, and is warned about as that of a single fit would be.
    """
    public = [public_attributes(problem, solution.params) for solution in solutions]
    stacked = {name: np.array([each[name] for each in public]) for name in public[0]}
    late = [solution for solution in solutions if not solution.converged]
    warnings = list(problem.warnings)
    if late:
        worst = max(solution.kkt for solution in late)
        words = (
            f"{who}{len(late)} of {len(solutions)} fits did not reach tol={estimator.tol:g}, the first at "
            f"lam={late[0].lam:.4g}; the worst KKT violation is {worst:.2g} of lam_max. "
            f"Try a larger {arg('lam_min_ratio')}, {arg('tol')} or {arg('max_iter')}."
        ) + words_about_far_columns(problem)
        warnings.append(warn(words, ConvergenceWarning))
    return PathResult(
        lams=np.array([solution.lam for solution in solutions]),
        coefs=stacked["coef_"],
        offsets=stacked[problem.response.offsets_name],
        objective=np.array([solution.objective for solution in solutions]),
        kkt=np.array([solution.kkt for solution in solutions]),
        group_norms=np.array([problem.blocks.norms(solution.params.theta) for solution in solutions]),
        n_iter=np.array([solution.n_iter for solution in solutions]),
        converged=np.array([solution.converged for solution in solutions]),
        class_shares=None
        if problem.anchor is None
        else np.array([solution.class_shares for solution in solutions]),
        lam_max=problem.lam_max,
        classes=problem.data.classes,
        feature_names=problem.data.feature_names,
        warnings=tuple(warnings),
        _template=estimator,
        _histories=tuple(solution.history for solution in solutions),
    )


def _estimator(response: str | type[Response], settings: dict[str, Any]) -> BasePULasso:
    """Return the estimator of one lam that a path is made of."""
    kind = as_response(response)
    chosen: type[BasePULasso] = OrdinalPULasso if kind.is_ordered else MultinomialPULasso
    if kind is not RESPONSES.get(chosen._response.name):  # a response of the user's own
        chosen = type(chosen.__name__, (chosen,), {"_response": kind, "__module__": chosen.__module__})
    for name, remedy in (
        ("lam", f"Give {arg('lams')}, or fit an estimator for one value."),
        ("n_restarts", "Look at single lams with pulasso.inference.find_stationary_points."),
    ):
        value = settings.get(name, 0)
        if name in settings and not (name == "n_restarts" and isinstance(value, Integral) and value == 0):
            raise TypeError(Message(f"fit_path follows one whole path and takes no {name}=. {remedy}"))
    known = chosen().get_params()
    for name in settings:
        if name not in known:
            hint = did_you_mean(name, [*known, "lams", "n_lams", "lam_min_ratio", "sample_weight"])
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
        if lam_max > 0 and lam_min_ratio * lam_max == 0:
            problem = (
                f"{arg('lam_min_ratio', repr(lam_min_ratio))} is too small: the smallest lam would be zero."
            )
            raise InputError(problem, parameter="lam_min_ratio")
        return lam_grid(lam_max, int(n_lams), lam_min_ratio)
    try:
        grid = np.sort(np.asarray(lams, dtype=float).ravel())[::-1]
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"lams={lams!r} is not a sequence of numbers.", parameter="lams") from None
    for lam in grid.tolist():
        check_number("lams", lam, least=0.0)
    if not grid.size:
        raise InputError(
            "lams is empty.",
            parameter="lams",
            remedy="Give at least one value, or None for the default grid.",
        )
    return grid
