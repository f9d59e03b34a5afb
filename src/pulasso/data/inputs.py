"""Checks of what the user passes to `fit`, with messages that name the column or the row."""

import warnings
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import validate_data

from pulasso._messages import Message, arg, listed, plain
from pulasso.data.chunks import Chunks, as_chunked, is_chunked
from pulasso.data.chunks.columns import check_names
from pulasso.data.containers import refuse_lazy, unmasked
from pulasso.data.missing_values import is_missing
from pulasso.design import canonical
from pulasso.exceptions import InputError

__all__ = ["check_features", "check_flag", "check_number", "check_same_length", "check_weight"]

COLUMNS_SHOWN = 5
PRECISIONS = (np.float64, np.float32)
PARTS, ROWS_OF_PART = 8, 1000  # in so many parts data frames are converted; each should be worth the trouble
# Kinds of columns, by the names pandas and polars give them, that NumPy would refuse or turn into numbers
# without a meaning.
TEXT = ("str", "string", "utf8", "category", "categorical", "enum")
TIMES = ("date", "datetime", "datetime64", "duration", "period", "time", "timedelta64")
_WEIGHT = arg("sample_weight")
WIDEST = 1e100  # weights, and their ratios, beyond this overflow in products
IMPUTE = "Impute or drop these values first, for example with sklearn.impute.SimpleImputer in a pipeline."
# How NumPy says that it met text, a list, another object, or a whole number beyond all floats.
NO_NUMBERS = (
    "could not convert",
    "argument must be",
    "setting an array element",
    "too large to convert",
    "Cannot cast",
)
ENCODE = "Encode them first, for example with sklearn.preprocessing.OneHotEncoder, or drop them."


def check_features(estimator: Any, x: Any, *, reset: bool) -> Any:
    """Validate X: finite numbers, dense or CSR/CSC, float64 or float32, never copied without need.

    Data in chunks are only opened here; their numbers are looked at when they are first read.
    """
    if is_chunked(x):
        chunks = as_chunked(x)
        _check_columns(estimator, chunks, reset)
        return chunks
    refuse_lazy(x, "X")
    x = canonical(x) if sparse.issparse(x) else unmasked(x)
    _refuse_bad_columns(x)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # sums of numbers that may not be finite
            if _is_mixed(x):
                return _converted_in_parts(estimator, x, reset=reset)
            missing = get_tags(estimator).input_tags.allow_nan
            finite = {"ensure_all_finite": "allow-nan" if missing else True}
            return validate_data(
                estimator, x, reset=reset, accept_sparse=("csr", "csc"), dtype=PRECISIONS, **finite
            )
    except (TypeError, ValueError, OverflowError) as error:
        words = str(error).splitlines()[0]
        if "inhomogeneous" in words and _is_ragged(x):
            raise InputError(
                f"{arg('X')} is not a table: its rows differ in length.",
                parameter="X",
                remedy="Give one number for each feature in every row.",
            ) from None
        if "contains NaN" in words or "contains inf" in words:
            culprits, remedy = _not_finite_columns(x), IMPUTE
        elif "fill value" in words:  # pandas' sparse columns, which count anything as their zero
            culprits, remedy = [], "Give dense columns, or a sparse matrix of SciPy."
        elif any(each in words for each in NO_NUMBERS):
            culprits, remedy = _not_numeric_columns(x), ENCODE
        else:
            raise
        where = f", in {_columns(culprits)}" if culprits else ""
        problem = f"{words.rstrip('.')}{where}."
        if isinstance(error, TypeError):
            raise TypeError(Message(f"{problem} {remedy}")) from None
        raise InputError(problem, parameter="X", remedy=remedy) from None


def _is_mixed(x: Any) -> bool:
    """Say whether X is a long data frame of pandas with several kinds of columns, or of kinds that NumPy lacks."""
    if not hasattr(x, "iloc") or not hasattr(x, "columns") or len(x) < PARTS * ROWS_OF_PART:
        return False
    kinds = set(x.dtypes)
    is_plain = len(kinds) == 1 and all(isinstance(each, np.dtype) for each in kinds)
    return not is_plain and not any(_kind(each) == "sparse" for each in kinds)


