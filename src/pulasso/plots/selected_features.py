"""Which features speak for which class."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.plots.reading import core_of, feature_names, output_names, scaled_coefs
from pulasso.plots.style import (
    SMALL,
    draw_cells,
    new_axes,
    note_below,
    only_largest,
    plural,
    room_for_names,
)

__all__ = ["SelectedFeaturesDisplay"]

ROW_HEIGHT, COLUMN_WIDTH = 0.24, 0.62


@dataclass(eq=False)
class SelectedFeaturesDisplay:
    """Heat map of coefficients per standard deviation, features by classes, the strongest feature first.

    Orange speaks for the class and purple against it, as do the signs of the numbers; an empty cell is
    exactly zero.

    Parameters
    ----------
    coefs : array of shape (n_outputs, n_features)
    feature_names : sequence of str
    output_names : sequence of str
        Positive classes, or "higher class" for an ordinal model.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    mesh_ : QuadMesh
    shown_ : array
        Positions of the features that are shown, from the top.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.plots import SelectedFeaturesDisplay
    >>> coefs = np.array([[0.5, 0.0, -1.0], [0.2, 0.0, 0.0]])
    >>> SelectedFeaturesDisplay(coefs, ["age", "sex", "dose"], ["mild", "severe"]).plot().shown_
    array([2, 0])
    """

    coefs: NDArray
    feature_names: Sequence[str]
    output_names: Sequence[str]

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, ax: Any = None, max_features: int = 30
    ) -> "SelectedFeaturesDisplay":
        """Draw the selected features of a fitted model.

        Parameters
        ----------
        estimator : fitted estimator of this package, or a pipeline or search that ends in one
        ax : matplotlib Axes, optional
        max_features : int, default=30
        """
        core = core_of(estimator)
        display = cls(scaled_coefs(core), feature_names(core), output_names(core))
        return display.plot(ax=ax, max_features=max_features)

    def plot(self, ax: Any = None, *, max_features: int = 30) -> "SelectedFeaturesDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            A new figure by default, as high as the features need.
        max_features : int, default=30
            The strongest are shown, the rest is counted.

        Returns
        -------
        self
        """
        strength = np.linalg.norm(self.coefs, axis=0)
        shown = only_largest(strength, max_features)
        n_outputs = len(self.coefs)
        rows = [self.feature_names[j] for j in shown]
        beside, below = room_for_names(rows, self.output_names)
        width, height = 1.6 + beside + COLUMN_WIDTH * n_outputs, 1.2 + below + ROW_HEIGHT * len(shown)
        ax = new_axes(ax, (max(4.0, width), max(2.6, height)))
        cells = self.coefs[:, shown].T
        reach = float(np.abs(cells).max(initial=0.0)) or 1.0
        if len(shown):
            self.mesh_ = draw_cells(
                ax,
                cells,
                rows,
                self.output_names,
                lambda i, j: _signed(cells[i, j]),
                cmap="PuOr_r",
                limits=(-reach, reach),
                size=SMALL if n_outputs <= 8 else 6.5,
            )
            bar = ax.get_figure().colorbar(self.mesh_, ax=ax, aspect=30)
            bar.set_label("log odds per\nstandard deviation", fontsize=SMALL)
            bar.outline.set_visible(False)
        else:
            self.mesh_ = None
            ax.text(0.5, 0.5, "no feature was selected", ha="center", va="center", transform=ax.transAxes)
            ax.set_axis_off()
        n_selected = int(np.count_nonzero(strength))
        hidden, zero = n_selected - len(shown), len(strength) - n_selected
        notes = [f"{plural(hidden, 'weaker feature')} not shown"] if hidden else []
        notes += [f"{plural(zero, 'feature')} not selected"] if zero else []
        note_below(ax, "; ".join(notes))
        self.shown_, self.ax_, self.figure_ = shown, ax, ax.get_figure()
        return self


def _signed(value: float) -> str:
    """Return a number with its sign, the sign alone if nothing else is left of it, and nothing for zero."""
    words = f"{value:+.2f}"
    return "" if value == 0 else words[0] if float(words) == 0 else words
