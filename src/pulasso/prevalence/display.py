"""Plots of estimated labelling numbers and of sensitivity sweeps, after scikit-learn's Display objects."""

from typing import Any

import numpy as np

from pulasso.prevalence.result import PrevalenceEstimate
from pulasso.prevalence.sweep_result import SensitivitySweep

__all__ = ["PrevalenceDisplay", "SensitivityDisplay"]


def _axes(ax: Any, n_rows: int = 1) -> Any:
    """Return the axes that were given, or new ones."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plot() needs matplotlib; install it with `pip install pulasso[plots]`.") from None
    if ax is not None:
        return ax
    _, axes = plt.subplots(n_rows, 1, sharex=True, layout="constrained", figsize=(6.4, 2.4 + 2.0 * n_rows))
    return axes


class PrevalenceDisplay:
    """The curve behind an estimate, one line for each class, with the estimate and its interval.

    Parameters
    ----------
    estimate : PrevalenceEstimate

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : list of Line2D
        One for each class.
    """

    def __init__(self, estimate: PrevalenceEstimate):
        self.estimate = estimate

    def plot(self, ax: Any = None) -> "PrevalenceDisplay":
        """Draw; new axes unless some are given."""
        ax = _axes(ax)
        estimate = self.estimate
        self.ax_, self.figure_, self.lines_ = ax, ax.figure, []
        curves = list(estimate.curves.items())
        for i, (name, curve) in enumerate(curves):
            number, ends = estimate.numbers[i], (estimate.lower[i], estimate.upper[i])
            label = f"{name}: {number:.3f} ({ends[0]:.3f} to {ends[1]:.3f})"
            (line,) = ax.plot(curve.positions, curve.heights, marker=".", label=label)
            mark, band = (
                (ax.axvline, ax.axvspan) if curve.number_is == "position" else (ax.axhline, ax.axhspan)
            )
            mark(number, color=line.get_color(), linestyle=":")
            band(*ends, color=line.get_color(), alpha=0.1)
            self.lines_.append(line)
        curve = curves[0][1]
        if curve.limit is not None:
            ax.axhline(curve.limit, color="0.5", linewidth=0.8)
            ax.set_ylim(6.0 * curve.limit, -0.3 * curve.limit)  # the maximum on top
        ax.set(xlabel=curve.position_label, ylabel=curve.height_label)
        ax.set_title(f"{estimate.parameter} by {estimate.method}")
        ax.legend(title="class")
        return self


class SensitivityDisplay:
    """What changes with the assumed number: likelihood, selected features, predictions, scores.

    Parameters
    ----------
    sweep : SensitivitySweep

    Attributes
    ----------
    axes_ : array of matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : dict of str to Line2D
    """

    def __init__(self, sweep: SensitivitySweep):
        self.sweep = sweep

    def plot(self, ax: Any = None) -> "SensitivityDisplay":
        """Draw one panel for each column of the sweep; `ax` takes as many axes as there are panels."""
        panels = self.sweep.columns()
        axes = np.atleast_1d(_axes(ax, n_rows=len(panels)))
        if len(axes) != len(panels):
            raise ValueError(
                f"ax holds {len(axes)} axes, but {len(panels)} panels are drawn: {', '.join(panels)}."
            )
        self.axes_, self.figure_, self.lines_ = axes, axes[0].figure, {}
        positions, names = self.sweep.positions()
        for axis, (what, values) in zip(axes, panels.items(), strict=True):
            (self.lines_[what],) = axis.plot(positions, values, marker="o")
            axis.axvline(positions[self.sweep.reference], color="0.5", linestyle=":")
            axis.set_ylabel(what)
        axes[-1].set_xlabel(f"assumed {self.sweep.parameter}")
        if names is not None:
            axes[-1].set_xticks(positions, names, rotation=30, ha="right")
        return self
