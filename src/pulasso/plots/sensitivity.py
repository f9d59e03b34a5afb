"""What depends on the assumed prevalence or label frequency."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pulasso.plots.names import literals
from pulasso.plots.reading import check_result
from pulasso.plots.style import DOTTED, GREY, SMALL, Display, line_style, new_panels
from pulasso.tables import show_count

__all__ = ["SensitivityDisplay"]

PANEL_HEIGHT = 1.55


@dataclass(eq=False)
class SensitivityDisplay(Display):
    """Likelihood, selected features, changed predictions and scores over the assumed number, one panel each.

    Make it by :meth:`from_sweep`.

    Parameters
    ----------
    positions : array of shape (n_values,)
        Where the assumed values lie on the axis.
    panels : mapping of str to array of shape (n_values,)
    reference : int
        Position of the value that the others are compared with, shown as a vertical line.
    parameter : str
    names : sequence of str, optional
        Of the values, where they are not plain numbers.

    Attributes
    ----------
    axes_ : array of Axes
    ax_ : Axes
        The last of them.
    figure_ : Figure
    lines_ : dict of str to Line2D

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.plots import SensitivityDisplay
    >>> panels = {"selected features": np.array([4, 5, 9]), "changed predictions": np.array([0.1, 0.0, 0.2])}
    >>> display = SensitivityDisplay(np.array([0.3, 0.4, 0.5]), panels, 1, "label_frequency").plot()
    >>> list(display.lines_)
    ['selected features', 'changed predictions']
    """

    positions: NDArray
    panels: Mapping[str, NDArray]
    reference: int
    parameter: str
    names: Sequence[str] | None = None

    @classmethod
    def from_sweep(cls, sweep: Any, *, ax: Any = None) -> Self:
        """Draw a result of ``pulasso.prevalence.sensitivity_sweep``; `ax` is as for :meth:`plot`."""
        check_result(
            "sweep", sweep, ("positions", "reference"), "It comes from pulasso.prevalence.sensitivity_sweep."
        )
        positions, names = sweep.positions()
        return cls(positions, sweep.columns(), sweep.reference, sweep.parameter, names).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given matplotlib Axes, as many as there are panels, or in a new figure."""
        axes = new_panels(ax, (6.2, 0.9 + PANEL_HEIGHT * len(self.panels)), len(self.panels))
        order = np.argsort(self.positions, kind="stable")
        self.axes_, self.lines_ = axes, {}
        for i, (axis, (what, values)) in enumerate(zip(axes, self.panels.items(), strict=True)):
            style = line_style(i, marks=True) | {"linestyle": "-", "markersize": 5, "linewidth": 1.4}
            (self.lines_[what],) = axis.plot(self.positions[order], np.asarray(values)[order], **style)
            axis.axvline(self.positions[self.reference], color=GREY, linestyle=DOTTED, linewidth=1.4)
            axis.set_ylabel(what.replace(" ", "\n", 1), fontsize=9)
            axis.margins(y=0.15)
            if np.all(np.mod(values, 1) == 0):  # numbers of features have no halves
                if np.ptp(values) == 0:
                    axis.set_yticks([values[0]], [show_count(values[0])])
                else:
                    axis.yaxis.get_major_locator().set_params(integer=True)
        last = axes[-1]
        last.set_xlabel(f"assumed {self.parameter.replace('_', ' ')}; dotted: the reference")
        if self.names is not None:
            last.set_xticks(self.positions, literals(self.names), rotation=30, ha="right", fontsize=SMALL)
        return self._finish(last)
