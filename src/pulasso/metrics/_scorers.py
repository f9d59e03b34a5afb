"""The metrics as scikit-learn scorers, for grid search and cross-validation."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Unpack

from numpy.typing import ArrayLike
from sklearn.utils.metadata_routing import MetadataRequest

from pulasso._messages import listed
from pulasso.metrics import _statistics
from pulasso.metrics._evaluation import Evaluation
from pulasso.metrics._sample import LabelSettings

__all__ = [
    "SCORERS",
    "PUScorer",
    "make_pu_scorer",
    "observed_log_likelihood_scorer",
    "pu_accuracy_scorer",
    "pu_balanced_accuracy_scorer",
    "pu_brier_score_scorer",
    "pu_log_loss_scorer",
    "pu_mean_absolute_error_scorer",
    "pu_mean_squared_error_scorer",
    "pu_roc_auc_scorer",
]


def _accuracy(e: Evaluation) -> float:
    return float(_statistics.accuracy(e.sample, e.predicted).value[0])


def _balanced_accuracy(e: Evaluation) -> float:
    return float(_statistics.recall(e.sample, e.predicted).value.mean())


def _roc_auc(e: Evaluation) -> float:
    return float(_statistics.roc_auc(e.sample, e.log_proba, range(len(e.sample.classes))).value.mean())


def _neg_log_loss(e: Evaluation) -> float:
    return -float(_statistics.log_loss(e.sample, e.log_proba).value[0])


def _neg_brier_score(e: Evaluation) -> float:
    return -float(_statistics.brier_score(e.sample, e.proba).value[0])


def _neg_mean_squared_error(e: Evaluation) -> float:
    return -float(_statistics.position_error(e.sample, e.predicted, 2).value[0])


def _neg_mean_absolute_error(e: Evaluation) -> float:
    return -float(_statistics.position_error(e.sample, e.predicted, 1).value[0])


# Greater is better in each of them, as scikit-learn expects of scorers.
_SCORES: dict[str, Callable[[Evaluation], float]] = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "roc_auc": _roc_auc,
    "neg_log_loss": _neg_log_loss,
    "neg_brier_score": _neg_brier_score,
    "neg_mean_squared_error": _neg_mean_squared_error,
    "neg_mean_absolute_error": _neg_mean_absolute_error,
    "observed_log_likelihood": Evaluation.observed_log_likelihood,
}


@dataclass(frozen=True, eq=False)
class PUScorer:
    """A scorer ``(estimator, X, z) -> float`` of true classes; greater is better. See :func:`make_pu_scorer`.

    Attributes
    ----------
    name : str
    labelling : LabelSettings
        What was said about the labels; the rest is asked of the estimator.
    weight_request : bool, str or None
        Whether metadata routing shall bring sample weights, or under which name.
    """

    name: str
    label_model: LabelSettings = field(default_factory=LabelSettings)
    weight_request: bool | str | None = None

    def __call__(self, estimator: Any, X: Any, z: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the score of a fitted estimator."""
        return _SCORES[self.name](Evaluation(estimator, X, z, sample_weight, self.label_model))

    def set_score_request(self, *, sample_weight: bool | str | None) -> "PUScorer":
        """Return a scorer that asks metadata routing for sample weights (or does not)."""
        return replace(self, weight_request=sample_weight)

    def get_metadata_routing(self) -> MetadataRequest:
        """Return what scikit-learn's metadata routing needs to know."""
        request = MetadataRequest(owner=type(self).__name__)
        request.score.add_request(param="sample_weight", alias=self.weight_request)
        return request

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value!r}" for name, value in self.label_model.items())
        return f"make_pu_scorer({self.name!r}{settings})"


def make_pu_scorer(name: str, **label_model: Unpack[LabelSettings]) -> PUScorer:
    """Return a scorer that compares models by an estimated score of true classes, without negatives.

    Works with the estimators of this package, which know their scenario, also inside pipelines and searches, and
    with any other classifier if the scenario is given here. Give it as well to compare models that assume
    different scenarios: a naive model, fitted as fully observed, would be judged by its own belief that unlabeled
    rows are of class 0. Scorers do not warn of trivial models, as a search meets many.

    Parameters
    ----------
    name : str
        "accuracy", "balanced_accuracy" and "roc_auc" (averages over classes), "neg_log_loss", "neg_brier_score",
        "neg_mean_squared_error" and "neg_mean_absolute_error" (ordered classes), or "observed_log_likelihood",
        the mean log-likelihood of the observed labels: the least noisy one, and what the models maximise.
    **labelling
        scenario, prevalence, label_frequency, classes, unlabeled, negative: see :mod:`pulasso.metrics`. What is
        not given is taken from the fitted estimator.

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
    if name not in _SCORES:
        close = get_close_matches(str(name), _SCORES, n=1, cutoff=0.5)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"name={name!r} is no score; use one of {listed(_SCORES)}.{hint}")
    for unknown in set(label_model) - set(LabelSettings.__annotations__):
        raise TypeError(f"make_pu_scorer() got an unexpected keyword argument {unknown!r}.")
    return PUScorer(name, label_model)


SCORERS = {name: PUScorer(name) for name in _SCORES}

pu_accuracy_scorer = SCORERS["accuracy"]
pu_balanced_accuracy_scorer = SCORERS["balanced_accuracy"]
pu_roc_auc_scorer = SCORERS["roc_auc"]
pu_log_loss_scorer = SCORERS["neg_log_loss"]
pu_brier_score_scorer = SCORERS["neg_brier_score"]
pu_mean_squared_error_scorer = SCORERS["neg_mean_squared_error"]
pu_mean_absolute_error_scorer = SCORERS["neg_mean_absolute_error"]
observed_log_likelihood_scorer = SCORERS["observed_log_likelihood"]
