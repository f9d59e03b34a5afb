"""Tables of words and numbers, as text for terminals and as HTML for notebooks."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["html_facts", "html_table", "make_frame", "show_count", "text_facts", "text_table"]


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    r"""Return the lines of a table: the first column flush left, numbers flush right.

    Examples
    --------
    >>> print("\n".join(text_table(["class", "recall"], [["oak", "0.9"], ["juniper", "0.85"]])))
      class    recall
      oak         0.9
      juniper    0.85
    """
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = []
    for row in [header, *rows]:
        others = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        lines.append(indent + "  ".join([row[0].ljust(widths[0]), *others]))
    return lines


def text_facts(facts: Mapping[str, str], indent: str = "  ") -> list[str]:
    """Return one line for each fact, its name in a column of its own."""
    width = max(map(len, facts), default=0)
    return [f"{indent}{name:<{width}}  {value}" for name, value in facts.items()]


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
