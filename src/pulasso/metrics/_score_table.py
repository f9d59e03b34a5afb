"""All scores of a fitted model in one table."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg, listed, plain, warn
from pulasso.data.inputs import check_number
from pulasso.exceptions import ImpossibleScoreWarning, TrivialModelWarning
from pulasso.metrics import _formulas
from pulasso.metrics._estimate import Estimate
from pulasso.metrics._parameters import LabelSettings, documented
from pulasso.metrics._reading import trivial_model_words
from pulasso.metrics._scored_model import ScoredModel
from pulasso.metrics._signed_sample import Statistic
from pulasso.scenarios import describe_scenario
from pulasso.tables import html_facts, html_table, make_frame, text_facts, text_table

if TYPE_CHECKING:
    from pandas import DataFrame

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
        every = [(name, None, estimate) for name, estimate in self.overall.items()]
        for name, estimate in self.by_class.items():
            every.extend((name, each, estimate.of(each)) for each in self.classes.tolist())
        rows = [(name, of, e.value, e.standard_error, *e.interval(self.level)) for name, of, e in every]
        return make_frame(rows, columns=["score", "class", "estimate", "standard_error", "low", "high"])

    def _tables(self) -> list[tuple[list[str], list[list[str]]]]:
        """Header and cells of the two tables, as text."""
        overall = []
        for name, estimate in self.overall.items():
            low, high = estimate.interval(self.level)
            numbers = f"{estimate.value:.3f}", f"{estimate.standard_error:.3f}", f"{low:.3f} to {high:.3f}"
            overall.append([name, *numbers])
        by_class = []
        for c, name in enumerate(self.classes):
            cells = [f"{e.value[c]:.3f} ± {e.standard_error[c]:.3f}" for e in self.by_class.values()]
            by_class.append([str(name), *cells])
        header = ["score", "estimate", "std. error", f"{100 * self.level:g} % interval"]
        return [(header, overall), (["class", *self.by_class], by_class)]

    def __repr__(self) -> str:
        lines = [self.title, *text_facts(self.facts)]
        for header, rows in self._tables():
            lines.extend(["", *text_table(header, rows)])
        return "\n".join([*lines, *(f"  warning: {words}" for words in self.warnings)])

    def _repr_html_(self) -> str:
        tables = "".join(html_table(header, rows) for header, rows in self._tables())
        notes = "".join(f"<p>warning: {escape(words)}</p>" for words in self.warnings)
        head = f"<h4>{escape(self.title)}</h4>{html_facts(self.facts)}"
        return f"<div class='pulasso-scores'>{head}{tables}{notes}</div>"


@documented
def pu_scores(
    estimator: Any,
    X: Any,
    z: ArrayLike,
    *,
    y_proba: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    **labels: Unpack[LabelSettings],
) -> Scores:
    """Estimate all scores of a fitted model from observed labels alone.

    Use rows that were not used in the fit: on those that were, scores are too good, as anywhere. After
    cross-validation ``y_proba=model.cv_proba_`` judges the rows of the fit by models that did not see them.

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
    model = ScoredModel(estimator, X, z, sample_weight, labels, y_proba)
    overall, by_class = (_estimates(model, statistics) for statistics in (_overall, _by_class))
    found = {
        TrivialModelWarning: trivial_model_words(model.sample, model.predicted),
        ImpossibleScoreWarning: _impossible_words({**overall, **by_class}, model),
    }
    return Scores(
        title=f"Scores of {type(model.core).__name__} without negatives",
        facts=_facts(model),
        overall=overall,
        by_class=by_class,
        classes=model.sample.classes,
        level=level,
        warnings=[warn(words, kind) for kind, words in found.items() if words is not None],
    )


def _estimates(
    model: ScoredModel, statistics: Callable[[ScoredModel], dict[str, Statistic]]
) -> dict[str, Estimate]:
    """Return scores with standard errors: of the rows and, independent of it, of a labelling that was fitted."""
    found = {name: model.sample.estimate(each) for name, each in statistics(model).items()}
    variance = {name: np.square(each.standard_error) for name, each in found.items()}
    if not model.knows_errors_of_labelling:
        variance = {name: each * np.nan for name, each in variance.items()}
    for ends in model.within_errors_of_labelling():
        up, down = (statistics(end) for end in ends)
        for name in found:
            variance[name] = variance[name] + np.square(0.5 * (up[name].value - down[name].value))
    errors = {name: np.sqrt(each) for name, each in variance.items()}
    return {
        name: replace(each, standard_error=float(errors[name]) if each.classes is None else errors[name])
        for name, each in found.items()
    }


