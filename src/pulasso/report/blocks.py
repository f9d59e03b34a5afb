"""What a report is made of: sections of blocks, which the templates know how to show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

__all__ = [
    "Block",
    "Facts",
    "Figure",
    "Gallery",
    "Notice",
    "PathChart",
    "Section",
    "Table",
    "Text",
    "TextList",
    "count",
    "number",
    "percent",
]


@dataclass(frozen=True)
class Text:
    """A paragraph; `hint` is how to use the page, which paper cannot do."""

    words: str
    hint: str = ""
    kind: ClassVar[str] = "text"


@dataclass(frozen=True)
class TextList:
    """A list of sentences."""

    items: Sequence[str]
    kind: ClassVar[str] = "list"


@dataclass(frozen=True)
class Notice:
    """Something a reader must not miss."""

    words: str
    kind: ClassVar[str] = "notice"


@dataclass(frozen=True)
class Facts:
    """Names and values, one below the other."""

    caption: str
    facts: Mapping[str, str]
    kind: ClassVar[str] = "facts"


@dataclass(frozen=True)
class Table:
    """Rows of words and numbers; columns sort on a click.

    Attributes
    ----------
    caption : str
    header : sequence of str
        The first column names the row.
    rows : sequence of rows
        Cells are text, or pairs (text, number) that sort by their number.
    note : str
        What is left out, if anything.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""
    kind: ClassVar[str] = "table"


@dataclass(frozen=True)
class Figure:
    """A picture as inline SVG, with words for those who do not see it."""

    svg: str
    caption: str
    hint: str = ""
    kind: ClassVar[str] = "figure"


@dataclass(frozen=True)
class Gallery:
    """Pictures of the same kind, side by side where there is room."""

    figures: Sequence[Figure]
    kind: ClassVar[str] = "gallery"


@dataclass(frozen=True, eq=False)
class PathChart:
    """The path with a slider over lam, and the table of features selected there."""

    svg: str
    caption: str
    hint: str
    table: Table
    lam: str
    position: int
    n_lams: int
    data: Mapping[str, Any]
    kind: ClassVar[str] = "path"


Block = Text | TextList | Notice | Facts | Table | Figure | Gallery | PathChart


@dataclass(frozen=True)
class Section:
    """A heading and what is below it."""

    name: str
    title: str
    blocks: Sequence[Block] = field(default_factory=list)


def number(value: float, digits: int = 3) -> str:
    """Return a number for readers: few digits, a real minus sign.

    Examples
    --------
    >>> number(-0.12345), number(1234567.0), number(0.0), number(float("nan"))
    ('−0.123', '1.23e+06', '0', 'unknown')
    """
    if not np.isfinite(value):
        return "unknown"
    return f"{value:.{digits}g}".replace("-", "−")


def count(value: float) -> str:
    """Return a count, with thousands set apart; weighted counts keep one decimal.

    Examples
    --------
    >>> count(12345), count(2.5)
    ('12,345', '2.5')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def percent(value: float, decimals: int = 0) -> str:
    r"""Return a share in percent.

    Examples
    --------
    >>> percent(0.704), percent(-0.0123, 1)
    ('70\xa0%', '−1.2\xa0%')
    """
    return f"{100 * value:.{decimals}f}\xa0%".replace("-", "−") if np.isfinite(value) else "unknown"
