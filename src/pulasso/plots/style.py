"""How every picture looks: colours for the colour-blind, dashes for grey print, labels that do not collide."""

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.isotonic import isotonic_regression

from pulasso.plots.names import literals

__all__ = [
    "DASHES",
    "GREY",
    "INK",
    "MARKERS",
    "ON_DARK",
    "ON_LIGHT",
    "PALETTE",
    "count_axis",
    "draw_cells",
    "label_ends",
    "lam_axis",
    "move_apart",
    "new_axes",
    "new_panels",
    "note_below",
    "only_largest",
    "plural",
    "room_for_names",
]

# Okabe and Ito's colours without their yellow, which is lost on white paper.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# Seven colours, four dashes, nine markers: numbers without a common factor, so that no pair comes back soon.
DASHES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<")
INK, GREY = "#000000", "#8c8c8c"
# Text inside coloured cells; not quite black and white, so that a report may swap those two in the dark.
ON_LIGHT, ON_DARK = "#111111", "#fefefe"

SMALL = 8.0
# Height of a line of text, in units of its size.
LINE_HEIGHT = 1.3
# Of the height of a figure, what its axes get when title and axis labels have taken their share.
AXES_SHARE = 0.72
DARK = 0.45
# Letters of axis labels; a little less than fit, because axes are narrower than their figure.
LETTERS_PER_INCH = 8.5
# Longer names of columns are written at an angle.
LETTERS_ACROSS = 8
# Width of a letter, in units of its size.
LETTER_WIDTH = 0.6


def new_axes(ax: Any, size: tuple[float, float]) -> Any:
    """Return the axes to draw on: those given, or new ones in a figure of this size in inches.

    `ax` may also be a function that makes axes of a given size, for pictures that go into a file at once.
    """
    return _made(ax, size, 1)[0]


def new_panels(ax: Any, size: tuple[float, float], names: Sequence[str]) -> NDArray:
    """Return as many axes as there are names, one below the other: those given, or new ones."""
    axes = _made(ax, size, len(names))
    if len(axes) != len(names):
        raise ValueError(f"ax holds {len(axes)} axes, but {len(names)} panels are drawn: {', '.join(names)}.")
    return axes


def _made(ax: Any, size: tuple[float, float], n_panels: int) -> NDArray:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("Pictures need matplotlib; install it with `pip install pulasso[plots]`.") from None
    if callable(ax):
        ax = ax(size, n_panels)
    elif ax is None:
        _, ax = pyplot.subplots(n_panels, 1, figsize=size, sharex=True, layout="constrained")
    axes = np.atleast_1d(np.asarray(ax, dtype=object))
    for each in axes:
        each.spines[["top", "right"]].set_visible(False)
    return axes


def only_largest(size: ArrayLike, limit: int) -> NDArray[np.intp]:
    """Return positions of the `limit` largest entries that are not zero, the largest first."""
    size = np.asarray(size)
    order = np.argsort(-size, kind="stable")[: min(limit, np.count_nonzero(size))]
    return order