def _overall(model: ScoredModel) -> dict[str, Statistic]:
    sample, predicted = model.sample, model.predicted
    found = {
        "accuracy": _formulas.accuracy(sample, predicted),
        "balanced accuracy": _formulas.recall(sample, predicted).macro(),
    }
    if model.has_proba:
        found["log-loss"] = _formulas.log_loss(sample, model.log_proba)
        found["Brier score"] = _formulas.brier_score(sample, np.exp(model.log_proba))
    if model.is_ordered:
        found["mean squared error"] = _formulas.ordinal_error(sample, predicted, 2)
        found["mean absolute error"] = _formulas.ordinal_error(sample, predicted, 1)
    return found


def _by_class(model: ScoredModel) -> dict[str, Statistic]:
    sample, predicted = model.sample, model.predicted
    found = {
        "share": _formulas.class_shares(sample),
        "predicted": _formulas.predicted_shares(sample, predicted),
        "recall": _formulas.recall(sample, predicted),
        "precision": _formulas.precision(sample, predicted),
    }
    if model.has_proba:
        found["AUC"] = _formulas.roc_auc(sample, model.log_proba)
    return found


def _impossible_words(scores: dict[str, Estimate], model: ScoredModel) -> str | None:
    """Say which estimate is far outside of its range, and what that means; None if all can be."""
    for name, estimate in scores.items():
        values, errors = np.ravel(estimate.value), np.ravel(estimate.standard_error)
        beyond = np.maximum(values - (np.inf if name in UNBOUNDED else 1.0), -values)
        for c in np.flatnonzero((beyond > BEYOND) & (beyond > STANDARD_ERRORS * errors))[:1]:
            of = "" if estimate.classes is None else f" of class {plain(estimate.classes[c])!r}"
            side = "above 1" if values[c] > 0 else "below 0"
            return (
                f"Estimated {name}{of} is {values[c]:.2f}, with a standard error of {errors[c]:.2f}: far {side}, where "
                f"none can be. Then {', or '.join(_causes(model))}."
            )
    return None


def _causes(model: ScoredModel) -> Iterator[str]:
    """Yield what may lie behind a score that cannot be, the likeliest first."""
    if model.y_proba is None:
        yield "these are rows that the model was fitted to and has memorised (judge by others)"
    if model.scenario.asks_for is not None:
        yield f"the assumed {arg(model.scenario.asks_for)} cannot be right"
    yield (
        "a column gives the label away, one that is filled in only where there is a label, say: look at the strongest "
        "features"
    )


def _facts(model: ScoredModel) -> dict[str, str]:
    sample = model.sample
    counts = np.bincount(sample.codes, weights=sample.sample_weight, minlength=len(sample.classes) + 1)
    labeled = zip(sample.classes[1:], counts[1:-1], strict=True)
    rest = "rows of class 0" if model.scenario.name == "fully-observed" else "unlabeled rows"
    facts = {
        "scenario": describe_scenario(model.scenario, leave_out=("propensity",)),
        "class 0": str(sample.classes[0]),
        "labelled rows": ", ".join(f"{name}: {count:g}" for name, count in labeled),
        rest: f"{counts[0]:g}",
    }
    if counts[-1] > 0:
        facts["confirmed negatives"] = f"{counts[-1]:g}"
    propensity = getattr(model.scenario, "propensity", None)
    if propensity is not None:
        of = "was fitted; its errors are in those of the scores"
        if propensity.directions is None:
            of = "is known"
        elif not model.knows_errors_of_labelling:
            of = "was fitted, and the data do not tell how far off it is, so that no score has an interval"
        facts["chance of a label"] = f"{of}, its form and the columns without effect taken as they are"
    if model.has_proba:
        facts["log-likelihood of labels"] = f"{model.observed_score():.4f} per row"
    return facts
