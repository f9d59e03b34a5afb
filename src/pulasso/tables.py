"""Tables of words and numbers, as text for terminals and as HTML for notebooks."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from pulasso._messages import visible

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = [
    "Printable",
    "Printout",
    "html_facts",
    "html_table",
    "make_frame",
    "show_count",
    "text_facts",
    "text_table",
]

Table = tuple[Sequence[str], Sequence[Sequence[str]]]


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    r"""Return the lines of a table: the first column flush left, numbers flush right.

    Examples
    --------
    >>> print("\n".join(text_table(["class", "recall"], [["oak", "0.9"], ["juniper", "0.85"]])))
      class    recall
      oak         0.9
      juniper    0.85
    """
    header, *rows = [[_in_one_line(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = []
    for row in [header, *rows]:
        others = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        lines.append(indent + "  ".join([row[0].ljust(widths[0]), *others]))
    return lines


def text_facts(facts: Mapping[str, str], indent: str = "  ") -> list[str]:
    """Return one line for each fact, its name in a column of its own."""
    shown = {_in_one_line(name): visible(value) for name, value in facts.items()}
    width = max(map(len, shown), default=0)
    return [f"{indent}{name:<{width}}  {value}" for name, value in shown.items()]


def _in_one_line(cell: str) -> str:
    """Return a cell as one line, whatever the name in it holds."""
    return visible(cell).replace("\n", "\\n").replace("\t", "\\t")


def show_count(value: float) -> str:
    """Return a number of rows or features with thousands set apart; sums of weights keep some decimals.

    Examples
    --------
    >>> show_count(1_234_567), show_count(1234.56), show_count(2.5)
    ('1,234,567', '1,234.6', '2.5')
    """
    if float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3g}"


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in HTML, every cell escaped."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_facts(facts: Mapping[str, str]) -> str:
    """Return facts as a table of two columns in HTML."""
    rows = "".join(f"<tr><th>{escape(n)}</th><td>{escape(v)}</td></tr>" for n, v in facts.items())
    return f"<table><tbody>{rows}</tbody></table>"


def make_frame(*args: Any, **kwargs: Any) -> "DataFrame":
    """Return a pandas data frame, or say which extra brings pandas."""
    try:
        from pandas import DataFrame
    except ImportError:
        raise ImportError("to_frame() needs pandas; install it with `pip install pulasso[frames]`.") from None
    return DataFrame(*args, **kwargs)


@dataclass(frozen=True)
class Printout:
    """What a result shows of itself: one source for terminals and notebooks.

    Attributes
    ----------
    title : str
    facts : mapping of str to str
        In the order in which they are shown.
    tables : sequence of (header, rows)
        All cells are text. A table without rows is left out; a note may say why.
    notes : sequence of str
        Below the tables, one line each.
    n_rows : int, optional
        How many rows of a table are shown; the others are counted.

    Examples
    --------
    >>> rows = [["oak", "0.9"], ["fir", "0.8"], ["ash", "0.7"]]
    >>> print(Printout("Recall", {"rows": "600"}, [(["class", "recall"], rows)], n_rows=2).to_text())
    Recall
      rows  600
    <BLANKLINE>
      class  recall
      oak       0.9
      fir       0.8
      ... and 1 more (see .to_frame())
    """

    title: str
    facts: Mapping[str, str] = field(default_factory=dict)
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    n_rows: int | None = None

    def _shown(self) -> list[Table]:
        return [(header, rows[: self.n_rows]) for header, rows in self.tables if rows]

    def _below(self) -> list[str]:
        hidden = 0 if self.n_rows is None else sum(max(len(rows) - self.n_rows, 0) for _, rows in self.tables)
        return [*([f"... and {hidden} more (see .to_frame())"] if hidden else []), *self.notes]

    def to_text(self) -> str:
        """Return lines for a terminal."""
        lines = [self.title, *text_facts(self.facts)]
        for i, table in enumerate(self._shown()):
            lines += [*([""] if self.facts or i else []), *text_table(*table)]
        return "\n".join(lines + [f"  {note}" for note in self._below()])

    def to_html(self) -> str:
        """Return HTML for a notebook, everything escaped."""
        parts = [f"<h4>{escape(self.title)}</h4>", *([html_facts(self.facts)] if self.facts else [])]
        parts += [html_table(*table) for table in self._shown()]
        parts += [f"<p>{escape(note)}</p>" for note in self._below()]
        return f"<div class='pulasso-summary'>{''.join(parts)}</div>"


class Printable:
    """Prints as text and renders as HTML in notebooks; subclasses say what in `_printout`.

    A dataclass must be made with ``repr=False``, or it would print its fields.
    """

    @abstractmethod
    def _printout(self) -> Printout:
        """Return what is shown."""

    def __repr__(self) -> str:
        return self._printout().to_text()

    def _repr_html_(self) -> str:
        return self._printout().to_html()
