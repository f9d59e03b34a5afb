"""What the comparators share: reading labels and scenario, and predictions as the estimators make them."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from pulasso.data.chunks import is_chunked
from pulasso.data.inputs import check_features, check_same_length
from pulasso.data.parameters import check_kind
from pulasso.data.pu_data import PUData
from pulasso.exceptions import InputError, ScenarioError
from pulasso.metrics import observed_log_likelihood_scorer
from pulasso.scenarios import Scenario, as_scenario

__all__ = ["BaseBaseline", "fit_weighted", "refuse_confirmed_negatives"]


class BaseBaseline(ClassifierMixin, BaseEstimator, ABC):
    """A classifier that reads observed labels and predicts true classes, as the library's estimators do.

    Subclasses have the parameters `scenario`, `prevalence`, `label_frequency`, `unlabeled` and `negative`,
    and implement `_fit` and `_proba`.
    """

    scenario: Any
    prevalence: Any
    label_frequency: Any
    unlabeled: Any
    negative: Any

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> "BaseBaseline":
        """Fit to observed labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Observed labels: class labels, and the marker `unlabeled`.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 2 counts as the row twice, 0 as no row.

        Returns
        -------
        self
        """
        marks = {"unlabeled": self.unlabeled, "negative": self.negative}
        data = PUData.read(self._in_memory(X), y, sample_weight=sample_weight, estimator=self, **marks)
        if not data.weight.all():  # a weight of zero is no row, whatever a method does with rows
            data = data.take(np.flatnonzero(data.weight))
        self.scenario_ = self._scenario(data)
        if getattr(self.scenario_, "by_row", False):
            raise ScenarioError(
                f"{type(self).__name__} knows no labelling that depends on the row.", parameter="scenario"
            )
        self.label_model_, self.classes_ = self.scenario_.label_model(data.counts), data.classes
        with np.errstate(over="ignore", invalid="ignore"):  # as in predict_proba
            self._fit(data)
        return self

    def _in_memory(self, x: Any) -> Any:
        if is_chunked(x):
            raise TypeError(
                f"{type(self).__name__} reads X as a whole; give an array, a data frame or a sparse matrix, not a "
                f"{type(x).__name__}."
            )
        return x

    def _scenario(self, data: PUData) -> Scenario:
        return as_scenario(self.scenario, prevalence=self.prevalence, label_frequency=self.label_frequency)

    @abstractmethod
    def _fit(self, data: PUData) -> None:
        """Learn from validated data; classes, scenario and label model are known."""

    @abstractmethod
    def _proba(self, x: Any) -> NDArray:
        """Return P(y | x) for validated features, shape (n_samples, K + 1)."""

    def predict_proba(self, X: Any) -> NDArray:
        """Return P(y | x) of the *true* classes, shape (n_samples, n_classes), class 0 first."""
        check_is_fitted(self)
        x = check_features(self, self._in_memory(X), reset=False)
        if sparse.issparse(x) and x.indices.dtype != np.int32 and max(x.shape) < 2**31 and x.nnz < 2**31:
            x = type(x)((x.data, x.indices.astype(np.int32), x.indptr.astype(np.int32)), shape=x.shape)
        # Trees read single precision and small positions, and refuse by name what that cannot hold.
        with np.errstate(over="ignore", invalid="ignore"):
            return self._proba(x)

    def predict(self, X: Any) -> NDArray:
        """Return the most probable true class of every row."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]

    def observed_score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the mean log-likelihood of observed labels under the scenario; needs no true classes.

        It is minus infinity if a label was seen where the model says that its class is impossible.
        """
        check_is_fitted(self)
        check_same_length(check_features(self, self._in_memory(X), reset=False), y)
        return observed_log_likelihood_scorer(self, X, y, sample_weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def check_classifier(estimator: Any) -> None:
    """Refuse a base learner that is none."""
    check_kind("estimator", estimator, BaseEstimator, "Give a classifier, such as LogisticRegression().")


def fit_weighted(estimator: Any, x: Any, codes: NDArray, weight: NDArray) -> Any:
    """Fit a classifier with weights, if it takes them; refuse weights that it would ignore."""
    check_classifier(estimator)
    x = with_small_indices(x)
    if has_fit_parameter(estimator, "sample_weight"):
        return estimator.fit(x, codes, sample_weight=weight)
    if np.ptp(weight) > 0:
        raise InputError(
            f"{type(estimator).__name__} takes no sample_weight, but rows have different weights.",
            parameter="estimator",
            remedy="Use another estimator, for example LogisticRegression().",
        )
    return estimator.fit(x, codes)


def refuse_confirmed_negatives(data: PUData, method: str) -> None:
    """Refuse labels that say "certainly class 0"."""
    if (data.codes == len(data.classes)).any():
        raise ScenarioError(
            f"{method} has no place for confirmed negatives.",
            parameter="negative",
            remedy="Drop these rows, or mark them as unlabeled.",
        )


def with_small_indices(x: Any) -> Any:
    """Return a sparse matrix with indices of 32 bits if they suffice: scikit-learn's trees take no others."""
    if not sparse.issparse(x) or x.indices.dtype != np.int64 or max(*x.shape, x.nnz) > np.iinfo(np.int32).max:
        return x
    parts = (x.data, x.indices.astype(np.int32), x.indptr.astype(np.int32))
    return type(x)(parts, shape=x.shape)
