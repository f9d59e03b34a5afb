"""What both estimators share: validate, assemble, solve, store, predict."""

import warnings
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from pulasso._messages import listed, plain
from pulasso.data.chunks import is_chunked
from pulasso.data.inputs import (
    check_features,
    check_flag,
    check_number,
    check_same_length,
    check_weight,
)
from pulasso.data.labels import Labels, encode_labels, encode_with
from pulasso.estimators._assemble import Assembled, assemble
from pulasso.estimators._estimate_prior import asks_for_estimate, estimate_number
from pulasso.estimators._exports import ExportMixin
from pulasso.estimators._kept_path import deterministic, open_checkpoint, solve_kept_path
from pulasso.estimators._saving import parts_of_estimator
from pulasso.estimators.stationary import explore
from pulasso.estimators.summary import Summary, summarize
from pulasso.exceptions import ClassOrderWarning, ConvergenceWarning, LabelError, StationaryPointWarning
from pulasso.path import lams_down_to
from pulasso.responses import Response
from pulasso.runs import Checkpoint
from pulasso.runs.seeds import draw_entropy
from pulasso.scenarios import Scenario, as_scenario
from pulasso.solvers import SOLVERS, SolverResult

__all__ = ["BasePULasso"]

# On the way down to the wanted lam, solutions only serve as starts.
TOL_ON_THE_WAY = 1e-3


