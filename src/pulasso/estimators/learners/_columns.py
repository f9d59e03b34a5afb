"""Columns of categories as codes: the same for every engine, and in a saved model without the engine's help."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pulasso._messages import arg, did_you_mean, listed
from pulasso.data.missing_values import missing_mask
from pulasso.exceptions import InputError

__all__ = ["column_of", "encoded", "learn_categories"]


def learn_categories(x: Any, listed_columns: Sequence[Any] | None) -> dict[int, NDArray]:
    """Return the values of every column of categories, by its position.

    Columns of pandas' type ``category`` are such, and those that the user lists by name or position.
    """
    is_frame = hasattr(x, "iloc") and getattr(x, "ndim", 0) == 2
    found = {}
    for j, dtype in enumerate(x.dtypes if is_frame else ()):
        if str(dtype) == "category":
            found[j] = _as_values(dtype.categories)
    if listed_columns is None:
        return found
    if not isinstance(listed_columns, list | tuple | np.ndarray) or not getattr(listed_columns, "ndim", 1):
        raise InputError(
            f"{arg('categorical_features')} must be a list of names or positions of columns.",
            parameter="categorical_features",
        )
    if sparse.issparse(x):
        raise InputError(
            "A sparse X has no columns of categories.",
            parameter="categorical_features",
            remedy="Give it dense, or encode the columns as indicators.",
        )
    table = x if is_frame else np.asarray(x)
    names = list(x.columns) if is_frame else None
    if table.ndim != 2:
        return found  # refused with the rest of X
    for each in listed_columns:
        j = column_of(each, names, table.shape[1], "categorical_features")
        column = _column(table, j)
        try:
            found.setdefault(j, np.unique(column[~missing_mask(column)]))
        except TypeError:
            raise InputError(
                f"Column {each!r} of {arg('X')} mixes text with numbers.", parameter="categorical_features"
            ) from None
    return found


def encoded(x: Any, categories: dict[int, NDArray]) -> Any:
    """Return X with codes in place of categories; values that were not there at the fit are missing ones."""
    if not categories:
        return x
    if hasattr(x, "iloc"):
        x = x.copy(deep=False)
        for j, values in categories.items():
            if j < x.shape[1]:
                x[x.columns[j]] = _codes(_column(x, j), values)
        return x
    table = np.asarray(x)
    if table.ndim != 2 or max(categories) >= table.shape[1]:
        return x  # refused with the rest of X
    numbers = table.astype(object) if table.dtype.kind not in "fiub" else table.astype(float)
    for j, values in categories.items():
        numbers[:, j] = _codes(table[:, j], values)
    return numbers.astype(float) if numbers.dtype == object else numbers


def column_of(name: Any, names: Sequence[Any] | None, n_features: int, parameter: str) -> int:
    """Return the position of a column that was given by name or position."""
    if isinstance(name, str):
        if names is None or name not in names:
            known = (
                f" There are {listed(names, limit=5)}." if names is not None else " X has no column names."
            )
            hint = did_you_mean(name, names or [])
            raise InputError(
                f"{arg(parameter)}: there is no column {name!r}.{hint}{known}", parameter=parameter
            )
        return list(names).index(name)
    is_whole = isinstance(name, int | np.integer) and not isinstance(name, bool)
    if not is_whole or not 0 <= name < n_features:
        raise InputError(
            f"{arg(parameter)} holds {name!r}; columns are named, or numbered from 0 to {n_features - 1}.",
            parameter=parameter,
        )
    return int(name)


def _column(table: Any, j: int) -> NDArray:
    column = table.iloc[:, j] if hasattr(table, "iloc") else table[:, j]
    return _as_values(column)


def _as_values(column: Any) -> NDArray:
    found = np.asarray(column)
    # Text as objects, whatever pandas calls it, so that comparisons do not depend on its version.
    return found.astype(object) if found.dtype.kind in "USOT" else found


def _codes(column: NDArray, values: NDArray) -> NDArray:
    place = {value: code for code, value in enumerate(values.tolist())}
    missing = missing_mask(column).tolist()
    codes = [
        np.nan if gone else place.get(value, np.nan)
        for value, gone in zip(column.tolist(), missing, strict=True)
    ]
    return np.array(codes, dtype=float)
