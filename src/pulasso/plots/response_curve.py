"""How predicted probabilities change with one feature."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import arg, plain
from pulasso.data.inputs import check_flag, check_number
from pulasso.data.parameters import as_numbers, as_whole
from pulasso.exceptions import InputError
from pulasso.plots._rows import average_over, column_and_center, column_of, find_feature, like, read_table
from pulasso.plots.names import literal, literals
from pulasso.plots.reading import core_of
from pulasso.plots.style import (
    GREY,
    INK,
    SMALL,
    Display,
    counted,
    label_ends,
    line_style,
    new_axes,
    only_largest,
)

__all__ = ["ResponseCurveDisplay"]

# The curve spans these quantiles of the feature: beyond them there is hardly any row to learn from.
LARGEST = 1e100  # of a number that is drawn, so that spans and means do not overflow
SPAN = (0.01, 0.99)
MARKED = 12
POINTS, POINTS_OF_AVERAGES = 101, 41
MOST_CATEGORIES = 20
LETTERS = 60  # of the names of all categories, that stand side by side
# Where all probabilities are smaller than this the axis ends above the largest, so that curves are told apart.
HALF = 0.5
# Share of the height below probability 0, where the deciles are: curves that run along 0 would hide them.
STRIP = 0.05


@dataclass(eq=False)
class ResponseCurveDisplay(Display):
    """Predicted probabilities of the true classes over one feature.

    Of linear predictors every other feature is at its mean: the row in the middle of the data, moved along one axis. Of
    other models, boosted trees for example, it is the mean over rows that keep their other features (partial
    dependence). Marks at the bottom are the deciles of the feature; categories stand side by side.

    Parameters
    ----------
    grid : array of shape (n_points,)
        Values of the feature, numbers or categories.
    proba : array of shape (n_points, n_classes)
        Class 0 first.
    classes : sequence
    feature : str
    deciles : array, optional
    average : bool, default=False
        Whether probabilities are means over rows.
    missing : float, default=0.0
        Share of the rows that lack the feature, and are left out of grid and deciles.

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
    average: bool = False
    missing: float = 0.0

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        feature: int | str,
        *,
        n_points: int | None = None,
        average: bool | None = None,
        **options: Any,
    ) -> Self:
        """Draw the response curves of one feature.

        Parameters
        ----------
        estimator : fitted classifier, pipeline or search
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            All columns must be numbers, unless the curve is averaged.
        feature : int or str
            Position, or name where X is a data frame.
        n_points : int, optional
            By default 101, of averages 41. Categories are all shown, the most frequent 20 of many.
        average : bool, optional
            Whether to average predictions over rows of X in which only this feature is changed (partial dependence),
            rather than to move the row in the middle. By default so for models without coefficients.
        **options
            `ax` and `max_labels`, as for :meth:`plot`.
        """
        core = core_of(estimator)
        if not hasattr(estimator, "predict_proba"):
            problem = f"{type(estimator).__name__} predicts no probabilities."
            raise InputError(problem, parameter="estimator", remedy="Give a classifier with predict_proba.")
        if average is None:
            average = not hasattr(core, "coef_")
        check_flag("average", average)
        if n_points is None:
            n_points = POINTS_OF_AVERAGES if average else POINTS
        check_number("n_points", n_points, least=2, whole=True)
        X = read_table(X, complete=not average)
        j, name = find_feature(feature, X)
        if not average:
            values, center = column_and_center(X, j)
            _refuse_large(values)
            _refuse_large(center)
            grid = _spread(values, int(n_points))
            rows = np.tile(center, (len(grid), 1))
            rows[:, j] = grid
            proba = np.asarray(estimator.predict_proba(like(X, rows)))
            return cls(grid, proba, core.classes_, name, _deciles(values)).plot(**options)
        values, are_categories = column_of(X, j)
        if not len(values):
            raise InputError(f"All values of {name!r} are missing.", parameter="feature")
        if are_categories:
            grid, deciles = _categories(values), None
        else:
            _refuse_large(values)
            grid, deciles = _spread(values, int(n_points)), _deciles(values)
        proba = average_over(estimator.predict_proba, X, j, grid)
        missing = 1.0 - len(values) / X.shape[0]
        return cls(grid, proba, core.classes_, name, deciles, average=True, missing=missing).plot(**options)

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
        are_categories = self.grid.dtype.kind not in "biuf"
        place = np.arange(len(self.grid)) if are_categories else self.grid
        top = np.argsort(-np.ptp(self.proba, axis=0), kind="stable")[:n_named]
        styles = self._styles(top, are_categories)
        self.lines_ = [ax.plot(place, self.proba[:, k], **style)[0] for k, style in enumerate(styles)]
        ax.set_xlim(*((-0.5, len(place) - 0.5) if are_categories else place[[0, -1]]))
        largest = float(self.proba.max())
        height = 1.0 if largest > HALF else 1.1 * largest
        ax.set_ylim(0.0 if self.deciles is None else -STRIP * height, height)
        ax.set_xlabel(literal(self.feature, length=60))
        ax.set_ylabel(f"{'mean ' if self.average else ''}probability of the true class")
        if are_categories:
            self._name_categories(ax)
        if self.deciles is not None:
            inside = self.deciles[(self.deciles >= place[0]) & (self.deciles <= place[-1])]
            ax.vlines(inside, -0.9 * STRIP * height, -0.3 * STRIP * height, color=INK, linewidth=1.0)
        names = [plain(self.classes[k]) for k in top]
        n_written = label_ends(ax, [self.lines_[k] for k in top], names)
        return self._finish(
            ax,
            counted(len(self.classes) - n_written, "class", "grey: {} that change less"),
            f"missing in {100 * self.missing:.2g} % of the rows" if self.missing else "",
        )

    def _styles(self, top: NDArray, are_categories: bool) -> list[dict[str, Any]]:
        """Return how each class is drawn: those named in colours and with marks, the others grey."""
        styles: list[dict[str, Any]] = [{"color": GREY, "linewidth": 0.7}] * self.proba.shape[1]
        every = max(1, len(self.grid) // MARKED)
        for i, k in enumerate(np.sort(top)):
            # Marks of different classes sit at different places, and categories have marks alone.
            marks = {} if are_categories else {"markevery": ((i * every) // len(top), every)}
            styles[k] = line_style(i, marks=True) | marks | {"linewidth": 0.4 if are_categories else 1.5}
        return styles

    def _name_categories(self, ax: Any) -> None:
        names = literals(self.grid)
        crowded = sum(map(len, names)) > LETTERS
        turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
        ax.set_xticks(np.arange(len(names)), names, fontsize=SMALL, **turned)


def _refuse_large(values: NDArray) -> None:
    if np.abs(as_numbers("X", values)).max() > LARGEST:
        raise InputError(f"{arg('X')} holds numbers beyond {LARGEST:g}, too large to draw.", parameter="X")


def _spread(values: NDArray, n_points: int) -> NDArray:
    """Return numbers over the range in which most of the values are."""
    low, high = np.quantile(values, SPAN)
    if low == high:
        low, high = values.min(), values.max()
    return np.linspace(low, high if high > low else low + 1.0, n_points)


def _deciles(values: NDArray) -> NDArray:
    return np.unique(np.quantile(values, np.arange(0.1, 0.95, 0.1)))


def _categories(values: NDArray) -> NDArray:
    """Return the most frequent categories, in the order of their names."""
    names, counts = np.unique(values.astype(str), return_counts=True)
    by_name = {str(each): each for each in values.tolist()}
    shown = np.sort(only_largest(counts, MOST_CATEGORIES))
    return np.array([by_name[name] for name in names[shown]], dtype=object)
