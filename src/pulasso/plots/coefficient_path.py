"""Coefficients along a path of lams."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import arg, listed, plain
from pulasso.data.inputs import check_number
from pulasso.data.parameters import as_whole, check_choice, check_kind, position_in, shown
from pulasso.estimators import PathResult
from pulasso.exceptions import InputError
from pulasso.plots.names import literal
from pulasso.plots.reading import core_of, feature_names, is_ordered, path_of, scaled_path
from pulasso.plots.style import (
    DOTTED,
    GREY,
    INK,
    Display,
    count_axis,
    counted,
    draw_lines,
    label_ends,
    new_axes,
    only_largest,
)

__all__ = ["CoefficientPathDisplay"]


@dataclass(eq=False)
class CoefficientPathDisplay(Display):
    """Lines of groups or coefficients over lam: what enters when, and how strongly.

    Make it by :meth:`from_path` or :meth:`from_estimator`.

    Parameters
    ----------
    lams : array of shape (n_lams,)
        Decreasing.
    values : array of shape (n_lams, n_lines)
        Norms of groups, or coefficients per standard deviation of the feature.
    names : sequence of str, length n_lines
    n_active : array of shape (n_lams,)
        Number of selected groups, written along the top.
    value_name : str
        What the values are.
    lam : float, optional
        The chosen lam, shown as a vertical line.
    line_name : str, default="group"
        What a line is.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    lines_ : list of Line2D
        Those that are labelled, the largest first.
    other_lines_ : list of Line2D
        The others that are not zero everywhere.
    chosen_line_ : Line2D or None

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import fit_path
    >>> from pulasso.plots import CoefficientPathDisplay
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = (X[:, 0] + rng.logistic(size=200) > 0).astype(int)
    >>> path = fit_path(X, y, scenario="fully-observed", n_lams=10)
    >>> display = CoefficientPathDisplay.from_path(path)
    >>> len(display.lines_)
    4
    """

    lams: NDArray
    values: NDArray
    names: Sequence[str]
    n_active: NDArray
    value_name: str
    lam: float | None = None
    line_name: str = "group"

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw the path of a MultinomialPULassoCV or OrdinalPULassoCV, or of a pipeline or search that ends in one.

        Options are those of :meth:`from_path`.
        """
        return cls.from_path(path_of(estimator), lam=core_of(estimator).lam_, **options)

    @classmethod
    def from_path(
        cls, path: Any, *, lam: float | None = None, by: str = "group", output: Any = None, **options: Any
    ) -> Self:
        """Draw a path.

        Parameters
        ----------
        path : PathResult
            From ``fit_path``.
        lam : float, optional
            The chosen lam.
        by : {"group", "coefficient"}, default="group"
            One line for the norm of each group, or one for each feature.
        output : class label, optional
            With ``by="coefficient"``, the class whose coefficients are drawn; needed if there are several.
        **options
            `ax` and `max_labels`, as for :meth:`plot`.
        """
        check_choice("by", by, ("group", "coefficient"))
        check_kind("path", path, PathResult, "It comes from pulasso.fit_path.")
        if lam is not None:
            check_number("lam", lam, least=0.0)
        n_active, lams, model = np.asarray(path.n_active), np.asarray(path.lams), path.model(0)
        if by == "group":
            what = "norm of the group, penalised scale"
            display = cls(lams, path.group_norms, list(model.groups_.names), n_active, what, lam)
        else:
            k, what = _which_output(model, output)
            values = scaled_path(path)[:, k, :]
            display = cls(lams, values, feature_names(model), n_active, what, lam, "coefficient")
        return display.plot(**options)

    def plot(self, ax: Any = None, *, max_labels: int = 10) -> Self:
        """Draw on the given axes, or in a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        max_labels : int, default=10
            Lines that are coloured and named, the largest; the rest is grey and counted.
        """
        n_named = as_whole("max_labels", max_labels, least=0)
        ax = new_axes(ax, (7.2, 4.4))
        largest = np.abs(self.values).max(axis=0)
        order = only_largest(largest, len(largest))
        top, rest = np.split(order, [min(n_named, len(order))])
        self.lines_, self.other_lines_ = draw_lines(ax, self.lams, self.values, top, rest)
        ax.axhline(0.0, color=INK, linewidth=0.6, zorder=0)
        ax.set_ylim(*_room(self.values))
        ax.set_ylabel(self.value_name)
        self.chosen_line_, note = None, ""
        if self.lam is not None and self.lam > 0:
            note = f"dotted: the chosen lam, {self.lam:.3g}"
            self.chosen_line_ = ax.axvline(self.lam, color=INK, linestyle=DOTTED, linewidth=1.4, zorder=2)
        count_axis(ax, self.lams, self.n_active, "number of groups selected")
        n_written = label_ends(ax, self.lines_, [self.names[j] for j in top])
        for line in self.lines_[n_written:]:
            line.set(color=GREY, linestyle="-", linewidth=0.6)
        return self._finish(
            ax,
            note,
            counted(len(order) - n_written, f"smaller {self.line_name}", "grey: {}, not named"),
            counted(len(self.names) - len(order), self.line_name, "{} never selected"),
            "" if len(order) else "nothing is selected anywhere on this path",
        )


def _room(values: NDArray) -> tuple[float, float]:
    """Return limits with a little room around all values."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    room = 0.05 * (high - low) or 1.0
    return (low - room if low < 0 else -0.3 * room), high + room


def _which_output(model: Any, output: Any) -> tuple[int, str]:
    """Return the position of the class whose coefficients are wanted, and words for the axis."""
    per_unit = "per standard deviation"
    if is_ordered(model):
        return 0, f"coefficient {per_unit}"
    names = [plain(name) for name in model.classes_[1:]]
    if output is None and len(names) > 1:
        problem = (
            f"{arg('by', repr('coefficient'))} draws one class: give {arg('output')}, one of {listed(names)}."
        )
        raise InputError(problem, parameter="output")
    k = 0 if output is None else position_in(output, names)
    if k is None:
        problem = f"{arg('output', shown(output))} is no positive class; they are {listed(names)}."
        raise InputError(problem, parameter="output")
    return k, f"log odds of {literal(names[k], 20)}\n{per_unit}"
