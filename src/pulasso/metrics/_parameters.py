"""Parameters that many functions of this room take: their types, and the one description that help() shows."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypedDict, TypeVar

from numpy.typing import NDArray

from pulasso._messages import Message, did_you_mean
from pulasso.scenarios import PerClass, Scenario

Function = TypeVar("Function", bound=Callable[..., Any])


class LabelSettings(TypedDict, total=False):
    """How labels came to be, and how they are written: keywords that every metric takes."""

    scenario: str | Scenario
    prevalence: PerClass | None
    label_frequency: PerClass | None
    classes: Sequence[Any] | NDArray | None
    unlabeled: Any
    negative: Any


DESCRIPTIONS = {
    "z": """array-like of shape (n_samples,)
    Observed labels, with the marker of unlabeled rows.""",
    "y_pred": """array-like of shape (n_samples,)
    Predicted true classes.""",
    "y_proba": """array-like of shape (n_samples, K + 1)
    Probabilities of the true classes, class 0 first, as from ``predict_proba``.""",
    "other_proba": """array-like of shape (n_samples, K + 1)
    The same of the model to compare with.""",
    "y_score": """array-like of shape (n_samples, K + 1), or (n_samples,) for one positive class
    Scores that grow with the chance of each class, class 0 first: probabilities will do. Of two
    classes, the score of the positive one is enough.""",
    "estimator": """classifier, pipeline or search
    Fitted. If it is one of this package's (or its last step is), scenario, classes and marker come from it where
    they are not given. For other classifiers, and for models fitted as fully observed to data that are not,
    give the scenario.""",
    "X": """array-like of shape (n_samples, n_features)""",
    "name": """str
    "accuracy", "balanced_accuracy" and "roc_auc" (averages over classes), "neg_log_loss", "neg_brier_score",
    "neg_mean_squared_error" and "neg_mean_absolute_error" (ordered classes), or "observed_log_likelihood",
    the mean log-likelihood of the observed labels: the least noisy one, and what the models maximise.""",
    "average": """{None, "macro"}, default=None
    "macro" is the plain average over classes.""",
    "normalize": """{"all", "true", "pred"}, default="all"
    Shares of everything, of each true class (rows sum to 1), or of each predicted class (columns do).""",
    "numbered": """bool, default=False
    Whether `y_pred` holds numbers between 0 and K, as from ``OrdinalPULasso.predict_expected``, instead
    of classes.""",
    "log": """bool, default=False
    Whether `y_proba` holds log-probabilities, as from ``predict_log_proba``: they stay finite where a
    probability would be rounded to 0, which makes the loss infinite.""",
    "n_bins": "int, default=5",
    "strategy": """{"uniform", "quantile"}, default="uniform"
    Bins of the same width, or with the same share of the population.""",
    "sample_weight": """array-like of shape (n_samples,), optional
    A weight of 2 counts as the row twice, a weight of 0 as no row.""",
    "level": """float, default=0.95
    Of the intervals.""",
    "scenario": """{"case-control", "single-training-set", "fully-observed"} or object, default="case-control"
    How labels came to be, as for :class:`pulasso.MultinomialPULasso`.""",
    "prevalence, label_frequency": """float, array-like of shape (K,) or mapping, optional
    The number that the scenario asks for.""",
    "classes": """sequence, optional
    All classes, class 0 first. By default they are read from `z`; needed if `z` happens to lack one, and for
    metrics of ordered classes whose names are text.""",
    "unlabeled": """label, optional
    The marker of unlabeled rows; by default the first class.""",
    "negative": """label, optional
    The name of class 0; rows of `z` that carry it are confirmed negatives.""",
}
LABEL_PARAMETERS = ("scenario", "prevalence, label_frequency", "classes", "unlabeled", "negative")


def documented(function: Function) -> Function:
    """Write the section of parameters into a docstring, and that of what is returned if it needs no words."""
    if function.__doc__ is None:  # python -OO drops docstrings
        return function
    names: list[str] = []
    for name in inspect.signature(function).parameters:
        names.extend(LABEL_PARAMETERS if name == "labels" else [name])
    sections = ["Parameters\n----------", *(f"{name} : {DESCRIPTIONS[name]}" for name in names)]
    text = inspect.cleandoc(function.__doc__)
    if "Returns\n" not in text:
        sections.append(f"\nReturns\n-------\n{inspect.signature(function).return_annotation.__name__}")
    position = text.index("Returns\n" if "Returns\n" in text else "Examples\n")
    function.__doc__ = text[:position] + "\n".join(sections) + "\n\n" + text[position:]
    return function


def check_keywords(labels: LabelSettings) -> None:
    """Refuse keywords that no metric takes."""
    known = LabelSettings.__annotations__
    for name in set(labels) - set(known):
        hint = did_you_mean(name, known) or f" These are known: {', '.join(known)}."
        raise TypeError(Message(f"unexpected keyword argument {name!r}.{hint}"))
