"""What tells one computation from another: a hash of settings and data."""

import marshal
from collections.abc import Mapping
from functools import partial
from types import FunctionType, MethodType
from typing import Any

import joblib

from pulasso.exceptions import CheckpointError

__all__ = ["fingerprint"]


def fingerprint(value: Any) -> str:
    """Return a hash of arrays, data frames, sparse matrices, settings, estimators, functions, and mappings of them.

    Two values with the same hash are the same for all practical purposes. What cannot be told from others, because
    it cannot be pickled, is refused.

    Examples
    --------
    >>> fingerprint({"lam": 0.1, "groups": "rows"}) == fingerprint({"groups": "rows", "lam": 0.1})
    True
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
    False
    """
    try:
        return joblib.hash(_readable(value), hash_name="sha1")
    except Exception as error:  # pickle raises what it likes
        raise CheckpointError(
            f"A setting cannot be told from others, so that finished steps could be taken for another run's: {error}",
            remedy="Use named functions and objects that can be pickled, or compute without a checkpoint.",
        ) from error


def _readable(value: Any) -> Any:
    """Replace functions by what they do: pickle knows them by their names only, which others may share."""
    if isinstance(value, FunctionType):
        outside = [cell.cell_contents for cell in value.__closure__ or ()]
        parts = (value.__defaults__, value.__kwdefaults__, outside)
        return (value.__qualname__, marshal.dumps(value.__code__), _readable(parts))
    if isinstance(value, MethodType):
        return ("method", _readable(value.__func__), _readable(value.__self__))
    if isinstance(value, partial):
        return ("partial", _readable(value.func), _readable(value.args), _readable(value.keywords))
    if isinstance(value, Mapping):
        return {key: _readable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_readable(each) for each in value]
    return value
