"""How every picture looks: colours for the colour-blind, dashes for grey print, labels that do not collide."""

from collections.abc import Callable, Sequence
from textwrap import wrap
from types import FunctionType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.isotonic import isotonic_regression

from pulasso._messages import arg
from pulasso.data.parameters import kind_of
from pulasso.exceptions import InputError
from pulasso.plots.names import literals
from pulasso.tables import show_count

# Okabe and Ito's colours without their yellow, which is lost on white paper.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# Seven colours, four dashes, nine markers: numbers without a common factor, so that no pair comes back soon.
DASHES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<")
INK, GREY = "#000000", "#8c8c8c"
DOTTED, DASHED = (0, (1, 1)), (0, (4, 3))
# Text inside coloured cells; not quite black and white, so that a report may swap those two in the dark.
ON_LIGHT, ON_DARK = "#111111", "#fefefe"

SMALL, TINY = 8.0, 6.5
# Height of a line of text, and width of a letter, in units of its size.
LINE_HEIGHT, LETTER_WIDTH = 1.3, 0.6
# Inches of one of many rows.
ROW_HEIGHT = 0.24
# Of the height of a figure, what its axes get when title and axis labels have taken their share.
AXES_SHARE = 0.72
DARK = 0.45
# Letters of axis labels; a little less than fit, because axes are narrower than their figure.
LETTERS_PER_INCH = 8.5
# Longer names of columns are written at an angle.
LETTERS_ACROSS = 8


class Display:
    """What all displays share: the axes they were drawn on, and notes on what was left out.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    """

    ax_: Any
    figure_: Any

    def _finish(self, ax: Any, *notes: str) -> Self:
        """Write notes under the label of the x axis, no wider than the figure; remember the axes."""
        self.ax_, self.figure_ = ax, ax.get_figure()
        words = "; ".join(filter(None, notes))
        lines = wrap(words, max(24, int(LETTERS_PER_INCH * self.figure_.get_figwidth())))
        ax.set_xlabel("\n".join(filter(None, [ax.get_xlabel(), *lines])))
        return self


# --- axes ---------------------------------------------------------------------------------------------------


def new_axes(ax: Any, size: tuple[float, float]) -> Any:
    """Return the axes to draw on: those given, or new ones in a figure of this size in inches."""
    return new_panels(ax, size, 1)[0]


def new_panels(ax: Any, size: tuple[float, float], n_panels: int) -> NDArray:
    """Return several axes, one below the other: those given, or new ones.

    `ax` may also be a function of size and number that makes them, for pictures that go into a file at once.
    """
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("Pictures need matplotlib; install it with `pip install pulasso[plots]`.") from None
    if isinstance(ax, FunctionType):
        ax = ax(size, n_panels)
    elif ax is None:
        _, ax = pyplot.subplots(n_panels, 1, figsize=size, sharex=True, layout="constrained")
    try:
        axes = np.ravel(np.asarray(ax, dtype=object))
    except (TypeError, ValueError):
        axes = np.array([None])
    if any(not hasattr(each, "get_figure") or not hasattr(each, "spines") for each in axes):
        problem = f"{arg('ax')} is {kind_of(ax)}, not axes of matplotlib."
        raise InputError(
            problem, parameter="ax", remedy="Make some by matplotlib.pyplot.subplots(), or leave it out."
        )
    if len(axes) != n_panels:
        problem = f"{arg('ax')} holds {len(axes)} axes, but {plural(n_panels, 'panel')} must be drawn."
        raise InputError(problem, parameter="ax")
    for each in axes:
        each.spines[["top", "right"]].set_visible(False)
    return axes


def name_rows(ax: Any, names: Sequence[str], width: float) -> Any:
    """Return axes as high as one row for each name needs, the first on top."""
    ax = new_axes(ax, (width, max(1.8, 1.1 + ROW_HEIGHT * len(names))))
    ax.set_yticks(np.arange(len(names)), names, fontsize=SMALL)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(max(len(names), 1) - 0.4, -0.6)
    return ax


