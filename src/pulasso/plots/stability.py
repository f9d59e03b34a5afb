"""How often every group is selected when rows are drawn again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pulasso.data.parameters import as_whole
from pulasso.plots.reading import check_result
from pulasso.plots.style import (
    DOTTED,
    INK,
    Display,
    counted,
    draw_lines,
    label_ends,
    new_axes,
    only_largest,
    plural,
)

__all__ = ["StabilityPathDisplay"]


@dataclass(eq=False)
class StabilityPathDisplay(Display):
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
    def from_result(cls, result: Any, **options: Any) -> Self:
        """Draw a result of ``pulasso.inference.stability_selection``; options are those of :meth:`plot`.

        Groups that it does not judge are left out.
        """
        remedy = "It comes from pulasso.inference.stability_selection."
        check_result("result", result, ("candidates", "paths"), remedy)
        judged = np.flatnonzero(result.candidates)
        names = [result.groups[j] for j in judged]
        return cls(result.lams, result.paths[:, judged], names, result.threshold).plot(**options)

    def plot(self, ax: Any = None, *, max_labels: int = 15) -> Self:
        """Draw on the given axes, or in a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        max_labels : int, default=15
            Stable groups that are coloured and named, the most stable.
        """
        n_named = as_whole("max_labels", max_labels, least=0)
        ax = new_axes(ax, (7.2, 4.4))
        largest = self.probabilities.max(axis=0)
        order = only_largest(largest, len(largest))
        n_stable = int(np.count_nonzero(largest[order] >= self.threshold))
        named, others = np.split(order, [min(n_stable, n_named)])
        self.lines_, self.other_lines_ = draw_lines(ax, self.lams, self.probabilities, named, others)
        dotted = {"color": INK, "linestyle": DOTTED, "linewidth": 1.3, "zorder": 4}
        self.threshold_line_ = ax.axhline(self.threshold, **dotted)
        ax.set_ylim(0.0, 1.02)
        ax.set_ylabel("share of subsamples that select it")
        n_written = label_ends(ax, self.lines_, [self.names[j] for j in named])
        return self._finish(
            ax,
            f"dotted: threshold {self.threshold:g}",
            plural(n_stable, "stable group"),
            f"{n_stable - n_written} of them not named" if n_stable > n_written else "",
            counted(len(order) - n_stable, "group", "grey: {} below the threshold"),
        )