class BasePULasso(ExportMixin, ClassifierMixin, BaseEstimator, ABC):
    """Penalised maximum likelihood for presence-only data; see the two subclasses."""

    _response_name: ClassVar[str]

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> "BasePULasso":
        """Fit the model at one value of lam.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features; data frames keep their column names.
        y : array-like of shape (n_samples,)
            Observed labels: class labels, and the marker `unlabeled`.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 2 counts as the row twice, 0 as no row.

        Returns
        -------
        self
        """
        before = self.__dict__.copy()
        try:
            self._check_params()
            checkpoint = getattr(self, "checkpoint", None)
            with deterministic(checkpoint):
                assembled = self._assemble(X, y, sample_weight)
                lams = lams_down_to(float(self.lam), assembled.problem.lam_max)
                kept = open_checkpoint(checkpoint, self, assembled, lams)
                results = self._minimize(assembled, kept)
            self._store(assembled, results)
        except BaseException:
            # A fit that fails, or is interrupted, leaves the model that was there.
            self.__dict__ = before
            raise
        return self

    # -- fitting, step by step ---------------------------------------------------------------------------

    def _check_params(self) -> None:
        check_number("lam", self.lam, least=0.0)
        check_number("tol", self.tol, above=0.0)
        check_number("max_iter", self.max_iter, least=1, whole=True)
        check_number("n_restarts", getattr(self, "n_restarts", 0), least=0, whole=True)
        check_flag("standardize", self.standardize)
        check_flag("fit_intercept", getattr(self, "fit_intercept", True))
        if not isinstance(self.solver, str) or self.solver not in SOLVERS:
            raise ValueError(f"solver={self.solver!r} is unknown; use one of {listed(SOLVERS)}.")

    def _assemble(self, x: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Assembled:
        return self._assemble_checked(*self._check_data(x, y, sample_weight))

    def _check_data(
        self, x: Any, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Any, Labels, NDArray]:
        """Return features, labels and weights as everything below the estimators expects them."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        x = check_features(self, x, reset=True)
        check_same_length(x, y)
        weight = check_weight(sample_weight, x)
        if is_chunked(x) and getattr(self, "n_restarts", None):
            raise ValueError("n_restarts needs all rows in memory; leave it at 0 for data in chunks.")
        return x, self._encode(y, weight), weight

    def _assemble_checked(self, x: Any, labels: Labels, weight: NDArray) -> Assembled:
        return assemble(
            x,
            labels,
            weight,
            response=self._response_name,
            scenario=self._find_scenario(x, labels, weight),
            groups=self.groups,
            standardized=self.standardize,
            fit_intercept=getattr(self, "fit_intercept", True),
            feature_names=getattr(self, "feature_names_in_", None),
        )

    def _find_scenario(self, x: Any, labels: Labels, weight: NDArray) -> Scenario:
        """Return the scenario as an object, its number estimated if the user asked for that."""
        for name in ("prevalence_", "label_frequency_", "prevalence_estimate_"):
            self.__dict__.pop(name, None)
        scenario = as_scenario(
            self.scenario, prevalence=self.prevalence, label_frequency=self.label_frequency
        )
        if asks_for_estimate(scenario):
            if is_chunked(x):
                raise ValueError(
                    "'estimate' needs all rows in memory. Estimate the number on a sample of the rows with "
                    "pulasso.prevalence, and pass it."
                )
            scenario, estimate = estimate_number(scenario, x, labels, weight, self._response_name)
            self.prevalence_estimate_ = estimate
            setattr(self, f"{estimate.parameter}_", estimate.numbers)
        return scenario

    def _encode(self, y: ArrayLike, weight: NDArray) -> Labels:
        labels = encode_labels(
            y,
            unlabeled=self.unlabeled,
            negative=self.negative,
            class_order=getattr(self, "class_order", None),
            sample_weight=weight,
            ordered=self._response_name == "ordinal",
        )
        if labels.order_was_guessed:
            order = " < ".join(map(str, labels.classes))
            warnings.warn(
                f"The classes are text and were put in alphabetical order: {order}. If this is not their "
                "order, pass class_order=[...] or an ordered pandas categorical.",
                ClassOrderWarning,
                stacklevel=5,
            )
        return labels

    def _minimize(self, assembled: Assembled, kept: Checkpoint | None = None) -> list[SolverResult]:
        """Solve down the path and, if asked for, from other starts; the last result is the best one."""
        results = self._solve(assembled, kept)
        self.__dict__.pop("stationary_points_", None)
        if getattr(self, "n_restarts", 0):
            self.stationary_points_, results[-1] = explore(
                self,
                assembled,
                results[-1],
                n_restarts=int(self.n_restarts),
                entropy=draw_entropy(self.random_state),
                progress=False,
            )
        return results

    def _solve(self, assembled: Assembled, kept: Checkpoint | None = None) -> list[SolverResult]:
        lams = lams_down_to(float(self.lam), assembled.problem.lam_max)
        tols = np.append(np.full(len(lams) - 1, max(self.tol, TOL_ON_THE_WAY)), self.tol)
        return solve_kept_path(
            assembled.problem,
            assembled.null,
            lams,
            solver=SOLVERS[self.solver],
            tol=tols,
            max_iter=self.max_iter,
            kept=kept,
        )

    def _store(self, assembled: Assembled, results: list[SolverResult]) -> None:
        result = results[-1]
        self._store_data(assembled)
        self._store_solution(assembled, result, n_iter=sum(one.n_iter for one in results))
        if not result.converged:
            words = self._not_converged(result)
            warnings.warn(words, ConvergenceWarning, stacklevel=3)
            self.warnings_.append(words)
        if hasattr(self, "stationary_points_") and self.stationary_points_.path_index != 0:
            words = self.stationary_points_.words_about_path()
            warnings.warn(words, StationaryPointWarning, stacklevel=3)
            self.warnings_.append(words)

    def _store_data(self, assembled: Assembled) -> None:
        """Store what does not depend on lam."""
        self.classes_ = assembled.labels.classes
        self.lam_max_ = assembled.problem.lam_max
        self.label_model_ = assembled.label_model
        self.scenario_ = assembled.scenario
        self.groups_ = assembled.blocks
        scale = assembled.design.scale
        self.feature_scale_ = np.where(np.isfinite(scale), scale, 0.0)
        self.label_counts_ = assembled.counts
        self.warnings_ = list(assembled.warnings)

    def _store_solution(self, assembled: Assembled, result: SolverResult, n_iter: int) -> None:
        solution = assembled.coefficients(result.params)
        self._store_coefficients(solution.coef, solution.offsets)
        self.group_norms_ = assembled.blocks.norms(result.params.theta)
        self.objective_ = float(result.objective)
        self.kkt_ = float(result.kkt)
        self.converged_ = bool(result.converged)
        self.n_iter_ = int(n_iter)
        self.history_ = result.history

    def _not_converged(self, result: SolverResult) -> str:
        return (
            f"The fit at lam={self.lam:g} (lam_max={self.lam_max_:.4g}) did not reach tol={self.tol:g}: the "
            f"KKT violation is {result.kkt:.2g} of lam_max ({result.message}). Try a larger lam or tol, "
            f"max_iter above {self.max_iter}, or standardize=True."
        )

    # -- the model on the scale of X: subclasses know how coefficients are called ----------------------------

    @abstractmethod
    def _store_coefficients(self, coef: NDArray, offsets: NDArray) -> None:
        """Store coef (n_outputs, n_features) and offsets under the names users know."""

    @abstractmethod
    def _model(self) -> tuple[Response, NDArray, NDArray]:
        """Return response, theta (n_features, n_outputs) and offsets."""

    def _linear(self, x: Any) -> tuple[Response, NDArray, NDArray]:
        check_is_fitted(self)
        x = check_features(self, x, reset=False)
        response, theta, offsets = self._model()
        linear = x.map_concat(_times, theta) if is_chunked(x) else _times(x, theta)
        if not np.isfinite(linear).all():
            row = int(np.argmin(np.isfinite(linear).all(axis=1)))
            # In memory, missing values are refused before.
            missing = "missing or infinite values, or " if is_chunked(x) else ""
            raise ValueError(
                f"Row {row} of X holds {missing}numbers so large that their product with the coefficients is not "
                "finite. Check its units."
            )
        return response, linear, offsets

    # -- predictions -------------------------------------------------------------------------------------

    def predict_log_proba(self, X: Any) -> NDArray:
        """Return log P(y | x), shape (n_samples, n_classes), class 0 first."""
        response, u, offsets = self._linear(X)
        return response.log_proba(u, offsets).astype(u.dtype, copy=False)

    def predict_proba(self, X: Any) -> NDArray:
        """Return P(y | x) of the *true* classes, shape (n_samples, n_classes), class 0 first."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> NDArray:
        """Return the most probable true class of every row."""
        best = np.argmax(self.predict_log_proba(X), axis=1)
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

    def predict_observed_proba(self, X: Any) -> NDArray:
        """Return P(z | x), the probabilities of the *observed* labels under the scenario.

        Columns: unlabeled, the positive classes in order and, if y had any, confirmed negatives.
        """
        response, u, offsets = self._linear(X)
        log_proba = self.label_model_.observed_log_proba(response.log_odds(u, offsets))
        return np.exp(log_proba).astype(u.dtype, copy=False)

    def observed_score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the mean log-likelihood of observed labels: a proper score that needs no true classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Observed labels, coded as in `fit`.
        sample_weight : array-like of shape (n_samples,), optional
        """
        response, u, offsets = self._linear(X)
        check_same_length(u, y)
        codes = encode_with(y, self.classes_, unlabeled=self.unlabeled, negative=self.negative)
        log_proba = self.label_model_.observed_log_proba(response.log_odds(u, offsets))
        if (codes >= log_proba.shape[1]).any():
            raise LabelError(
                f"y holds confirmed negatives ({plain(self.classes_[0])!r}), but the fit saw none, so the "
                "model does not know how likely they are. Fit again with some, or drop these rows."
            )
        scores = log_proba[np.arange(len(codes)), codes]
        return float(np.average(scores, weights=check_weight(sample_weight, u)))

    def summary(self) -> Summary:
        """Return what was selected and how well the fit is certified; prints, renders, converts."""
        check_is_fitted(self)
        return summarize(self)

    def _saved_parts(self) -> dict[str, Any]:
        return parts_of_estimator(self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _times(x: Any, theta: NDArray) -> NDArray:
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused, with its row
        return np.asarray(x @ theta)
