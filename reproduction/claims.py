"""What the paper says, put so that a table can support it or not."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Claim:
    """A statement in one sentence, whether our numbers support it, and the figures that decide it."""

    text: str
    holds: bool
    evidence: str


def standard_error(values: ArrayLike) -> float:
    """Return the standard error of the mean of repetitions; one repetition has an infinite one.

    Examples
    --------
    >>> standard_error([1.0, 3.0])
    1.0
    """
    array = np.asarray(values, dtype=float)
    return float(array.std(ddof=1) / np.sqrt(len(array))) if len(array) > 1 else float("inf")
