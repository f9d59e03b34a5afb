"""The rows at which a response curve is evaluated: the row in the middle, or real rows with one feature changed."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pulasso._messages import arg, did_you_mean, listed
from pulasso.data.inputs import check_number
from pulasso.data.parameters import as_numbers, check_in_memory
from pulasso.exceptions import InputError

__all__ = ["average_over", "column_and_center", "column_of", "find_feature", "like", "read_table"]

# Real rows that a curve is averaged over: with so many its shape is settled.
ROWS = 300


def read_table(x: Any, complete: bool) -> Any:
    """Return X as something with rows and columns; what is no frame and no sparse matrix is read as an array.

    `complete` says whether it must hold numbers everywhere.
    """
    check_in_memory(x, "a response curve")
    is_frame = hasattr(x, "columns") and hasattr(x, "shape")
    if sparse.issparse(x) or is_frame:
        table = x
    elif not complete and getattr(x, "ndim", 0) == 2 and x.dtype.kind in "OUST":
        table = x  # columns of categories among others
    else:
        table = as_numbers("X", x, ndim=2, finite=complete)
    if 0 in table.shape:
        problem = f"{arg('X')} has the shape {table.shape}: there is nothing to draw."
        raise InputError(problem, parameter="X")
    return table


def find_feature(feature: int | str, x: Any) -> tuple[int, str]:
    """Return the position and the name of a feature that was given by either."""
    n_features = x.shape[1]
    known = [str(name) for name in x.columns] if hasattr(x, "columns") else None
    names = [f"x{j}" for j in range(n_features)] if known is None else known
    if isinstance(feature, str):
        if known is None:
            problem, remedy = f"{feature!r} is a name, but X has no column names.", "Give a position."
            raise InputError(problem, parameter="feature", remedy=remedy)
        if feature not in names:
            problem = (
                f"{feature!r} is no column of X; they are {listed(names)}.{did_you_mean(feature, names)}"
            )
            raise InputError(problem, parameter="feature")
        return names.index(feature), feature
    check_number("feature", feature, whole=True)
    if not -n_features <= feature < n_features:
        problem = f"{arg('feature', repr(feature))} is out of range: X has {n_features} columns."
        raise InputError(problem, parameter="feature")
    return int(feature) % n_features, names[int(feature)]


# --- the row in the middle --------------------------------------------------------------------------------


def column_and_center(x: Any, j: int) -> tuple[NDArray, NDArray]:
    """Return the values of one feature, and the means of all."""
    if sparse.issparse(x):
        columns = x.tocsc()
        column = columns[:, [j]].toarray()[:, 0].astype(float)
        return column, np.asarray(columns.mean(axis=0), dtype=float).ravel()
    try:
        dense = np.asarray(x, dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            "Response curves need numbers in every column of X.",
            parameter="X",
            remedy="Encode categories first, and draw the last step of the pipeline on the encoded columns.",
        ) from None
    return dense[:, j], dense.mean(axis=0)


def like(x: Any, rows: NDArray) -> Any:
    """Return rows in a container of the kind that the model was fitted on, with its column names."""
    if hasattr(x, "iloc"):
        return type(x)(rows, columns=x.columns)
    if hasattr(x, "columns"):
        return type(x)(rows, schema=list(x.columns))
    return rows


# --- real rows --------------------------------------------------------------------------------------------


def column_of(x: Any, j: int) -> tuple[NDArray, bool]:
    """Return the values of one feature that are there, and whether they are categories rather than numbers."""
    if sparse.issparse(x):
        return x.tocsc()[:, [j]].toarray()[:, 0].astype(float), False
    column = x.iloc[:, j] if hasattr(x, "iloc") else np.asarray(x)[:, j]
    is_category = str(getattr(column, "dtype", "")) == "category"
    values = np.asarray(column)
    if not is_category:
        try:
            numbers = values.astype(float)
            return numbers[~np.isnan(numbers)], False
        except (TypeError, ValueError):
            pass  # text
    values = values.astype(object)
    there = [each is not None and each == each for each in values.tolist()]
    return values[there], True


def average_over(predict: Callable[[Any], NDArray], x: Any, j: int, values: NDArray) -> NDArray:
    """Return the mean prediction of rows of X, at most some hundred, when one feature has each of some values."""
    chosen = np.unique(np.linspace(0, x.shape[0] - 1, min(x.shape[0], ROWS)).round().astype(np.intp))
    if sparse.issparse(x):
        rows = x.tocsr()[chosen].toarray()
    else:
        rows = x.iloc[chosen] if hasattr(x, "iloc") else np.asarray(x)[chosen]
    return np.array([predict(_with(rows, j, value, x)).mean(axis=0) for value in values.tolist()])


def _with(rows: Any, j: int, value: Any, x: Any) -> Any:
    """Return the rows with one value in one column."""
    if hasattr(rows, "iloc"):
        own, moved = rows.iloc[:, j], rows.copy()
        kind = own.dtype if str(own.dtype) == "category" or isinstance(value, str) else "float64"
        moved.isetitem(j, type(own)([value] * len(own), index=own.index, dtype=kind))
        return moved
    moved = rows.astype(object if rows.dtype.kind in "OUST" else float)
    moved[:, j] = value
    return like(x, moved) if hasattr(x, "columns") else moved
