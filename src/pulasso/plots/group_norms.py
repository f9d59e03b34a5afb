"""How strong every group is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.plots.names import literals
from pulasso.plots.reading import core_of
from pulasso.plots.style import PALETTE, SMALL, new_axes, note_below, only_largest, plural

__all__ = ["GroupNormsDisplay"]

ROW_HEIGHT = 0.24


@dataclass(eq=False)
class GroupNormsDisplay:
    """Bars of the norms of selected groups on the penalised scale, the largest first.

    Parameters
    ----------
    norms : array of shape (n_groups,)
    names : sequence of str
    weights : array of shape (n_groups,)
        Penalty weights; bars of groups of weight 0, which are always in the model, are hatched.
    sizes : array of shape (n_groups,)
        Number of coefficients, written beside the bars where groups differ in it.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    bars_ : BarContainer
    shown_ : array
        Positions of the groups that are shown, from the top.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.plots import GroupNormsDisplay
    >>> display = GroupNormsDisplay(np.array([0.3, 0, 1.2]), ["soil", "wind", "rain"], np.ones(3), np.ones(3, int))
    >>> display.plot().shown_
    array([2, 0])
    """

    norms: NDArray
    names: Sequence[str]
    weights: NDArray
    sizes: NDArray

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, max_groups: int = 30) -> "GroupNormsDisplay":
        """Draw the groups of a fitted model.

        Parameters
        ----------
        estimator : fitted estimator of this package, or a pipeline or search that ends in one
        ax : matplotlib Axes, optional
        max_groups : int, default=30
        """
        core = core_of(estimator)
        groups = core.groups_
        display = cls(core.group_norms_, list(groups.names), groups.weights, groups.sizes)
        return display.plot(ax=ax, max_groups=max_groups)

    def plot(self, ax: Any = None, *, max_groups: int = 30) -> "GroupNormsDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            A new figure by default, as high as the groups need.
        max_groups : int, default=30
            The largest are shown, the rest is counted.

        Returns
        -------
        self
        """
        shown = only_largest(self.norms, max_groups)
        ax = new_axes(ax, (6.0, max(1.8, 1.1 + ROW_HEIGHT * len(shown))))
        places = np.arange(len(shown))
        self.bars_ = ax.barh(places, self.norms[shown], color=PALETTE[0], height=0.72)
        for bar, weight in zip(self.bars_, self.weights[shown], strict=True):
            if weight == 0:
                bar.set(hatch="////", facecolor="none", edgecolor=PALETTE[0])
        ax.set_yticks(places, literals(self.names[j] for j in shown), fontsize=SMALL)
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(max(len(shown), 1) - 0.4, -0.6)
        ax.set_xlabel("norm of the group, penalised scale")
        ax.margins(x=0.12)
        if len(np.unique(self.sizes)) > 1:
            words = [plural(int(self.sizes[j]), "coefficient") for j in shown]
            ax.bar_label(self.bars_, words, padding=3, fontsize=SMALL - 1)
        hidden = int(np.count_nonzero(self.norms)) - len(shown)
        zero = int(np.count_nonzero(self.norms == 0))
        notes = ["hatched: not penalised"] if (self.weights[shown] == 0).any() else []
        notes += [f"{plural(hidden, 'smaller group')} not shown"] if hidden else []
        notes += [f"{plural(zero, 'group')} not selected"] if zero else []
        note_below(ax, "; ".join(notes))
        self.shown_, self.ax_, self.figure_ = shown, ax, ax.get_figure()
        return self
