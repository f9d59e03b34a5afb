"""Which columns of a table are the label, the weights and the features."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from pulasso._messages import arg, did_you_mean, listed
from pulasso.exceptions import InputError

if TYPE_CHECKING:
    from pandas import DataFrame, Series

__all__ = ["row_weights", "split_columns", "take_source"]


def split_columns(
    frame: "DataFrame",
    label: str | None,
    *,
    weights: str | None = None,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    path: Any = "The table",
) -> "tuple[Series, Series | None, DataFrame]":
    """Return the label, the weights if there are some, and the columns that are features.

    Parameters
    ----------
    frame : DataFrame
    label, weights : str
        Names of columns.
    keep, drop : sequence of str
        The only features, and those to leave out: names, several with commas between them, or patterns such as
        soil_*.
    path : path
        For messages.
    """
    frame = frame.rename(columns=str)
    names = list(frame.columns)
    if label is None:
        raise InputError(
            f"{arg('label')} is needed: which column of {path} holds the labels? It has {listed(names)}.",
            parameter="label",
        )
    for parameter, name in (("label", label), ("weights", weights)):
        if name is not None and name not in names:
            raise _no_column(parameter, name, names, path)
    if weights == label:
        raise InputError(
            f"{arg('weights')} and {arg('label')} both name {label!r}.",
            parameter="weights",
            remedy=f"Name the column that holds numbers, or leave {arg('weights')} out: then all rows count alike.",
        )
    others = [name for name in names if name not in (label, weights)]
    if keep:
        others = _find_columns("keep", keep, others, path)
    if drop:
        dropped = _find_columns("drop", drop, others, path)
        others = [name for name in others if name not in dropped]
    # Taking columns out leaves the others where they are; selecting the others would copy them.
    found, weight = frame.pop(label), None if weights is None else frame.pop(weights)
    return found, weight, frame if list(frame.columns) == others else frame[others]


def take_source(
    frame: "DataFrame", source: str | None, label: str | None, path: Any
) -> "tuple[NDArray | None, DataFrame]":
    """Return where each row comes from, as text, and the other columns."""
    if source is None:
        return None, frame
    frame = frame.rename(columns=str)
    if source not in frame.columns:
        raise _no_column("source", source, list(frame.columns), path)
    if source == label:
        raise InputError(f"{arg('source')} and {arg('label')} both name {source!r}.", parameter="source")
    found = frame[source]
    if found.isna().any():
        row = int(found.isna().to_numpy().argmax()) + 1
        raise InputError(f"{arg('source')}: column {source!r} is empty in row {row}.", parameter="source")
    return found.astype(str).to_numpy(dtype=object), frame.drop(columns=source)


def _find_columns(parameter: str, patterns: Sequence[str], names: Sequence[str], path: Any) -> list[str]:
    found: list[str] = []
    for pattern in patterns:
        # A name with a comma in it is taken as it stands.
        for part in [pattern] if pattern in names else [each.strip() for each in pattern.split(",")]:
            matched = [name for name in names if part == name or fnmatchcase(name, part)]
            if not matched and part:
                raise _no_column(parameter, part, names, path)
            found.extend(name for name in matched if name not in found)
    return found


def _no_column(parameter: str, name: str, names: Sequence[str], path: Any) -> InputError:
    return InputError(
        f"{arg(parameter)}: {path} has no column {name!r}.{did_you_mean(name, names)}",
        parameter=parameter,
        remedy=f"Its columns are {listed(names)}.",
    )


def row_weights(column: "Series") -> NDArray:
    """Return a column of row weights as numbers."""
    try:
        return column.to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            f"{arg('weights')}: column {column.name!r} holds something that is not a number.",
            parameter="weights",
        ) from None
