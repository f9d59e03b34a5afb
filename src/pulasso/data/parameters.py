"""Checks of parameters that many public functions take: words, arrays of numbers, seeds, results of other functions."""

import inspect
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from pulasso._messages import arg, did_you_mean, listed, plain
from pulasso.data.chunks import is_chunked
from pulasso.data.inputs import check_number
from pulasso.exceptions import InputError

__all__ = [
    "as_generator",
    "as_numbers",
    "as_random_state",
    "as_rows",
    "as_whole",
    "check_choice",
    "check_in_memory",
    "check_kind",
    "check_names_of",
    "check_text",
    "kind_of",
    "position_in",
    "shown",
]

WORDS_SHOWN = 80
PRINTED = (str, bytes, int, float, complex, list, tuple, dict, set, np.generic, type(None))


def shown(value: Any) -> str:
    """Return a value for a message, or only its type where it would fill a page."""
    words = repr(value) if isinstance(value, PRINTED) else ""
    return words if words and len(words) <= WORDS_SHOWN and "\n" not in words else kind_of(value)


def kind_of(value: Any) -> str:
    """Return what a value is, with its article left to the reader: the name of its type."""
    return f"the class {value.__name__}" if inspect.isclass(value) else f"a {type(value).__name__}"


def check_choice(name: str, value: Any, known: Iterable[Any]) -> None:
    """Refuse a value that is none of the words (or None) that a parameter knows; it may be of any type.

    Examples
    --------
    >>> check_choice("average", "micro", (None, "macro"))
    Traceback (most recent call last):
    pulasso.exceptions.InputError: average='micro' is unknown; use one of None, 'macro'. Did you mean 'macro'?
    """
    options = list(known)
    if not (isinstance(value, str | None) and value in options):
        hint = did_you_mean(value, [each for each in options if each is not None])
        words = f"{arg(name, shown(value))} is unknown; use one of {listed(options)}.{hint}"
        raise InputError(words, parameter=name)


def check_kind(name: str, value: Any, kind: type | tuple[type, ...], remedy: str) -> None:
    """Refuse an object that is not what a function takes, for example the result of another function."""
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        wanted = " or ".join(each.__name__ for each in kinds)
        raise InputError(f"{arg(name)} is {kind_of(value)}, not a {wanted}.", parameter=name, remedy=remedy)


def check_names_of(name: str, value: Any, known: Iterable[str] | None = None) -> None:
    """Refuse what is no list of names, each once; or names that are not known."""
    is_list = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    if not is_list or not value or len(set(value)) < len(value):
        problem = f"{arg(name, shown(value))} must be a list of names, each of them once."
        raise InputError(problem, parameter=name)
    options = list(value if known is None else known)
    for each in value:
        if each not in options:
            problem = f"{arg(name)} holds {each!r}; there are {listed(options, limit=30)}."
            raise InputError(f"{problem}{did_you_mean(each, options)}", parameter=name)


def check_in_memory(x: Any, purpose: str) -> None:
    """Refuse data in chunks where all rows are needed at once."""
    if is_chunked(x):
        raise InputError(
            f"{arg('X')} comes in chunks, and {purpose} needs rows in memory.",
            parameter="X",
            remedy="Give an array, a data frame or a sparse matrix of some of the rows.",
        )


def check_text(name: str, value: Any) -> None:
    """Refuse what is neither text nor None."""
    if value is not None and not isinstance(value, str):
        raise InputError(f"{arg(name)} is {kind_of(value)}, not text.", parameter=name)


def as_numbers(
    name: str,
    value: Any,
    *,
    ndim: int | None = None,
    shape: tuple[int, ...] | None = None,
    finite: bool = True,
) -> NDArray[np.float64]:
    """Return an array of numbers; refuse text, dates, complex numbers and objects, and a wrong shape.

    Examples
    --------
    >>> as_numbers("radii", ["near", "far"])
    Traceback (most recent call last):
    pulasso.exceptions.InputError: radii=['near', 'far'] must hold numbers.
    """
    try:
        found = np.asarray(value)
        numbers = found.astype(np.float64) if found.dtype.kind in "biufO" else None
    except (TypeError, ValueError, OverflowError):
        numbers = None
    if numbers is None:
        raise InputError(f"{arg(name, shown(value))} must hold numbers.", parameter=name)
    if (ndim is not None and numbers.ndim != ndim) or (shape is not None and numbers.shape != shape):
        wanted = f"the shape {shape}" if shape is not None else f"{ndim} dimension{'s' * (ndim != 1)}"
        raise InputError(f"{arg(name)} has the shape {numbers.shape}; it must have {wanted}.", parameter=name)
    if finite and not np.isfinite(numbers).all():
        raise InputError(f"{arg(name)} holds a number that is missing or infinite.", parameter=name)
    return numbers


def shape_of(name: str, value: Any) -> tuple[int, ...]:
    """Return the shape of what may be an array; refuse lists of unequal length.

    Examples
    --------
    >>> shape_of("y_score", [[1, 2], [3]])
    Traceback (most recent call last):
    pulasso.exceptions.InputError: y_score=[[1, 2], [3]] has rows of unequal length.
    """
    try:
        return np.shape(value)
    except ValueError:
        raise InputError(f"{arg(name, shown(value))} has rows of unequal length.", parameter=name) from None


def position_in(value: Any, names: list) -> int | None:
    """Return where a value stands in a list, or None; some values, such as pandas.NA, refuse to be compared."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a sparse matrix has an opinion on being compared
            return names.index(plain(value))
    except (TypeError, ValueError):
        return None


def as_rows(name: str, value: Any, n_rows: int) -> NDArray[np.intp]:
    """Return positions of rows, given so or as True and False for every row."""
    try:
        found = np.asarray(value) if isinstance(value, list | np.ndarray) else np.array(None)
    except ValueError:  # lists of different lengths
        found = np.array(None)
    if found.dtype == bool and found.shape == (n_rows,):
        return np.flatnonzero(found)
    fits = found.ndim == 1 and (found.dtype.kind in "iu" or not len(found))
    if not fits or (len(found) and not (-n_rows <= found.min() and found.max() < n_rows)):
        raise InputError(f"{arg(name)} must be a list of positions among {n_rows} rows.", parameter=name)
    return found.astype(np.intp)


def as_whole(name: str, value: Any, least: int = 1) -> int:
    """Return a whole number that may have come as a float, 3.0."""
    check_number(name, value, least=least, whole=True)
    return int(value)


def as_generator(random_state: Any) -> np.random.Generator:
    """Return a generator of random numbers from a seed, a generator, or None.

    Examples
    --------
    >>> as_generator("today")
    Traceback (most recent call last):
    pulasso.exceptions.InputError: random_state='today' must be a whole number from 0, a NumPy generator, or None.
    """
    try:
        if isinstance(random_state, str | bytes):
            raise TypeError
        return np.random.default_rng(random_state)
    except (TypeError, ValueError, OverflowError):
        raise _no_seed(random_state) from None


def as_random_state(random_state: Any) -> np.random.RandomState:
    """Return a generator of the older kind, which scikit-learn takes."""
    try:
        return check_random_state(random_state)
    except (TypeError, ValueError, OverflowError):
        raise _no_seed(random_state) from None


def _no_seed(random_state: Any) -> InputError:
    given = arg("random_state", shown(random_state))
    words = f"{given} must be a whole number from 0, a NumPy generator, or None."
    return InputError(words, parameter="random_state")
