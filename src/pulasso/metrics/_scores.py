"""All scores of a fitted model in one table."""

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import listed, plain, warn
from pulasso.data.inputs import check_number, check_same_length
from pulasso.exceptions import ImpossibleScoreWarning, TrivialModelWarning
from pulasso.metrics import _statistics
from pulasso.metrics._estimate import Estimate
from pulasso.metrics._evaluation import Evaluation
from pulasso.metrics._predictions import trivial_words
from pulasso.metrics._sample import LabelSettings
from pulasso.scenarios import describe_scenario
from pulasso.tables import html_facts, html_table, make_frame, text_facts, text_table

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Scores", "pu_scores"]

# Estimates may leave their range by chance; by more than both of these they do not.
STANDARD_ERRORS = 5.0
BEYOND = 0.03
# Scores without an upper bound of 1.
UNBOUNDED = ("log-loss", "Brier score", "mean squared error", "mean absolute error")


@dataclass(frozen=True, eq=False)
class Scores:
    """Estimated scores of the true classes; prints, renders in notebooks, and converts by :meth:`to_frame`.

    ``scores["accuracy"]`` is an :class:`Estimate`; ``scores["recall"].of("oak")`` is that of one class.

    Attributes
    ----------
    title : str
    facts : dict of str to str
        What was scored, in the order in which it is shown.
    overall : dict of str to Estimate
        Scores of the whole model.
    by_class : dict of str to Estimate
        Scores with one value for each class.
    classes : array of shape (n_classes,)
    level : float
        Of the intervals that are shown.
    warnings : list of str
    """

    title: str
    facts: dict[str, str]
    overall: dict[str, Estimate]
    by_class: dict[str, Estimate]
    classes: NDArray
    level: float = 0.95
    warnings: list[str] = field(default_factory=list)

    def __getitem__(self, name: str) -> Estimate:
        every = {**self.overall, **self.by_class}
        if name not in every:
            raise KeyError(f"{name!r} is none of the scores: {listed(every, limit=len(every))}.")
        return every[name]

    def to_frame(self) -> "DataFrame":
        """Return a pandas data frame: score, class (None for the whole), estimate, standard_error, low, high."""
        rows: list[dict[str, Any]] = []
        for name, estimate in self.overall.items():
            rows.append(self._record(name, None, estimate))
        for name, estimate in self.by_class.items():
            rows.extend(self._record(name, each, estimate.of(each)) for each in self.classes.tolist())
        return make_frame(rows)

    def _record(self, name: str, class_name: Any, estimate: Estimate) -> dict[str, Any]:
        low, high = estimate.interval(self.level)
        error = estimate.standard_error
        return {
            "score": name,
            "class": class_name,
            "estimate": estimate.value,
            "standard_error": error,
            "low": low,
            "high": high,
        }

    def _tables(self) -> list[tuple[list[str], list[list[str]]]]:
        """Header and cells of the two tables, as text."""
        overall = []
        for name, estimate in self.overall.items():
            low, high = estimate.interval(self.level)
            overall.append(
                [name, f"{estimate.value:.3f}", f"{estimate.standard_error:.3f}", f"{low:.3f} to {high:.3f}"]
            )
        by_class = []
        for c, name in enumerate(self.classes):
            cells = [f"{e.value[c]:.3f} ± {e.standard_error[c]:.3f}" for e in self.by_class.values()]
            by_class.append([str(name), *cells])
        interval = f"{100 * self.level:g} % interval"
        return [
            (["score", "estimate", "std. error", interval], overall),
            (["class", *self.by_class], by_class),
        ]

    def __repr__(self) -> str:
        lines = [self.title, *text_facts(self.facts)]
        for header, rows in self._tables():
            lines.extend(["", *text_table(header, rows)])
        lines.extend(f"  warning: {words}" for words in self.warnings)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        tables = "".join(html_table(header, rows) for header, rows in self._tables())
        notes = "".join(f"<p>warning: {escape(words)}</p>" for words in self.warnings)
        head = f"<h4>{escape(self.title)}</h4>{html_facts(self.facts)}"
        return f"<div class='pulasso-scores'>{head}{tables}{notes}</div>"


