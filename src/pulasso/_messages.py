"""Messages: values printed as a user would write them, and parameters named as each face of the library calls them.

A message is written once, with :func:`arg` around the names of parameters. Python shows ``lam_min_ratio=0.01``, the
command line ``--lam-min-ratio 0.01``: see :func:`render`.
"""

import inspect
import re
import warnings
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np

__all__ = ["Message", "arg", "did_you_mean", "listed", "plain", "render", "visible", "warn"]

NAMES_SHOWN = 10
# A spelling suggestion compares with every name, some 20 microseconds each: a million would take 20 seconds.
NAMES_COMPARED = 20_000
# Characters that Unicode keeps for private use: the text of a user hardly ever holds them.
OPEN, EQUALS, CLOSE = "\ue000", "\ue001", "\ue002"
# No mark lies within another, so that a search takes no longer than the text.
MARK = re.compile(f"{OPEN}([^{OPEN}{CLOSE}{EQUALS}]*)(?:{EQUALS}([^{OPEN}{CLOSE}]*))?{CLOSE}")
# Characters that steer a terminal or turn the direction of writing, but for the end of a line and the tab.
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""Return text in which characters that would steer a terminal are written out; names in data may hold them.

    Examples
    --------
    >>> print(visible("oak\x1b[2J"))
    oak\x1b[2J
    """
    return STEERING.sub(lambda found: repr(found[0])[1:-1], text)


def arg(name: str, value: str | None = None) -> str:
    """Return the mark of a parameter, and of the value that is advised for it, for use in a message.

    Examples
    --------
    >>> Message(f"Try a smaller {arg('lam_min_ratio')}, or {arg('cv', '3')}.")
    'Try a smaller lam_min_ratio, or cv=3.'
    """
    return f"{OPEN}{name}{CLOSE}" if value is None else f"{OPEN}{name}{EQUALS}{value}{CLOSE}"


class Message(str):
    """A text in the words of Python, which keeps its marks for other faces.

    Attributes
    ----------
    template : str
        The text with its marks.

    Examples
    --------
    >>> message = Message(f"{arg('prevalence')} is missing.")
    >>> message
    'prevalence is missing.'
    >>> render(message, lambda name, value: f"--{name}")
    '--prevalence is missing.'
    """

    template: str

    def __new__(cls, template: str) -> "Message":
        template = getattr(template, "template", template)
        self = super().__new__(
            cls, render(template, lambda name, value: f"{name}={value}" if value else name)
        )
        self.template = template
        return self

    def __reduce__(self) -> tuple:
        return type(self), (self.template,)


def render(message: str, show: Callable[[str, str | None], str]) -> str:
    """Return a message with every parameter shown by a function of its name and of the advised value."""
    return MARK.sub(lambda mark: show(mark[1], mark[2]), getattr(message, "template", message))


def warn(words: str, category: type[Warning]) -> Message:
    """Warn, pointing at the line outside of this package that led here however deep that was; return the message."""
    message = Message(words)
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "pulasso":
        frame, level = frame.f_back, level + 1
    warnings.warn(category(message), stacklevel=level + 1)
    return message


def plain(value: Any) -> Any:
    """Return a plain Python value, so that 1 and ``np.int64(1)`` compare and print alike."""
    return value.item() if isinstance(value, np.generic) else value


def listed(values: Iterable[Any], limit: int = NAMES_SHOWN, show: Callable[[Any], str] = repr) -> str:
    """Return values for a message: quoted, separated by commas, the tail of a long list only counted.

    Examples
    --------
    >>> listed(["oak", "fir", "ash"], limit=2)
    "'oak', 'fir' and 1 more"
    """
    values = list(values)
    more = f" and {len(values) - limit} more" if len(values) > limit else ""
    return ", ".join(show(plain(value)) for value in values[:limit]) + more


def did_you_mean(wanted: Any, known: Iterable[Any]) -> str:
    """Return a closing question if some known name looks like the wanted one, whatever its case or type.

    Examples
    --------
    >>> did_you_mean("Oka", ["oak", "fir"])
    " Did you mean 'oak'?"
    >>> did_you_mean("beech", ["oak", "fir"])
    ''
    """
    by_text = {str(name).strip().casefold(): plain(name) for name in list(known)[:NAMES_COMPARED]}
    # Numbers that look alike, 1 and -1, are no misspelling of each other.
    cutoff = 0.6 if isinstance(wanted, str) else 1.0
    close = get_close_matches(str(wanted).strip().casefold(), by_text, n=2, cutoff=cutoff)
    return f" Did you mean {' or '.join(repr(by_text[text]) for text in close)}?" if close else ""
