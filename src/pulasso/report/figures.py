"""Pictures as inline SVG whose colours follow the page, in light and in dark."""

import re
import warnings
from collections.abc import Callable
from html import escape
from io import StringIO
from typing import Any

from pulasso.exceptions import TrivialModelWarning
from pulasso.plots.style import GREY, INK, PALETTE
from pulasso.report.blocks import Figure

__all__ = ["draw_svg", "picture"]

# Colours of the pictures, and the variables of the style sheet that stand for them.
VARIABLES = {
    INK: "--ink",
    GREY: "--muted-line",
    "#ffffff": "--paper",
    **{color: f"--c{i}" for i, color in enumerate(PALETTE) if color != INK},
}
# "none" keeps letters as text: small, selectable, and set in the reader's fonts.
SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pulasso",
    "font.family": "sans-serif",
    "path.simplify": False,
}
NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


def picture(
    name: str, make: Callable[..., Any], *about: Any, caption: str, alt: str, **options: Any
) -> Figure:
    """Return a block that draws a display when a page shows it; see :func:`draw_svg`, `caption` is for everybody."""
    return Figure(lambda: draw_svg(name, alt, make, *about, **options)[0], caption)


def draw_svg(name: str, alt: str, make: Callable[..., Any], *about: Any, **options: Any) -> tuple[str, Any]:
    """Return a picture as inline SVG, and the display that drew it.

    Parameters
    ----------
    name : str
        Distinguishes the picture from others on the page.
    alt : str
        In the place of the picture, for those who cannot see it.
    make : callable
        Constructor of a display, which takes `about`, `options` and axes.
    """
    from matplotlib import rc_context

    stream = StringIO()
    with rc_context(SETTINGS), warnings.catch_warnings():
        # The browser has its own fonts for letters that this one lacks.
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        warnings.simplefilter("ignore", TrivialModelWarning)  # the report says so in words
        display = make(*about, **options, ax=_offscreen)
        display.figure_.savefig(stream, format="svg", transparent=True, metadata=NO_METADATA)
    return _inline(stream.getvalue(), name, alt), display


def _offscreen(size: tuple[float, float], n_panels: int) -> Any:
    """Return axes in a figure that no window and no notebook knows of."""
    from matplotlib.figure import Figure as Canvas

    return Canvas(figsize=size, layout="constrained").subplots(n_panels, 1, sharex=True)


def _inline(svg: str, name: str, alt: str) -> str:
    """Cut away what a file needs and a page does not, and make names and colours fit the page."""
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    # Only inside tags: text content is the user's, and a "<" in it is escaped.
    svg = re.sub(r"<[^>]+>", lambda tag: _retag(tag[0], name), svg)
    width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups()  # type: ignore[union-attr]
    head = (
        f'<svg role="img" aria-label="{escape(alt)}" viewBox="0 0 {width} {height}" '
        f'width="{float(width) * 4 / 3:.0f}" height="{float(height) * 4 / 3:.0f}" '
        'xmlns="http://www.w3.org/2000/svg">'
    )
    return head + svg[svg.index(">") + 1 :].strip()


def _retag(tag: str, name: str) -> str:
    tag = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', tag)
    tag = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", tag)
    tag = re.sub(r'xlink:href="#([^"]+)"', rf'href="#{name}-\1"', tag)
    for color, variable in VARIABLES.items():
        tag = re.sub(color, f"var({variable})", tag, flags=re.IGNORECASE)
    return tag
