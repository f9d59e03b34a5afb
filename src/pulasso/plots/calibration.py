"""Whether predicted probabilities come true, estimated without negatives."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import plain
from pulasso.data.parameters import as_whole
from pulasso.metrics import CalibrationCurve, pu_calibration_curve
from pulasso.plots.names import literals
from pulasso.plots.reading import PredictionDisplay
from pulasso.plots.style import DASHED, GREY, SMALL, counted, line_style, new_axes

__all__ = ["PUCalibrationDisplay"]

# Room above and below the estimates, which may leave [0, 1].
BEYOND = 0.12
# Bins with less of the population than this are drawn hollow: there is next to nothing in them.
THIN = 0.01


@dataclass(eq=False)
class PUCalibrationDisplay(PredictionDisplay):
    """Estimated frequency of each true class over its predicted probability, with 95 % intervals.

    On the diagonal probabilities come true. Hollow marks are bins with less than 1 % of the population.

    Parameters
    ----------
    curve : CalibrationCurve
        Of :func:`pulasso.metrics.pu_calibration_curve`.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    containers_ : list of ErrorbarContainer
        One for each class that is shown.
    line_ : Line2D
        The diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.plots import PUCalibrationDisplay
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> z = ((rng.random(2000) < p) & (rng.random(2000) < 0.5)).astype(int)
    >>> display = PUCalibrationDisplay.from_predictions(
    ...     z, np.column_stack([1 - p, p]), scenario="single-training-set", label_frequency=0.5
    ... )
    >>> len(display.containers_)
    2
    """

    _predict = "predict_proba"

    curve: CalibrationCurve

    @classmethod
    def from_predictions(
        cls,
        z: ArrayLike,
        y_proba: ArrayLike,
        *,
        n_bins: int = 5,
        strategy: str = "uniform",
        sample_weight: ArrayLike | None = None,
        max_classes: int = 6,
        ax: Any = None,
        **label_settings: Any,
    ) -> Self:
        """Draw the calibration of predicted probabilities.

        Parameters
        ----------
        z : array-like of shape (n_samples,)
            Observed labels.
        y_proba : array-like of shape (n_samples, K + 1)
            Probabilities of the true classes, class 0 first.
        n_bins : int, default=5
        strategy : {"uniform", "quantile"}, default="uniform"
        sample_weight : array-like of shape (n_samples,), optional
        max_classes, ax
            As for :meth:`plot`.
        **label_settings
            scenario, prevalence, label_frequency, classes, unlabeled, negative: see :mod:`pulasso.metrics`.
        """
        label_settings |= {"n_bins": n_bins, "strategy": strategy, "sample_weight": sample_weight}
        return cls(pu_calibration_curve(z, y_proba, **label_settings)).plot(ax, max_classes=max_classes)

    def plot(self, ax: Any = None, *, max_classes: int = 6) -> Self:
        """Draw on the given axes, or in a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        max_classes : int, default=6
            The most frequent classes (by prediction) are shown, the rest is counted.
        """
        n_shown = as_whole("max_classes", max_classes)
        ax = new_axes(ax, (5.6, 4.4))
        curve = self.curve
        size = np.nansum(curve.share * np.nan_to_num(curve.predicted), axis=1)
        shown = np.sort(np.argsort(-size, kind="stable")[:n_shown])
        (self.line_,) = ax.plot([0, 1], [0, 1], color=GREY, linewidth=1.0, linestyle=DASHED, zorder=0)
        self.containers_ = [self._draw_class(ax, int(k), i, len(shown)) for i, k in enumerate(shown)]
        ax.set_xlim(-0.03, 1.03)
        n_outside = self._set_limits(ax, shown)
        ax.set_xlabel("predicted probability of the class")
        ax.set_ylabel("estimated true frequency")
        ax.legend(
            [*self.containers_, self.line_],
            [*literals(plain(curve.classes[k]) for k in shown), "if calibrated"],
            fontsize=SMALL,
            loc="center left",
            bbox_to_anchor=(1.01, 0.5),
            frameon=False,
        )
        return self._finish(
            ax,
            counted(len(curve.classes) - len(shown), "rarer class", "{} not shown"),
            counted(n_outside, "thin bin", "{} outside of the picture"),
        )

    def _set_limits(self, ax: Any, shown: NDArray) -> int:
        """Show every estimate that rests on some rows; return how many others are outside."""
        share, frequency = self.curve.share[shown], self.curve.frequency[shown]
        there = np.isfinite(frequency)
        solid = frequency[there & (share >= THIN)]
        low, high = solid.min(initial=0.0) - BEYOND, solid.max(initial=1.0) + BEYOND
        ax.set_ylim(low, high)
        return int(np.count_nonzero(there & ((frequency < low) | (frequency > high))))

    def _draw_class(self, ax: Any, k: int, i: int, n_shown: int) -> Any:
        """Draw one class, a little beside the others so that error bars stay apart; lines leave out thin bins."""
        predicted, frequency = self.curve.predicted[k], self.curve.frequency[k]
        at = predicted + 0.008 * (i - (n_shown - 1) / 2)
        error = 1.96 * self.curve.standard_error[k]
        filled, thin = np.isfinite(predicted), self.curve.share[k] < THIN
        style = line_style(i, marks=True) | {"markersize": 5, "elinewidth": 0.9, "capsize": 2}
        hollow, solid = filled & thin, filled & ~thin
        empty = {"linestyle": "", "markerfacecolor": "white"}
        ax.errorbar(at[hollow], frequency[hollow], error[hollow], **style | empty)
        return ax.errorbar(at[solid], frequency[solid], error[solid], linewidth=1.2, **style)
