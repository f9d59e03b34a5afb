"""What every estimator of a labelling number returns: values, intervals, a curve, and plain words about trust."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from pulasso._messages import plain
from pulasso.tables import html_table, make_frame, text_table

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Curve", "PrevalenceEstimate", "is_narrow"]

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
    doubtful : array of bool of shape (K,)
        Whether the data contradict an assumption of the method.
    identified : array of bool of shape (K,)
        Whether nothing is doubtful and the interval is narrow enough to be of use: at most 0.4 wide, with
        ends that differ by at most a factor 5.
    diagnosis : list of str
        What to think of the numbers, in words.
    curves : dict of class to Curve
    standard_error : array of shape (K,) or None
    details : dict
        Figures of the method, such as the log-likelihood or the features that were used.
    if_identified : str, default="yes"
        What tables say of identified numbers: under which condition they are, where the data cannot show it.
    """

    parameter: str
    method: str
    classes: NDArray
    numbers: NDArray
    lower: NDArray
    upper: NDArray
    level: float
    doubtful: NDArray
    diagnosis: list[str]
    curves: Mapping[Any, Curve] = field(repr=False)
    standard_error: NDArray | None = None
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)
    if_identified: str = "yes"

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
    def identified(self) -> NDArray:
        """Whether each number can be used as it is."""
        return is_narrow(self.lower, self.upper) & ~self.doubtful

    @property
    def is_identified(self) -> bool:
        """Whether all classes are."""
        return bool(self.identified.all())

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


def words_if_open(parameter: str, name: Any, lower: float, upper: float, why: str = "") -> str:
    """Say that the data leave the number of a class open, from where to where, and what to do."""
    return (
        f"{parameter} of class {plain(name)!r} is not identified: {why}everything from {lower:.2g} to {upper:.2g} is "
        "compatible with the data. Use outside knowledge, and sensitivity_sweep to see what depends on it."
    )


def is_narrow(lower: NDArray, upper: NDArray) -> NDArray:
    """Say which intervals are narrow enough to be of use."""
    return (upper - lower <= WIDE) & (upper <= WIDE_RATIO * lower)
