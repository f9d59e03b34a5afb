"""How a solver came to its answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from pulasso.data.parameters import check_choice, check_kind
from pulasso.exceptions import InputError
from pulasso.plots.names import literal
from pulasso.plots.reading import model_of
from pulasso.plots.style import DASHED, GREY, SMALL, Display, line_style, new_axes

__all__ = ["ConvergenceDisplay"]

# Differences of objectives below this, relative to the objective, are rounding.
ROUNDING = 1e-16
MARKS = 15
SHOWN = {"kkt": "KKT violation, relative to lam_max", "objective": "objective above the best"}
AGAINST = {"iterations": "n_iter", "seconds": "seconds"}


@dataclass(eq=False)
class ConvergenceDisplay(Display):
    """Certificate or objective of one or several solves, against iterations or seconds.

    Parameters
    ----------
    histories : mapping of str to sequence of Record
        Name of each solve, and its ``history_``.
    tol : float, optional
        The tolerance of the certificate, shown as a line.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    lines_ : list of Line2D

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import MultinomialPULasso
    >>> from pulasso.plots import ConvergenceDisplay
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> y = (X[:, 0] + rng.logistic(size=200) > 0).astype(int)
    >>> model = MultinomialPULasso(lam=0.01, scenario="fully-observed").fit(X, y)
    >>> display = ConvergenceDisplay.from_estimator(model)
    >>> len(display.lines_)
    1
    """

    histories: Mapping[str, Sequence[Any]]
    tol: float | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw the last solve of a fitted estimator, or of a pipeline or search that ends in one.

        Options are those of :meth:`plot`.
        """
        return cls.from_estimators({model_of(estimator).solver: estimator}, **options)

    @classmethod
    def from_estimators(cls, estimators: Mapping[str, Any], **options: Any) -> Self:
        """Draw several fits of the same problem by their names, for example by different solvers.

        Options are those of :meth:`plot`.
        """
        check_kind("estimators", estimators, Mapping, "Give fitted estimators by name: {'em': model}.")
        if not estimators:
            raise InputError("There is no fit to draw.", parameter="estimators")
        cores = {str(name): model_of(each) for name, each in estimators.items()}
        tols = {core.tol for core in cores.values()}
        histories = {name: core.history_ for name, core in cores.items()}
        return cls(histories, tols.pop() if len(tols) == 1 else None).plot(**options)

    def plot(self, ax: Any = None, *, show: str = "kkt", against: str = "iterations") -> Self:
        """Draw on the given axes, or in a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        show : {"kkt", "objective"}, default="kkt"
            The certificate, or how far the objective is above the best one that any of the solves reached.
        against : {"iterations", "seconds"}, default="iterations"
        """
        check_choice("show", show, SHOWN)
        check_choice("against", against, AGAINST)
        ax = new_axes(ax, (6.2, 3.8))
        best = min(record.objective for history in self.histories.values() for record in history)
        self.lines_ = []
        for i, (name, history) in enumerate(self.histories.items()):
            x = np.array([getattr(record, AGAINST[against]) for record in history])
            y = np.array([record.kkt if show == "kkt" else record.objective - best for record in history])
            seen = np.isfinite(y) & (y > ROUNDING * max(1.0, abs(best)))
            style = line_style(i, marks=True) | {"markevery": max(1, int(seen.sum()) // MARKS)}
            self.lines_ += ax.plot(x[seen], y[seen], linewidth=1.4, label=literal(name), **style)
        if any(len(line.get_xdata()) for line in self.lines_):
            ax.set_yscale("log")
        if against == "iterations":
            ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel(f"{against} at the last lam")
        ax.set_ylabel(SHOWN[show])
        if show == "kkt" and self.tol is not None:
            ax.axhline(self.tol, color=GREY, linestyle=DASHED, linewidth=1.0, label=f"tol = {self.tol:g}")
        if ax.get_legend_handles_labels()[0]:
            ax.legend(fontsize=SMALL, frameon=False)
        return self._finish(ax, "the best point itself is not on a log scale" if show == "objective" else "")
