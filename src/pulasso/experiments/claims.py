"""What the paper says, put so that a table can bear it out or not."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Claim", "mean_and_se", "straightness"]


@dataclass(frozen=True)
class Claim:
    """A statement, whether our numbers bear it out, and the numbers.

    Attributes
    ----------
    text : str
        One sentence.
    holds : bool
    evidence : str
        The figures that decide it.
    """

    text: str
    holds: bool
    evidence: str


def mean_and_se(values: ArrayLike) -> tuple[float, float]:
    """Return the mean of repetitions and its standard error; one repetition has an infinite one.

    Examples
    --------
    >>> mean_and_se([1.0, 3.0])
    (2.0, 1.0)
    """
    array = np.asarray(values, dtype=float)
    if len(array) < 2:
        return float(array.mean()), float("inf")
    return float(array.mean()), float(array.std(ddof=1) / np.sqrt(len(array)))


def straightness(x: Sequence[float], y: Sequence[float]) -> tuple[float, float, float]:
    """Return slope, intercept and R^2 of the least-squares line through points.

    Examples
    --------
    >>> straightness([0.0, 1.0, 2.0], [1.0, 3.0, 5.0])
    (2.0, 1.0, 1.0)
    """
    at, values = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    centred = at - at.mean()
    slope = float(centred @ values / (centred @ centred))
    intercept = float(values.mean() - slope * at.mean())
    left = values - slope * at - intercept
    total = values - values.mean()
    return slope, intercept, float(1.0 - (left @ left) / (total @ total))
