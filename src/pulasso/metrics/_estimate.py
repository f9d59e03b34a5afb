"""An estimate and its standard error, for one number, for one of each class, or for a matrix."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from pulasso._messages import listed
from pulasso.data.inputs import check_number
from pulasso.data.parameters import position_in, shown
from pulasso.tables import text_table


@dataclass(frozen=True, eq=False)
class Estimate:
    """What is estimated, and how uncertain the sample leaves it.

    Estimates are reported as they are: one of a probability may lie a little outside [0, 1], because it is a
    difference of means. The standard error is the sampling error of the rows; prevalence and label
    frequency count as known.

    Attributes
    ----------
    value : float or array
        One number, one for each class, or a matrix (true class, predicted class).
    standard_error : float or array
        Of the same shape; ``nan`` where a single row leaves no way to tell.
    classes : array of shape (n_classes,) or None
        Names for the entries of arrays, class 0 first.

    Examples
    --------
    >>> from pulasso.metrics import Estimate
    >>> accuracy = Estimate(0.84, 0.02)
    >>> accuracy
    Estimate(0.840 ± 0.020)
    >>> low, high = accuracy.interval()
    >>> f"{accuracy:.2f}, between {low:.2f} and {high:.2f}"
    '0.84, between 0.80 and 0.88'
    """

    value: Any
    standard_error: Any
    classes: NDArray | None = None

    def interval(self, level: float = 0.95) -> tuple[Any, Any]:
        """Return both ends of the interval ``value -+ q * standard_error``, q a normal quantile; not cut at 0 or 1."""
        check_number("level", level, above=0.0, most=1.0)
        # Infinite for a level of 1, and even then nothing around what is known exactly.
        reach = min(norm.ppf(0.5 + level / 2.0), np.finfo(float).max) * self.standard_error
        return self.value - reach, self.value + reach

    def of(self, name: Any) -> "Estimate":
        """Return the estimate for the class of this name: one number, or a row of a matrix."""
        names = [] if self.classes is None else self.classes.tolist()
        position = position_in(name, names)
        if position is None:
            raise KeyError(f"{shown(name)} is none of the classes: {listed(names) or 'this is one number'}.")
        value, error = self.value[position], self.standard_error[position]
        return (
            Estimate(value, error, self.classes) if np.ndim(value) else Estimate(float(value), float(error))
        )

    def __float__(self) -> float:
        if np.ndim(self.value):
            raise TypeError(
                "this estimate has one value for each class, not one for all: use .value, .of(class), or "
                "average='macro'."
            )
        return float(self.value)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def __repr__(self) -> str:
        cells = np.vectorize(_with_error, otypes=[object])(self.value, self.standard_error)
        if not np.ndim(self.value):
            return f"Estimate({cells})"
        names = [str(name) for name in (range(len(self.value)) if self.classes is None else self.classes)]
        header = ["class", "estimate"] if cells.ndim == 1 else ["true class", *names]
        rows = [[name, *np.atleast_1d(row)] for name, row in zip(names, cells, strict=True)]
        return "\n".join(["Estimate", *text_table(header, rows)])


def _with_error(value: float, error: float) -> str:
    """Write value and error with as many decimals as two digits of the error need, at least three."""
    if not (np.isfinite(error) and error > 0):
        return f"{value:.4g} ± {error:.2g}"
    decimals = max(3, 1 - int(np.floor(np.log10(error))))
    return f"{value:.{decimals}f} ± {error:.{decimals}f}"
