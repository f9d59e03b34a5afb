"""What every estimator of a labelling number returns: values, intervals, a curve, and plain words about trust."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import plain
from pulasso.tables import html_table, make_frame, text_table

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Curve", "PrevalenceEstimate", "open_words"]

# Wider intervals than these, as a difference and as a ratio, leave the number open.
WIDE, WIDE_RATIO = 0.4, 5.0


@dataclass(frozen=True, eq=False)
class Curve:
    """What the estimate of one class was read off.

    Attributes
    ----------
    positions, heights : array of shape (n_points,)
    position_label, height_label : str
        What they are, for the axes of a plot.
    number_is : {"position", "height"}
        On which axis the estimate lies.
    limit : float or None
        The height that ends the interval, where there is one.
    """

    positions: NDArray
    heights: NDArray
    position_label: str
    height_label: str
    number_is: str
    limit: float | None = None


@dataclass(frozen=True, eq=False)
class PrevalenceEstimate:
    """An estimate of the prevalence (case-control) or the label frequency (single-training-set) of every class.

    Attributes
    ----------
    parameter : {"prevalence", "label_frequency"}
        The estimators' parameter that takes :attr:`values`.
    method : str
    classes : array of shape (K,)
        The positive classes.
    numbers : array of shape (K,)
    lower, upper : array of shape (K,)
        Ends of the intervals; 0 or 1 where the data give no bound.
    level : float
        Confidence level of the intervals.
    doubts : list of str
        For each class what speaks against its number besides a wide interval, such as an assumption of the method
        that the data contradict; empty where nothing does.
    assumption : str
        What the numbers rest on that the data cannot show.
    curves : dict of class to Curve
    standard_error : array of shape (K,) or None
    details : dict
        Figures of the method, such as the log-likelihood or the features that were used.
    if_identified : str, default="yes"
        What tables say of identified numbers: under which condition they are, where the data cannot show it.
    notes : list of str
        How the method was used, such as how features were chosen.
    """

    parameter: str
    method: str
    classes: NDArray
    numbers: NDArray
    lower: NDArray
    upper: NDArray
    level: float
    doubts: list[str]
    assumption: str
    curves: Mapping[Any, Curve] = field(repr=False)
    standard_error: NDArray | None = None
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)
    if_identified: str = "yes"
    notes: list[str] = field(default_factory=list)

    @property
    def values(self) -> dict[Any, float]:
        """The estimates by class, in the form in which the estimators take them."""
        return {plain(name): float(x) for name, x in zip(self.classes, self.numbers, strict=True)}

    @property
    def intervals(self) -> dict[Any, tuple[float, float]]:
        """The intervals by class."""
        ends = zip(self.lower.tolist(), self.upper.tolist(), strict=True)
        return dict(zip(map(plain, self.classes), ends, strict=True))

    @property
    def doubtful(self) -> NDArray:
        """Whether something speaks against the number of each class besides a wide interval."""
        return np.array([bool(words) for words in self.doubts])

    @property
    def identified(self) -> NDArray:
        """Whether each number can be used as it is.

        Nothing is doubtful, and the interval is narrow enough to be of use: at most 0.4 wide, with ends that differ
        by at most a factor 5.
        """
        narrow = (self.upper - self.lower <= WIDE) & (self.upper <= WIDE_RATIO * self.lower)
        return narrow & ~self.doubtful

    @property
    def is_identified(self) -> bool:
        """Whether all classes are."""
        return bool(self.identified.all())

    @property
    def what_is_open(self) -> str:
        """The sentences about numbers that the data leave open; empty if all are identified."""
        return " ".join(self._open_words())

    @property
    def diagnosis(self) -> list[str]:
        """What to think of the numbers, in words: what is open, and what the others rest on."""
        rests_on = [] if self.doubtful.all() else [self.assumption]
        return [*self._open_words(), *rests_on, *self.notes]

    def _open_words(self) -> list[str]:
        return [
            self.doubts[i] or open_words(self.parameter, self.classes[i], self.lower[i], self.upper[i])
            for i in np.flatnonzero(~self.identified)
        ]

    def to_frame(self) -> "DataFrame":
        """Return the estimates as a pandas data frame, one row for each class."""
        columns = {self.parameter: self.numbers, "lower": self.lower, "upper": self.upper}
        if self.standard_error is not None:
            columns["standard_error"] = self.standard_error
        columns["identified"] = self.identified
        frame = make_frame(columns, index=self.classes)
        frame.index.name = "class"
        return frame

    def plot(self, ax: Any = None) -> Any:
        """Draw the curves with estimates and intervals; returns a :class:`pulasso.plots.PrevalenceDisplay`."""
        from pulasso.plots import PrevalenceDisplay

        return PrevalenceDisplay.from_estimate(self, ax=ax)

    def _table(self) -> tuple[list[str], list[list[str]]]:
        header = ["class", self.parameter, f"{100 * self.level:g} % interval", "identified"]
        rows = []
        for i, name in enumerate(self.classes):
            interval = f"{self.lower[i]:.3f} to {self.upper[i]:.3f}"
            word = self.if_identified if self.identified[i] else "NO"
            rows.append([str(name), f"{self.numbers[i]:.3f}", interval, word])
        return header, rows

    def __repr__(self) -> str:
        title = f"{self.parameter} by {self.method}"
        return "\n".join([title, *text_table(*self._table()), *(f"  {words}" for words in self.diagnosis)])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{escape(words)}</p>" for words in self.diagnosis)
        title = f"<h4>{escape(self.parameter)} by {escape(self.method)}</h4>"
        return f"<div class='pulasso-prevalence'>{title}{html_table(*self._table())}{notes}</div>"


def open_words(parameter: str, name: Any, lower: float, upper: float, why: str = "") -> str:
    """Say that the data leave the number of a class open, from where to where, and what to do."""
    return (
        f"{parameter} of class {plain(name)!r} is not identified: {why}everything from {lower:.2g} to {upper:.2g} is "
        "compatible with the data. Use outside knowledge, and sensitivity_sweep to see what depends on it."
    )
