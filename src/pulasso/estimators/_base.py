"""What all estimators share: read, build, solve, store, predict."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from pulasso._messages import arg, listed, warn
from pulasso.build import build_problem
from pulasso.data.chunks import is_chunked
from pulasso.data.inputs import check_features, check_flag, check_number
from pulasso.data.pu_data import PUData
from pulasso.estimators._estimate_prior import find_scenario
from pulasso.estimators._exports import ExportMixin
from pulasso.estimators._observed import ObservedMixin
from pulasso.estimators._reweigh import reweighed
from pulasso.estimators.shares import share_tolerance, words_about_shares
from pulasso.estimators.stationary import explore
from pulasso.estimators.summary import Summary, summarize
from pulasso.exceptions import (
    ClassShareWarning,
    ConvergenceWarning,
    InputError,
    StationaryPointWarning,
)
from pulasso.path import lams_down_to, solve_path
from pulasso.penalties import as_penalty
from pulasso.problem import Params, Problem
from pulasso.responses import Response
from pulasso.runs import Run, draw_entropy, one_blas_thread, open_run
from pulasso.scenarios import Propensity, Scenario, Sources
from pulasso.solvers import SOLVERS, Solution, least_curvature

__all__ = ["BasePULasso", "public_attributes", "unchanged_on_failure", "words_about_far_columns"]

# On the way down to the wanted lam, solutions only serve as starts.
TOL_ON_THE_WAY = 1e-3
# Results do not depend on these, or other names in a fingerprint say it better.
NOT_IN_THE_FINGERPRINT = (
    "n_jobs",
    "progress",
    "random_state",
    "select",
    "max_active",
    "refit",
    "cv",
    "n_restarts",
)


class BasePULasso(ObservedMixin, ExportMixin, ClassifierMixin, BaseEstimator):
    """Penalised maximum likelihood for presence-only data; subclasses name their response model."""

    _response: ClassVar[type[Response]]

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, source: ArrayLike | None = None
    ) -> "BasePULasso":
        """Fit the model at one value of lam.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features; data frames keep their column names.
        y : array-like of shape (n_samples,)
            Observed labels: class labels, and the marker `unlabeled`.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 2 counts as the row twice, 0 as no row.
        source : array-like of shape (n_samples,), optional
            Where each row comes from, with ``scenario=Sources({...})``.

        Returns
        -------
        self
        """
        with unchanged_on_failure(self):
            self._check_params()
            data = self._read(X, y, sample_weight, source)
            # Without restarts nothing is left to chance.
            seed = self.random_state if getattr(self, "n_restarts", 0) else None
            run = open_run(type(self).__name__, {**self._fingerprint(data), "random_state": seed})
            # A run that may be resumed elsewhere must not depend on the number of threads.
            with one_blas_thread() if run else nullcontext():
                problem = self._build(data)
                solution, n_iter = self._solve(problem, run)
            self._store(problem, solution, n_iter)
        return self

    # -- fitting, step by step ---------------------------------------------------------------------------

    def _check_params(self) -> None:
        check_number("lam", self.lam, least=0.0)
        check_number("tol", self.tol, above=0.0)
        check_number("max_iter", self.max_iter, least=1, whole=True)
        check_number("n_restarts", getattr(self, "n_restarts", 0), least=0, whole=True)
        anchor = self._anchor_strength()
        if isinstance(anchor, list | tuple):
            raise InputError(
                f"{arg('anchor', repr(anchor)[:80])} holds several strengths, and only cross-validation can choose.",
                parameter="anchor",
                remedy="Give one number.",
            )
        check_number("anchor", anchor, least=0.0)
        check_flag("standardize", self.standardize, word="auto")
        check_flag("fit_intercept", getattr(self, "fit_intercept", True))
        as_penalty(self.penalty)
        if not isinstance(self.solver, str) or self.solver not in SOLVERS:
            raise InputError(
                f"solver={self.solver!r} is unknown.",
                parameter="solver",
                remedy=f"Use one of {', '.join(map(repr, SOLVERS))}.",
            )

    def _anchor_strength(self) -> float:
        return getattr(self, "anchor", 0.0)

    def _read(
        self, x: Any, y: ArrayLike, sample_weight: ArrayLike | None, source: ArrayLike | None = None
    ) -> PUData:
        data = PUData.read(
            x,
            y,
            sample_weight=sample_weight,
            source=source,
            unlabeled=self.unlabeled,
            negative=self.negative,
            class_order=getattr(self, "class_order", None),
            ordered=self._response.is_ordered,
            estimator=self,
        )
        if isinstance(self.scenario, Sources):
            self.scenario.check_rows(data.source, data.weight)
        elif source is not None:
            raise InputError(
                f"source= is given, but {arg('scenario', repr(self.scenario))} knows of no sources.",
                parameter="source",
                remedy="Leave it out, or say how labels came to be in each: scenario=Sources({...}).",
            )
        if data.is_chunked and bool(getattr(self, "n_restarts", 0)):
            raise InputError(
                "n_restarts needs all rows in memory.",
                parameter="n_restarts",
                remedy="Leave it at 0 for data in chunks.",
            )
        return data

    def _build(self, data: PUData, scenario: Scenario | None = None) -> Problem:
        """Return the estimator's problem for these data; a scenario that was found before need not be found again."""
        return build_problem(
            data,
            response=self._response,
            scenario=find_scenario(self, data) if scenario is None else scenario,
            penalty=self.penalty,
            anchor=self._anchor_strength(),
            groups=self.groups,
            standardized=self.standardize,
            fit_intercept=getattr(self, "fit_intercept", True),
        )

    def _solve(self, problem: Problem, run: Run | None = None) -> tuple[Solution, int]:
        """Solve down the path and, if asked for, from other starts; return the best solution and all iterations."""
        lams = lams_down_to(float(self.lam), problem.lam_max)
        tols = np.append(np.full(len(lams) - 1, max(self.tol, TOL_ON_THE_WAY)), self.tol)
        settings = {"solver": self.solver, "tol": tols, "max_iter": self.max_iter}
        solutions = list(solve_path(problem, lams, run=run, **settings))
        best = solutions[-1]
        self.__dict__.pop("stationary_points_", None)
        if getattr(self, "n_restarts", 0):
            settings = {"n_restarts": int(self.n_restarts), "entropy": draw_entropy(self.random_state, run)}
            self.stationary_points_, best = explore(self, problem, best, run=run, progress=False, **settings)
        return best, sum(each.n_iter for each in solutions)

    def _fingerprint(self, data: PUData) -> dict[str, Any]:
        """Return what results depend on: settings and data."""
        params = self.get_params(deep=False)
        settings = {name: value for name, value in params.items() if name not in NOT_IN_THE_FINGERPRINT}
        return {"estimator": type(self), **settings, **data.fingerprint()}

    # -- storing: the one place where a solution becomes fitted attributes --------------------------------------

    def _store(self, problem: Problem, solution: Solution, n_iter: int) -> None:
        self._store_problem(problem)
        self._store_solution(problem, solution, n_iter)
        self._store_convexity(problem, solution)
        if not solution.converged:
            words = (
                f"The fit at lam={self.lam:g} (lam_max={self.lam_max_:.4g}) did not reach tol={self.tol:g}: the "
                f"KKT violation is {solution.kkt:.2g} of lam_max ({solution.message}). Try a larger {arg('lam')} or "
                f"{arg('tol')}, {arg('max_iter')} above {self.max_iter}, or {arg('standardize', 'True')}."
            ) + words_about_far_columns(problem)
            self.warnings_.append(warn(words, ConvergenceWarning))
        if hasattr(self, "stationary_points_") and self.stationary_points_.path_index != 0:
            words = self.stationary_points_.words_about_path()
            self.warnings_.append(warn(words, StationaryPointWarning))
        if words := words_about_shares(self):
            self.warnings_.append(warn(words, ClassShareWarning))

    def _store_problem(self, problem: Problem) -> None:
        """Store what does not depend on lam."""
        self.classes_ = problem.data.classes
        self.lam_max_ = problem.lam_max
        self.label_model_ = problem.loss.label_model  # type: ignore[attr-defined]
        self.scenario_ = problem.scenario
        self.groups_ = problem.blocks
        scale = problem.design.scale  # type: ignore[attr-defined]
        self.feature_scale_ = np.where(np.isfinite(scale), scale, 0.0)
        self.label_counts_ = problem.data.counts
        self.told_shares_ = problem.told_shares
        self.anchor_ = 0.0 if problem.anchor is None else problem.anchor.rho
        self.share_tolerance_ = share_tolerance(problem)
        self.warnings_ = list(problem.warnings)

    def _store_solution(self, problem: Problem, solution: Solution, n_iter: int) -> None:
        for name, value in public_attributes(problem, solution.params).items():
            setattr(self, name, value)
        self.group_norms_ = problem.blocks.norms(solution.params.theta)
        self.class_shares_ = solution.class_shares
        self.objective_ = float(solution.objective)
        self.kkt_ = float(solution.kkt)
        self.converged_ = bool(solution.converged)
        self.n_iter_ = int(n_iter)
        self.history_ = solution.history

    def _store_convexity(self, problem: Problem, solution: Solution) -> None:
        """Measure the curvature that a concave penalty must not exceed; convex ones need none."""
        self.__dict__.pop("least_curvature_", None)
        if getattr(problem.penalty.formula, "concavity", 0.0) > 0:
            self.least_curvature_ = least_curvature(problem, solution.params)

    # -- the model on the scale of X -----------------------------------------------------------------------------

    @property
    def response_(self) -> Response:
        """The response model, which knows how its coefficients are called."""
        check_is_fitted(self)
        return self._response.from_public(self)[0]

    @property
    def propensity_(self) -> Propensity:
        """The chance of a label, as it was fitted; only where the scenario is :class:`SelectedLabelling`."""
        return self.scenario_.propensity  # type: ignore[attr-defined]

    def _linear(self, x: Any) -> tuple[Response, NDArray, NDArray]:
        check_is_fitted(self)
        x = check_features(self, x, reset=False)
        response, theta, offsets = self._response.from_public(self)
        linear = x.map_concat(_times, theta) if is_chunked(x) else _times(x, theta)
        if not np.isfinite(linear).all():
            row = int(np.argmin(np.isfinite(linear).all(axis=1)))
            # In memory, missing values are refused before.
            missing = "missing or infinite values, or " if is_chunked(x) else ""
            raise InputError(
                f"Row {row} of X holds {missing}numbers so large that their product with the coefficients is not "
                "finite.",
                parameter="X",
                remedy="Check its units.",
            )
        return response, linear, offsets

    # -- predictions -------------------------------------------------------------------------------------

    def predict_log_proba(self, X: Any, prevalence: Any = None) -> NDArray:
        """Return log P(y | x), shape (n_samples, n_classes), class 0 first; `prevalence` as for `predict_proba`."""
        response, u, offsets = self._linear(X)
        log_proba = response.log_proba(u, offsets)
        if prevalence is not None:
            log_proba = reweighed(self, log_proba, prevalence)
        return log_proba.astype(u.dtype, copy=False)

    def predict_proba(self, X: Any, prevalence: Any = None) -> NDArray:
        """Return P(y | x) of the *true* classes, shape (n_samples, n_classes), class 0 first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        prevalence : float, array-like of shape (K,) or (K + 1,), or mapping, optional
            Class shares of another population, in which members of each class look the same: probabilities are
            multiplied by new share / share in the population of the fit, and normalised. One number for all positive
            classes, numbers in class order, or a mapping from class to number; of all classes, they sum to 1.
        """
        return np.exp(self.predict_log_proba(X, prevalence))

    def predict(self, X: Any, prevalence: Any = None) -> NDArray:
        """Return the most probable true class of every row; `prevalence` as for `predict_proba`."""
        best = np.argmax(self.predict_log_proba(X, prevalence), axis=1)
        return self.classes_[best]

    def decision_function(self, X: Any) -> NDArray:
        """Return the class log odds eta against class 0.

        Returns
        -------
        array of shape (n_samples,) for two classes, else (n_samples, n_classes)
            With several classes the first column, class 0 against itself, is zero, so that the largest
            entry of a row belongs to the predicted class, as scikit-learn asks.
        """
        response, u, offsets = self._linear(X)
        eta = response.log_odds(u, offsets).astype(u.dtype, copy=False)
        return eta[:, 0] if eta.shape[1] == 1 else np.hstack([np.zeros((len(eta), 1), eta.dtype), eta])

    def summary(self) -> Summary:
        """Return what was selected and how well the fit is certified; prints, renders, converts."""
        check_is_fitted(self)
        return summarize(self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@contextmanager
def unchanged_on_failure(estimator: Any) -> Iterator[None]:
    """Leave the model that was there when a fit fails, or is interrupted."""
    before = estimator.__dict__.copy()
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise


def public_attributes(problem: Problem, params: Params) -> dict[str, NDArray]:
    """Return coefficients and offsets on the scale of the user's X, by the names of fitted attributes."""
    design = problem.design
    theta, constant = design.to_original(params.theta)  # type: ignore[attr-defined]
    # Columns far from zero make large cutpoints; in single precision the gaps between them would vanish.
    theta = theta.astype(design.dtype, copy=False)
    return problem.response.to_public(theta, problem.response.shift(params.offsets, -constant))


def words_about_far_columns(problem: Problem) -> str:
    """Return why a fit to a sparse X may not converge, and the remedy; empty where that is not why."""
    columns, names = getattr(problem.design, "far_from_zero", ()), problem.data.feature_names
    if not columns:
        return ""
    which = listed([j if names is None else names[j] for j in columns], limit=5)
    return (
        f" The likely reason: {arg('X')} is sparse, and {'column' if len(columns) == 1 else 'columns'} {which} "
        f"{'lies' if len(columns) == 1 else 'lie'} far from zero next to {'its' if len(columns) == 1 else 'their'} "
        f"spread, where {problem.design.dtype} has too few digits to centre a sparse column. Subtract the mean "
        "before making it sparse, or pass X dense"
        + (" or as float64." if problem.design.dtype == np.float32 else ".")
    )


def _times(x: Any, theta: NDArray) -> NDArray:
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused, with its row
        return np.asarray(x @ theta)
