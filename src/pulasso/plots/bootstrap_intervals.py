"""How far coefficients spread when rows are drawn again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pulasso.data.parameters import as_whole, check_kind
from pulasso.inference import BootstrapResult
from pulasso.plots.names import literals
from pulasso.plots.style import GREY, INK, PALETTE, Display, counted, name_rows

__all__ = ["BootstrapIntervalsDisplay"]

FAINTEST = 0.2  # opacity of an interval that is next to never selected


@dataclass(eq=False)
class BootstrapIntervalsDisplay(Display):
    """Percentile intervals of penalised coefficients, the most often selected first; darker means more often.

    They show how much the estimate varies. They are no confidence intervals for the true coefficient.
    Make it by :meth:`from_result`.

    Parameters
    ----------
    coef, lower, upper : array of shape (n_entries,)
        The estimate from all rows, and the ends of its interval.
    frequency : array of shape (n_entries,)
        Share of the replicates in which the coefficient is not zero.
    names : sequence of str, length n_entries
    level : float
        Of the intervals.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    intervals_ : list of Line2D
    points_ : Line2D
        The estimates from all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.plots import BootstrapIntervalsDisplay
    >>> ends = np.array([0.4, -0.1]), np.array([1.2, 0.3])
    >>> display = BootstrapIntervalsDisplay(np.array([0.8, 0.1]), *ends, np.array([1.0, 0.4]), ["soil", "wind"]).plot()
    >>> len(display.intervals_)
    2
    """

    coef: NDArray
    lower: NDArray
    upper: NDArray
    frequency: NDArray
    names: Sequence[str]
    level: float = 0.95

    @classmethod
    def from_result(cls, result: Any, *, level: float = 0.95, **options: Any) -> Self:
        """Draw a bootstrap.

        Parameters
        ----------
        result : BootstrapResult
            Of ``pulasso.inference.bootstrap``.
        level : float, default=0.95
            Of the intervals.
        **options
            `ax` and `max_entries`, as for :meth:`plot`.
        """
        check_kind("result", result, BootstrapResult, "It comes from pulasso.inference.bootstrap.")
        frame = result.to_frame(level)
        names = frame["feature"].astype(str).tolist()
        if "class" in frame:
            names = [f"{name}, {label}" for name, label in zip(names, frame["class"], strict=True)]
        coef, lower, upper, frequency = frame[["coef", "lower", "upper", "frequency"]].to_numpy(dtype=float).T
        return cls(coef, lower, upper, frequency, names, level).plot(**options)

    def plot(self, ax: Any = None, *, max_entries: int = 20) -> Self:
        """Draw on the given axes, or in a new figure that is as high as the coefficients need.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        max_entries : int, default=20
            The first ones are shown, the rest is counted.
        """
        shown = min(as_whole("max_entries", max_entries), len(self.coef))
        often = [f"{100 * share:.0f} %" for share in self.frequency[:shown]]
        names = literals(self.names[:shown])
        ax = name_rows(ax, [f"{name}  {share}" for name, share in zip(names, often, strict=True)], 6.2)
        opacity = FAINTEST + (1.0 - FAINTEST) * np.asarray(self.frequency, dtype=float)
        line = {"color": PALETTE[0], "linewidth": 3, "solid_capstyle": "butt"}
        self.intervals_ = [
            ax.plot([self.lower[i], self.upper[i]], [i, i], alpha=opacity[i], **line)[0] for i in range(shown)
        ]
        (self.points_,) = ax.plot(self.coef[:shown], np.arange(shown), "o", color=INK, markersize=4)
        ax.axvline(0.0, color=GREY, linewidth=0.8, zorder=0)
        ax.set_xlabel(f"penalised coefficient, {100 * self.level:g} % percentile interval")
        note = "beside the names: how often it is selected" if shown else "nothing was ever selected"
        return self._finish(ax, note, counted(len(self.coef) - shown, "coefficient", "{} not shown"))
