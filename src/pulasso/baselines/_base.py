"""What the comparators share: reading labels and scenario, and predictions as the estimators make them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from pulasso.data.chunks import is_chunked
from pulasso.data.inputs import check_features, check_same_length, check_weight
from pulasso.data.labels import encode_labels
from pulasso.metrics import observed_log_likelihood_scorer
from pulasso.scenarios import LabelCounts, LabelModel, Scenario, as_scenario

__all__ = ["BaseBaseline", "Observed", "fit_weighted"]


@dataclass(frozen=True, eq=False)
class Observed:
    """Validated data: features, codes of observed labels, weights, and what the scenario says about them.

    Attributes
    ----------
    x : array or sparse matrix of shape (n_samples, n_features)
    codes : array of shape (n_samples,)
        0 unlabeled, k labelled as class k, K + 1 confirmed negative.
    classes : array of shape (K + 1,)
    weight : array of shape (n_samples,)
    counts : LabelCounts
    scenario : Scenario
    labelling : LabelModel
    """

    x: Any
    codes: NDArray
    classes: NDArray
    weight: NDArray
    counts: LabelCounts
    scenario: Scenario
    label_model: LabelModel

    @property
    def n_positive(self) -> int:
        """K, the number of positive classes."""
        return len(self.classes) - 1

    def population_weights(self) -> tuple[NDArray, NDArray]:
        r"""Return weights that turn sums over rows into means over the population, and over its classes.

        A scenario shows :math:`(x, z=k)` with density :math:`s\, a_k p(x, y=k)` and :math:`(x, z=0)` with
        :math:`s \sum_k c_k p(x, y=k)`. So for any function f of x, with W the weight of all rows,

        .. math::

           P(y=k)\, E[f | y=k] \approx \sum_{i: z_i = k} \frac{w_i f(x_i)}{W s a_k}, \qquad
           E[f] \approx \sum_{i: z_i = 0} \frac{w_i f(x_i)}{W s}
           + \sum_{k} \sum_{i: z_i = k} \frac{(1 - c_k)\, w_i f(x_i)}{W s a_k},

        and s is such that the second gives 1 for f = 1. In a single training set all rows get the same
        weight in E[f], in case-control data only the unlabeled ones have any.

        Returns
        -------
        everyone : array of shape (n_samples,)
            Sums to 1.
        members : array of shape (n_samples, K + 1)
            Column k sums to the share of class k; class 0 has rows only if there are confirmed negatives.
        """
        n_classes = len(self.classes)
        labeled = self.codes > 0
        column = self.codes % n_classes  # code K + 1, the confirmed negative, is class 0
        each = self.weight / np.where(labeled, np.exp(self.label_model.log_labeled)[column], 1.0)
        hidden = np.exp(self.label_model.log_hidden)[column]
        everyone = np.where(labeled, (1.0 - hidden) * each, each)
        members = np.where(labeled[:, None] & (column[:, None] == np.arange(n_classes)), each[:, None], 0.0)
        return everyone / everyone.sum(), members / everyone.sum()


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
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        x = self._features(X, reset=True)
        check_same_length(x, y)
        weight = check_weight(sample_weight, x)
        labels = encode_labels(y, unlabeled=self.unlabeled, negative=self.negative, sample_weight=weight)
        present = np.flatnonzero(weight)
        if len(present) < len(weight):  # a weight of zero is no row, whatever a method does with rows
            x, codes, weight = x[present], labels.codes[present], weight[present]
        else:
            codes = labels.codes
        counts = LabelCounts.from_codes(codes, labels.classes, weight)
        scenario = self._scenario(x, codes, weight)
        data = Observed(x, codes, labels.classes, weight, counts, scenario, scenario.label_model(counts))
        self._fit(data)
        self.classes_ = data.classes
        self.scenario_ = data.scenario
        self.label_model_ = data.label_model
        return self

    def _features(self, x: Any, *, reset: bool) -> Any:
        if is_chunked(x):
            raise TypeError(
                f"{type(self).__name__} reads X as a whole; give an array, a data frame or a sparse matrix, not a "
                f"{type(x).__name__}."
            )
        return check_features(self, x, reset=reset)

    def _scenario(self, x: Any, codes: NDArray, weight: NDArray) -> Scenario:
        return as_scenario(self.scenario, prevalence=self.prevalence, label_frequency=self.label_frequency)

    @abstractmethod
    def _fit(self, data: Observed) -> None:
        """Learn from validated data."""

    @abstractmethod
    def _proba(self, x: Any) -> NDArray:
        """Return P(y | x) for validated features, shape (n_samples, K + 1)."""

    def predict_proba(self, X: Any) -> NDArray:
        """Return P(y | x) of the *true* classes, shape (n_samples, n_classes), class 0 first."""
        check_is_fitted(self)
        return self._proba(self._features(X, reset=False))

    def predict(self, X: Any) -> NDArray:
        """Return the most probable true class of every row."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]

    def observed_score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the mean log-likelihood of observed labels under the scenario; needs no true classes.

        It is minus infinity if a label was seen where the model says that its class is impossible.
        """
        check_is_fitted(self)
        check_same_length(self._features(X, reset=False), y)
        return observed_log_likelihood_scorer(self, X, y, sample_weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def fit_weighted(estimator: Any, x: Any, codes: NDArray, weight: NDArray) -> Any:
    """Fit a classifier with weights, if it takes them; refuse weights that it would ignore."""
    if has_fit_parameter(estimator, "sample_weight"):
        return estimator.fit(x, codes, sample_weight=weight)
    if np.ptp(weight) > 0:
        raise ValueError(
            f"{type(estimator).__name__} takes no sample_weight, but rows have different weights. "
            "Use another estimator, for example LogisticRegression()."
        )
    return estimator.fit(x, codes)