def lam_axis(ax: Any, lams: NDArray) -> None:
    """Make x an axis of lam on a log scale, from large (few features) to small (many)."""
    positive = lams[lams > 0]
    if len(positive) and positive.max() > positive.min():
        ax.set_xscale("log")
        room = (positive.max() / positive.min()) ** 0.012  # lines at the ends are seen in full
        ax.set_xlim(positive.max() * room, positive.min() / room)
        if positive.max() / positive.min() < 100:
            # Less than two decades: a log axis would label too little, or minor ticks that collide.
            ticks = np.geomspace(positive.max(), positive.min(), 5)
            ax.set_xticks(ticks, [f"{value:.2g}" for value in ticks])
            ax.set_xticks([], minor=True)
    ax.set_xlabel("lam (penalty), from strong to weak")


def count_axis(ax: Any, lams: NDArray, counts: NDArray, what: str) -> None:
    """Write how many groups are selected along the top of an axis of lam."""
    positive = np.flatnonzero(lams > 0)
    if len(positive) < 2 or ax.get_xscale() != "log":
        return
    wanted = np.geomspace(lams[positive[0]], lams[positive[-1]], 7)
    at = sorted({int(positive[np.argmin(np.abs(np.log(lams[positive]) - np.log(x)))]) for x in wanted})
    top = ax.secondary_xaxis("top")
    top.set_xticks(lams[at], [show_count(counts[i]) for i in at], minor=False)
    top.tick_params(length=2, labelsize=SMALL)
    top.minorticks_off()
    top.set_xlabel(what, fontsize=SMALL)


# --- lines and their names ----------------------------------------------------------------------------------


def line_style(i: int, *, marks: bool = False) -> dict[str, Any]:
    """Return colour and dashes of the i-th line, and its markers if wanted."""
    style = {"color": PALETTE[i % len(PALETTE)], "linestyle": DASHES[i % len(DASHES)]}
    return style | ({"marker": MARKERS[i % len(MARKERS)], "markersize": 4} if marks else {})


def draw_lines(ax: Any, lams: NDArray, values: NDArray, named: Any, others: Any) -> tuple[list, list]:
    """Draw columns of values over lam, some to be named and others grey behind them; return both lists."""
    grey = {"color": GREY, "linewidth": 0.6, "alpha": 0.7, "zorder": 1}
    behind = [ax.plot(lams, values[:, j], **grey)[0] for j in others]
    lines = [
        ax.plot(lams, values[:, j], linewidth=1.6, zorder=3, **line_style(i))[0] for i, j in enumerate(named)
    ]
    lam_axis(ax, lams)
    return lines, behind


def label_ends(ax: Any, lines: Sequence[Any], names: Sequence[Any]) -> int:
    """Write names at the right edge beside the ends of lines, moved apart where they would collide.

    The limits of the axes must be final. Lines come with the most important first: where there is no room the
    last ones get no name. Returns how many names were written.
    """
    gap = SMALL * LINE_HEIGHT / (72.0 * AXES_SHARE * ax.get_figure().get_figheight())
    lines = lines[: int(1.0 / gap) + 1]
    if not lines:
        return 0
    ends = [(ax.get_xlim()[1], line.get_ydata()[-1]) for line in lines]
    at = (ax.transScale + ax.transLimits).transform(ends)[:, 1]
    tie = {"arrowstyle": "-", "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0, "relpos": (0.0, 0.5)}
    words = literals(names)
    for i, height in enumerate(move_apart(at, gap, 0.0, 1.0)):
        ax.annotate(
            words[i],
            xy=(1.0, np.clip(at[i], 0.0, 1.0)),
            xytext=(1.05, height),
            xycoords="axes fraction",
            va="center",
            fontsize=SMALL,
            annotation_clip=False,
            arrowprops=tie | {"color": lines[i].get_color()},
        )
    return len(lines)


def move_apart(at: ArrayLike, gap: float, low: float, high: float) -> NDArray:
    """Return places between two ends that are at least `gap` apart, in the same order and moved no more than needed.

    Examples
    --------
    >>> move_apart([0.5, 0.1, 0.5], 0.2, 0.0, 1.0).round(3).tolist()
    [0.4, 0.1, 0.6]
    """
    places = np.asarray(at, dtype=float)
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(places))
    # Least squares movement with a gap between neighbours is monotone regression.
    room = max(high - gap * (len(places) - 1), low)
    moved = np.empty(len(places))
    moved[order] = isotonic_regression(places[order] - steps, y_min=low, y_max=room) + steps
    return moved


