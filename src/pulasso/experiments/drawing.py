"""What all figures share: colours, panels, error bars."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "GREYS", "band", "panels"]

# Okabe and Ito's palette keeps apart for all kinds of colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
GREYS = ("#444444", "#999999", "#CCCCCC")
PANEL_WIDTH, PANEL_HEIGHT = 4.4, 3.4  # inches


def panels(n_columns: int, n_rows: int = 1, **kwargs: Any) -> tuple["Figure", list["Axes"]]:
    """Return an empty figure and its panels, row by row; no global state of matplotlib is touched."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError('Figures need matplotlib: pip install "pulasso[experiments]".') from None
    size = (PANEL_WIDTH * n_columns, PANEL_HEIGHT * n_rows)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False, **kwargs).ravel().tolist()
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(True, color="#eeeeee", linewidth=0.8)
        ax.set_axisbelow(True)
    return figure, axes


def band(ax: "Axes", x: Any, mean: Any, se: Any, colour: str, **kwargs: Any) -> None:
    """Draw means with bars of two standard errors."""
    style = {"marker": "o", "markersize": 4, "capsize": 2.5, "linewidth": 1.4, **kwargs}
    ax.errorbar(x, mean, yerr=2 * se, color=colour, **style)
