"""The path as a chart with a slider: drawn here, moved by the script of the page."""

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.plots.reading import feature_names, output_names, scaled_path
from pulasso.plots.style import PALETTE, move_apart, only_largest
from pulasso.report.blocks import PathChart, Table, number

__all__ = ["make_path_chart"]

WIDTH, HEIGHT = 760, 330
LEFT, RIGHT, TOP, BOTTOM = 62, 140, 14, 50
# Names of the coloured lines stand in the right margin: their distance from the lines and each other, and letters.
AWAY, LINE_HEIGHT, LETTERS = 16, 15.0, 17
# What is drawn and what the slider can show; a page should not weigh megabytes.
LINES, COLORED, FEATURES, LAMS, ROWS = 60, 7, 100, 60, 25
DASHES = ("", "8 4", "8 3 2 3", "2 3")
DIGITS = 4


def make_path_chart(path: Any, lam: float) -> PathChart:
    """Return the chart of a path with more than one lam.

    Parameters
    ----------
    path : PathResult
    lam : float
        The chosen one, where the slider starts.
    """
    kept = _thin(len(path.lams))
    lams = np.asarray(path.lams)[kept]
    at = int(np.argmin(np.abs(lams - lam)))
    model = path.model(0)
    coefs = np.moveaxis(scaled_path(path)[kept], 1, 2)  # lams, features, outputs
    strength = np.linalg.norm(coefs, axis=2)
    shown = only_largest(strength.max(axis=0), FEATURES)
    names = feature_names(model)
    columns = output_names(model)
    data = {
        "lams": [float(f"{value:.{DIGITS}g}") for value in lams],
        "selected": np.count_nonzero(strength, axis=1).tolist(),
        "groups": np.asarray(path.n_active)[kept].tolist(),
        "features": [names[j] for j in shown],
        "coefs": [_short(rows) for rows in coefs[:, shown]],
        "rows": ROWS,
        "x": [round(float(x), 1) for x in _x(lams)],
    }
    return PathChart(
        svg=_draw(np.asarray(path.group_norms)[kept], lams, list(model.groups_.names), at),
        caption=_caption(path),
        hint=_hint(path, lams, shown, strength),
        table=_table(coefs[at], [names[j] for j in range(len(names))], columns),
        lam=number(lams[at]),
        position=at,
        n_lams=len(lams),
        data=data,
    )


def _thin(n_lams: int) -> NDArray[np.intp]:
    """Return positions along the path, both ends included, that are not too many."""
    return np.unique(np.linspace(0, n_lams - 1, min(n_lams, LAMS)).round().astype(np.intp))


def _short(rows: NDArray) -> list[list[float]]:
    return [[float(f"{value:.3g}") if value else 0 for value in row] for row in rows.tolist()]


def _caption(path: Any) -> str:
    words = (
        "Every line is one group of coefficients; the weaker the penalty (to the right), the more of them are "
        "selected."
    )
    n_lines = int(np.count_nonzero(np.asarray(path.group_norms).max(axis=0)))
    if n_lines > COLORED:
        words += f" The {COLORED} largest are coloured and named."
    if n_lines > LINES:
        words += f" Of {n_lines} groups that are ever selected the {LINES} largest are drawn."
    return words


def _hint(path: Any, lams: NDArray, shown: NDArray, strength: NDArray) -> str:
    """Return what only a reader at a screen needs to know."""
    words = "Point at a line to see its name."
    if len(lams) < len(path.lams):
        words += f" The slider stops at {len(lams)} of {len(path.lams)} penalties."
    n_ever = int(np.count_nonzero(strength.max(axis=0)))
    if n_ever > len(shown):
        words += f" The table below the slider knows the {len(shown)} strongest of {n_ever} features."
    return words


def _table(coefs: NDArray, names: list[str], columns: list[str]) -> Table:
    strength = np.linalg.norm(coefs, axis=1)
    top = only_largest(strength, ROWS)
    rows = [
        [names[j], *((number(value) if value else "", value) for value in coefs[j].tolist())] for j in top
    ]
    more = int(np.count_nonzero(strength)) - len(top)
    note = f"and {more} weaker ones" if more > 0 else ""
    return Table(
        "Features selected at this penalty, log odds per standard deviation",
        ["feature", *columns],
        rows,
        note,
    )


