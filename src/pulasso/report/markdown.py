"""Sections of a report as Markdown; pictures are left to the HTML page."""

import re

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
    return "\n\n".join([f"## {section.title}", *filter(None, map(_block, section.blocks))])


def _block(block: Block) -> str:
    match block:
        case Text(words):
            return _paragraph(words)
        case Notice(words):
            return f"> **Note:** {escape(words)}"
        case TextList(sentences):
            return "\n".join(f"- {escape(each)}" for each in sentences)
        case Facts(_, facts):
            return "\n".join(f"- **{escape(name)}:** {escape(value)}" for name, value in facts.items())
        case Table(caption, header, rows, note):
            lines = [[cell if isinstance(cell, str) else cell[0] for cell in row] for row in (header, *rows)]
            drawn = [f"| {' | '.join(map(escape, line))} |" for line in lines]
            drawn.insert(1, f"|{' --- |' * len(header)}")
            return "\n\n".join(filter(None, [f"**{escape(caption)}**", "\n".join(drawn), _paragraph(note)]))
    return ""


def _paragraph(words: str) -> str:
    """Return a paragraph; a number and a full stop at its beginning would become a list."""
    return re.sub(r"^(\d+)([.)])", r"\1\\\2", re.sub(r"^([-+=])", r"\\\1", escape(words)))
