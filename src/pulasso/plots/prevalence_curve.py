"""What an estimate of the prevalence or the label frequency was read off."""

from dataclasses import dataclass
from typing import Any

from pulasso.plots.names import literals
from pulasso.plots.style import DASHES, GREY, MARKERS, PALETTE, new_axes, note_below, plural

__all__ = ["PrevalenceDisplay"]

# Curves of statistics show so much on either side of the limit that ends the interval.
BEYOND_LIMIT, ABOVE = 6.0, 0.3
MARKS = 12
# Bands of more classes than this hide each other; the legend has the intervals.
FEW = 2


@dataclass(eq=False)
class PrevalenceDisplay:
    """The curve behind an estimate, one line for each class, with the estimate and its interval.

    Parameters
    ----------
    estimate : PrevalenceEstimate
        Of ``pulasso.prevalence``.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    lines_ : list of Line2D
        One for each class that is drawn.
    """

    estimate: Any

    @classmethod
    def from_estimate(cls, estimate: Any, *, ax: Any = None, max_classes: int = 7) -> "PrevalenceDisplay":
        """Draw an estimate.

        Parameters
        ----------
        estimate : PrevalenceEstimate
        ax : matplotlib Axes, optional
        max_classes : int, default=7
        """
        return cls(estimate).plot(ax=ax, max_classes=max_classes)

    def plot(self, ax: Any = None, *, max_classes: int = 7) -> "PrevalenceDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            A new figure by default.
        max_classes : int, default=7
            The first classes are drawn, the rest is counted.

        Returns
        -------
        self
        """
        ax = new_axes(ax, (6.8, 4.2))
        estimate = self.estimate
        curves = list(estimate.curves.items())
        names = literals(name for name, _ in curves[:max_classes])
        self.lines_, labels = [], []
        for i, (_, curve) in enumerate(curves[:max_classes]):
            number, low, high = estimate.numbers[i], estimate.lower[i], estimate.upper[i]
            (line,) = ax.plot(
                curve.positions,
                curve.heights,
                color=PALETTE[i % len(PALETTE)],
                linestyle=DASHES[i % len(DASHES)],
                marker=MARKERS[i % len(MARKERS)],
                markersize=4,
                markevery=max(1, len(curve.positions) // MARKS),
                linewidth=1.4,
            )
            by_position = curve.number_is == "position"
            mark, band = (ax.axvline, ax.axvspan) if by_position else (ax.axhline, ax.axhspan)
            mark(number, color=line.get_color(), linestyle=line.get_linestyle(), linewidth=1.0)
            if len(names) <= FEW:
                band(low, high, color=line.get_color(), alpha=0.1, linewidth=0)
            labels.append(f"{names[i]}: {number:.3f} ({low:.3f} to {high:.3f})")
            self.lines_.append(line)
        curve = curves[0][1]
        if curve.limit is not None:
            ax.axhline(curve.limit, color=GREY, linewidth=0.9, linestyle=(0, (4, 3)))
            ax.set_ylim(BEYOND_LIMIT * curve.limit, -ABOVE * curve.limit)  # the maximum on top
        ax.set(xlabel=curve.position_label, ylabel=curve.height_label)
        ax.set_title(f"{estimate.parameter.replace('_', ' ')} by {estimate.method}", fontsize=10)
        ax.legend(self.lines_, labels, title="class", fontsize=8, framealpha=0.85)
        left_out = len(curves) - len(self.lines_)
        note_below(ax, f"{plural(left_out, 'more class')} not drawn" if left_out else "")
        self.ax_, self.figure_ = ax, ax.get_figure()
        return self
