"""How predicted probabilities change with one feature."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pulasso._messages import listed, plain
from pulasso.data.inputs import check_number
from pulasso.plots.names import literal
from pulasso.plots.reading import core_of
from pulasso.plots.style import (
    DASHES,
    GREY,
    INK,
    MARKERS,
    PALETTE,
    label_ends,
    new_axes,
    note_below,
    plural,
)

__all__ = ["ResponseCurveDisplay"]

# The curve spans these quantiles of the feature: beyond them there is hardly any row to learn from.
SPAN = (0.01, 0.99)
MARKED = 12
# Where all probabilities are smaller than this the axis ends above the largest, so that curves are told apart.
HALF = 0.5
# Share of the height below probability 0, where the deciles are: curves that run along 0 would hide them.
STRIP = 0.05


@dataclass(eq=False)
class ResponseCurveDisplay:
    """Predicted probabilities of the true classes over one feature, every other feature at its mean.

    For linear predictors this is the row in the middle of the data, moved along one axis. Marks at the bottom
    are the deciles of the feature.

    Parameters
    ----------
    grid : array of shape (n_points,)
        Values of the feature.
    proba : array of shape (n_points, n_classes)
        Class 0 first.
    classes : sequence
    feature : str
    deciles : array, optional

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    lines_ : list of Line2D
        One for each class, class 0 first.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import MultinomialPULasso
    >>> from pulasso.plots import ResponseCurveDisplay
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> z = ((X[:, 1] + rng.logistic(size=300) > 0) & (rng.random(300) < 0.6)).astype(int)
    >>> model = MultinomialPULasso(lam=0.02, scenario="single-training-set", label_frequency=0.6).fit(X, z)
    >>> display = ResponseCurveDisplay.from_estimator(model, X, 1)
    >>> len(display.lines_), bool(display.proba[-1, 1] > display.proba[0, 1])
    (2, True)
    """

    grid: NDArray
    proba: NDArray
    classes: Sequence[Any]
    feature: str
    deciles: NDArray | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        feature: int | str,
        *,
        n_points: int = 101,
        ax: Any = None,
        max_labels: int = 12,
    ) -> "ResponseCurveDisplay":
        """Draw the response curves of one feature.

        Parameters
        ----------
        estimator : fitted classifier, pipeline or search
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            All columns must be numbers.
        feature : int or str
            Position, or name where X is a data frame.
        n_points : int, default=101
        ax : matplotlib Axes, optional
        max_labels : int, default=12
        """
        check_number("n_points", n_points, least=2, whole=True)
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        j, name = _find_feature(feature, names, X)
        values, center = _column_and_center(X, j)
        low, high = np.quantile(values, SPAN)
        if low == high:
            low, high = values.min(), values.max()
        grid = np.linspace(low, high if high > low else low + 1.0, int(n_points))
        rows = np.tile(center, (len(grid), 1))
        rows[:, j] = grid
        proba = np.asarray(estimator.predict_proba(_like(X, rows)))
        deciles = np.unique(np.quantile(values, np.arange(0.1, 0.95, 0.1)))
        display = cls(grid, proba, core_of(estimator).classes_, name, deciles)
        return display.plot(ax=ax, max_labels=max_labels)

    def plot(self, ax: Any = None, *, max_labels: int = 12) -> "ResponseCurveDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            A new figure by default.
        max_labels : int, default=12
            Classes whose probability changes most are coloured and named.

        Returns
        -------
        self
        """
        ax = new_axes(ax, (6.2, 3.9))
        change = np.ptp(self.proba, axis=0)
        top = np.argsort(-change, kind="stable")[:max_labels]
        place = {int(k): i for i, k in enumerate(np.sort(top))}
        every = max(1, len(self.grid) // MARKED)
        self.lines_ = []
        for k in range(self.proba.shape[1]):
            style: dict[str, Any] = {"color": GREY, "linewidth": 0.7}
            if k in place:
                i = place[k]
                style = {
                    "color": PALETTE[i % len(PALETTE)],
                    "linestyle": DASHES[i % len(DASHES)],
                    "marker": MARKERS[i % len(MARKERS)],
                    "markersize": 4,
                    # Marks of different classes sit at different places.
                    "markevery": ((i * every) // max(len(place), 1), every),
                    "linewidth": 1.5,
                }
            self.lines_ += ax.plot(self.grid, self.proba[:, k], **style)
        ax.set_xlim(self.grid[0], self.grid[-1])
        largest = float(self.proba.max())
        height = 1.0 if largest > HALF else 1.1 * largest
        ax.set_ylim(0.0 if self.deciles is None else -STRIP * height, height)
        ax.set_xlabel(literal(self.feature, length=60))
        ax.set_ylabel("probability of the true class")
        if self.deciles is not None:
            inside = self.deciles[(self.deciles >= self.grid[0]) & (self.deciles <= self.grid[-1])]
            ax.vlines(inside, -0.9 * STRIP * height, -0.3 * STRIP * height, color=INK, linewidth=1.0)
        colors = [self.lines_[k].get_color() for k in top]
        names = [plain(self.classes[k]) for k in top]
        n_written = label_ends(ax, self.proba[-1, top].tolist(), names, colors)
        left_out = self.proba.shape[1] - n_written
        note_below(ax, f"grey: {plural(left_out, 'class')} that change less" if left_out else "")
        self.ax_, self.figure_ = ax, ax.get_figure()
        return self


def _find_feature(feature: int | str, names: list[str] | None, x: Any) -> tuple[int, str]:
    n_features = x.shape[1] if hasattr(x, "shape") else np.shape(x)[1]
    if isinstance(feature, str):
        if names is None:
            raise ValueError(f"feature={feature!r} is a name, but X has no column names; give a position.")
        if feature not in names:
            raise ValueError(f"feature={feature!r} is no column of X; they are {listed(names)}.")
        return names.index(feature), feature
    if not -n_features <= feature < n_features:
        raise ValueError(f"feature={feature!r} is out of range: X has {n_features} columns.")
    j = int(feature) % n_features
    return j, names[j] if names is not None else f"x{j}"


def _column_and_center(x: Any, j: int) -> tuple[NDArray, NDArray]:
    """Return the values of one feature, and the means of all."""
    if sparse.issparse(x):
        columns = x.tocsc()
        column = columns[:, [j]].toarray()[:, 0]
        center = np.asarray(columns.mean(axis=0), dtype=float).ravel()
    else:
        try:
            dense = np.asarray(x, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(
                "Response curves need numbers in every column of X. Encode categories first, and draw the last "
                "step of the pipeline on the encoded columns."
            ) from None
        column, center = dense[:, j], dense.mean(axis=0)
    return np.asarray(column, dtype=float), center


def _like(x: Any, rows: NDArray) -> Any:
    """Return rows in a container of the kind that the model was fitted on, with its column names."""
    if hasattr(x, "iloc"):
        return type(x)(rows, columns=x.columns)
    if hasattr(x, "columns"):
        return type(x)(rows, schema=list(x.columns))
    return rows
