"""What a flexible learner uses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pulasso.data.parameters import as_whole
from pulasso.exceptions import InputError
from pulasso.plots.names import literals
from pulasso.plots.reading import core_of, feature_names
from pulasso.plots.style import PALETTE, Display, counted, name_rows, only_largest

__all__ = ["FeatureImportancesDisplay"]


@dataclass(eq=False)
class FeatureImportancesDisplay(Display):
    """Bars of the importances of features, the largest first.

    They say how much a model uses a feature, not in which direction: see :class:`ResponseCurveDisplay` for that.

    Parameters
    ----------
    importances : array of shape (n_features,)
    names : sequence of str
    meaning : str, default="share of the total gain"
        What they are, under the axis.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    bars_ : BarContainer
    shown_ : array
        Positions of the features that are shown, from the top.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.plots import FeatureImportancesDisplay
    >>> display = FeatureImportancesDisplay(np.array([0.3, 0, 0.7]), ["soil", "wind", "rain"])
    >>> display.plot().shown_
    array([2, 0])
    """

    importances: NDArray
    names: Sequence[str]
    meaning: str = "share of the total gain"

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw fitted boosted trees, or whatever has `feature_importances_`; options are those of :meth:`plot`."""
        core = core_of(estimator)
        if not hasattr(core, "feature_importances_"):
            raise InputError(
                f"{type(core).__name__} has no feature_importances_.",
                parameter="estimator",
                remedy="Of networks and others, sklearn.inspection.permutation_importance finds some: "
                "FeatureImportancesDisplay(found.importances_mean, names).plot().",
            )
        meaning = cls.meaning if hasattr(core, "booster_") else "importance"
        return cls(core.feature_importances_, feature_names(core), meaning).plot(**options)

    def plot(self, ax: Any = None, *, max_features: int = 30) -> Self:
        """Draw on the given axes, or in a new figure that is as high as the features need.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        max_features : int, default=30
            The largest are shown, the rest is counted.
        """
        used = np.maximum(np.asarray(self.importances, dtype=float), 0.0)
        self.shown_ = shown = only_largest(used, as_whole("max_features", max_features))
        ax = name_rows(ax, literals(self.names[j] for j in shown), 6.0)
        self.bars_ = ax.barh(np.arange(len(shown)), used[shown], color=PALETTE[0], height=0.72)
        ax.set_xlim(left=0.0)
        ax.set_xlabel(self.meaning)
        n_used = np.count_nonzero(used)
        return self._finish(
            ax,
            counted(n_used - len(shown), "less important feature", "{} not shown"),
            counted(len(used) - n_used, "feature", "{} not used"),
        )
