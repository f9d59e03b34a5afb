"""The path as a chart with a slider: drawn here, moved by the script of the page."""

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.plots.reading import feature_names, output_names, scaled_path
from pulasso.plots.style import PALETTE, move_apart, only_largest
from pulasso.report.blocks import Figure, PathChart, Table, coef_cells, number

__all__ = ["make_path_chart"]

WIDTH, HEIGHT = 760, 330
LEFT, TOP, EDGE, FLOOR = 62, 14, WIDTH - 140, HEIGHT - 50
# Names of the coloured lines stand in the right margin: their distance from the lines and each other, and letters.
AWAY, LINE_HEIGHT, LETTERS = 16, 15.0, 17
# What is drawn and what the slider can show; a page should not weigh megabytes.
LINES, COLORED, FEATURES, LAMS, ROWS = 60, 7, 100, 60, 25
DASHES = ("", "8 4", "8 3 2 3", "2 3")


def make_path_chart(path: Any, lam: float) -> PathChart:
    """Return the chart of a path with more than one lam; the slider starts at the chosen one."""
    n_lams = len(path.lams)
    shown_lams = np.unique(np.linspace(0, n_lams - 1, min(n_lams, LAMS)).round().astype(np.intp))
    lams, norms = np.asarray(path.lams)[shown_lams], np.asarray(path.group_norms)[shown_lams]
    at = int(np.argmin(np.abs(lams - lam)))
    model = path.model(0)
    coefs = np.moveaxis(scaled_path(path)[shown_lams], 1, 2)  # lams, features, outputs
    strength = np.linalg.norm(coefs, axis=2)
    ever = np.count_nonzero(strength.max(axis=0))
    shown = only_largest(strength.max(axis=0), FEATURES)
    names = feature_names(model)
    hint = "Point at a line to see its name."
    if len(lams) < n_lams:
        hint += f" The slider stops at {len(lams)} of {n_lams} penalties."
    if ever > len(shown):
        hint += f" The table below the slider knows the {len(shown)} strongest of {ever:,} features."
    return PathChart(
        Figure(lambda: _draw(norms, lams, list(model.groups_.names), at), _caption(path), hint),
        _table(coefs[at], names, output_names(model)),
        number(lams[at]),
        at,
        {
            "lams": _short(lams, 4),
            "selected": np.count_nonzero(strength, axis=1).tolist(),
            "features": [names[j] for j in shown],
            "coefs": [[_short(row) for row in rows] for rows in coefs[:, shown]],
            "rows": ROWS,
            "x": _x(lams).round(1).tolist(),
        },
    )


def _short(values: NDArray, digits: int = 3) -> list[float]:
    return [float(f"{value:.{digits}g}") if value else 0 for value in values.tolist()]


def _caption(path: Any) -> str:
    words = (
        "Every line is one group of coefficients; the weaker the penalty (to the right), the more of them are "
        "selected."
    )
    n_lines = int(np.count_nonzero(np.asarray(path.group_norms).max(axis=0)))
    if n_lines > COLORED:
        words += f" The {COLORED} largest are coloured and named."
    if n_lines > LINES:
        words += f" Of {n_lines:,} groups that are ever selected the {LINES} largest are drawn."
    return words


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


# --- the picture, whose lines a script must find ------------------------------------------------------------


def _x(lams: NDArray) -> NDArray:
    logs = np.log(np.where(lams > 0, lams, lams[lams > 0].min(initial=1.0)))
    return LEFT + (EDGE - LEFT) * (logs[0] - logs) / (logs[0] - logs[-1] or 1.0)


def _color(i: int) -> str:
    return f"var(--c{i % len(PALETTE)})" if i < COLORED else "var(--muted-line)"


def _draw(norms: NDArray, lams: NDArray, names: list[str], at: int) -> str:
    """Return the chart as SVG; lines carry their names, so that pointing works without a script, too."""
    top = float(norms.max(initial=0.0)) or 1.0
    x, y = _x(lams), FLOOR - (FLOOR - TOP) * norms / top
    order = only_largest(norms.max(axis=0), LINES)
    lines = []
    for i, j in list(enumerate(order))[::-1]:  # the largest on top
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y[:, j], strict=True))
        dash = DASHES[i % len(DASHES)] if i < COLORED else ""
        lines.append(
            f'<polyline class="line" points="{points}" style="stroke: {_color(i)}" stroke-dasharray="{dash}">'
            f"<title>{escape(names[j])}</title></polyline>"
        )
    mark = f'<line class="mark" x1="{x[at]:.1f}" x2="{x[at]:.1f}" y1="{TOP}" y2="{FLOOR}"/>'
    named = order[:COLORED]
    words = f"Norms of {len(order)} groups over lam from {number(lams[0])} to {number(lams[-1])}"
    return (
        f'<svg role="img" aria-label="{escape(words)}" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" class="path-chart" xmlns="http://www.w3.org/2000/svg">'
        f"{_axes(x, lams, top)}{''.join(lines)}{mark}{_names([names[j] for j in named], y[-1, named])}</svg>"
    )


def _names(names: list[str], ends: NDArray) -> str:
    """Return the names of the coloured lines at the right edge, tied to where the lines end."""
    parts = []
    for i, y in enumerate(move_apart(ends, LINE_HEIGHT, TOP, FLOOR)):
        short = names[i] if len(names[i]) <= LETTERS else names[i][: LETTERS - 1] + "…"
        parts.append(
            f'<path class="tie" d="M{EDGE},{ends[i]:.1f}L{EDGE + AWAY - 3},{y:.1f}" style="stroke: {_color(i)}"/>'
            f'<text class="name" x="{EDGE + AWAY}" y="{y + 4:.1f}">'
            f"<title>{escape(names[i])}</title>{escape(short)}</text>"
        )
    return "".join(parts)


def _axes(x: NDArray, lams: NDArray, top: float) -> str:
    from matplotlib.ticker import MaxNLocator

    middle = (TOP + FLOOR) / 2
    parts = [
        f'<path class="axis" d="M{LEFT},{TOP}V{FLOOR}H{EDGE}"/>',
        f'<text x="14" y="{middle}" transform="rotate(-90 14 {middle})" text-anchor="middle">norm of the group</text>',
        _text((LEFT + EDGE) / 2, HEIGHT - 8, "middle", "lam, from strong to weak penalty"),
    ]
    for value in MaxNLocator(5, steps=[1, 2, 5, 10]).tick_values(0.0, top):
        if value <= top * (1 + 1e-9):
            parts.append(_text(LEFT - 7, FLOOR - (FLOOR - TOP) * value / top + 4, "end", number(value)))
    for i in np.unique(np.linspace(0, len(lams) - 1, 6).round().astype(int)):
        anchor = "end" if i == len(lams) - 1 else "middle"
        parts.append(_text(x[i], FLOOR + 18, anchor, number(lams[i], 2)))
    return "".join(parts)


def _text(x: float, y: float, anchor: str, words: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'
