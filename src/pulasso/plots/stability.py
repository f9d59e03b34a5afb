"""How often every group is selected when rows are drawn again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.plots.style import (
    DASHES,
    GREY,
    INK,
    PALETTE,
    label_ends,
    lam_axis,
    new_axes,
    note_below,
    only_largest,
    plural,
)

__all__ = ["StabilityPathDisplay"]


@dataclass(eq=False)
class StabilityPathDisplay:
    """Selection probabilities of groups over lam, with the threshold above which a group counts as stable.

    Make it by :meth:`from_result`.

    Parameters
    ----------
    lams : array of shape (n_lams,)
        Decreasing.
    probabilities : array of shape (n_lams, n_groups)
        Share of the subsamples that select the group at a lam, or at it and any larger one.
    names : sequence of str, length n_groups
    threshold : float

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    lines_ : list of Line2D
        Groups that reach the threshold, the largest first.
    other_lines_ : list of Line2D
        Groups that are selected now and then.
    threshold_line_ : Line2D

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.plots import StabilityPathDisplay
    >>> probabilities = np.array([[0.0, 0.0], [0.7, 0.1], [0.95, 0.3]])
    >>> display = StabilityPathDisplay(np.array([0.4, 0.2, 0.1]), probabilities, ["soil", "wind"], 0.75).plot()
    >>> len(display.lines_), len(display.other_lines_)
    (1, 1)
    """

    lams: NDArray
    probabilities: NDArray
    names: Sequence[str]
    threshold: float

    @classmethod
    def from_result(cls, result: Any, *, ax: Any = None, max_labels: int = 15) -> "StabilityPathDisplay":
        """Draw what stability selection found.

        Parameters
        ----------
        result : StabilityResult
            Of ``pulasso.inference.stability_selection``. Groups that it does not judge are left out.
        ax : matplotlib Axes, optional
        max_labels : int, default=15
        """
        judged = np.flatnonzero(result.candidates)
        names = [result.groups[j] for j in judged]
        display = cls(result.lams, result.paths[:, judged], names, result.threshold)
        return display.plot(ax=ax, max_labels=max_labels)

    def plot(self, ax: Any = None, *, max_labels: int = 15) -> "StabilityPathDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            A new figure by default.
        max_labels : int, default=15
            Stable groups that are coloured and named, the most stable.

        Returns
        -------
        self
        """
        ax = new_axes(ax, (7.2, 4.4))
        largest = self.probabilities.max(axis=0)
        order = only_largest(largest, len(largest))
        stable = [j for j in order if largest[j] >= self.threshold]
        named, rest = (
            stable[:max_labels],
            stable[max_labels:] + [j for j in order if largest[j] < self.threshold],
        )
        self.other_lines_ = [
            ax.plot(self.lams, self.probabilities[:, j], color=GREY, linewidth=0.6, alpha=0.7)[0]
            for j in rest
        ]
        self.lines_ = [
            ax.plot(
                self.lams,
                self.probabilities[:, j],
                color=PALETTE[i % len(PALETTE)],
                linestyle=DASHES[i % len(DASHES)],
                linewidth=1.6,
            )[0]
            for i, j in enumerate(named)
        ]
        self.threshold_line_ = ax.axhline(self.threshold, color=INK, linestyle=(0, (1, 1)), linewidth=1.3)
        lam_axis(ax, self.lams)
        ax.set_ylim(0.0, 1.02)
        ax.set_ylabel("share of subsamples that select it")
        colors = [line.get_color() for line in self.lines_]
        at_end = self.probabilities[-1, named].tolist()
        n_written = label_ends(ax, at_end, [self.names[j] for j in named], colors)
        unnamed = len(stable) - n_written
        notes = [f"dotted: threshold {self.threshold:g}", f"{plural(len(stable), 'stable group')}"]
        notes += [f"{unnamed} of them not named"] if unnamed else []
        below = int(np.count_nonzero(largest)) - len(stable)
        notes += [f"grey: {plural(below, 'group')} below the threshold"] if below else []
        note_below(ax, "; ".join(notes))
        self.ax_, self.figure_ = ax, ax.get_figure()
        return self
