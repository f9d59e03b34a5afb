"""Reading ``y``, whatever it is made of: its distinct labels, and which of them every row carries."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_consistent_length, column_or_1d

from pulasso._messages import arg, listed, plain
from pulasso.data.containers import refuse_lazy, unmasked_labels
from pulasso.data.missing_values import missing_mask
from pulasso.exceptions import LabelError

__all__ = [
    "MEANS_UNLABELED",
    "Column",
    "class_array",
    "plain_label",
    "read_column",
    "read_order",
]

# How a user says that missing values mark unlabeled rows, for messages.
NAN_IS_UNLABELED = arg("unlabeled", 'float("nan")')
# Text that can hardly be the name of a class.
MEANS_UNLABELED = frozenset(
    ("?", "background", "no label", "pseudo-absence", "pseudoabsence", "unknown", "unlabeled", "unlabelled",
     "unobserved")
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Column:
    """``y`` taken apart: its distinct labels, and which of them every row carries."""

    labels: NDArray[Any]  # (n_labels,) distinct labels in order
    index: NDArray[np.intp]  # (n_samples,) position in `labels`, -1 for missing or weight zero
    ordered: bool  # whether the order comes from an ordered categorical
    n_rows: int  # rows of positive weight
    n_missing: int  # those among them whose label is missing

    @property
    def names(self) -> list[Any]:
        """The labels as plain Python values, so that they compare and print like the user's own."""
        return self.labels.tolist()

    @property
    def kind(self) -> str:
        """What the labels are: "boolean", "number" or "string"."""
        return {"b": "boolean", "U": "string", "O": "string"}.get(self.labels.dtype.kind, "number")


def read_column(y: Any, sample_weight: ArrayLike | None = None) -> Column:
    refuse_lazy(y, "y")
    y = _single_column(y)
    categories = _ordered_categories(y)
    values = _as_vector(y)
    is_present = _rows_of_positive_weight(values, sample_weight)
    lacks_label = missing_mask(values)
    has_label = is_present & ~lacks_label
    known = _settle_dtype(values[has_label])
    if known.dtype.kind == "f" and np.isinf(known).any():
        raise LabelError(
            f"Input {arg('y')} contains infinity or a value too large for {known.dtype!r}.",
            parameter="y",
            remedy=f"Labels must be finite; missing labels are written as NaN and declared by {NAN_IS_UNLABELED}.",
        )
    labels, inverse = np.unique(known, return_inverse=True)
    if categories is not None:
        by_category = np.argsort([categories.index(label) for label in labels.tolist()])
        labels, inverse = labels[by_category], np.argsort(by_category)[inverse]
    index = np.full(values.shape, -1, dtype=np.intp)
    index[has_label] = inverse
    return Column(
        labels=labels,
        index=index,
        ordered=categories is not None,
        n_rows=int(is_present.sum()),
        n_missing=int((is_present & lacks_label).sum()),
    )


def _single_column(y: Any) -> Any:
    """Take the column out of a one-column data frame, where a categorical would lose its order."""
    if hasattr(y, "columns") and not callable(y.columns) and len(y.columns) == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. "
            "Please pass the column itself, for example y[name].",
            DataConversionWarning,
            stacklevel=5,
        )
        return y[y.columns[0]]
    return y


def _ordered_categories(y: Any) -> list[Any] | None:
    """The categories of an ordered pandas categorical or a polars Enum, else None."""
    dtype: Any = getattr(y, "dtype", None)
    # polars sorts and compares an Enum by position, so its categories are an order by design.
    if getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum":
        return list(dtype.categories)
    return None


def _as_vector(y: Any) -> NDArray[Any]:
    y = unmasked_labels(y)
    values = np.asarray(y)
    # NumPy has no missing integer and no missing string: it would turn [1, NA] into floats and
    # ["a", nan] into the text "nan". Going through objects keeps every label what it was.
    is_extension = hasattr(y, "dtype") and not isinstance(y.dtype, np.dtype)
    lost_integers = is_extension and values.dtype.kind == "f"
    lost_types = isinstance(y, list | tuple) and values.ndim == 1 and _loses(y, values.dtype.kind)
    if lost_integers or lost_types:
        values = np.array(list(y), dtype=object)
    if values.dtype.kind == "T":
        values = values.astype(object)
    return column_or_1d(values, warn=True)


def _loses(labels: Sequence[Any], kind: str) -> bool:
    """Say whether an array of this kind of NumPy makes other labels of these."""
    if kind == "U":
        return not all(isinstance(label, str) for label in labels)
    return kind == "f" and any(_is_beyond_floats(label) for label in labels)


