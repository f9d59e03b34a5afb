"""Ordered classes on the latent scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from pulasso._messages import plain
from pulasso.data.inputs import check_features
from pulasso.data.parameters import check_in_memory
from pulasso.exceptions import InputError
from pulasso.plots.names import literals
from pulasso.plots.reading import is_ordered, model_of
from pulasso.plots.style import DASHES, GREY, INK, SMALL, Display, counted, new_axes

__all__ = ["ThresholdsDisplay"]

# The logistic curve is within 2 % of its ends so far from its middle.
REACH = 4.0
LETTER = 0.62
# Names that stand upright take height from the curves.
UPRIGHT_LENGTH = 14


@dataclass(eq=False)
class ThresholdsDisplay(Display):
    """Thresholds of an ordinal model on the scale of ``u = x @ coef_``, with the probability of each class there.

    A row left of the first threshold is most likely below it; curves show how gradual that is. Bars at the bottom
    show where the rows are.

    Parameters
    ----------
    thresholds : array of shape (K,)
    classes : sequence, length K + 1
        From lowest to highest.
    latent : array of shape (n_samples,), optional
        ``x @ coef_`` of some rows.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    lines_ : list of Line2D
        Probability curves of the classes.
    threshold_lines_ : list of Line2D

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.plots import ThresholdsDisplay
    >>> display = ThresholdsDisplay(np.array([-1.0, 2.0]), ["mild", "medium", "severe"]).plot()
    >>> len(display.lines_), len(display.threshold_lines_)
    (3, 2)
    """

    thresholds: NDArray
    classes: Sequence[Any]
    latent: NDArray | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, ax: Any = None) -> Self:
        """Draw the thresholds of a fitted ordinal model.

        Parameters
        ----------
        estimator : OrdinalPULasso or OrdinalPULassoCV
        X : array-like or sparse matrix of shape (n_samples, n_features), optional
            Rows to show below the curves.
        ax : matplotlib Axes, optional
        """
        core = model_of(estimator)
        if not is_ordered(core):
            problem = f"{type(core).__name__} has no thresholds; only ordinal models do."
            raise InputError(problem, parameter="estimator")
        check_in_memory(X, "a histogram")
        latent = None if X is None else np.ravel(check_features(core, X, reset=False) @ core.coef_)
        return cls(core.thresholds_, core.classes_, latent).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given matplotlib Axes, or in a new figure."""
        ax = new_axes(ax, (7.2, 3.8))
        from matplotlib import colormaps

        u = self._scale()
        below = expit(self.thresholds - u[:, None])  # P(y < j), j = 1..K
        proba = np.diff(below, prepend=0.0, append=1.0, axis=1)
        shades = colormaps["cividis"](np.linspace(0.0, 0.9, proba.shape[1]))
        self.lines_ = [
            ax.plot(u, proba[:, k], color=shades[k], linestyle=DASHES[k % len(DASHES)], linewidth=1.7)[0]
            for k in range(proba.shape[1])
        ]
        dotted = {"color": INK, "linewidth": 0.9, "linestyle": (0, (1, 1.5))}
        self.threshold_lines_ = [ax.axvline(value, **dotted) for value in self.thresholds]
        ax.set_xlim(u[0], u[-1])
        ax.set_ylim(0.0, 1.0)
        ax.set_xlabel("latent scale, u = x @ coef; dotted: thresholds")
        ax.set_ylabel("probability of the class")
        if self.latent is not None:
            counts, edges = np.histogram(self.latent, bins=40, range=(u[0], u[-1]))
            height, bars = (
                0.25 * counts / max(counts.max(), 1),
                {"color": GREY, "alpha": 0.35, "linewidth": 0},
            )
            ax.bar(edges[:-1], height, np.diff(edges), align="edge", zorder=0, **bars)
        n_hidden = self._name_classes(ax, u)
        return self._finish(
            ax,
            "" if self.latent is None else "bars: where the rows are",
            counted(n_hidden, "class", "{} in narrow intervals not named"),
        )

    def _scale(self) -> NDArray:
        """Return points of the latent scale around all thresholds and nearly all rows."""
        low, high = self.thresholds[0] - REACH, self.thresholds[-1] + REACH
        if self.latent is not None and len(self.latent):
            inner = np.quantile(self.latent, [0.005, 0.995])
            low, high = min(low, inner[0]), max(high, inner[1])
        return np.linspace(low, high, 400)

    def _name_classes(self, ax: Any, u: NDArray) -> int:
        """Write classes over their intervals: across if they fit, else upright; return how many do not fit at all."""
        edges = np.concatenate([[u[0]], self.thresholds, [u[-1]]])
        points = 72.0 * 0.86 * ax.get_figure().get_figwidth() * (np.diff(edges) / (u[-1] - u[0]))
        names = literals(plain(name) for name in self.classes)
        across = all(len(name) * LETTER * SMALL < room for name, room in zip(names, points, strict=True))
        if not across:
            names = literals((plain(name) for name in self.classes), UPRIGHT_LENGTH)
        fits = np.full(len(names), True) if across else points >= 1.3 * SMALL
        style = {"transform": ax.get_xaxis_transform(), "ha": "center", "va": "bottom", "fontsize": SMALL}
        for k in np.flatnonzero(fits):
            rotation = 0 if across or len(names[k]) <= 2 else 90
            ax.text((edges[k] + edges[k + 1]) / 2, 1.02, names[k], rotation=rotation, **style)
        return int(np.count_nonzero(~fits))
