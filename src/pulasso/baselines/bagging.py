"""PU-bagging: many classifiers, each of which takes another few unlabeled rows for class 0."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from pulasso.baselines._base import BaseBaseline, check_classifier, fit_weighted
from pulasso.data.inputs import check_number
from pulasso.data.parameters import as_random_state
from pulasso.data.pu_data import PUData

__all__ = ["PUBagging"]


class PUBagging(BaseBaseline):
    """Average classifiers that tell labelled rows from random samples of unlabeled rows.

    Mordelet and Vert's bagging with several classes. Every classifier sees all labelled rows and a bootstrap
    sample of unlabeled rows as class 0. Samples differ in which hidden members of other classes they contain, so
    the average is less misled by them than one classifier is. It needs to know nothing about the scenario;
    its probabilities rank rows but are not calibrated.

    Parameters
    ----------
    estimator : classifier with predict_proba, optional
        By default a decision tree.
    n_estimators : int, default=50
    sample_size : float, default=1.0
        Unlabeled rows in a sample, as a multiple of the mean number of labelled rows per class.
    unlabeled, negative : label, optional
        As for :class:`MultinomialPULasso`.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    classes_ : array of shape (K + 1,)
    estimators_ : list of classifiers

    References
    ----------
    F. Mordelet and J.-P. Vert (2014), A bagging SVM to learn from positive and unlabeled examples, Pattern
    Recognition Letters 37.

    Examples
    --------
    >>> from pulasso.baselines import PUBagging
    >>> from pulasso.datasets import simulate_multinomial
    >>> data = simulate_multinomial(300, 5, random_state=0)
    >>> PUBagging(n_estimators=10, random_state=0).fit(data.X, data.z).predict_proba(data.X).shape
    (300, 3)
    """

    # Only to read labels: the method itself takes what it samples for class 0.
    scenario = "fully-observed"
    prevalence = None
    label_frequency = None

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        sample_size: float = 1.0,
        unlabeled: Any = None,
        negative: Any = None,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.sample_size = sample_size
        self.unlabeled = unlabeled
        self.negative = negative
        self.random_state = random_state

    def _fit(self, data: PUData) -> None:
        check_number("n_estimators", self.n_estimators, least=1, whole=True)
        check_number("sample_size", self.sample_size, above=0.0)
        if self.estimator is not None:
            check_classifier(self.estimator)
        rng = as_random_state(self.random_state)
        unlabeled, labeled = np.flatnonzero(data.codes == 0), np.flatnonzero(data.codes)
        n_drawn = max(1, round(self.sample_size * len(labeled) / (len(data.classes) - 1)))
        codes = data.codes % len(data.classes)  # confirmed negatives are class 0, always
        chance = data.weight[unlabeled] / data.weight[unlabeled].sum() if len(unlabeled) else None
        self.estimators_ = []
        for _ in range(int(self.n_estimators)):
            rows = labeled
            if len(unlabeled):
                # A row of weight 2 is drawn as often as two rows, then counts once for each draw.
                rows = np.concatenate([rng.choice(unlabeled, n_drawn, p=chance), labeled])
            weight = np.where(data.codes[rows] == 0, 1.0, data.weight[rows])
            base = DecisionTreeClassifier() if self.estimator is None else clone(self.estimator)
            if "random_state" in base.get_params():
                base.set_params(random_state=rng.randint(np.iinfo(np.int32).max))
            self.estimators_.append(fit_weighted(base, data.x[rows], codes[rows], weight))

    def _proba(self, x: Any) -> NDArray:
        proba = np.zeros((x.shape[0], len(self.classes_)))
        for each in self.estimators_:
            proba[:, each.classes_] += each.predict_proba(x)
        return proba / len(self.estimators_)
