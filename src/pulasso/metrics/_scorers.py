"""The metrics as scikit-learn scorers, for grid search and cross-validation."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metadata_routing import MetadataRequest

from pulasso.data.parameters import check_choice
from pulasso.metrics import _formulas
from pulasso.metrics._parameters import LabelSettings, check_keywords, documented
from pulasso.metrics._reading import scenario_of
from pulasso.metrics._scored_model import ScoredModel
from pulasso.scenarios import Scenario

# Greater is better in each of them, as scikit-learn expects of scorers.
_SCORES: dict[str, Callable[[ScoredModel], Any]] = {
    "accuracy": lambda m: _formulas.accuracy(m.sample, m.predicted).value,
    "balanced_accuracy": lambda m: _formulas.recall(m.sample, m.predicted).value.mean(),
    "roc_auc": lambda m: _formulas.roc_auc(m.sample, m.log_proba).value.mean(),
    "neg_log_loss": lambda m: -_formulas.log_loss(m.sample, m.log_proba).value,
    "neg_brier_score": lambda m: -_formulas.brier_score(m.sample, np.exp(m.log_proba)).value,
    "neg_mean_squared_error": lambda m: -_formulas.ordinal_error(m.sample, m.predicted, 2).value,
    "neg_mean_absolute_error": lambda m: -_formulas.ordinal_error(m.sample, m.predicted, 1).value,
    "observed_log_likelihood": ScoredModel.observed_score,
}


@dataclass(frozen=True, eq=False)
class PUScorer:
    """A scorer ``(estimator, X, z) -> float`` of true classes; greater is better. See :func:`make_pu_scorer`.

    Attributes
    ----------
    name : str
    about_labels : dict
        What was said about the labels; the rest is asked of the estimator.
    weight_request : bool, str or None
        Whether metadata routing shall bring sample weights, or under which name.
    """

    name: str
    about_labels: LabelSettings = field(default_factory=LabelSettings)
    weight_request: bool | str | None = None

    def __call__(self, estimator: Any, X: Any, z: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the score of a fitted estimator."""
        return float(_SCORES[self.name](ScoredModel(estimator, X, z, sample_weight, self.about_labels)))

    def needs_every_label(self, scenario: Scenario) -> bool:
        """Say whether rows can be scored only if each class has labelled ones among them."""
        told = any(
            self.about_labels.get(name) is not None for name in ("scenario", "prevalence", "label_frequency")
        )
        known = scenario_of(self.about_labels) if told else scenario
        return self.name != "observed_log_likelihood" and known.sampled_by_label

    def set_score_request(self, *, sample_weight: bool | str | None) -> "PUScorer":
        """Return a scorer that asks metadata routing for sample weights (or does not)."""
        return replace(self, weight_request=sample_weight)

    def get_metadata_routing(self) -> MetadataRequest:
        """Return what scikit-learn's metadata routing needs to know."""
        request = MetadataRequest(owner=type(self).__name__)
        request.score.add_request(param="sample_weight", alias=self.weight_request)
        return request

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value!r}" for name, value in self.about_labels.items())
        return f"make_pu_scorer({self.name!r}{settings})"


@documented
def make_pu_scorer(name: str, **labels: Unpack[LabelSettings]) -> PUScorer:
    """Return a scorer that compares models by an estimated score of true classes, without negatives.

    Works with the estimators of this package, which know their scenario, also inside pipelines and searches, and
    with any other classifier if the scenario is given here. Give it as well to compare models that assume
    different scenarios: a naive model, fitted as fully observed, would be judged by its own belief that unlabeled
    rows are of class 0. What is not given is taken from the fitted estimator. Scorers do not warn of trivial
    models, as a search meets many.

    Returns
    -------
    PUScorer
        A callable ``(estimator, X, z, sample_weight=None) -> float``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pulasso.metrics import make_pu_scorer
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 500)
    >>> X = y[:, None] + rng.normal(size=(500, 1))
    >>> z = np.where(rng.random(500) < 0.5, y, 0)
    >>> scorer = make_pu_scorer("accuracy", scenario="single-training-set", label_frequency=0.5)
    >>> naive = LogisticRegression().fit(X, z)  # takes unlabeled for negative
    >>> f"{scorer(naive, X, z):.2f}, in truth {naive.score(X, y):.2f}"
    '0.49, in truth 0.47'
    """
    check_choice("name", name, _SCORES)
    check_keywords(labels)
    return PUScorer(name, labels)


SCORERS = {name: PUScorer(name) for name in _SCORES}

pu_accuracy_scorer = SCORERS["accuracy"]
pu_balanced_accuracy_scorer = SCORERS["balanced_accuracy"]
pu_roc_auc_scorer = SCORERS["roc_auc"]
pu_log_loss_scorer = SCORERS["neg_log_loss"]
pu_brier_score_scorer = SCORERS["neg_brier_score"]
pu_mean_squared_error_scorer = SCORERS["neg_mean_squared_error"]
pu_mean_absolute_error_scorer = SCORERS["neg_mean_absolute_error"]
observed_log_likelihood_scorer = SCORERS["observed_log_likelihood"]
