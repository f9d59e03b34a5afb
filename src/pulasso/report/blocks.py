"""What a report is made of: sections of blocks, which the page and the card show in their own ways."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


class Block:
    """A part of a section; its kind is the name of the macro that shows it on the page."""

    @property
    def kind(self) -> str:
        """The name of the class, in small letters."""
        return type(self).__name__.lower()


@dataclass(frozen=True)
class Text(Block):
    """A paragraph; `hint` is how to use the page, which paper cannot do."""

    words: str
    hint: str = ""


@dataclass(frozen=True)
class TextList(Block):
    """A list of sentences."""

    sentences: Sequence[str]


@dataclass(frozen=True)
class Notice(Block):
    """Something a reader must not miss."""

    words: str


@dataclass(frozen=True)
class Facts(Block):
    """Names and values, one below the other."""

    caption: str
    facts: Mapping[str, str]


@dataclass(frozen=True)
class Table(Block):
    """Rows of words and numbers; columns sort on a click.

    The first column names the row. Cells are text, or pairs (text, number) that sort by their number; `note` says what
    is left out.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""


@dataclass(frozen=True)
class Figure(Block):
    """A picture, which is drawn as inline SVG only when a page shows it."""

    draw: Callable[[], str]
    caption: str
    hint: str = ""


@dataclass(frozen=True)
class Gallery(Block):
    """Pictures of the same kind, side by side where there is room."""

    figures: Sequence[Figure]


@dataclass(frozen=True, eq=False)
class PathChart(Block):
    """The path with a slider over lam, and the table of features selected there."""

    figure: Figure
    table: Table
    lam: str
    position: int
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Section:
    """A heading and what is below it."""

    name: str
    title: str
    blocks: Sequence[Block]


def number(value: float, digits: int = 3) -> str:
    """Return a number for readers: few digits, a real minus sign.

    Examples
    --------
    >>> number(-0.12345), number(1234567.0), number(0.0), number(float("nan"))
    ('−0.123', '1.23e+06', '0', 'unknown')
    """
    return f"{value:.{digits}g}".replace("-", "−") if np.isfinite(value) else "unknown"


def percent(value: float, decimals: int = 0) -> str:
    r"""Return a share in percent.

    Examples
    --------
    >>> percent(0.704), percent(-0.0123, 1)
    ('70\xa0%', '−1.2\xa0%')
    """
    return f"{100 * value:.{decimals}f}\xa0%".replace("-", "−") if np.isfinite(value) else "unknown"


def coef_cells(coefs: np.ndarray) -> list[tuple[str, float]]:
    """Return cells of coefficients; those that are exactly zero stay empty."""
    return [(number(value) if value else "", value) for value in coefs.tolist()]
