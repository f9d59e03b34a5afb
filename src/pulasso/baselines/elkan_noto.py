"""Elkan and Noto's correction of any classifier of observed labels, for several classes and any scenario."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import has_fit_parameter

from pulasso._messages import arg
from pulasso.baselines._base import BaseBaseline, fit_weighted, refuse_confirmed_negatives
from pulasso.baselines._population import population_weights
from pulasso.baselines.naive import mn_lasso
from pulasso.data.inputs import check_flag, check_number
from pulasso.data.parameters import as_random_state
from pulasso.data.pu_data import PUData
from pulasso.exceptions import InputError, ScenarioError
from pulasso.scenarios import LabelModel, PerClass, Scenario, SingleTrainingSet

__all__ = ["ElkanNoto"]

ESTIMATE = "estimate"


class ElkanNoto(BaseBaseline):
    r"""Correct the probabilities of a classifier of observed labels.

    A classifier trained on observed labels estimates :math:`g_k(x) = P(z=k|x)`. The scenario says
    :math:`g_k \propto a_k e_k` and :math:`g_0 \propto 1 + \sum_k c_k e_k`, hence

    .. math:: P(y=k|x) \propto g_k / a_k, \qquad P(y=0|x) \propto \max(0,\ g_0 - \sum_k c_k g_k / a_k) .

    In a single training set this is :math:`P(y=k|x) = g_k(x) / \pi_k`, as Elkan and Noto (2008) have it for one
    positive class. ``weighted=True`` is their second method: every unlabeled row is split into one copy for each
    class, weighted by :math:`P(y=k|x, z=0)`, and the classifier is trained once more on the copies.

    Parameters
    ----------
    estimator : classifier with predict_proba, optional
        By default the naive lasso, ``mn_lasso()``. With weights or ``weighted=True`` it must take `sample_weight`.
    weighted : bool, default=False
    scenario : {"case-control", "single-training-set", "fully-observed"} or object, default="single-training-set"
    prevalence, label_frequency
        As for :class:`MultinomialPULasso`. ``label_frequency="estimate"`` takes the mean of :math:`g_k` over
        labelled rows of class k that were held out, which is right where classes do not overlap.
    hold_out : float, default=0.2
        Share of rows held out for that estimate.
    unlabeled, negative : label, optional
        As for :class:`MultinomialPULasso`.
    random_state : int or None, default=None
        For the rows held out.

    Attributes
    ----------
    classes_ : array of shape (K + 1,)
    estimator_ : classifier
        Of observed labels, or of true classes if `weighted`.
    scenario_ : Scenario
        With the estimated label frequency, if it was.

    References
    ----------
    C. Elkan and K. Noto (2008), Learning classifiers from only positive and unlabeled data, KDD.

    Examples
    --------
    >>> from pulasso.baselines import ElkanNoto
    >>> from pulasso.datasets import simulate_multinomial
    >>> data = simulate_multinomial(2000, 5, scenario="single-training-set", random_state=0)
    >>> model = ElkanNoto(**data.scenario_params).fit(data.X, data.z)
    >>> model.predict_proba(data.X).shape
    (2000, 3)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        weighted: bool = False,
        scenario: str | Scenario = "single-training-set",
        prevalence: PerClass | None = None,
        label_frequency: PerClass | str | None = None,
        hold_out: float = 0.2,
        unlabeled: Any = None,
        negative: Any = None,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.weighted = weighted
        self.scenario = scenario
        self.prevalence = prevalence
        self.label_frequency = label_frequency
        self.hold_out = hold_out
        self.unlabeled = unlabeled
        self.negative = negative
        self.random_state = random_state

    def _new_estimator(self) -> Any:
        return mn_lasso() if self.estimator is None else clone(self.estimator)

    def _scenario(self, data: PUData) -> Scenario:
        if not (isinstance(self.label_frequency, str) and self.label_frequency == ESTIMATE):
            return super()._scenario(data)
        if self.scenario != "single-training-set":
            raise ScenarioError(
                f"label_frequency='estimate' is for scenario='single-training-set', not {self.scenario!r}.",
                parameter="label_frequency",
            )
        check_number("hold_out", self.hold_out, above=0.0, most=0.9)
        if np.bincount(data.codes).min() < 2:
            raise ScenarioError(
                "label_frequency='estimate' needs at least two rows of every observed label, to hold one out.",
                parameter="label_frequency",
                remedy="Give the number instead.",
            )
        rows = np.arange(len(data.codes))
        split = {
            "test_size": self.hold_out,
            "stratify": data.codes,
            "random_state": as_random_state(self.random_state),
        }
        learn, held = (data.take(part) for part in train_test_split(rows, **split))
        observed = fit_weighted(self._new_estimator(), learn.x, learn.codes, learn.weight)
        proba = observed.predict_proba(held.x)
        weight = held.weight[:, None] * (held.codes[:, None] == np.arange(proba.shape[1]))
        return SingleTrainingSet(np.average(proba, axis=0, weights=weight)[1:])

    def _fit(self, data: PUData) -> None:
        check_flag("weighted", self.weighted)
        refuse_confirmed_negatives(data, "ElkanNoto")
        self.estimator_ = fit_weighted(self._new_estimator(), data.x, data.codes, data.weight)
        if self.weighted:
            self._fit_copies(data)

    def _fit_copies(self, data: PUData) -> None:
        """Train once more, on unlabeled rows split by class and on labelled rows as the population has them."""
        estimator = self._new_estimator()
        if not has_fit_parameter(estimator, "sample_weight"):
            raise InputError(
                f"{arg('weighted', 'True')} needs an estimator whose fit takes sample_weight; "
                f"{type(estimator).__name__} does not.",
                parameter="estimator",
            )
        everyone, _ = population_weights(data, self.label_model_)
        share = np.eye(len(data.classes))[data.codes]
        unlabeled = np.flatnonzero(data.codes == 0)
        observed = self.estimator_.predict_proba(data.x[unlabeled])
        share[unlabeled] = _unlabeled_classes(observed, self.label_model_)
        weight = share * everyone[:, None]
        rows, classes = np.nonzero(weight)
        copies = weight[rows, classes] * data.weight.sum()
        self.estimator_ = estimator.fit(data.x[rows], classes, sample_weight=copies)

    def _proba(self, x: Any) -> NDArray:
        proba = self.estimator_.predict_proba(x)
        if not self.weighted:
            return _true_classes(proba, self.label_model_)
        full = np.zeros((len(proba), len(self.classes_)), proba.dtype)
        full[:, self.estimator_.classes_] = proba  # a class may have got no weight in the second training
        return full

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # the correction of small samples is coarse
        return tags


def _true_classes(observed: NDArray, label_model: LabelModel) -> NDArray:
    """Return P(y | x) from P(z | x)."""
    positive = observed[:, 1:] / np.exp(label_model.log_labeled[1:])
    negative = observed[:, 0] - positive @ np.exp(label_model.log_hidden[1:])
    proba = np.column_stack([np.maximum(negative, 0.0), positive])
    return proba / proba.sum(axis=1, keepdims=True)


def _unlabeled_classes(observed: NDArray, label_model: LabelModel) -> NDArray:
    """Return P(y | x, unlabeled) from P(z | x)."""
    proba = _true_classes(observed, label_model) * np.exp(label_model.log_hidden)
    total = proba.sum(axis=1, keepdims=True)
    # Where every likely class is always labelled, an unlabeled row can only be class 0.
    certain = np.eye(proba.shape[1])[0]
    return np.where(total > 0, proba / np.where(total > 0, total, 1.0), certain)