def _x(lams: NDArray) -> NDArray:
    logs = np.log(np.where(lams > 0, lams, lams[lams > 0].min(initial=1.0)))
    span = logs[0] - logs[-1] or 1.0
    return LEFT + (WIDTH - LEFT - RIGHT) * (logs[0] - logs) / span


def _draw(norms: NDArray, lams: NDArray, names: list[str], at: int) -> str:
    """Return the chart as SVG; lines carry their names, so that pointing works without a script, too."""
    top = float(norms.max(initial=0.0)) or 1.0
    x, order = _x(lams), only_largest(norms.max(axis=0), LINES)
    floor = HEIGHT - BOTTOM
    lines = []
    for i, j in list(enumerate(order))[::-1]:  # the largest on top
        y = floor - (floor - TOP) * norms[:, j] / top
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        color = _color(i)
        dash = DASHES[i % len(DASHES)] if i < COLORED else ""
        lines.append(
            f'<polyline class="line" points="{points}" style="stroke: {color}" stroke-dasharray="{dash}">'
            f"<title>{escape(names[j])}</title></polyline>"
        )
    ever = [j for j in order[:COLORED] if norms[:, j].any()]
    ends = floor - (floor - TOP) * norms[-1, ever] / top
    mark = f'<line class="mark" x1="{x[at]:.1f}" x2="{x[at]:.1f}" y1="{TOP}" y2="{floor}"/>'
    words = f"Norms of {len(order)} groups over lam from {number(lams[0])} to {number(lams[-1])}"
    return (
        f'<svg role="img" aria-label="{escape(words)}" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" class="path-chart" xmlns="http://www.w3.org/2000/svg">'
        f"{_axes(x, lams, top)}{''.join(lines)}{mark}{_names([names[j] for j in ever], ends)}</svg>"
    )


def _color(i: int) -> str:
    return f"var(--c{i % len(PALETTE)})" if i < COLORED else "var(--muted-line)"


def _names(names: list[str], ends: NDArray) -> str:
    """Return the names of the coloured lines at the right edge, tied to where the lines end."""
    edge = WIDTH - RIGHT
    parts = []
    for i, y in enumerate(move_apart(ends, LINE_HEIGHT, TOP, HEIGHT - BOTTOM)):
        short = names[i] if len(names[i]) <= LETTERS else names[i][: LETTERS - 1] + "…"
        parts.append(
            f'<path class="tie" d="M{edge},{ends[i]:.1f}L{edge + AWAY - 3},{y:.1f}" style="stroke: {_color(i)}"/>'
            f'<text class="name" x="{edge + AWAY}" y="{y + 4:.1f}">'
            f"<title>{escape(names[i])}</title>{escape(short)}</text>"
        )
    return "".join(parts)


def _round_numbers(top: float) -> NDArray:
    """Return three to six round numbers from 0 to at most `top`."""
    unit = 10.0 ** np.floor(np.log10(top))
    step = next(step for step in (0.2 * unit, 0.5 * unit, unit, 2.0 * unit) if top / step < 6)
    return step * np.arange(int(top / step + 1e-9) + 1)


def _axes(x: NDArray, lams: NDArray, top: float) -> str:
    floor = HEIGHT - BOTTOM
    parts = [f'<path class="axis" d="M{LEFT},{TOP}V{floor}H{WIDTH - RIGHT}"/>']
    for value in _round_numbers(top):
        y = floor - (floor - TOP) * value / top
        parts.append(f'<text x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{number(value)}</text>')
    for i in np.unique(np.linspace(0, len(lams) - 1, 6).round().astype(int)):
        anchor = "end" if i == len(lams) - 1 else "middle"
        parts.append(
            f'<text x="{x[i]:.1f}" y="{floor + 18}" text-anchor="{anchor}">{number(lams[i], 2)}</text>'
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">lam, from strong to weak penalty</text>'
    )
    turned = f"rotate(-90 14 {(TOP + floor) / 2})"
    parts.append(
        f'<text x="14" y="{(TOP + floor) / 2}" transform="{turned}" text-anchor="middle">norm of the group</text>'
    )
    return "".join(parts)