def _converted_in_parts(estimator: Any, x: Any, *, reset: bool) -> NDArray:
    """Return a data frame as an array; pandas and scikit-learn would need room for a second one on the way."""
    validate_data(estimator, x, reset=reset, skip_check_array=True)  # names and number of the columns
    step, array = -(-len(x) // PARTS), np.empty(0)
    for first in range(0, len(x), step):
        part = check_array(
            x.iloc[first : first + step],
            dtype=PRECISIONS,
            estimator=estimator,
            input_name="X",
            ensure_all_finite="allow-nan" if get_tags(estimator).input_tags.allow_nan else True,
        )
        if not first:
            array = np.empty(x.shape, dtype=part.dtype, order="F")  # as pandas has it
        array[first : first + step] = part
    return array


def _is_ragged(x: Any) -> bool:
    if not isinstance(x, list | tuple):
        return False
    return len({len(row) if hasattr(row, "__len__") else -1 for row in x}) > 1


def _check_columns(estimator: Any, chunks: Chunks, reset: bool) -> None:
    """Note number and names of the columns, or compare them with those of `fit`."""
    names, n_features = chunks.feature_names, chunks.shape[1]
    has_names = names is not None and all(isinstance(name, str) for name in names)
    if reset:
        estimator.n_features_in_ = n_features
        vars(estimator).pop("feature_names_in_", None)
        if has_names:
            estimator.feature_names_in_ = names
        return
    if n_features != estimator.n_features_in_:
        raise InputError(
            f"{arg('X')} has {n_features} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input.",
            parameter="X",
        )
    known = getattr(estimator, "feature_names_in_", None)
    if not has_names or known is None:
        return
    pairs = [(new, old) for new, old in zip(names, known, strict=True) if new != old]  # type: ignore[arg-type]
    if pairs:
        raise InputError(
            f"The columns of {arg('X')} are not those of fit, or in another order: it has "
            f"{listed([new for new, _ in pairs], limit=COLUMNS_SHOWN)} where fit saw "
            f"{listed([old for _, old in pairs], limit=COLUMNS_SHOWN)}.",
            parameter="X",
        )


def _refuse_bad_columns(x: Any) -> None:
    """Name duplicate or non-numeric columns of a data frame, which scikit-learn does not."""
    if not hasattr(x, "columns") or not hasattr(x, "dtypes"):
        return
    names = list(x.columns)
    if not names:
        raise InputError(
            f"{arg('X')} has 0 feature(s) (shape={x.shape}) while a minimum of 1 is required.", parameter="X"
        )
    check_names(names)
    others = [name for name, dtype in zip(names, x.dtypes, strict=True) if _kind(dtype) in TEXT + TIMES]
    if others:
        raise InputError(
            f"{arg('X')} has values that are not numbers in {_columns(others)}.", parameter="X", remedy=ENCODE
        )


def _kind(dtype: Any) -> str:
    """Return the name of a data frame's dtype without its details: "datetime64[ns]" is a "datetime64"."""
    return str(dtype).lower().split("(")[0].split("[")[0]


def _not_finite_columns(x: Any) -> list:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        array = check_array(x, accept_sparse="csc", dtype=np.float64, ensure_all_finite=False)
    if sparse.issparse(array):
        column = np.repeat(np.arange(array.shape[1]), np.diff(array.indptr))
        bad = np.unique(column[~np.isfinite(array.data)])
    else:
        bad = np.flatnonzero(~np.isfinite(array).all(axis=0))
    names = list(getattr(x, "columns", []))
    return [names[j] if names else int(j) for j in bad]


def _not_numeric_columns(x: Any) -> list:
    """Columns with a value that is no number; asked only once a conversion has failed."""
    names = list(x.columns) if hasattr(x, "columns") and not callable(x.columns) else []
    array = np.asarray(x, dtype=object)
    bad = [j for j in range(array.shape[1]) if not _is_numeric(array[:, j])] if array.ndim == 2 else []
    return [names[j] if names else j for j in bad]


def _is_numeric(column: NDArray) -> bool:
    try:
        column.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _columns(names: list) -> str:
    return f"{'column' if len(names) == 1 else 'columns'} {listed(names, limit=COLUMNS_SHOWN)}"


def check_same_length(x: Any, y: Any) -> None:
    """Refuse labels that are not one for each row."""
    refuse_lazy(y, "y")
    n_rows, shape = x.shape[0], getattr(y, "shape", None)
    if shape is None:
        shape = (len(y),) if hasattr(y, "__len__") else np.asarray(y).shape
    n_labels = shape[0] if shape else 1
    if n_rows != n_labels:
        raise InputError(
            f"{arg('X')} has {n_rows} rows but {arg('y')} has {n_labels} labels; there must be one for each row.",
            parameter="y",
        )


def check_source(source: ArrayLike | None, x: Any) -> NDArray | None:
    """Return the name of the source of every row, none of them missing, or None if sources are not given."""
    if source is None:
        return None
    refuse_lazy(source, "source")
    names = np.array(unmasked(source), dtype=object)  # a copy: names are made plain in it
    if names.shape != (x.shape[0],):
        found = f"{len(names)} names" if names.ndim == 1 else f"the shape {names.shape}"
        raise InputError(
            f"{arg('X')} has {x.shape[0]} rows but {arg('source')} has {found}; there must be one for each row.",
            parameter="source",
        )
    for row, name in enumerate(map(plain, names)):
        if is_missing(name) or not isinstance(name, Hashable):
            raise InputError(
                f"{arg('source')} of row {row} is {name!r:.40}: where the row comes from is not known.",
                parameter="source",
                remedy="Give the name of its source, or leave the row out.",
            )
        names[row] = name
    return names


def check_weight(sample_weight: ArrayLike | float | None, x: Any) -> NDArray:
    """Return one non-negative weight for each row, not all of them zero."""
    n_samples = x.shape[0]
    if sample_weight is None:
        return np.ones(n_samples)
    if isinstance(sample_weight, int | float):
        check_number("sample_weight", sample_weight, least=0.0)
        sample_weight = np.full(n_samples, float(sample_weight))
    try:
        weight = check_array(
            unmasked(sample_weight), ensure_2d=False, dtype=np.float64, ensure_all_finite=False
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"{_WEIGHT} must be numbers, one for each row: {error}", parameter="sample_weight"
        ) from None
    if weight.ndim != 1:
        raise InputError(
            f"Sample weights must be 1D array or scalar, got {weight.ndim} dimensions.",
            parameter="sample_weight",
        )
    if len(weight) != n_samples:
        raise InputError(
            f"{arg('X')} has {n_samples} rows but {_WEIGHT} has {len(weight)} numbers; "
            "there must be one for each row.",
            parameter="sample_weight",
        )
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if len(bad):
        raise InputError(
            f"{_WEIGHT} of row {bad[0]} is {weight[bad[0]]:g}; "
            "weights must be finite and not negative (0 leaves a row out).",
            parameter="sample_weight",
        )
    if not (weight > 0).any():
        raise InputError(
            "Sample weights must contain at least one non-zero number.", parameter="sample_weight"
        )
    most, least = int(weight.argmax()), int(np.where(weight > 0, weight, np.inf).argmin())
    if weight[most] / WIDEST > min(weight[least], 1.0):
        raise InputError(
            f"{_WEIGHT} is {weight[least]:g} in row {least} and {weight[most]:g} in row {most}: too large, or too "
            "far apart to be added up.",
            parameter="sample_weight",
            remedy="Divide all weights by the largest, and give rows that shall not count 0.",
        )
    return weight


def check_flag(name: str, value: Any, *, word: str | None = None) -> None:
    """Refuse a parameter that is neither True nor False (nor the one word it knows): "no" would count as True."""
    if isinstance(value, bool | np.bool_) or (isinstance(value, str) and value == word):
        return
    known = "True or False" if word is None else f"True, False or {word!r}"
    raise InputError(f"{arg(name, repr(value))} must be {known}.", parameter=name)


def check_number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    least: float | None = None,
    most: float | None = None,
    whole: bool = False,
) -> None:
    """Refuse a parameter that is not a finite number in its range."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    given = arg(name, repr(value))
    if number is None or isinstance(value, bool | np.bool_ | str | bytes) or np.ndim(value):
        raise InputError(f"{given} is not a number.", parameter=name)
    if not isinstance(value, int | float | np.integer | np.floating):
        remedy = f"Write {arg(name, 'float(...)')}."
        raise InputError(f"{given} is a {type(value).__name__}.", parameter=name, remedy=remedy)
    if not np.isfinite(number):
        raise InputError(f"{given} must be finite.", parameter=name)
    if above is not None and number <= above:
        raise InputError(f"{given} must be greater than {above:g}.", parameter=name)
    if least is not None and number < least:
        raise InputError(f"{given} must be at least {least:g}.", parameter=name)
    if most is not None and number > most:
        raise InputError(f"{given} must be at most {most:g}.", parameter=name)
    if whole and not number.is_integer():
        raise InputError(f"{given} must be a whole number.", parameter=name)
