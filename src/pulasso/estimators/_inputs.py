"""Checks of what the user passes to `fit`, with messages that name the column."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import validate_data

__all__ = ["check_features", "check_number", "check_weight"]

NAMES_SHOWN = 5


def check_features(estimator: Any, x: Any, *, reset: bool) -> Any:
    """Validate X: finite numbers, dense or CSR/CSC, float64 or float32, never copied without need."""
    _refuse_bad_columns(x)
    try:
        return validate_data(
            estimator, x, reset=reset, accept_sparse=("csr", "csc"), dtype=(np.float64, np.float32)
        )
    except ValueError as error:
        culprits = _not_finite_columns(x) if "contains NaN" in str(error) or "contains inf" in str(error) else []
        if not culprits:
            raise
        raise ValueError(
            f"{str(error).splitlines()[0]} In {_columns(culprits)}. Impute or drop these values first, for example "
            "with sklearn.impute.SimpleImputer in a pipeline."
        ) from None


def _refuse_bad_columns(x: Any) -> None:
    """Name duplicate or non-numeric columns of a data frame, which scikit-learn does not."""
    names = list(getattr(x, "columns", []))
    seen: set = set()
    duplicates = [name for name in names if name in seen or seen.add(name)]
    if duplicates:
        raise ValueError(f"X has more than one column named {_columns(duplicates, what='')}. Rename or drop them.")
    if not hasattr(x, "dtypes") or not names:
        return
    text = [name for name, dtype in zip(names, x.dtypes, strict=True) if _is_text(dtype)]
    if text:
        raise ValueError(
            f"X has values that are not numbers in {_columns(text)}. Encode them first, for example with "
            "sklearn.preprocessing.OneHotEncoder, or drop them."
        )


def _is_text(dtype: Any) -> bool:
    return str(dtype).lower() in {"str", "string", "category", "categorical", "utf8"}


def _not_finite_columns(x: Any) -> list:
    names = list(getattr(x, "columns", []))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        array = check_array(x, accept_sparse="csc", dtype=np.float64, ensure_all_finite=False)
    if sparse.issparse(array):
        bad = np.unique(np.repeat(np.arange(array.shape[1]), np.diff(array.indptr))[~np.isfinite(array.data)])
    else:
        bad = np.flatnonzero(~np.isfinite(array).all(axis=0))
    return [names[j] if names else int(j) for j in bad]


def _columns(names: list, what: str = "column") -> str:
    shown = ", ".join(repr(name) for name in names[:NAMES_SHOWN])
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    plural = "s" if what and len(names) > 1 else ""
    return f"{what}{plural} {shown}{more}".strip()


def check_weight(sample_weight: ArrayLike | float | None, x: Any) -> NDArray:
    """Return one non-negative weight for each row, not all of them zero."""
    n_samples = x.shape[0]
    if sample_weight is None:
        return np.ones(n_samples)
    weight = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weight.ndim == 0:
        weight = np.full(n_samples, float(weight))
    if weight.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weight.ndim} dimensions.")
    check_consistent_length(x, weight)
    if (weight < 0).any():
        row = int(np.flatnonzero(weight < 0)[0])
        raise ValueError(f"sample_weight of row {row} is {weight[row]:g}; negative weights have no meaning here.")
    if not (weight > 0).any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weight


def check_number(name: str, value: Any, *, above: float | None = None, least: float | None = None) -> None:
    """Refuse a parameter that is not a finite number in its range."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={value!r} is not a number.") from None
    if not np.isfinite(number):
        raise ValueError(f"{name}={value!r} must be finite.")
    if above is not None and number <= above:
        raise ValueError(f"{name}={value!r} must be greater than {above:g}.")
    if least is not None and number < least:
        raise ValueError(f"{name}={value!r} must be at least {least:g}.")
