"""How a solver came to its answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pulasso.plots.names import literal
from pulasso.plots.reading import core_of
from pulasso.plots.style import DASHES, GREY, MARKERS, PALETTE, new_axes, note_below

__all__ = ["ConvergenceDisplay"]

# Differences of objectives below this, relative to the objective, are rounding.
ROUNDING = 1e-16


@dataclass(eq=False)
class ConvergenceDisplay:
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
    def from_estimator(
        cls, estimator: Any, *, show: str = "kkt", against: str = "iterations", ax: Any = None
    ) -> "ConvergenceDisplay":
        """Draw the last solve of a fitted model.

        Parameters
        ----------
        estimator : fitted estimator of this package, or a pipeline or search that ends in one
        show, against, ax
            As for :meth:`plot`.
        """
        core = core_of(estimator)
        display = cls({core.solver: core.history_}, core.tol)
        return display.plot(ax=ax, show=show, against=against)

    @classmethod
    def from_estimators(
        cls, estimators: Mapping[str, Any], *, show: str = "kkt", against: str = "iterations", ax: Any = None
    ) -> "ConvergenceDisplay":
        """Draw several fits of the same problem, for example by different solvers.

        Parameters
        ----------
        estimators : mapping of str to fitted estimator
        show, against, ax
            As for :meth:`plot`.
        """
        cores = {str(name): core_of(each) for name, each in estimators.items()}
        tols = {core.tol for core in cores.values()}
        histories = {name: core.history_ for name, core in cores.items()}
        display = cls(histories, tols.pop() if len(tols) == 1 else None)
        return display.plot(ax=ax, show=show, against=against)

    def plot(self, ax: Any = None, *, show: str = "kkt", against: str = "iterations") -> "ConvergenceDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            A new figure by default.
        show : {"kkt", "objective"}, default="kkt"
            The certificate, or how far the objective is above the best one that any of the solves reached.
        against : {"iterations", "seconds"}, default="iterations"

        Returns
        -------
        self
        """
        if show not in ("kkt", "objective"):
            raise ValueError(f"show={show!r} is unknown; use 'kkt' or 'objective'.")
        if against not in ("iterations", "seconds"):
            raise ValueError(f"against={against!r} is unknown; use 'iterations' or 'seconds'.")
        ax = new_axes(ax, (6.2, 3.8))
        best = min(record.objective for history in self.histories.values() for record in history)
        self.lines_ = []
        for i, (name, history) in enumerate(self.histories.items()):
            x = np.array([record.n_iter if against == "iterations" else record.seconds for record in history])
            y = np.array([record.kkt if show == "kkt" else record.objective - best for record in history])
            seen = np.isfinite(y) & (y > ROUNDING * max(1.0, abs(best)))
            self.lines_ += ax.plot(
                x[seen],
                y[seen],
                color=PALETTE[i % len(PALETTE)],
                linestyle=DASHES[i % len(DASHES)],
                marker=MARKERS[i % len(MARKERS)],
                markersize=4,
                markevery=max(1, int(seen.sum()) // 15),
                linewidth=1.4,
                label=literal(name),
            )
        if any(len(line.get_xdata()) for line in self.lines_):
            ax.set_yscale("log")
        if against == "iterations":
            ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel("iterations at the last lam" if against == "iterations" else "seconds at the last lam")
        ax.set_ylabel("KKT violation, relative to lam_max" if show == "kkt" else "objective above the best")
        if show == "kkt" and self.tol is not None:
            line = ax.axhline(self.tol, color=GREY, linestyle=(0, (4, 3)), linewidth=1.0)
            line.set_label(f"tol = {self.tol:g}")
        if show == "objective":
            note_below(ax, "the best point itself is not on a log scale")
        if ax.get_legend_handles_labels()[0]:
            ax.legend(fontsize=8, frameon=False)
        self.ax_, self.figure_ = ax, ax.get_figure()
        return self
