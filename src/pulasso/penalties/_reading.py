"""Reading what the user wrote about groups, before the data are known."""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Iterable, Mapping
from numbers import Integral, Number
from typing import Any

import numpy as np

from pulasso._messages import arg, plain
from pulasso.exceptions import GroupError

Column = int | str
Classes = Hashable | Iterable[Hashable] | None


def name_of(value: Any) -> str:
    """Text of a group label; 1, 1.0 and "1" are the same group, whichever way a file was read."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _is_collection(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str) and getattr(value, "ndim", 1) > 0


def named_items(items: Any, noun: str) -> list[tuple[str, Any]]:
    if isinstance(items, Mapping):
        named = [(name_of(name), item) for name, item in items.items()]
    elif _is_collection(items):
        named = [(f"{noun} {number}", item) for number, item in enumerate(items, start=1)]
        for _, item in named:
            if isinstance(item, str | Number):
                raise GroupError(
                    f"{item!r} stands where a collection of columns is expected.",
                    parameter="groups",
                    remedy="Write [[0, 1, 2]] for one group of three columns, [[0], [1], [2]] for three groups.",
                )
    else:
        raise GroupError(
            f"Expected a mapping name -> {noun} or a sequence of {noun}s, not {items!r}.", parameter="groups"
        )
    repeated = first_repeated([name for name, _ in named])
    if repeated is not None:
        raise GroupError(
            f"Two groups are called {repeated!r}; give each a name of its own.", parameter="groups"
        )
    return named


def freeze_columns(columns: Any, group: str) -> tuple[Column, ...]:
    if isinstance(columns, str | Number):
        columns = (columns,)
    elif not _is_collection(columns):
        raise GroupError(f"Group {group!r}: {columns!r} is not a collection of columns.", parameter="groups")
    elif isinstance(columns, set | frozenset):
        columns = sorted(columns, key=str)  # so that equal sets make equal groups
    return tuple(freeze_column(column, f"Group {group!r}") for column in columns)


def freeze_column(column: Any, who: str) -> Column:
    if isinstance(column, bool | np.bool_):
        raise GroupError(
            f"{who}: {column} is not a column; np.flatnonzero(mask) turns a mask into indices.",
            parameter="groups",
        )
    if isinstance(column, str):
        return str(column)
    if isinstance(column, Integral):
        return int(column)
    raise GroupError(
        f"{who}: {column!r} is not a column; give an index (int) or a name (str).", parameter="groups"
    )


def freeze_classes(classes: Classes) -> tuple[Hashable, ...] | None:
    if classes is None:
        return None
    if isinstance(classes, str | Number) or not isinstance(classes, Iterable) or _is_single(classes):
        classes = (classes,)
    elif isinstance(classes, set | frozenset):
        classes = sorted(classes, key=str)
    return tuple(plain(label) for label in classes)


def _is_single(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 0  # iterable by type, and not in fact


def freeze_weights(weights: Any) -> Any:
    """A number, a read-only array, or pairs (name, weight) sorted by name; None stays None."""
    if weights is None:
        return None
    try:
        if isinstance(weights, Mapping):
            pairs = [(plain(key), float(weight)) for key, weight in weights.items()]
            return tuple(sorted(pairs, key=lambda pair: str(pair[0]))) or None
        array = np.asarray(
            np.asarray(weights, dtype=float) + 0.0
        )  # a copy without -0.0: equal bytes if equal
    except (TypeError, ValueError, OverflowError):
        raise GroupError(
            f"{arg('weights')} must be None, a number, a sequence of numbers or a mapping name -> number, "
            f"not {reprlib.repr(weights)}.",
            parameter="weights",
        ) from None
    if array.ndim == 0:
        return float(array)
    array.flags.writeable = False
    return array


def first_repeated(values: Iterable[Hashable]) -> Any:
    seen = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None
