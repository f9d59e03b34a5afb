"""The path as a picture with a slider: drawn here, moved by the script of the page."""

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.plots import CoefficientPathDisplay
from pulasso.plots.reading import feature_names, output_names, scaled_path
from pulasso.plots.style import DOTTED, INK, only_largest
from pulasso.report.blocks import Figure, PathChart, Table, coef_cells, number
from pulasso.report.figures import draw_svg

__all__ = ["make_path_chart"]

# What is drawn and what the slider can show; a page should not weigh megabytes.
LINES, COLORED, FEATURES, LAMS, ROWS = 60, 7, 100, 60, 25


def make_path_chart(path: Any, lam: float) -> PathChart:
    """Return the chart of a path with more than one lam; the slider starts at the chosen one."""
    n_lams = len(path.lams)
    stops = np.unique(np.linspace(0, n_lams - 1, min(n_lams, LAMS)).round().astype(np.intp))
    lams = np.asarray(path.lams)[stops]
    at = int(np.argmin(np.abs(lams - lam)))
    model, names = path.model(0), feature_names(path.model(0))
    coefs = np.moveaxis(scaled_path(path)[stops], 1, 2)  # lams, features, outputs
    strength = np.linalg.norm(coefs, axis=2)
    n_ever = np.count_nonzero(strength.max(axis=0))
    shown = only_largest(strength.max(axis=0), FEATURES)
    hint = "Point at a line to see its name."
    if len(lams) < n_lams:
        hint += f" The slider stops at {len(lams)} of {n_lams} penalties."
    if n_ever > len(shown):
        hint += f" The table below the slider knows the {len(shown)} strongest of {n_ever:,} features."
    svg, x = _draw(path, stops, at)
    data = {
        "lams": _short(lams, 4),
        "selected": np.count_nonzero(strength, axis=1).tolist(),
        "features": [names[j] for j in shown],
        "coefs": [[_short(row) for row in rows] for rows in coefs[:, shown]],
        "rows": ROWS,
        "x": x.round(1).tolist(),
    }
    table = _table(coefs[at], names, output_names(model))
    return PathChart(Figure(lambda: svg, _caption(path), hint), table, number(lams[at]), at, data)


def _short(values: NDArray, digits: int = 3) -> list[float]:
    return [float(f"{value:.{digits}g}") if value else 0 for value in values.tolist()]


def _caption(path: Any) -> str:
    words = (
        "Every line is one group of coefficients; the weaker the penalty (to the right), the more of them are "
        "selected."
    )
    n_lines = int(np.count_nonzero(np.asarray(path.group_norms).max(axis=0)))
    return words + (
        f" Of {n_lines:,} groups that are ever selected the {LINES} largest are drawn."
        if n_lines > LINES
        else ""
    )


def _table(coefs: NDArray, names: list[str], columns: list[str]) -> Table:
    strength = np.linalg.norm(coefs, axis=1)
    top = only_largest(strength, ROWS)
    more = np.count_nonzero(strength) - len(top)
    return Table(
        "Features selected at this penalty, log odds per standard deviation",
        ["feature", *columns],
        [[names[j], *coef_cells(coefs[j])] for j in top],
        f"and {more:,} weaker ones" if more else "",
    )


def _draw(path: Any, stops: NDArray, at: int) -> tuple[str, NDArray]:
    """Return the picture, whose lines and mark a script can find, and the places of all lams in it."""
    norms, lams = np.asarray(path.group_norms)[stops], np.asarray(path.lams, dtype=float)[stops]
    lams = np.where(lams > 0, lams, lams[lams > 0].min(initial=1.0))  # a log scale has no place for zero
    order = only_largest(norms.max(axis=0), LINES)
    names = [path.model(0).groups_.names[j] for j in order]

    def make(ax: Any) -> CoefficientPathDisplay:
        what, n_active = "norm of the group, penalised scale", np.asarray(path.n_active)[stops]
        display = CoefficientPathDisplay(lams, norms[:, order], names, n_active, what)
        display.plot(ax, max_labels=COLORED)
        display.ax_.axvline(lams[at], color=INK, linestyle=DOTTED, linewidth=1.4, gid="mark")
        for i, line in enumerate([*display.lines_, *display.other_lines_]):
            line.set_gid(f"line-{i}")
        return display

    alt = f"Norms of {len(order)} groups over lam from {number(lams[0])} to {number(lams[-1])}"
    svg, display = draw_svg("path", alt, make)
    for i, name in enumerate(names):  # pointing at a line works without a script, too
        start = f'<g id="path-line-{i}">'
        svg = svg.replace(start, f"{start}<title>{escape(name)}</title>")
    points = display.ax_.transData.transform(np.column_stack([lams, np.zeros(len(lams))]))
    return svg, points[:, 0] * 72.0 / display.figure_.dpi
