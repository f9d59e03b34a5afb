"""What an estimate of the prevalence or the label frequency was read off."""

from dataclasses import dataclass
from typing import Any, Self

from pulasso.data.parameters import as_whole
from pulasso.plots.names import literals
from pulasso.plots.reading import check_result
from pulasso.plots.style import DASHED, GREY, SMALL, Display, counted, line_style, new_axes

__all__ = ["PrevalenceDisplay"]

# Curves of statistics show so much on either side of the limit that ends the interval.
BEYOND_LIMIT, ABOVE = 6.0, 0.3
MARKS = 12
# Bands of more classes than this hide each other; the legend has the intervals.
FEW = 2


@dataclass(eq=False)
class PrevalenceDisplay(Display):
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
    def from_estimate(cls, estimate: Any, **options: Any) -> Self:
        """Draw a PrevalenceEstimate; options are those of :meth:`plot`."""
        remedy = "It comes from pulasso.prevalence.profile_likelihood, elkan_noto or best_bin."
        check_result("estimate", estimate, ("curves", "numbers"), remedy)
        return cls(estimate).plot(**options)

    def plot(self, ax: Any = None, *, max_classes: int = 7) -> Self:
        """Draw on the given axes, or in a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        max_classes : int, default=7
            The first classes are drawn, the rest is counted.
        """
        n_shown = as_whole("max_classes", max_classes)
        ax = new_axes(ax, (6.8, 4.2))
        estimate, curves = self.estimate, list(self.estimate.curves.values())
        names = literals(list(estimate.curves)[:n_shown])
        self.lines_, labels = [], []
        for i, (name, curve) in enumerate(zip(names, curves, strict=False)):
            number, low, high = estimate.numbers[i], estimate.lower[i], estimate.upper[i]
            style = line_style(i, marks=True) | {"markevery": max(1, len(curve.positions) // MARKS)}
            self.lines_ += ax.plot(curve.positions, curve.heights, linewidth=1.4, **style)
            by_position = curve.number_is == "position"
            mark, band = (ax.axvline, ax.axvspan) if by_position else (ax.axhline, ax.axhspan)
            mark(number, linewidth=1.0, **line_style(i))
            if len(names) <= FEW:
                band(low, high, color=style["color"], alpha=0.1, linewidth=0)
            labels.append(f"{name}: {number:.3f} ({low:.3f} to {high:.3f})")
        curve = curves[0]
        if curve.limit is not None:
            ax.axhline(curve.limit, color=GREY, linewidth=0.9, linestyle=DASHED)
            ax.set_ylim(BEYOND_LIMIT * curve.limit, -ABOVE * curve.limit)  # the maximum on top
        ax.set(xlabel=curve.position_label, ylabel=curve.height_label)
        ax.set_title(f"{estimate.parameter.replace('_', ' ')} by {estimate.method}", fontsize=10)
        ax.legend(self.lines_, labels, title="class", fontsize=SMALL, framealpha=0.85)
        return self._finish(ax, counted(len(curves) - len(names), "more class", "{} not drawn"))
