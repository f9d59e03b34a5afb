"""Whether predicted probabilities come true, estimated without negatives."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import plain
from pulasso.metrics import CalibrationCurve, pu_calibration_curve
from pulasso.plots.names import literals
from pulasso.plots.reading import labelling_of
from pulasso.plots.style import DASHES, GREY, MARKERS, PALETTE, new_axes, note_below, plural

__all__ = ["PUCalibrationDisplay"]

# Room above and below the estimates, which may leave [0, 1].
BEYOND = 0.12
# Bins with less of the population than this are drawn hollow: there is next to nothing in them.
THIN = 0.01


@dataclass(eq=False)
class PUCalibrationDisplay:
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

    curve: CalibrationCurve

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        z: ArrayLike,
        *,
        n_bins: int = 5,
        strategy: str = "uniform",
        sample_weight: ArrayLike | None = None,
        ax: Any = None,
        **label_model: Any,
    ) -> "PUCalibrationDisplay":
        """Draw the calibration of a fitted classifier; better on rows that were not used in the fit.

        Parameters
        ----------
        estimator : classifier, pipeline or search
            Scenario, classes and marker come from it if it is one of this package's.
        X : array-like of shape (n_samples, n_features)
        z : array-like of shape (n_samples,)
            Observed labels.
        n_bins : int, default=5
        strategy : {"uniform", "quantile"}, default="uniform"
        sample_weight : array-like of shape (n_samples,), optional
        ax : matplotlib Axes, optional
        **labelling
            scenario, prevalence, label_frequency, classes, unlabeled, negative: see :mod:`pulasso.metrics`.
        """
        return cls.from_predictions(
            z,
            estimator.predict_proba(X),
            n_bins=n_bins,
            strategy=strategy,
            sample_weight=sample_weight,
            ax=ax,
            **labelling_of(estimator, label_model),
        )

    @classmethod
    def from_predictions(
        cls,
        z: ArrayLike,
        y_proba: ArrayLike,
        *,
        n_bins: int = 5,
        strategy: str = "uniform",
        sample_weight: ArrayLike | None = None,
        ax: Any = None,
        **label_model: Any,
    ) -> "PUCalibrationDisplay":
        """Draw the calibration of predicted probabilities.

        Parameters
        ----------
        z : array-like of shape (n_samples,)
            Observed labels.
        y_proba : array-like of shape (n_samples, K + 1)
            Probabilities of the true classes, class 0 first.
        n_bins, strategy, sample_weight, ax, **labelling
            As for :meth:`from_estimator`.
        """
        curve = pu_calibration_curve(
            z, y_proba, n_bins=n_bins, strategy=strategy, sample_weight=sample_weight, **label_model
        )
        return cls(curve).plot(ax=ax)

    def plot(self, ax: Any = None, *, max_classes: int = 6) -> "PUCalibrationDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            A new figure by default.
        max_classes : int, default=6
            The most frequent classes (by prediction) are shown, the rest is counted.

        Returns
        -------
        self
        """
        ax = new_axes(ax, (5.6, 4.4))
        curve = self.curve
        size = np.nansum(curve.share * np.nan_to_num(curve.predicted), axis=1)
        shown = np.sort(np.argsort(-size, kind="stable")[:max_classes])
        (self.line_,) = ax.plot([0, 1], [0, 1], color=GREY, linewidth=1.0, linestyle=(0, (4, 3)), zorder=0)
        self.containers_ = [self._draw_class(ax, int(k), i, len(shown)) for i, k in enumerate(shown)]
        ax.set_xlim(-0.03, 1.03)
        n_outside = self._set_limits(ax, shown)
        ax.set_xlabel("predicted probability of the class")
        ax.set_ylabel("estimated true frequency")
        names = literals(plain(curve.classes[k]) for k in shown)
        ax.legend(
            [*self.containers_, self.line_],
            [*names, "if calibrated"],
            fontsize=8,
            loc="center left",
            bbox_to_anchor=(1.01, 0.5),
            frameon=False,
        )
        left_out = len(curve.classes) - len(shown)
        notes = [f"{plural(left_out, 'rarer class')} not shown"] if left_out else []
        notes += [f"{plural(n_outside, 'thin bin')} outside of the picture"] if n_outside else []
        note_below(ax, "; ".join(notes))
        self.ax_, self.figure_ = ax, ax.get_figure()
        return self

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
        curve = self.curve
        filled, thin = np.isfinite(curve.predicted[k]), curve.share[k] < THIN
        at = curve.predicted[k] + 0.008 * (i - (n_shown - 1) / 2)
        error = 1.96 * curve.standard_error[k]
        style: dict[str, Any] = {
            "color": PALETTE[i % len(PALETTE)],
            "marker": MARKERS[i % len(MARKERS)],
            "markersize": 5,
            "linewidth": 1.2,
            "elinewidth": 0.9,
            "capsize": 2,
        }
        hollow, solid = filled & thin, filled & ~thin
        ax.errorbar(
            at[hollow],
            curve.frequency[k, hollow],
            error[hollow],
            linestyle="",
            markerfacecolor="white",
            **style,
        )
        dashes = DASHES[i % len(DASHES)]
        return ax.errorbar(at[solid], curve.frequency[k, solid], error[solid], linestyle=dashes, **style)
