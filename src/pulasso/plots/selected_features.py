"""Which features speak for which class."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pulasso.data.parameters import as_whole
from pulasso.plots.reading import feature_names, model_of, output_names, scaled_coefs
from pulasso.plots.style import (
    ROW_HEIGHT,
    SMALL,
    TINY,
    Display,
    counted,
    draw_cells,
    new_axes,
    only_largest,
)

__all__ = ["SelectedFeaturesDisplay"]

COLUMN_WIDTH = 0.62


@dataclass(eq=False)
class SelectedFeaturesDisplay(Display):
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
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw a fitted estimator, or a pipeline or search that ends in one; options are those of :meth:`plot`."""
        core = model_of(estimator)
        return cls(scaled_coefs(core), feature_names(core), output_names(core)).plot(**options)

    def plot(self, ax: Any = None, *, max_features: int = 30) -> Self:
        """Draw on the given axes, or in a new figure that is as high as the features need.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        max_features : int, default=30
            The strongest are shown, the rest is counted.
        """
        strength = np.linalg.norm(self.coefs, axis=0)
        self.shown_ = shown = only_largest(strength, as_whole("max_features", max_features))
        cells = self.coefs[:, shown].T
        if len(shown):
            reach = float(np.abs(cells).max())
            ax, self.mesh_ = draw_cells(
                ax,
                cells,
                [self.feature_names[j] for j in shown],
                self.output_names,
                lambda i, j: _signed(cells[i, j]),
                cell=(COLUMN_WIDTH, ROW_HEIGHT),
                cmap="PuOr_r",
                limits=(-reach, reach),
                size=SMALL if len(self.coefs) <= 8 else TINY,
                meaning="log odds per\nstandard deviation",
            )
        else:
            ax, self.mesh_ = new_axes(ax, (4.2, 2.8)), None
            ax.text(0.5, 0.5, "no feature was selected", ha="center", va="center", transform=ax.transAxes)
            ax.set_axis_off()
        n_selected = np.count_nonzero(strength)
        return self._finish(
            ax,
            counted(n_selected - len(shown), "weaker feature", "{} not shown"),
            counted(len(strength) - n_selected, "feature", "{} not selected"),
        )


def _signed(value: float) -> str:
    """Return a number with its sign, the sign alone if nothing else is left of it, and nothing for zero."""
    words = f"{value:+.2f}"
    return "" if value == 0 else words[0] if float(words) == 0 else words
