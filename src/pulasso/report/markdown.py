"""Sections of a report as Markdown; pictures are left to the HTML page."""

import re
from collections.abc import Iterable

from pulasso.report.blocks import Block, Facts, Notice, Section, Table, Text, TextList

__all__ = ["escape", "to_markdown"]

# What starts or ends something in Markdown or HTML, wherever it stands in a line.
SPECIAL = re.compile(r"([\\`*_\[\]<>|~#&])")


def escape(words: str) -> str:
    r"""Return text that Markdown shows as it is: names of classes and features may hold anything.

    Examples
    --------
    >>> print(escape("a_b|c *d*\n# <b>"))
    a\_b\|c \*d\* \# \<b\>
    """
    return SPECIAL.sub(r"\\\1", " ".join(words.split()))


def to_markdown(section: Section) -> str:
    """Return a heading and what is below it."""
    parts = [f"## {section.title}", *(_block(block) for block in section.blocks)]
    return "\n\n".join(part for part in parts if part)


def _block(block: Block) -> str:
    match block:
        case Text(words):
            return _sentence(words)
        case Notice(words):
            return f"> **Note:** {escape(words)}"
        case TextList(items):
            return _items(map(escape, items))
        case Facts(_, facts):
            return _items(f"**{escape(name)}:** {escape(value)}" for name, value in facts.items())
        case Table():
            return _table(block)
    raise TypeError(f"{type(block).__name__} has no form in Markdown.")


def _sentence(words: str) -> str:
    """Return a paragraph; a number and a full stop at its beginning would become a list."""
    return re.sub(r"^(\d+)([.)])", r"\1\\\2", re.sub(r"^([-+=])", r"\\\1", escape(words)))


def _items(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _table(table: Table) -> str:
    rows = [[cell if isinstance(cell, str) else cell[0] for cell in row] for row in table.rows]
    lines = [[escape(cell) for cell in row] for row in (table.header, *rows)]
    lines.insert(1, ["---"] * len(table.header))
    drawn = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    note = f"\n\n{_sentence(table.note)}" if table.note else ""
    return f"**{escape(table.caption)}**\n\n{drawn}{note}"