def pu_scores(
    estimator: Any,
    X: Any,
    z: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    **label_model: Unpack[LabelSettings],
) -> Scores:
    """Estimate all scores of a fitted model from observed labels alone.

    Use rows that were not used in the fit: on those that were, scores are too good, as anywhere.

    Parameters
    ----------
    estimator : classifier, pipeline or search
        Fitted. Scenario, classes and marker come from it (from its last step) if it is one of this package's;
        for other classifiers, and for models fitted as fully observed to data that are not, give the scenario
        as keywords.
    X : array-like of shape (n_samples, n_features)
    z : array-like of shape (n_samples,)
        Observed labels, coded as in the fit.
    sample_weight : array-like of shape (n_samples,), optional
        A weight of 2 counts as the row twice.
    level : float, default=0.95
        Of the intervals.
    **labelling
        scenario, prevalence, label_frequency, classes, unlabeled, negative: see :mod:`pulasso.metrics`.

    Returns
    -------
    Scores
        Accuracy, balanced accuracy, log-loss, Brier score and, for ordinal models, errors in steps between
        classes; for each class its share, how often it is predicted, recall, precision and the area under the
        ROC curve.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import MultinomialPULasso
    >>> from pulasso.metrics import pu_scores
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3))
    >>> y = rng.permuted(np.repeat([0, 1], 1000))
    >>> X[y == 1, 0] += 2
    >>> z = np.where(rng.random(2000) < 0.5, y, 0)
    >>> model = MultinomialPULasso(lam=0.01, scenario="single-training-set", label_frequency=0.5)
    >>> scores = pu_scores(model.fit(X[:1000], z[:1000]), X[1000:], z[1000:])
    >>> f"{scores['accuracy']:.2f}, in truth {model.score(X[1000:], y[1000:]):.2f}"
    '0.86, in truth 0.84'
    """
    check_number("level", level, above=0.0, most=1.0)
    evaluation = Evaluation(estimator, X, z, sample_weight, label_model)
    check_same_length(X if hasattr(X, "shape") else np.asarray(X), z)
    sample, predicted = evaluation.sample, evaluation.predicted
    words = trivial_words(sample, predicted)
    overall, by_class = _overall(evaluation), _by_class(evaluation)
    impossible = _impossible_words({**overall, **by_class}, evaluation.scenario.asks_for)
    if words is not None:
        warn(words, TrivialModelWarning)
    if impossible is not None:
        warn(impossible, ImpossibleScoreWarning)
    return Scores(
        title=f"Scores of {type(evaluation.core).__name__} without negatives",
        facts=_facts(evaluation),
        overall=overall,
        by_class=by_class,
        classes=sample.classes,
        level=level,
        warnings=[each for each in (words, impossible) if each is not None],
    )


def _impossible_words(scores: dict[str, Estimate], asked: str | None) -> str | None:
    """Say which estimate is far outside of its range, and what that means; None if all can be."""
    for name, estimate in scores.items():
        values, errors = np.ravel(estimate.value), np.ravel(estimate.standard_error)
        beyond = np.maximum(values - (np.inf if name in UNBOUNDED else 1.0), -values)
        for c in np.flatnonzero((beyond > BEYOND) & (beyond > STANDARD_ERRORS * errors))[:1].tolist():
            of = "" if estimate.classes is None else f" of class {plain(estimate.classes[c])!r}"
            side = "above 1" if values[c] > 0 else "below 0"
            number = "" if asked is None else f" the assumed {asked} cannot be right, or"
            return (
                f"Estimated {name}{of} is {values[c]:.2f}, with a standard error of {errors[c]:.2f}: far {side}, where "
                f"none can be. Then{number} a column gives the label away (one that is filled in only where there is a "
                "label, say), or these are rows that the model was fitted to and knows by heart. Look at the strongest "
                "features."
            )
    return None


def _facts(evaluation: Evaluation) -> dict[str, str]:
    sample = evaluation.sample
    counts = np.bincount(sample.codes, weights=sample.weight, minlength=len(sample.classes) + 1)
    labeled = zip(sample.classes[1:], counts[1:-1], strict=True)
    rest = "rows of class 0" if evaluation.scenario.name == "fully-observed" else "unlabeled rows"
    facts = {
        "scenario": describe_scenario(evaluation.scenario),
        "class 0": str(sample.classes[0]),
        "labelled rows": ", ".join(f"{name}: {count:g}" for name, count in labeled),
        rest: f"{counts[0]:g}",
    }
    if counts[-1] > 0:
        facts["confirmed negatives"] = f"{counts[-1]:g}"
    if evaluation.has_proba:
        facts["log-likelihood of labels"] = f"{evaluation.observed_log_likelihood():.4f} per row"
    return facts


def _overall(evaluation: Evaluation) -> dict[str, Estimate]:
    sample, predicted = evaluation.sample, evaluation.predicted
    found = {
        "accuracy": _statistics.accuracy(sample, predicted),
        "balanced accuracy": _statistics.recall(sample, predicted).macro(),
    }
    if evaluation.has_proba:
        found["log-loss"] = _statistics.log_loss(sample, evaluation.log_proba)
        found["Brier score"] = _statistics.brier_score(sample, evaluation.proba)
    if evaluation.is_ordinal:
        found["mean squared error"] = _statistics.position_error(sample, predicted, 2)
        found["mean absolute error"] = _statistics.position_error(sample, predicted, 1)
    return {name: sample.estimate(statistic) for name, statistic in found.items()}


def _by_class(evaluation: Evaluation) -> dict[str, Estimate]:
    sample, predicted = evaluation.sample, evaluation.predicted
    n_classes = len(sample.classes)
    found = {
        "share": _statistics.class_share(sample),
        "predicted": _statistics.predicted_share(sample, predicted),
        "recall": _statistics.recall(sample, predicted),
        "precision": _statistics.precision(sample, predicted),
    }
    if evaluation.has_proba:
        found["AUC"] = _statistics.roc_auc(sample, evaluation.log_proba, range(n_classes))
    return {name: sample.estimate(statistic, (n_classes,)) for name, statistic in found.items()}
