"""How predicted probabilities change with one feature."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pulasso._messages import arg, did_you_mean, listed, plain
from pulasso.data.inputs import check_number
from pulasso.data.parameters import as_numbers, as_whole, check_in_memory
from pulasso.exceptions import InputError
from pulasso.plots.names import literal
from pulasso.plots.reading import core_of
from pulasso.plots.style import GREY, INK, Display, counted, label_ends, line_style, new_axes

__all__ = ["ResponseCurveDisplay"]

# The curve spans these quantiles of the feature: beyond them there is hardly any row to learn from.
LARGEST = 1e100  # of a number that is drawn, so that spans and means do not overflow
SPAN = (0.01, 0.99)
MARKED = 12
# Where all probabilities are smaller than this the axis ends above the largest, so that curves are told apart.
HALF = 0.5
# Share of the height below probability 0, where the deciles are: curves that run along 0 would hide them.
STRIP = 0.05


@dataclass(eq=False)
class ResponseCurveDisplay(Display):
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
        cls, estimator: Any, X: Any, feature: int | str, *, n_points: int = 101, **options: Any
    ) -> Self:
        """Draw the response curves of one feature.

        Parameters
        ----------
        estimator : fitted classifier, pipeline or search
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            All columns must be numbers.
        feature : int or str
            Position, or name where X is a data frame.
        n_points : int, default=101
        **options
            `ax` and `max_labels`, as for :meth:`plot`.
        """
        check_number("n_points", n_points, least=2, whole=True)
        X = _as_table(X)
        j, name = _find_feature(feature, X)
        values, center = _column_and_center(X, j)
        if max(np.abs(as_numbers("X", values)).max(), np.abs(as_numbers("X", center)).max()) > LARGEST:
            raise InputError(
                f"{arg('X')} holds numbers beyond {LARGEST:g}, too large to draw.", parameter="X"
            )
        low, high = np.quantile(values, SPAN)
        if low == high:
            low, high = values.min(), values.max()
        grid = np.linspace(low, high if high > low else low + 1.0, int(n_points))
        rows = np.tile(center, (len(grid), 1))
        rows[:, j] = grid
        core = core_of(estimator)
        if not hasattr(estimator, "predict_proba"):
            problem = f"{type(estimator).__name__} predicts no probabilities."
            raise InputError(problem, parameter="estimator", remedy="Give a classifier with predict_proba.")
        proba = np.asarray(estimator.predict_proba(_like(X, rows)))
        deciles = np.unique(np.quantile(values, np.arange(0.1, 0.95, 0.1)))
        return cls(grid, proba, core.classes_, name, deciles).plot(**options)

    def plot(self, ax: Any = None, *, max_labels: int = 12) -> Self:
        """Draw on the given axes, or in a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        max_labels : int, default=12
            Classes whose probability changes most are coloured and named.
        """
        n_named = as_whole("max_labels", max_labels, least=0)
        ax = new_axes(ax, (6.2, 3.9))
        n_classes = self.proba.shape[1]
        top = np.argsort(-np.ptp(self.proba, axis=0), kind="stable")[:n_named]
        styles: list[dict[str, Any]] = [{"color": GREY, "linewidth": 0.7}] * n_classes
        every = max(1, len(self.grid) // MARKED)
        for i, k in enumerate(np.sort(top)):
            # Marks of different classes sit at different places.
            marks = {"markevery": ((i * every) // len(top), every)}
            styles[k] = line_style(i, marks=True) | marks | {"linewidth": 1.5}
        self.lines_ = [ax.plot(self.grid, self.proba[:, k], **styles[k])[0] for k in range(n_classes)]
        ax.set_xlim(self.grid[0], self.grid[-1])
        largest = float(self.proba.max())
        height = 1.0 if largest > HALF else 1.1 * largest
        ax.set_ylim(0.0 if self.deciles is None else -STRIP * height, height)
        ax.set_xlabel(literal(self.feature, length=60))
        ax.set_ylabel("probability of the true class")
        if self.deciles is not None:
            inside = self.deciles[(self.deciles >= self.grid[0]) & (self.deciles <= self.grid[-1])]
            ax.vlines(inside, -0.9 * STRIP * height, -0.3 * STRIP * height, color=INK, linewidth=1.0)
        names = [plain(self.classes[k]) for k in top]
        n_written = label_ends(ax, [self.lines_[k] for k in top], names)
        return self._finish(ax, counted(n_classes - n_written, "class", "grey: {} that change less"))


def _as_table(x: Any) -> Any:
    """Return X as something with rows and columns; what is no frame and no sparse matrix is read as numbers."""
    check_in_memory(x, "a response curve")
    is_frame = hasattr(x, "columns") and hasattr(x, "shape")
    table = x if sparse.issparse(x) or is_frame else as_numbers("X", x, ndim=2)
    if 0 in table.shape:
        problem = f"{arg('X')} has the shape {table.shape}: there is nothing to draw."
        raise InputError(problem, parameter="X")
    return table


def _find_feature(feature: int | str, x: Any) -> tuple[int, str]:
    """Return the position and the name of a feature that was given by either."""
    n_features = x.shape[1]
    known = [str(name) for name in x.columns] if hasattr(x, "columns") else None
    names = [f"x{j}" for j in range(n_features)] if known is None else known
    if isinstance(feature, str):
        if known is None:
            problem, remedy = f"{feature!r} is a name, but X has no column names.", "Give a position."
            raise InputError(problem, parameter="feature", remedy=remedy)
        if feature not in names:
            problem = (
                f"{feature!r} is no column of X; they are {listed(names)}.{did_you_mean(feature, names)}"
            )
            raise InputError(problem, parameter="feature")
        return names.index(feature), feature
    check_number("feature", feature, whole=True)
    if not -n_features <= feature < n_features:
        problem = f"{arg('feature', repr(feature))} is out of range: X has {n_features} columns."
        raise InputError(problem, parameter="feature")
    return int(feature) % n_features, names[int(feature)]


def _column_and_center(x: Any, j: int) -> tuple[NDArray, NDArray]:
    """Return the values of one feature, and the means of all."""
    if sparse.issparse(x):
        columns = x.tocsc()
        column = columns[:, [j]].toarray()[:, 0].astype(float)
        return column, np.asarray(columns.mean(axis=0), dtype=float).ravel()
    try:
        dense = np.asarray(x, dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            "Response curves need numbers in every column of X.",
            parameter="X",
            remedy="Encode categories first, and draw the last step of the pipeline on the encoded columns.",
        ) from None
    return dense[:, j], dense.mean(axis=0)


def _like(x: Any, rows: NDArray) -> Any:
    """Return rows in a container of the kind that the model was fitted on, with its column names."""
    if hasattr(x, "iloc"):
        return type(x)(rows, columns=x.columns)
    if hasattr(x, "columns"):
        return type(x)(rows, schema=list(x.columns))
    return rows
