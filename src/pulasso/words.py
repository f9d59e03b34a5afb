"""Small helpers for messages: values printed the way a user would write them."""

import inspect
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

__all__ = ["listed", "plain", "warn_caller"]

NAMES_SHOWN = 10


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


def warn_caller(words: str, category: type[Warning]) -> None:
    """Warn, and point at the line outside of this package that led here, however deep that was."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "pulasso":
        frame, level = frame.f_back, level + 1
    warnings.warn(words, category, stacklevel=level + 1)
