"""Names of features, groups and classes as pictures write them: short, one line, no formulas, told apart."""

from collections import defaultdict
from collections.abc import Iterable
from os.path import commonprefix
from typing import Any

__all__ = ["literal", "literals"]

NAME_LENGTH = 28
# Of a name that is cut around the place where it differs, so much of its beginning is kept.
BEGINNING = 0.3


def literal(name: Any, length: int = NAME_LENGTH) -> str:
    r"""Return a name as text that a picture shows as it is: one line, not too long, no formulas.

    Examples
    --------
    >>> literal("price in $ or $ct")
    'price in \\$ or \\$ct'
    >>> literal("a very long name of one feature among others", length=12)
    'a ver…others'
    """
    return _escaped(_shortened(_one_line(name), length))


def literals(names: Iterable[Any], length: int = NAME_LENGTH) -> list[str]:
    """Return names as :func:`literal` does, but cut so that different names stay different.

    Examples
    --------
    >>> literals([f"mean temperature, station {i}, in degrees" for i in (1, 2)], length=24)
    ['mean te…ture, station 1…', 'mean te…ture, station 2…']
    """
    lines = [_one_line(name) for name in names]
    short = [_shortened(line, length) for line in lines]
    for members in _alike(short, lines):
        before = len(commonprefix([lines[i] for i in members]))
        after = len(commonprefix([lines[i][::-1] for i in members]))
        for i in members:
            short[i] = _around(lines[i], before, len(lines[i]) - after, length)
    for members in _alike(short, lines):
        for place, i in enumerate(members, start=1):
            short[i] = f"{short[i][: length - 5]} ({place})"
    return [_escaped(each) for each in short]


def _one_line(name: Any) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in str(name)).split())


def _shortened(line: str, length: int) -> str:
    if len(line) <= length:
        return line
    # Long names often differ at their ends only.
    return line[: length - length // 2 - 1].rstrip() + "…" + line[-(length // 2) :].lstrip()


def _escaped(line: str) -> str:
    # Matplotlib hides labels that begin with an underscore, and sets what is between dollars as a formula.
    return (" " if line.startswith("_") else "") + line.replace("$", r"\$")


def _alike(short: list[str], lines: list[str]) -> list[list[int]]:
    """Return positions of names that became the same although they are not."""
    by_short = defaultdict(list)
    for i, each in enumerate(short):
        by_short[each].append(i)
    return [members for members in by_short.values() if len({lines[i] for i in members}) > 1]


def _around(line: str, first: int, last: int, length: int) -> str:
    """Cut a line so that its beginning stays, and the part from `first` to `last`, in which it differs."""
    head = int(BEGINNING * length)
    room = length - head - 2
    end = min(max(last, first + 1), first + room, len(line))
    start = end - room
    if start <= head:
        return line[: length - 1] + "…"
    return line[:head].rstrip() + "…" + line[start:end].lstrip() + ("…" if end < len(line) else "")