def _is_beyond_floats(label: Any) -> bool:
    """Say whether a label is a whole number so large that the nearest float is another one."""
    if not isinstance(label, int | np.integer) or abs(int(label)) <= 2**53:
        return False
    return abs(int(label)) >= 2**64 or float(label) != int(label)


def _rows_of_positive_weight(values: NDArray[Any], sample_weight: ArrayLike | None) -> NDArray[np.bool_]:
    if sample_weight is None:
        is_present = np.ones(values.shape, dtype=bool)
    else:
        check_consistent_length(values, sample_weight)
        is_present = np.asarray(sample_weight) > 0
    if not is_present.any():
        raise LabelError(
            f"{arg('y')} has no rows."
            if values.size == 0
            else f"Sample weights must contain at least one non-zero number; no row of {arg('y')} counts.",
            parameter="y" if values.size == 0 else "sample_weight",
        )
    return is_present


def _settle_dtype(known: NDArray[Any]) -> NDArray[Any]:
    """Give labels without missing values the dtype they deserve, or refuse a mixture."""
    if known.dtype.kind in "biufU":
        return known
    if known.size == 0:
        return np.empty(0)
    examples: dict[str, Any] = {}
    for label in list(known):  # not tolist, which turns nanosecond dates into integers
        examples.setdefault(_kind_of(label), label)
    if set(examples) == {"string"}:
        return known.astype(object)
    if set(examples) <= {"boolean", "number"}:
        return _numbers(known)
    found = " and ".join(f"{kind}s (such as {label!r})" for kind, label in examples.items())
    raise LabelError(
        f"{arg('y')} holds {found}.",
        parameter="y",
        remedy="Labels must be all numbers, all booleans or all strings, "
        "with missing values (None, NaN) where there is no label.",
    )


def _numbers(known: NDArray[Any]) -> NDArray[Any]:
    """Return numbers and truth values as one array, in which labels that differ still differ."""
    labels = list(known)
    numbers = np.array(labels)
    if numbers.dtype.kind in "fO" and any(map(_is_beyond_floats, labels)):
        try:
            numbers = np.array(labels, dtype=np.uint64)
        except OverflowError:  # negative ones beside them, or larger still
            numbers = np.empty(0)
        if numbers.tolist() != labels:
            culprit = next(label for label in labels if _is_beyond_floats(label))
            raise LabelError(
                f"{arg('y')} holds the whole number {plain(culprit)}, too large to be told from its neighbours beside "
                "the other labels.",
                parameter="y",
                remedy="Pass labels of this size as text, for example [str(label) for label in y].",
            )
    return numbers


def _kind_of(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "boolean"
    if isinstance(value, int | float | np.integer | np.floating):
        return "number"
    return "string" if isinstance(value, str) else f"{type(value).__name__} object"


def plain_label(value: Any, argument: str) -> Any:
    """Return a label passed as an argument as a plain Python scalar, or refuse what cannot be one."""
    if not np.isscalar(value):
        raise LabelError(
            f"{arg(argument, repr(value))}: {value!r} is not a label; give a number, boolean or string.",
            parameter=argument,
        )
    label = plain(value)
    too_large = isinstance(label, int) and not -(2**63) <= label < 2**64
    if too_large or not isinstance(label, bool | int | float | str):
        raise LabelError(
            f"{arg(argument, repr(value))} is not a label; give a number of usual size, a boolean or a string.",
            parameter=argument,
        )
    return label


def read_order(class_order: Any) -> list[Any]:
    """Return the classes of ``class_order=`` as plain values."""
    several = isinstance(class_order, Iterable) and getattr(class_order, "ndim", 1) > 0
    if isinstance(class_order, str) or not several:
        raise LabelError(
            f"{arg('class_order', repr(class_order))} is not a list of classes; give all of them, class 0 first.",
            parameter="class_order",
        )
    return [plain_label(label, "class_order") for label in class_order]


def class_array(names: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The names in the dtype of the labels, widened when class 0 has a name that does not fit."""
    if dtype.kind == "O":
        return np.array(names, dtype=object)
    for kind in (dtype, None):
        try:
            array = np.array(names, dtype=kind)
        except (OverflowError, ValueError):
            continue
        if array.tolist() == names:
            return array
    raise LabelError(
        f"The classes {listed(names)} do not fit into one kind of number.",
        parameter="negative",
        remedy="Name class 0 by a number of the same kind as the labels, or pass all labels as text.",
    )
