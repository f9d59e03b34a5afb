"""What all estimators of an unknown number read, and how they describe it to `help()`."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from pulasso._messages import listed, plain
from pulasso.data.pu_data import PUData
from pulasso.exceptions import InputError, ScenarioError
from pulasso.scenarios import CaseControl, SingleTrainingSet

__all__ = ["documented", "parameter_of", "read_rows", "usable_rows"]

UNKNOWN_NUMBERS: dict[str, str] = {cls.name: str(cls.asks_for) for cls in (CaseControl, SingleTrainingSet)}

Function = TypeVar("Function", bound=Callable[..., Any])

# Parameters that mean the same in all functions of this room, by the mark that stands for them in a docstring.
SHARED = {
    "<rows>": """X : array-like or sparse matrix of shape (n_samples, n_features)
z : array-like of shape (n_samples,)
    Observed labels, with the marker of unlabeled rows.
scenario : {"case-control", "single-training-set"}
    The first has the prevalence as its unknown number, the second the label frequency.""",
    "<scores>": """cv : int, default=5
    Folds; every score comes from a classifier that did not see the row.
n_bootstrap : int, default=200
    Bootstrap samples of rows for standard error and interval; classifiers are not fitted again.
level : float, default=0.95
    Confidence level of the intervals.
random_state : int, Generator or None""",
    "<labels>": """sample_weight : array-like of shape (n_samples,), optional
    A weight of 2 counts as the row twice.
unlabeled, negative, class_order : optional
    As for the estimators.

Returns
-------
PrevalenceEstimate""",
}


def documented(function: Function) -> Function:
    """Write the shared parameters into a docstring, in the place of their marks."""
    if function.__doc__ is not None:  # python -OO drops docstrings
        text = inspect.cleandoc(function.__doc__)
        for mark, description in SHARED.items():
            text = text.replace(mark, description)
        function.__doc__ = text
    return function


def parameter_of(scenario: Any) -> str:
    """Return the number that a scenario asks for, or say that it has none to estimate."""
    if not isinstance(scenario, str) or scenario not in UNKNOWN_NUMBERS:
        raise ScenarioError(
            f"scenario={scenario!r} has no number to estimate here.",
            parameter="scenario",
            remedy=f"Use one of {listed(UNKNOWN_NUMBERS)}, by name.",
        )
    return UNKNOWN_NUMBERS[scenario]


def read_rows(
    X: Any,
    z: ArrayLike,
    scenario: str,
    sample_weight: ArrayLike | None,
    unlabeled: Any,
    negative: Any,
    class_order: Sequence[Any] | None,
    *,
    ordered: bool = False,
) -> PUData:
    """Check features and labels as the estimators do, and return the rows that count."""
    parameter_of(scenario)
    labels = {"unlabeled": unlabeled, "negative": negative, "class_order": class_order, "ordered": ordered}
    return usable_rows(PUData.read(X, z, sample_weight=sample_weight, **labels), scenario)


def usable_rows(data: PUData, scenario: str) -> PUData:
    """Return the rows with a weight; confirmed negatives of case-control data are one more sample and left out."""
    if data.is_chunked:
        raise InputError(
            "The number can only be estimated with all rows in memory.",
            parameter="X",
            remedy="Use a sample of the rows.",
        )
    is_confirmed = data.codes == len(data.classes)
    if is_confirmed.any() and scenario == SingleTrainingSet.name:
        raise ScenarioError(
            f"y holds confirmed negatives ({plain(data.classes[0])!r}), and estimating the label frequency "
            "beside them is not supported.",
            parameter="label_frequency",
            remedy="Give the numbers: scenario=SingleTrainingSet(label_frequency=..., negative_label_frequency=...).",
        )
    if not (data.codes == 0).any():
        raise ScenarioError(
            "y has no unlabeled row, so nothing is hidden and there is nothing to estimate.", parameter="y"
        )
    used = (data.weight > 0) & ~is_confirmed
    return data if used.all() else data.take(np.flatnonzero(used))
