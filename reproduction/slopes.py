"""The slope of an error in a rate, both in logarithms: 1 where the error is proportional to the rate.

By points, which all repetitions of a rate make together; and within truths, from how the error of one and the same
truth changes with the rate. The second does not mind that rates have different numbers of repetitions, and so other
truths.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from reproduction.curves import CLEAR


@dataclass(frozen=True)
class Slope:
    """A slope with its standard error."""

    value: float
    se: float

    def off(self, wanted: float = 1.0) -> float:
        """Return by how many standard errors it differs from `wanted`."""
        return abs(self.value - wanted) / self.se if self.se > 0 else float("inf")

    def is_one(self) -> bool:
        """Whether it is 1 within two standard errors."""
        return bool(self.off() <= CLEAR)

    def __str__(self) -> str:
        return f"{self.value:.3f} ± {self.se:.3f}"


def between_points(means: pd.DataFrame, column: str, se: str) -> Slope:
    """Return the slope through the points of a line, each weighted by how sure it is.

    Examples
    --------
    >>> means = pd.DataFrame({"rate": [0.1, 0.2], "error": [1.0, 2.0], "se": [0.1, 0.2]})
    >>> print(between_points(means, "error", "se"))
    1.000 ± 0.204
    """
    x, y = np.log(means["rate"].to_numpy()), np.log(means[column].to_numpy())
    weight = (means[column] / means[se]).to_numpy() ** 2
    centred = x - np.average(x, weights=weight)
    information = float(weight @ centred**2)
    return Slope(float((weight * centred) @ y) / information, information**-0.5)


def within_truths(rows: pd.DataFrame, column: str) -> Slope:
    """Return the slope over the rates of one repetition, which share their truth, for all repetitions together.

    Its standard error takes repetitions for independent, and nothing else.
    """
    logs = pd.DataFrame({"x": np.log(rows["rate"]), "y": np.log(rows[column])})
    centred = logs - logs.groupby(rows["repetition"]).transform("mean")
    information = float((centred["x"] ** 2).sum())
    slope = float((centred["x"] * centred["y"]).sum()) / information
    rest = centred["x"] * (centred["y"] - slope * centred["x"])
    return Slope(slope, float((rest.groupby(rows["repetition"]).sum() ** 2).sum()) ** 0.5 / information)
