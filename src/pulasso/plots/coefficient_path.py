"""Coefficients along a path of lams."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import listed, plain
from pulasso.plots.names import literal
from pulasso.plots.reading import core_of, feature_names, output_names, path_of, scaled_path
from pulasso.plots.style import (
    DASHES,
    GREY,
    INK,
    PALETTE,
    count_axis,
    label_ends,
    lam_axis,
    new_axes,
    note_below,
    only_largest,
    plural,
)

__all__ = ["CoefficientPathDisplay"]


@dataclass(eq=False)
class CoefficientPathDisplay:
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
    def from_estimator(
        cls,
        estimator: Any,
        *,
        by: str = "group",
        output: Any = None,
        ax: Any = None,
        max_labels: int = 10,
    ) -> "CoefficientPathDisplay":
        """Draw the path of an estimator that chose its lam by cross-validation.

        Parameters
        ----------
        estimator : MultinomialPULassoCV, OrdinalPULassoCV, or a pipeline or search that ends in one
        by, output, ax, max_labels
            As for :meth:`from_path`.
        """
        path = path_of(estimator)
        lam = core_of(estimator).lam_
        return cls.from_path(path, lam=lam, by=by, output=output, ax=ax, max_labels=max_labels)

    @classmethod
    def from_path(
        cls,
        path: Any,
        *,
        lam: float | None = None,
        by: str = "group",
        output: Any = None,
        ax: Any = None,
        max_labels: int = 10,
    ) -> "CoefficientPathDisplay":
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
        ax : matplotlib Axes, optional
        max_labels : int, default=10
        """
        n_active, lams = np.asarray(path.n_active), np.asarray(path.lams)
        if by == "group":
            names = list(path.model(0).groups_.names)
            what = "norm of the group, penalised scale"
            display = cls(lams, path.group_norms, names, n_active, what, lam)
        elif by == "coefficient":
            k, words = _which_output(path, output)
            names = feature_names(path.model(0))
            values = scaled_path(path)[:, k, :]
            display = cls(lams, values, names, n_active, words, lam, "coefficient")
        else:
            raise ValueError(f"by={by!r} is unknown; use 'group' or 'coefficient'.")
        return display.plot(ax=ax, max_labels=max_labels)

    def plot(self, ax: Any = None, *, max_labels: int = 10) -> "CoefficientPathDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            A new figure by default.
        max_labels : int, default=10
            Lines that are coloured and named, the largest; the rest is grey and counted.

        Returns
        -------
        self
        """
        ax = new_axes(ax, (7.2, 4.4))
        largest = np.abs(self.values).max(axis=0)
        top = only_largest(largest, max_labels)
        rest = only_largest(largest, len(largest))[len(top) :]
        self.other_lines_ = [
            ax.plot(self.lams, self.values[:, j], color=GREY, linewidth=0.6, alpha=0.7, zorder=1)[0]
            for j in rest
        ]
        self.lines_ = [
            ax.plot(
                self.lams,
                self.values[:, j],
                color=PALETTE[i % len(PALETTE)],
                linestyle=DASHES[i % len(DASHES)],
                linewidth=1.6,
                zorder=3,
            )[0]
            for i, j in enumerate(top)
        ]
        ax.axhline(0.0, color=INK, linewidth=0.6, zorder=0)
        lam_axis(ax, self.lams)
        ax.set_ylim(*_room(self.values))
        ax.set_ylabel(self.value_name)
        self.chosen_line_ = None
        if self.lam is not None and self.lam > 0:
            self.chosen_line_ = ax.axvline(
                self.lam, color=INK, linestyle=(0, (1, 1)), linewidth=1.4, zorder=2
            )
        count_axis(ax, self.lams, self.n_active, "number of groups selected")
        self._write_names(ax, top)
        self.ax_, self.figure_ = ax, ax.get_figure()
        return self

    def _write_names(self, ax: Any, top: NDArray) -> None:
        colors = [line.get_color() for line in self.lines_]
        names = [self.names[j] for j in top]
        n_written = label_ends(ax, self.values[-1, top].tolist(), names, colors)
        for line in self.lines_[n_written:]:
            line.set(color=GREY, linestyle="-", linewidth=0.6)
        notes = []
        if self.chosen_line_ is not None:
            notes.append(f"dotted: the chosen lam, {self.lam:.3g}")
        left_out = len(self.other_lines_) + len(self.lines_) - n_written
        if left_out:
            notes.append(f"grey: {plural(left_out, 'smaller ' + self.line_name)}, not named")
        never = len(self.names) - len(self.lines_) - len(self.other_lines_)
        if never:
            notes.append(f"{plural(never, self.line_name)} never selected")
        if not self.lines_:
            notes.append("nothing is selected anywhere on this path")
        note_below(ax, "; ".join(notes))


def _room(values: NDArray) -> tuple[float, float]:
    """Return limits with a little room around all values."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    room = 0.05 * (high - low) or 1.0
    return (low - room if low < 0 else -0.3 * room), high + room


def _which_output(path: Any, output: Any) -> tuple[int, str]:
    """Return the position of the class whose coefficients are wanted, and words for the axis."""
    per_unit = "per standard deviation"
    if path.thresholds is not None:
        return 0, f"coefficient {per_unit}"
    names = [plain(name) for name in path.classes[1:]]
    if output is None and len(names) > 1:
        raise ValueError(f"by='coefficient' needs output=, the class to draw: one of {listed(names)}.")
    if output is not None and plain(output) not in names:
        raise ValueError(f"output={output!r} is no positive class; they are {listed(names)}.")
    k = 0 if output is None else names.index(plain(output))
    return k, f"log odds of {literal(output_names(path.model(0))[k], 20)}\n{per_unit}"
