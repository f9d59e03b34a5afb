"""Containers whose meaning NumPy would lose: masks of masked arrays, and frames whose rows are still to be computed."""

from typing import Any

import numpy as np

from pulasso._messages import arg
from pulasso.exceptions import InputError

__all__ = ["refuse_lazy", "unmasked", "unmasked_labels"]


def unmasked(x: Any) -> Any:
    """Return numbers without a mask, NaN where they were masked; what has no mask as it is.

    Examples
    --------
    >>> unmasked(np.ma.masked_array([1, 2], mask=[False, True]))
    array([ 1., nan])
    """
    if isinstance(x, list | tuple) and any(isinstance(row, np.ma.MaskedArray) for row in x):
        return [unmasked(row) for row in x]
    if not isinstance(x, np.ma.MaskedArray):
        return x
    if not np.ma.is_masked(x):
        return x.data
    return np.ma.filled(x.astype(x.dtype if x.dtype.kind == "f" else np.float64), np.nan)


def unmasked_labels(y: Any) -> Any:
    """Return labels without a mask, None where they were masked; what has no mask as it is."""
    if not np.ma.is_masked(y):
        return y
    labels = np.ma.getdata(y).astype(object)
    labels[np.ma.getmaskarray(y)] = None
    return labels


def refuse_lazy(values: Any, name: str) -> None:
    """Refuse a lazy frame of polars, which has no rows yet; `name` is the parameter that it was given as."""
    if type(values).__name__ == "LazyFrame":
        raise InputError(
            f"{arg(name)} is a LazyFrame, whose rows are not computed yet.",
            parameter=name,
            remedy=f"Call {name}.collect() and pass its result"
            + ("." if name == "X" else f", as one column: {name}.collect()[column]."),
        )
