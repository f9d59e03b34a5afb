"""Reading "a number for all classes, an array in class order, or a mapping class -> number"."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg, did_you_mean, listed, plain
from pulasso.exceptions import ScenarioError

__all__ = ["PerClass", "all_shares", "check_range", "per_class"]

# Shares of all classes that are written with few digits still sum to one.
SUM_TOLERANCE = 1e-3
SMALLEST = 1e-100  # a share below this is none: odds would overflow

PerClass = float | ArrayLike | Mapping[Any, float]


def per_class(value: Any, what: str, classes: NDArray) -> NDArray:
    """Return one float for each of `classes`, or say which class is missing or unknown.

    Parameters
    ----------
    value : number, array-like, mapping or pandas series indexed by class
    what : str
        Name of the parameter, for messages.
    classes : array
        The classes that need a number, in order.
    """
    if isinstance(value, Mapping):
        return _from_mapping(value, what, classes)
    if _is_named_series(value):
        return _from_mapping(value.to_dict(), what, classes)
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        hint = (
            "Estimators take 'estimate'; here give what one of them found, or pulasso.prevalence.profile_likelihood."
            if isinstance(value, str) and value == "estimate"
            else ""
        )
        raise ScenarioError(
            f"{arg(what, repr(value))} is not a number, an array of numbers or a mapping from class to number.",
            parameter=what,
            remedy=hint,
        ) from None
    if array.ndim == 0:
        return np.full(len(classes), float(array))
    if array.shape != (len(classes),):
        raise ScenarioError(
            f"{arg(what)} has shape {array.shape} but there are {len(classes)} positive classes: "
            f"{listed(classes)}.",
            parameter=what,
            remedy="Give one number for each, in this order, or a mapping from class to number.",
        )
    return array


def _is_named_series(value: Any) -> bool:
    """Say whether this is a pandas series with an index of its own, which then names the classes."""
    if not (hasattr(value, "to_dict") and hasattr(value, "index")):
        return False
    return list(value.index) != list(range(len(value)))


def _from_mapping(value: Mapping, what: str, classes: NDArray) -> NDArray:
    known = {plain(c): i for i, c in enumerate(classes)}
    given = {plain(c): v for c, v in value.items()}
    unknown = [c for c in value if plain(c) not in known]
    if unknown:
        raise ScenarioError(
            f"{arg(what)} names {listed(unknown)}, which is no class in {arg('y')}. "
            f"The classes are {listed(classes)}.",
            parameter=what,
            remedy=did_you_mean(unknown[0], classes).strip(),
        )
    missing = [c for c in classes if plain(c) not in given]
    if missing:
        example = {plain(c): plain(given.get(plain(c), 0.1)) for c in classes}
        raise ScenarioError(
            f"{arg(what)} has no number for {listed(missing)}.",
            parameter=what,
            remedy=f"Every positive class needs one, for example {arg(what, str(example))}, with your number.",
        )
    try:
        return np.array([float(given[plain(c)]) for c in classes])
    except (TypeError, ValueError, OverflowError):
        raise ScenarioError(
            f"{arg(what, repr(value))} holds something that is not a number.", parameter=what
        ) from None


def check_range(numbers: NDArray, what: str, classes: NDArray, *, one_allowed: bool) -> None:
    """Refuse numbers outside (0, 1), or (0, 1] where certainty makes sense, naming class and number."""
    inside = (numbers > 0) & ((numbers <= 1) if one_allowed else (numbers < 1))
    for name, number in zip(classes[~inside], numbers[~inside], strict=True):
        bounds = "(0, 1]" if one_allowed else "(0, 1)"
        raise ScenarioError(
            f"{arg(what)} of class {plain(name)!r} is {number:g}; it must lie in {bounds}.", parameter=what
        )
    for name, number in zip(classes[numbers < SMALLEST], numbers[numbers < SMALLEST], strict=True):
        raise ScenarioError(
            f"{arg(what)} of class {plain(name)!r} is {number:g}: too small to be divided by.", parameter=what
        )


def all_shares(prevalence: Any, classes: NDArray) -> NDArray:
    """Return the shares of all classes, class 0 first, from those of the positive ones or of all."""
    named = prevalence.to_dict() if hasattr(prevalence, "to_dict") else prevalence
    if isinstance(named, Mapping):
        names_all = plain(classes[0]) in map(plain, named)
    else:
        names_all = np.ndim(prevalence) == 1 and len(prevalence) == len(classes)
    known = classes if names_all else classes[1:]
    shares = per_class(prevalence, "prevalence", known)
    check_range(shares, "prevalence", known, one_allowed=False)
    total = float(shares.sum())
    if names_all and abs(total - 1.0) > SUM_TOLERANCE:
        raise ScenarioError(
            f"{arg('prevalence')} gives all {len(classes)} classes a share, and the sum is {total:g}.",
            parameter="prevalence",
            remedy="Make it 1, or leave out class 0, which then has the rest.",
        )
    if not names_all and total >= 1.0:
        raise ScenarioError(
            f"{arg('prevalence')} sums to {total:g} over the positive classes, which leaves nothing to class "
            f"{plain(classes[0])!r}.",
            parameter="prevalence",
            remedy="Give shares that sum to less than 1.",
        )
    return shares / total if names_all else np.append(1.0 - total, shares)
