"""What columns must be before they are added up: there, numbers, and with one name each."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from pulasso._messages import listed

__all__ = ["check_dtype", "check_names", "check_shape", "is_number", "refuse_kinds"]

COLUMNS_SHOWN = 5
NUMBERS = "fiub"  # NumPy's letters for floats, integers with and without sign, and truth values
REMEDY = "Turn them into numbers first (categories with sklearn.preprocessing.OneHotEncoder), or drop them."


def check_shape(shape: Sequence[Any], kind: str) -> None:
    """Refuse what has no rows and columns, or none of one of them.

    Parameters
    ----------
    shape : sequence of int
    kind : str
        What has this shape, for the message.
    """
    if len(shape) != 2:
        raise ValueError(f"X must have rows and columns, but this {kind} has shape {tuple(shape)}.")
    for size, noun in zip(shape, ("sample(s)", "feature(s)"), strict=True):
        if size == 0:
            raise ValueError(f"X has 0 {noun} (shape={tuple(shape)}) while a minimum of 1 is required.")


def check_names(names: Iterable[Any]) -> None:
    """Refuse columns that share a name."""
    duplicates = [name for name, count in Counter(names).items() if count > 1]
    if duplicates:
        raise ValueError(f"X has more than one column named {listed(duplicates)}. Rename or drop them.")


def is_number(dtype: Any) -> bool:
    """Say whether a dtype of NumPy or pandas stands for real numbers: no dates, text, objects or complex numbers."""
    return getattr(dtype, "kind", "O") in NUMBERS


def check_dtype(dtype: Any, kind: str) -> None:
    """Refuse an array that holds no numbers; `kind` says what array it is."""
    if not is_number(dtype):
        raise ValueError(
            f"X is a {kind} of dtype {dtype}, which are not real numbers. Turn them into numbers first; where they are "
            "numbers already, X.astype(float) says so."
        )


def refuse_kinds(
    others: Sequence[tuple[Any, Any]], error: type[ValueError] = ValueError, who: str = "X"
) -> None:
    """Refuse columns that are not numbers, if there are any: pairs of their name and their kind."""
    if others:
        noun = "column" if len(others) == 1 else "columns"
        names = listed(others, limit=COLUMNS_SHOWN, show=lambda pair: f"{pair[0]!r} ({pair[1]})")
        raise error(f"{who} has values that are not numbers in {noun} {names}. {REMEDY}")
