"""How far coefficients spread when rows are drawn again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.data.inputs import check_number
from pulasso.plots.names import literals
from pulasso.plots.style import GREY, INK, PALETTE, SMALL, new_axes, note_below, plural

__all__ = ["BootstrapIntervalsDisplay"]

ROW_HEIGHT = 0.24
FAINTEST = 0.2  # opacity of an interval that is next to never selected


@dataclass(eq=False)
class BootstrapIntervalsDisplay:
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
    def from_result(
        cls, result: Any, *, level: float = 0.95, max_entries: int = 20, ax: Any = None
    ) -> "BootstrapIntervalsDisplay":
        """Draw a bootstrap.

        Parameters
        ----------
        result : BootstrapResult
            Of ``pulasso.inference.bootstrap``.
        level : float, default=0.95
        max_entries : int, default=20
        ax : matplotlib Axes, optional
        """
        frame = result.to_frame(level)
        names = frame["feature"].astype(str).tolist()
        if "class" in frame:
            names = [f"{name}, {label}" for name, label in zip(names, frame["class"], strict=True)]
        wanted = ("coef", "lower", "upper", "frequency")
        numbers = {name: frame[name].to_numpy(dtype=float) for name in wanted}
        return cls(**numbers, names=names, level=level).plot(ax=ax, max_entries=max_entries)

    def plot(self, ax: Any = None, *, max_entries: int = 20) -> "BootstrapIntervalsDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            A new figure by default, as high as the coefficients need.
        max_entries : int, default=20
            The first ones are shown, the rest is counted.

        Returns
        -------
        self
        """
        check_number("max_entries", max_entries, least=1, whole=True)
        shown = min(int(max_entries), len(self.coef))
        ax = new_axes(ax, (6.2, max(1.8, 1.1 + ROW_HEIGHT * shown)))
        places = np.arange(shown)
        self.intervals_ = [
            ax.plot(
                [self.lower[i], self.upper[i]],
                [i, i],
                color=PALETTE[0],
                alpha=FAINTEST + (1.0 - FAINTEST) * float(self.frequency[i]),
                linewidth=3,
                solid_capstyle="butt",
            )[0]
            for i in places
        ]
        (self.points_,) = ax.plot(self.coef[:shown], places, "o", color=INK, markersize=4)
        ax.axvline(0.0, color=GREY, linewidth=0.8, zorder=0)
        often = [f"{100 * share:.0f} %" for share in self.frequency[:shown]]
        words = [f"{name}  {share}" for name, share in zip(literals(self.names[:shown]), often, strict=True)]
        ax.set_yticks(places, words, fontsize=SMALL)
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(max(shown, 1) - 0.4, -0.6)
        ax.set_xlabel(f"penalised coefficient, {100 * self.level:g} % percentile interval")
        hidden = len(self.coef) - shown
        notes = ["beside the names: how often it is selected"] if shown else ["nothing was ever selected"]
        notes += [f"{plural(hidden, 'coefficient')} not shown"] if hidden else []
        note_below(ax, "; ".join(notes))
        self.ax_, self.figure_ = ax, ax.get_figure()
        return self
