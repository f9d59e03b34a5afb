"""The class shares that a model was told, beside those that it says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import plain
from pulasso.data.parameters import as_whole
from pulasso.estimators.shares import compared_shares
from pulasso.exceptions import InputError
from pulasso.plots.names import literals
from pulasso.plots.reading import told_model_of
from pulasso.plots.style import INK, PALETTE, SMALL, Display, counted, new_axes

__all__ = ["ClassSharesDisplay", "plot_class_shares"]

# Inches of a class, which has two bars, and how high a bar is in units of it.
CLASS_HEIGHT, BAR = 0.42, 0.36


@dataclass(eq=False)
class ClassSharesDisplay(Display):
    """Two bars for each class: its share by prevalence or label frequency, and the mean prediction of the model.

    A thin line on the bar of what was told says how far chance may lead the model from it; where the other bar ends
    beyond, the model has left the shares that it was told.

    Parameters
    ----------
    told, predicted : array of shape (K + 1,)
        Shares from 0 to 1, class 0 first.
    classes : sequence, length K + 1
    tolerance : array of shape (K + 1,), optional
        How far they may differ by chance.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    told_bars_, predicted_bars_ : BarContainer
    shown_ : array
        Positions of the classes that are shown, from the top.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.plots import ClassSharesDisplay
    >>> display = ClassSharesDisplay(np.array([0.5, 0.3, 0.2]), np.array([0.6, 0.3, 0.1]), ["none", "oak", "fir"])
    >>> display.plot(max_classes=2).shown_
    array([0, 2])
    """

    told: NDArray
    predicted: NDArray
    classes: Sequence[Any]
    tolerance: NDArray | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw a fitted estimator, or a pipeline or search that ends in one; options are those of :meth:`plot`."""
        core = told_model_of(estimator)
        compared = compared_shares(core)
        if compared is None:
            raise InputError(
                f"{type(core).__name__} holds no shares to compare: under {core.scenario_.name} it was told none, or "
                "they leave nothing to class 0.",
                parameter="estimator",
                remedy="Fit one with a prevalence or a label frequency that its labels allow.",
            )
        return cls(*compared, core.classes_, getattr(core, "share_tolerance_", None)).plot(**options)

    def plot(self, ax: Any = None, *, max_classes: int = 20) -> Self:
        """Draw on the given axes, or in a new figure that is as high as the classes need.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        max_classes : int, default=20
            Those that differ most are shown, the rest is counted.
        """
        n_shown, apart = as_whole("max_classes", max_classes), np.abs(self.predicted - self.told)
        self.shown_ = shown = np.sort(np.argsort(-apart, kind="stable")[:n_shown])
        ax = new_axes(ax, (6.0, max(2.2, 1.3 + CLASS_HEIGHT * len(shown))))
        at = np.arange(len(shown))
        # Hatched and plain: told apart in grey print, too.
        style = {"height": BAR, "hatch": "////", "facecolor": "none", "edgecolor": PALETTE[1]}
        self.told_bars_ = ax.barh(at - BAR / 2, self.told[shown], label="told", **style)
        own = {"height": BAR, "color": PALETTE[0], "label": "predicted"}
        self.predicted_bars_ = ax.barh(at + BAR / 2, self.predicted[shown], **own)
        if self.tolerance is not None:
            ends = np.minimum(self.tolerance, self.told)[shown], self.tolerance[shown]  # no share is negative
            line = {"color": INK, "linestyle": "", "elinewidth": 0.9, "capsize": 2}
            ax.errorbar(self.told[shown], at - BAR / 2, xerr=ends, **line)
        ax.set_yticks(at, literals(plain(self.classes[k]) for k in shown), fontsize=SMALL)
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(len(shown) - 0.4, -0.6)
        ax.set_xlim(left=0.0)
        ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g} %")
        ax.set_xlabel("share of the class")
        ax.legend(fontsize=SMALL, frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))
        return self._finish(
            ax,
            "lines: how far chance may lead" if self.tolerance is not None else "",
            counted(len(self.told) - len(shown), "class", "{} not shown: smaller differences"),
        )


def plot_class_shares(model: Any, ax: Any = None) -> ClassSharesDisplay:
    """Draw the shares that a fitted model was told, and those that it says; see :class:`ClassSharesDisplay`.

    Parameters
    ----------
    model : fitted estimator of this package, or a pipeline or search that ends in one
    ax : matplotlib Axes, optional

    Returns
    -------
    ClassSharesDisplay

    Examples
    --------
    >>> from pulasso import MultinomialPULasso
    >>> from pulasso.datasets import simulate_multinomial
    >>> from pulasso.plots import plot_class_shares
    >>> data = simulate_multinomial(400, 8, random_state=0)
    >>> model = MultinomialPULasso(lam=0.05, **data.scenario_params).fit(data.X, data.z)
    >>> len(plot_class_shares(model).told_bars_) == len(model.classes_)
    True
    """
    return ClassSharesDisplay.from_estimator(model, ax=ax)
