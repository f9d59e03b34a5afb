"""One binary positive-unlabeled problem for each class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from pulasso.baselines._base import BaseBaseline, fit_weighted, refuse_confirmed_negatives
from pulasso.baselines._population import population_weights
from pulasso.data.parameters import check_kind
from pulasso.data.pu_data import PUData
from pulasso.estimators import MultinomialPULasso
from pulasso.exceptions import ScenarioError
from pulasso.scenarios import CaseControl, PerClass, Scenario, SingleTrainingSet

__all__ = ["OneVsRestPU"]


class OneVsRestPU(BaseBaseline):
    r"""Fit a binary classifier of positive and unlabeled data for each class, and put their answers together.

    Class k against all others is a binary problem of its own kind. In case-control data it has the rows
    labelled k and the unlabeled rows, and the prevalence of class k; rows of other classes are left out, as they
    are no sample of the others. In a single training set all rows stay: those that do not carry label k are its
    unlabeled ones, and its label frequency is that of class k. With :math:`p_k` the answer for class k,

    .. math:: P(y=k|x) \propto p_k(x), \qquad P(y=0|x) \propto \max(0, 1 - \sum_k p_k(x)) .

    Parameters
    ----------
    estimator : binary classifier of positive and unlabeled data, optional
        By default ``MultinomialPULasso()``, which is PUlasso when there is one class. It gets labels 1 and 0
        (unlabeled); its parameter `scenario`, or `prior` as pulearn's classifiers call the prevalence, is set for
        each class.
    scenario : {"case-control", "single-training-set"} or object, default="case-control"
    prevalence, label_frequency, unlabeled, negative
        As for :class:`MultinomialPULasso`.

    Attributes
    ----------
    classes_ : array of shape (K + 1,)
    estimators_ : list of K classifiers
    scenario_ : Scenario

    Examples
    --------
    >>> from pulasso.baselines import OneVsRestPU
    >>> from pulasso.datasets import simulate_multinomial
    >>> data = simulate_multinomial(600, 5, random_state=0)
    >>> model = OneVsRestPU(**data.scenario_params).fit(data.X, data.z)
    >>> len(model.estimators_)
    2
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        scenario: str | Scenario = "case-control",
        prevalence: PerClass | None = None,
        label_frequency: PerClass | None = None,
        unlabeled: Any = None,
        negative: Any = None,
    ):
        self.estimator = estimator
        self.scenario = scenario
        self.prevalence = prevalence
        self.label_frequency = label_frequency
        self.unlabeled = unlabeled
        self.negative = negative

    def _fit(self, data: PUData) -> None:
        if self.scenario_.name not in (CaseControl.name, SingleTrainingSet.name):
            raise ScenarioError(
                "OneVsRestPU makes binary problems of case-control data or of a single training set, not of "
                f"{self.scenario_.name!r} data.",
                parameter="scenario",
            )
        refuse_confirmed_negatives(data, "OneVsRestPU")
        share = population_weights(data, self.label_model_)[1].sum(axis=0)
        self.estimators_ = [self._fit_class(data, k, float(share[k])) for k in range(1, len(data.classes))]

    def _fit_class(self, data: PUData, k: int, prevalence: float) -> Any:
        base = MultinomialPULasso() if self.estimator is None else self.estimator
        check_kind("estimator", base, BaseEstimator, "Give an estimator, such as MultinomialPULasso().")
        estimator = clone(base)
        scenario: Scenario
        if self.scenario_.name == SingleTrainingSet.name:
            scenario = SingleTrainingSet(float(np.exp(self.label_model_.log_labeled[k])))
            rows = np.arange(len(data.codes))
        else:
            scenario = CaseControl(prevalence)
            rows = np.flatnonzero((data.codes == 0) | (data.codes == k))
        known = estimator.get_params(deep=False)
        if "scenario" in known:
            numbers = {name: None for name in ("prevalence", "label_frequency") if name in known}
            estimator.set_params(scenario=scenario, **numbers)
        elif "prior" in known:
            estimator.set_params(prior=prevalence)
        z = (data.codes[rows] == k).astype(int)
        return fit_weighted(estimator, data.x[rows], z, data.weight[rows])

    def _proba(self, x: Any) -> NDArray:
        positive = np.column_stack([each.predict_proba(x)[:, 1] for each in self.estimators_])
        proba = np.column_stack([np.maximum(1.0 - positive.sum(axis=1), 0.0), positive])
        return proba / proba.sum(axis=1, keepdims=True)
