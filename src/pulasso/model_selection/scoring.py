"""Scorers by name, scikit-learn's and ours, and what they take."""

from collections.abc import Callable
from inspect import signature

from sklearn.metrics import get_scorer, get_scorer_names

from pulasso._messages import arg, did_you_mean, listed
from pulasso.data.parameters import check_text
from pulasso.exceptions import InputError
from pulasso.metrics import SCORERS

__all__ = ["named_scorer", "takes_weight"]


def named_scorer(name: str) -> Callable[..., float]:
    """Return a scorer by its name: "pu_accuracy" and the like from `pulasso.metrics`, else scikit-learn's.

    Examples
    --------
    >>> named_scorer("pu_accuracy")
    make_pu_scorer('accuracy')
    """
    ours = {f"pu_{known}": scorer for known, scorer in SCORERS.items()}
    check_text("scoring", name)
    if name in ours:
        return ours[name]
    if name in get_scorer_names():
        return get_scorer(name)
    raise InputError(
        f"{arg('scoring', repr(name))} is unknown.{did_you_mean(name, [*ours, *get_scorer_names()])}",
        parameter="scoring",
        remedy=f"Scores that need no negatives are {listed(ours)}; others are those of "
        "sklearn.metrics.get_scorer_names().",
    )


def takes_weight(scorer: Callable[..., float]) -> bool:
    """Say whether a scorer takes ``sample_weight``."""
    parameters = signature(scorer).parameters.values()
    return any(each.name == "sample_weight" or each.kind is each.VAR_KEYWORD for each in parameters)
