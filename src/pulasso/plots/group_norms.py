"""How strong every group is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pulasso.data.parameters import as_whole
from pulasso.plots.names import literals
from pulasso.plots.reading import model_of
from pulasso.plots.style import PALETTE, SMALL, Display, counted, name_rows, only_largest, plural

__all__ = ["GroupNormsDisplay"]


@dataclass(eq=False)
class GroupNormsDisplay(Display):
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
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw a fitted estimator, or a pipeline or search that ends in one; options are those of :meth:`plot`."""
        core = model_of(estimator)
        groups = core.groups_
        return cls(core.group_norms_, list(groups.names), groups.weights, groups.sizes).plot(**options)

    def plot(self, ax: Any = None, *, max_groups: int = 30) -> Self:
        """Draw on the given axes, or in a new figure that is as high as the groups need.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        max_groups : int, default=30
            The largest are shown, the rest is counted.
        """
        self.shown_ = shown = only_largest(self.norms, as_whole("max_groups", max_groups))
        ax = name_rows(ax, literals(self.names[j] for j in shown), 6.0)
        self.bars_ = ax.barh(np.arange(len(shown)), self.norms[shown], color=PALETTE[0], height=0.72)
        for bar, weight in zip(self.bars_, self.weights[shown], strict=True):
            if weight == 0:
                bar.set(hatch="////", facecolor="none", edgecolor=PALETTE[0])
        ax.set_xlabel("norm of the group, penalised scale")
        ax.margins(x=0.12)
        if len(np.unique(self.sizes)) > 1:
            words = [plural(int(self.sizes[j]), "coefficient") for j in shown]
            ax.bar_label(self.bars_, words, padding=3, fontsize=SMALL - 1)
        n_selected = np.count_nonzero(self.norms)
        return self._finish(
            ax,
            "hatched: not penalised" if (self.weights[shown] == 0).any() else "",
            counted(n_selected - len(shown), "smaller group", "{} not shown"),
            counted(len(self.norms) - n_selected, "group", "{} not selected"),
        )
