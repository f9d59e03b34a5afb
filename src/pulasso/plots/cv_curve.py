"""Loss on held-out rows over lam."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg
from pulasso.data.inputs import check_number
from pulasso.data.parameters import as_numbers, check_text
from pulasso.exceptions import InputError
from pulasso.model_selection import LossCurve
from pulasso.plots.reading import core_of
from pulasso.plots.style import (
    GREY,
    INK,
    PALETTE,
    SMALL,
    Display,
    count_axis,
    counted,
    lam_axis,
    new_axes,
)

__all__ = ["CVCurveDisplay"]

# Beyond this many standard errors above the minimum the curve only flattens the part that matters.
TOP_OF_THE_CURVE = 30.0


@dataclass(eq=False)
class CVCurveDisplay(Display):
    """Mean loss on held-out rows, plus and minus one standard error, with the lams that either rule chooses.

    Make it by :meth:`from_estimator` or :meth:`from_cv_results`.

    Parameters
    ----------
    lams : array of shape (n_lams,)
        Decreasing.
    losses : array of shape (n_folds, n_lams)
    mean, se : array of shape (n_lams,)
        Mean of the folds and its standard error.
    lam_min, lam_1se : float
        What either rule chooses.
    lam : float, optional
        The lam that was chosen.
    n_active : array of shape (n_lams,), optional
        Mean number of selected groups, written along the top.
    loss_name : str
        What the losses are.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D
        The mean.
    band_ : PolyCollection
        One standard error around it.
    fold_lines_ : list of Line2D
    choice_lines_ : dict of str to Line2D
        Vertical lines, "min" and "1se".

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.plots import CVCurveDisplay
    >>> losses = np.array([[3.0, 2.1, 2.0, 2.5], [3.2, 2.3, 2.4, 2.9]])
    >>> display = CVCurveDisplay.from_cv_results([4.0, 2.0, 1.0, 0.5], losses)
    >>> display.lam_min, display.lam_1se
    (2.0, 2.0)
    """

    lams: NDArray
    losses: NDArray
    mean: NDArray
    se: NDArray
    lam_min: float
    lam_1se: float
    lam: float | None = None
    n_active: NDArray | None = None
    loss_name: str = "loss on held-out rows"

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw a MultinomialPULassoCV or OrdinalPULassoCV, or a pipeline or search that ends in one."""
        core = core_of(estimator)
        if not hasattr(core, "cv_loss_"):
            name = type(core).__name__
            problem, remedy = f"{name} did not cross-validate.", f"Fit {name}CV to see how lam is chosen."
            raise InputError(problem, parameter="estimator", remedy=remedy)
        default = "mean negative log-likelihood of held-out labels"
        return cls(
            core.lams_,
            core.cv_loss_,
            core.cv_loss_mean_,
            core.cv_loss_se_,
            core.lam_min_,
            core.lam_1se_,
            core.lam_,
            core.cv_n_active_.mean(axis=0),
            default if core.scoring is None else "negated score on held-out rows",
        ).plot(ax)

    @classmethod
    def from_cv_results(
        cls,
        lams: ArrayLike,
        losses: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        lam: float | None = None,
        n_active: ArrayLike | None = None,
        loss_name: str = "loss on held-out rows",
        ax: Any = None,
    ) -> Self:
        """Draw the losses of folds.

        Parameters
        ----------
        lams : array-like of shape (n_lams,)
            Decreasing.
        losses : array-like of shape (n_folds, n_lams)
        weights : array-like of shape (n_folds,), optional
            Weight of the held-out rows; equal by default.
        lam, n_active, loss_name, ax
            See the class.
        """
        grid = as_numbers("lams", lams, ndim=1)
        losses = as_numbers("losses", losses, ndim=2, finite=False)
        if losses.shape[1:] != grid.shape or not losses.size:
            problem = f"{arg('losses')} has the shape {losses.shape}; it must have one column for each lam."
            raise InputError(problem, parameter="losses")
        shares = (
            np.ones(len(losses)) if weights is None else as_numbers("weights", weights, shape=(len(losses),))
        )
        if not (shares >= 0).all() or not shares.any():
            raise InputError(f"{arg('weights')} must not be negative, nor all zero.", parameter="weights")
        if lam is not None:
            check_number("lam", lam, least=0.0)
        check_text("loss_name", loss_name)
        if not np.isfinite(losses).all(axis=0).any():
            raise InputError(
                f"{arg('losses')} has no lam with a finite loss in every fold.", parameter="losses"
            )
        curve = LossCurve(grid, losses, shares)
        lam_min, lam_1se = (float(curve.lams[curve.index(rule)]) for rule in ("min", "1se"))
        active = None if n_active is None else as_numbers("n_active", n_active, shape=grid.shape)
        return cls(curve.lams, losses, curve.mean, curve.se, lam_min, lam_1se, lam, active, loss_name).plot(
            ax
        )

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given matplotlib Axes, or in a new figure."""
        ax = new_axes(ax, (6.8, 4.2))
        folds = np.where(np.isfinite(self.losses), self.losses, np.nan)
        usable = np.isfinite(folds).all(axis=0)
        mean = np.where(usable, self.mean, np.nan)
        se = np.where(usable & np.isfinite(self.se), self.se, 0.0)
        grey = {"color": GREY, "linewidth": 0.6, "alpha": 0.6}
        self.fold_lines_ = [ax.plot(self.lams, fold, **grey)[0] for fold in folds]
        shade = {"color": PALETTE[5], "alpha": 0.35, "linewidth": 0}
        self.band_ = ax.fill_between(self.lams, mean - se, mean + se, **shade)
        (self.line_,) = ax.plot(self.lams, mean, color=PALETTE[0], marker="o", markersize=3, linewidth=1.4)
        lam_axis(ax, self.lams)
        ax.set_ylabel(self.loss_name)
        ax.set_ylim(*_limits(mean, se))
        self._mark(ax)
        if self.n_active is not None:
            count_axis(ax, self.lams, self.n_active, "mean number of groups selected")
        n_lost = np.count_nonzero(~usable)
        return self._finish(ax, counted(n_lost, "lam", "{} without a finite loss in every fold left out"))

    def _mark(self, ax: Any) -> None:
        """Draw the lams of both rules, and say which was chosen."""
        marks = {
            "min": (self.lam_min, "smallest loss", "--"),
            "1se": (self.lam_1se, "largest lam within one standard error", ":"),
        }
        self.choice_lines_, labels = {}, []
        for rule, (lam, words, dash) in marks.items():
            self.choice_lines_[rule] = ax.axvline(lam, color=INK, linestyle=dash, linewidth=1.2, zorder=0)
            chosen = " (chosen)" if self.lam is not None and np.isclose(lam, self.lam, rtol=1e-9) else ""
            labels.append(f"{words}, {lam:.3g}{chosen}")
        ax.legend(
            [self.line_, self.band_, self.fold_lines_[0], *self.choice_lines_.values()],
            ["mean of the folds", "± one standard error", "single folds", *labels],
            fontsize=SMALL,
            framealpha=0.85,
        )


def _limits(mean: NDArray, se: NDArray) -> tuple[float, float]:
    """Return limits that show the valley; a path that ends in huge losses would flatten it."""
    best = int(np.nanargmin(mean))
    low, high = float(np.nanmin(mean - se)), float(np.nanmax(mean + se))
    first = float(mean[np.flatnonzero(np.isfinite(mean))[0]])
    top = max(mean[best] + TOP_OF_THE_CURVE * se[best], first + se[best])
    high = min(high, top) if se[best] > 0 else high
    room = 0.08 * (high - low) or 0.1 * abs(high) or 1.0
    return low - room, high + room