# --- what is left out ---------------------------------------------------------------------------------------


def only_largest(size: ArrayLike, limit: int) -> NDArray[np.intp]:
    """Return positions of the `limit` largest entries that are not zero, the largest first."""
    size = np.asarray(size)
    return np.argsort(-size, kind="stable")[: min(limit, np.count_nonzero(size))]


def plural(number: int, word: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> plural(1, "class"), plural(3, "class"), plural(12_000, "feature")
    ('1 class', '3 classes', '12,000 features')
    """
    return f"{number:,} {word}" + ("" if number == 1 else "es" if word.endswith("s") else "s")


def counted(number: int | np.integer, word: str, sentence: str) -> str:
    """Return a sentence about a number of things, or nothing where there are none.

    Examples
    --------
    >>> counted(2, "group", "{} not shown"), counted(0, "group", "{} not shown")
    ('2 groups not shown', '')
    """
    return sentence.format(plural(int(number), word)) if number else ""


# --- matrices -----------------------------------------------------------------------------------------------


def draw_cells(
    ax: Any,
    values: NDArray,
    rows: Sequence[Any],
    columns: Sequence[Any],
    text: Callable[[int, int], str],
    *,
    cell: tuple[float, float],
    cmap: str,
    limits: tuple[float, float],
    size: float,
    meaning: str,
) -> tuple[Any, Any]:
    """Draw a matrix as coloured cells with words in them, names around and a colour bar; return axes and mesh."""
    n_rows, n_columns = values.shape
    row_names, column_names = literals(rows), literals(columns)
    crowded = n_columns > 1 and max(len(str(name)) for name in columns) > LETTERS_ACROSS
    letter = LETTER_WIDTH * SMALL / 72.0
    width = 1.7 + letter * max(map(len, row_names)) + cell[0] * n_columns
    # At an angle of 45 degrees a name is as high as it is wide.
    below = letter * max(map(len, column_names)) / 2**0.5 if crowded else LINE_HEIGHT * SMALL / 72.0
    ax = new_axes(ax, (max(4.2, width), max(2.8, 1.1 + below + cell[1] * n_rows)))
    mesh = ax.pcolormesh(
        np.ma.masked_invalid(values), cmap=cmap, vmin=limits[0], vmax=limits[1], edgecolors="white", lw=0.6
    )
    turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
    ax.set_xticks(np.arange(n_columns) + 0.5, column_names, fontsize=SMALL, **turned)
    ax.set_yticks(np.arange(n_rows) + 0.5, row_names, fontsize=SMALL)
    ax.set_ylim(n_rows, 0)
    ax.tick_params(length=0)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    for i, j in np.ndindex(values.shape):
        red, green, blue, _ = mesh.cmap(mesh.norm(values[i, j]))
        color = ON_LIGHT if 0.299 * red + 0.587 * green + 0.114 * blue > DARK else ON_DARK
        if words := text(i, j):
            ax.text(j + 0.5, i + 0.5, words, ha="center", va="center", fontsize=size, color=color)
    bar = ax.get_figure().colorbar(mesh, ax=ax, aspect=30)
    bar.set_label(meaning, fontsize=SMALL)
    bar.outline.set_visible(False)
    return ax, mesh