def plural(number: int, word: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> plural(1, "class"), plural(3, "class"), plural(2, "feature")
    ('1 class', '3 classes', '2 features')
    """
    return f"{number} {word}" + ("" if number == 1 else "es" if word.endswith("s") else "s")


def note_below(ax: Any, words: str) -> None:
    """Add lines under the label of the x axis, no wider than the figure."""
    if words:
        lines = wrap(words, max(24, int(LETTERS_PER_INCH * ax.get_figure().get_figwidth())))
        ax.set_xlabel("\n".join(filter(None, [ax.get_xlabel(), *lines])))


def lam_axis(ax: Any, lams: NDArray) -> None:
    """Make x an axis of lam on a log scale, from large (few features) to small (many)."""
    positive = lams[lams > 0]
    if len(positive) and positive.max() > positive.min():
        ax.set_xscale("log")
        room = (positive.max() / positive.min()) ** 0.012  # lines at the ends are seen in full
        ax.set_xlim(positive.max() * room, positive.min() / room)
        if positive.max() / positive.min() < 100:
            # Less than two decades: a log axis would label too little, or minor ticks that collide.
            from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

            ticks = np.geomspace(positive.max(), positive.min(), 5).tolist()
            ax.xaxis.set_major_locator(FixedLocator(ticks))
            ax.xaxis.set_minor_locator(NullLocator())
            ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.2g}"))
    ax.set_xlabel("lam (penalty), from strong to weak")


def count_axis(ax: Any, lams: NDArray, counts: NDArray, what: str) -> None:
    """Write how many groups are selected along the top of an axis of lam."""
    positive = np.flatnonzero(lams > 0)
    if len(positive) < 2 or ax.get_xscale() != "log":
        return
    wanted = np.geomspace(lams[positive[0]], lams[positive[-1]], 7)
    at = sorted({int(positive[np.argmin(np.abs(np.log(lams[positive]) - np.log(x)))]) for x in wanted})
    top = ax.secondary_xaxis("top")
    top.set_xticks(lams[at], [f"{counts[i]:.3g}" for i in at], minor=False)
    top.tick_params(length=2, labelsize=SMALL)
    top.minorticks_off()
    top.set_xlabel(what, fontsize=SMALL)


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


def label_ends(
    ax: Any, heights: Sequence[float], names: Sequence[Any], colors: Sequence[str], size: float = SMALL
) -> int:
    """Write names at the right edge beside the ends of lines, moved apart where they would collide.

    Parameters
    ----------
    ax : matplotlib Axes
        Its limits must be final.
    heights : sequence of float
        Where the lines end, in data coordinates, the most important line first.
    names, colors : sequences
        As long as `heights`.

    Returns
    -------
    int
        How many names were written; the last ones are left out if there is no room.
    """
    gap = size * LINE_HEIGHT / (72.0 * AXES_SHARE * ax.get_figure().get_figheight())
    n_written = min(len(names), int(1.0 / gap) + 1)
    if not n_written:
        return 0
    to_axes = ax.transScale + ax.transLimits
    at = to_axes.transform(np.column_stack([np.full(n_written, ax.get_xlim()[1]), heights[:n_written]]))[:, 1]
    words = literals(names)
    for i, height in enumerate(move_apart(at, gap, 0.0, 1.0)):
        ax.annotate(
            words[i],
            xy=(1.0, np.clip(at[i], 0.0, 1.0)),
            xytext=(1.05, height),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            fontsize=size,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colors[i],
                "linewidth": 0.8,
                "shrinkA": 0,
                "shrinkB": 0,
                "relpos": (0.0, 0.5),
            },
        )
    return n_written


def room_for_names(rows: Sequence[Any], columns: Sequence[Any]) -> tuple[float, float]:
    """Return the inches that names beside the rows and below the columns of :func:`draw_cells` need."""
    letter = LETTER_WIDTH * SMALL / 72.0
    beside = letter * max((len(name) for name in literals(rows)), default=0)
    longest = max((len(name) for name in literals(columns)), default=0)
    # At an angle of 45 degrees a name is as high as it is wide.
    return beside, letter * longest / 2**0.5 if _crowded(columns) else LINE_HEIGHT * SMALL / 72.0


def _crowded(columns: Sequence[Any]) -> bool:
    return len(columns) > 1 and max(len(str(name)) for name in columns) > LETTERS_ACROSS


def draw_cells(
    ax: Any,
    values: NDArray,
    rows: Sequence[Any],
    columns: Sequence[Any],
    text: Callable[[int, int], str],
    *,
    cmap: str,
    limits: tuple[float, float],
    size: float,
) -> Any:
    """Draw a matrix as coloured cells with words in them and names around; return the mesh."""
    n_rows, n_columns = values.shape
    mesh = ax.pcolormesh(
        np.ma.masked_invalid(values),
        cmap=cmap,
        vmin=limits[0],
        vmax=limits[1],
        edgecolors="white",
        linewidth=0.6,
    )
    ax.set_ylim(n_rows, 0)
    ax.set_yticks(np.arange(n_rows) + 0.5, literals(rows), fontsize=SMALL)
    ax.set_xticks(
        np.arange(n_columns) + 0.5,
        literals(columns),
        fontsize=SMALL,
        **({"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if _crowded(columns) else {}),
    )
    ax.tick_params(length=0)
    ax.grid(False)
    for side in ax.spines.values():
        side.set_visible(False)
    for i in range(n_rows):
        for j in range(n_columns):
            words = text(i, j)
            if words:
                shade = mesh.cmap(mesh.norm(values[i, j]))
                light = 0.299 * shade[0] + 0.587 * shade[1] + 0.114 * shade[2] > DARK
                color = ON_LIGHT if light else ON_DARK
                ax.text(j + 0.5, i + 0.5, words, ha="center", va="center", fontsize=size, color=color)
    return mesh
