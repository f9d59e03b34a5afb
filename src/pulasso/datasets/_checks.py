"""Checks of what is passed to simulators, with messages that name the argument."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["check_inside", "check_probabilities"]


def check_inside(name: str, value: Any, low: float, high: float) -> float:
    """Return a number strictly between two bounds."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={value!r} is not a number.") from None
    if not low < number < high:
        raise ValueError(f"{name}={value!r} must lie between {low:g} and {high:g}, both excluded.")
    return number


def check_probabilities(name: str, value: ArrayLike | None, n_classes: int) -> NDArray:
    """Return one positive probability for each of the classes 0..K, equal ones if none are given."""
    if value is None:
        return np.full(n_classes, 1.0 / n_classes)
    proba = np.asarray(value, dtype=float)
    if proba.shape != (n_classes,):
        raise ValueError(
            f"{name} has shape {proba.shape}; give one number for each class 0..{n_classes - 1}."
        )
    if not (proba > 0).all() or not np.isclose(proba.sum(), 1.0):
        raise ValueError(f"{name}={value!r} must hold positive numbers that sum to 1.")
    return proba / proba.sum()
