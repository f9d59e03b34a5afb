"""The loss on held-out rows along the grid of lams, and what to choose by it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["SELECTIONS", "LossCurve"]

SELECTIONS = ("min", "1se")
FLAT = 0.1  # of a standard error


@dataclass(frozen=True, eq=False)
class LossCurve:
    """Held-out losses of every fold at every lam.

    With weights ``w_f`` of the folds that sum to one,

        mean = sum_f w_f loss_f,    se = sqrt(sum_f w_f (loss_f - mean)^2 / (n_folds - 1)),

    as in glmnet. Folds are not independent, so `se` is a yardstick and no exact standard error.

    Attributes
    ----------
    lams : array of shape (n_lams,)
        Decreasing.
    losses : array of shape (n_folds, n_lams)
    weights : array of shape (n_folds,)
        Weight of the held-out rows.
    allowed : array of bool, shape (n_lams,), optional
        Which lams may be chosen; by default all.

    Examples
    --------
    >>> losses = np.array([[3.0, 2.1, 2.0, 2.5], [3.2, 2.3, 2.4, 2.9]])
    >>> curve = LossCurve(np.array([4.0, 2.0, 1.0, 0.5]), losses, np.array([10.0, 10.0]))
    >>> curve.mean
    array([3.1, 2.2, 2.2, 2.7])
    >>> curve.index("min"), curve.index("1se")
    (1, 1)
    """

    lams: NDArray
    losses: NDArray
    weights: NDArray
    allowed: NDArray | None = None

    def _average(self, values: NDArray) -> NDArray:
        return (self.weights / self.weights.sum()) @ values

    @cached_property
    def mean(self) -> NDArray:
        """Mean loss at every lam; not finite where a fold's is not."""
        return self._average(self.losses)

    @cached_property
    def se(self) -> NDArray:
        """Standard error of the mean, as far as folds tell; NaN for a single fold."""
        if len(self.losses) < 2:
            return np.full(len(self.lams), np.nan)
        with np.errstate(
            invalid="ignore", over="ignore"
        ):  # inf - inf where a fold's loss is infinite, or huge
            return np.sqrt(self._average((self.losses - self.mean) ** 2) / (len(self.losses) - 1))

    @cached_property
    def usable(self) -> NDArray:
        """Where every fold has a finite loss, and the lam may be chosen."""
        finite = np.isfinite(self.losses).all(axis=0)
        return finite if self.allowed is None else finite & self.allowed

    def index(self, select: str) -> int:
        """Return the chosen position on the grid.

        Parameters
        ----------
        select : {"min", "1se"}
            The smallest mean loss (among equals the largest lam), or the largest lam whose mean loss is at
            most one standard error above that (a single fold has none: then the same as "min").
        """
        mean = np.where(self.usable, self.mean, np.inf)
        best = int(np.argmin(mean))
        if select == "min" or not np.isfinite(self.se[best]):
            return best
        return int(np.argmax(mean <= mean[best] + self.se[best]))

    def edge(self) -> str:
        """Say whether the smallest loss lies at an end of the grid: "smallest", "largest" or "".

        A curve that has become flat does not count as ended too early: if halving lam for the last time gained less
        than a tenth of a standard error, smaller ones would not be told apart from the smallest.
        """
        best = self.index("min")
        if self.lams[0] == self.lams[-1]:
            return ""
        if best == len(self.lams) - 1 and not self._is_flat_at_the_end():
            return "smallest"
        return "largest" if best == 0 else ""

    def _is_flat_at_the_end(self) -> bool:
        twice = np.flatnonzero(self.lams >= 2.0 * self.lams[-1])
        # False as well where the standard error is not a number.
        return bool(len(twice) and self.mean[twice[-1]] - self.mean[-1] < FLAT * self.se[-1])
