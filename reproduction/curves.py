"""What a whole curve says: every step and the slope, by repetitions that share their truth, with standard errors.

A claim about a trend is judged on all points: the slope must be clear, and no step may clearly go the other way.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reproduction.claims import standard_error

CLEAR = 2.0  # standard errors


@dataclass(frozen=True)
class Trend:
    """A curve over several points, one line of `values` for each repetition; points are sorted.

    Attributes
    ----------
    at : array of shape (n_points,)
    values : array of shape (n_repetitions, n_points)
    """

    at: NDArray
    values: NDArray

    @classmethod
    def of(cls, table: pd.DataFrame, x: str, column: str) -> "Trend":
        """Return the trend of a column over the points `x`, which all repetitions have."""
        wide = table.pivot(index="repetition", columns=x, values=column).sort_index(axis=1)
        return cls(wide.columns.to_numpy(float), wide.to_numpy())

    @property
    def mean(self) -> NDArray:
        """The curve itself."""
        return self.values.mean(axis=0)

    def slope(self) -> tuple[float, float]:
        """Return the mean slope of the straight lines through each repetition, and its standard error."""
        centred = self.at - self.at.mean()
        slopes = self.values @ centred / (centred @ centred)
        return float(slopes.mean()), standard_error(slopes)

    def rises(self) -> bool:
        """Whether the slope is clearly positive, and no step clearly goes down."""
        slope, se = self.slope()
        return slope > CLEAR * se and not self.against()

    def against(self) -> list[tuple[float, float, float, float]]:
        """Return the steps that clearly go down: where from, where to, mean and standard error."""
        found = []
        for k, step in enumerate(np.diff(self.values, axis=1).T):
            mean, se = float(step.mean()), standard_error(step)
            if mean < -CLEAR * se:
                found.append((float(self.at[k]), float(self.at[k + 1]), mean, se))
        return found

    def words(self, symbol: str) -> str:
        """Return the slope, and what goes the other way."""
        slope, se = self.slope()
        said = f"{slope:+.3f} ± {se:.3f} per unit of {symbol}"
        steps = [f"{step:+.3f} ± {e:.3f} from {a:g} to {b:g}" for a, b, step, e in self.against()]
        return f"{said}, but {' and '.join(steps)}" if steps else f"{said}, no step clearly down"

    def peaks_inside(self) -> tuple[bool, str]:
        """Return whether the highest point is clearly above both ends, and by how much."""
        top = int(self.mean.argmax())
        ends = [self.values[:, top] - self.values[:, end] for end in (0, -1)]
        clear = all(end.mean() > CLEAR * standard_error(end) for end in ends)
        words = " and ".join(f"{end.mean():+.3f} ± {standard_error(end):.3f}" for end in ends)
        return bool(clear), f"highest at {self.at[top]:g}, above the ends by {words}"


def points(
    frame: pd.DataFrame, x: str, holds: Callable[[float, float], bool], symbol: str
) -> tuple[bool, str]:
    """Return whether something holds at all points of a table with `gain` and `se`, and where it does not.

    `holds` is asked with the gain and its standard error at each point.
    """
    fails = [row for row in frame.to_dict("records") if not holds(row["gain"], row["se"])]
    said = f"{len(frame) - len(fails)} of {len(frame)} points"
    at = ", ".join(f"{row[x]:.2g} ({row['gain']:+.3f} ± {row['se']:.3f})" for row in fails)
    if fails:
        return False, f"{said}; not at {symbol} = {at}"
    worst = frame.loc[frame["gain"].idxmin()]
    return True, f"{said}; least {worst['gain']:+.3f} ± {worst['se']:.3f} at {symbol} = {worst[x]:.2g}"
