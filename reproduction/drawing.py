"""What all figures share: looks that differ in colour and in grey print, panels, error bars, legends."""

from collections.abc import Mapping
from itertools import cycle
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulasso.plots.style import DASHES, GREY, MARKERS, PALETTE

__all__ = ["GREY", "LOOKS", "PALETTE", "band", "legend_below", "panels"]

# One for each method or line of a figure: colour, marker and dash all differ.
LOOKS: tuple[dict[str, Any], ...] = tuple(
    {"color": color, "marker": marker, "linestyle": dash}
    for color, marker, dash in zip(PALETTE, MARKERS, cycle(DASHES), strict=False)
)
PANEL_WIDTH, PANEL_HEIGHT = 4.4, 3.4  # inches
# A figure that is wider is shrunk on the page, and its letters with it.
FIGURE_WIDTH = 9.6
LINE_WIDTH, LETTER_WIDTH = 0.75, 0.078  # of what a legend shows before a label, and of its letters


def panels(n_columns: int, n_rows: int = 1, **kwargs: Any) -> tuple[Figure, list[Axes]]:
    """Return an empty figure and its panels, row by row; no global state of matplotlib is touched."""
    size = (min(PANEL_WIDTH * n_columns, FIGURE_WIDTH), PANEL_HEIGHT * n_rows)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False, **kwargs).ravel().tolist()
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(True, color="#eeeeee", linewidth=0.8)
        ax.set_axisbelow(True)
    return figure, axes


def band(ax: Axes, x: Any, mean: Any, se: Any, look: Mapping[str, Any], **kwargs: Any) -> None:
    """Draw means with bars of two standard errors."""
    style = {"markersize": 4, "capsize": 2.5, "linewidth": 1.4, **look, **kwargs}
    ax.errorbar(x, mean, yerr=2 * se, **style)


def legend_below(figure: Figure, names: tuple[str, ...] = ()) -> None:
    """Put one legend for all panels below them, where nobody takes it for data; `names` come first."""
    handles: dict[str, Any] = {}
    for ax in figure.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    ordered = {name: handles[name] for name in (*names, *handles) if name in handles}
    look: dict[str, Any] = {"loc": "outside lower center", "frameon": False, "fontsize": 9, "handlelength": 3}
    width = LINE_WIDTH + LETTER_WIDTH * max(map(len, ordered))
    n_columns = min(len(ordered), max(1, int(figure.get_figwidth() / width)))
    figure.legend(ordered.values(), ordered.keys(), ncols=n_columns, **look)
