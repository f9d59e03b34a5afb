"""What counts as a missing value, whoever wrote it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["is_missing", "missing_mask"]


def is_missing(value: Any) -> bool:
    """Say whether a value is None, NaN, NaT or pandas' NA."""
    # pandas' NA is known by name: comparing it raises, and importing pandas for it would be a dependency.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating | np.datetime64 | np.timedelta64) and bool(value != value)


def missing_mask(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where an array of any type has missing values."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind == "O":
        return np.fromiter(map(is_missing, values), dtype=bool, count=values.size)
    return np.zeros(values.shape, dtype=bool)
