"""From the labels in ``y`` to class codes: what is unlabeled, what the classes are, in which order.

Everything after this module works with integer codes (K positive classes):

==========  =======================================================
code        meaning
==========  =======================================================
``0``       unlabeled: the true class may be any of 0, 1, ..., K
``1..K``    labelled: the true class is this one for certain
``K + 1``   confirmed negative: the true class is 0 for certain
==========  =======================================================
"""

import difflib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from pulasso.exceptions import LabelError

__all__ = ["Labels", "encode_labels", "encode_with"]

# The name of class 0 when the marker of unlabeled rows cannot serve as one, by kind of label.
_DEFAULT_NEGATIVE = {"number": 0, "boolean": False, "string": "negative"}

# Stands for "missing values mark the unlabeled rows"; equal to no label.
_MISSING = object()

_MAX_LABELS_SHOWN = 10


@dataclass(frozen=True, eq=False)
class Labels:
    """Observed labels as integer codes, with the classes they refer to.

    Attributes
    ----------
    codes : ndarray of shape (n_samples,), dtype intp
        0 for unlabeled, k for labelled as class k, K + 1 for a confirmed negative.
    classes : ndarray of shape (K + 1,)
        Names of the classes, class 0 first, then the positive classes in order.
    order_was_guessed : bool
        Whether an order was asked for and the alphabet had to supply it.
    has_negatives : bool
        Whether any row is a confirmed negative.
    """

    codes: NDArray[np.intp]
    classes: NDArray[Any]
    order_was_guessed: bool
    has_negatives: bool


def encode_labels(
    y: ArrayLike,
    *,
    unlabeled: Any = None,
    negative: Any = None,
    class_order: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
    ordered: bool = False,
) -> Labels:
    """Turn the labels a user wrote into class codes.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Numbers, booleans or strings; lists, arrays, pandas and polars series, categoricals.
    unlabeled : label or nan, default=None
        The marker of unlabeled rows. ``nan`` stands for every kind of missing value. ``None`` takes the
        smallest label (the first one of an ordered categorical), which then also names class 0.
    negative : label, default=None
        The name of class 0. Rows of ``y`` that carry it are confirmed negatives, unless it is the marker.
    class_order : sequence of labels, default=None
        All classes in order, class 0 (or the marker) first. The default is the order of an ordered
        categorical, else sorted labels.
    sample_weight : array-like of shape (n_samples,), default=None
        Rows of weight zero are treated as absent; their code is 0.
    ordered : bool, default=False
        Whether the order of the classes matters to the caller.

    Returns
    -------
    Labels
        Codes, class names, and what had to be guessed.

    Raises
    ------
    LabelError
        If the labels contradict the arguments or leave no positive class.

    Examples
    --------
    >>> labels = encode_labels(["?", "oak", "?", "ash"], unlabeled="?", negative="none")
    >>> labels.codes.tolist(), labels.classes.tolist()
    ([0, 2, 0, 1], ['none', 'ash', 'oak'])
    """
    column = _read_column(y, sample_weight)
    order = None if class_order is None else [_plain(label, "class_order") for label in class_order]
    marker = _find_marker(column, unlabeled, negative, order)
    check_classification_targets(column.labels[column.index[column.index >= 0]])
    class_0 = _name_class_0(column, marker, unlabeled, negative, order)
    positives = _positive_classes(column, marker, class_0, order)
    if not positives:
        raise _no_positive_class(column, marker, class_0, unlabeled)
    codes = _codes(column, _code_table(positives, marker, class_0))
    order_is_a_guess = column.kind == "string" and not column.ordered and order is None
    return Labels(
        codes=codes,
        classes=_class_array([class_0, *positives], column.labels.dtype),
        order_was_guessed=bool(ordered and len(positives) > 1 and order_is_a_guess),
        has_negatives=bool((codes == len(positives) + 1).any()),
    )


def encode_with(
    y: ArrayLike, classes: ArrayLike, *, unlabeled: Any = None, negative: Any = None
) -> NDArray[np.intp]:
    """Turn new labels into the codes of classes that are already known.

    Unlike :func:`encode_labels` it does not ask that every class, or the marker, occurs in ``y``.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Observed labels of new rows.
    classes : array-like of shape (K + 1,)
        Class names as found by :func:`encode_labels`, class 0 first.
    unlabeled, negative : label, default=None
        As given to :func:`encode_labels`.

    Returns
    -------
    ndarray of shape (n_samples,), dtype intp
        0 for unlabeled, k for labelled as class k, K + 1 for a confirmed negative.

    Raises
    ------
    LabelError
        If ``y`` holds a label that is neither the marker nor one of the classes.

    Examples
    --------
    >>> encode_with([0, 2, 2], [0, 1, 2]).tolist()
    [0, 2, 2]
    """
    column = _read_column(y)
    first, *positives = np.asarray(classes).tolist()
    if unlabeled is not None and _is_missing(unlabeled):
        marker = _MISSING
    else:
        marker = first if unlabeled is None else _plain(unlabeled, "unlabeled")
        _refuse_missing(column, marker)
    # Without `negative` the name of class 0 is only a name: the model knows no confirmed negatives.
    class_0 = marker if negative is None else _plain(negative, "negative")
    table = _code_table(positives, marker, class_0)
    unknown = [label for label in column.names if label not in table]
    if unknown:
        raise LabelError(
            f"y holds {_listed(unknown)}, unknown to the fitted model, "
            f"whose labels are {_listed([label for label in table if label is not _MISSING])}. "
            "Drop these rows, or fit again with them."
        )
    return _codes(column, table)


# --- reading y ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Column:
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


def _read_column(y: Any, sample_weight: ArrayLike | None = None) -> _Column:
    y = _single_column(y)
    categories = _ordered_categories(y)
    values = _as_vector(y)
    is_present = _rows_of_positive_weight(values, sample_weight)
    is_missing = _missing_mask(values)
    has_label = is_present & ~is_missing
    known = _settle_dtype(values[has_label])
    if known.dtype.kind == "f" and np.isinf(known).any():
        raise LabelError(
            f"Input y contains infinity or a value too large for {known.dtype!r}. Labels must be finite; "
            'missing labels are written as NaN and declared by unlabeled=float("nan").'
        )
    labels, inverse = np.unique(known, return_inverse=True)
    if categories is not None:
        by_category = np.argsort([categories.index(label) for label in labels.tolist()])
        labels, inverse = labels[by_category], np.argsort(by_category)[inverse]
    index = np.full(values.shape, -1, dtype=np.intp)
    index[has_label] = inverse
    return _Column(
        labels=labels,
        index=index,
        ordered=categories is not None,
        n_rows=int(is_present.sum()),
        n_missing=int((is_present & is_missing).sum()),
    )


def _single_column(y: Any) -> Any:
    """Take the column out of a one-column data frame, where a categorical would lose its order."""
    if hasattr(y, "columns") and len(y.columns) == 1:
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
    values = np.asarray(y)
    # NumPy has no missing integer and no missing string: it would turn [1, NA] into floats and
    # ["a", nan] into the text "nan". Going through objects keeps every label what it was.
    is_extension = hasattr(y, "dtype") and not isinstance(y.dtype, np.dtype)
    lost_integers = is_extension and values.dtype.kind == "f"
    lost_types = (
        isinstance(y, list | tuple)
        and values.dtype.kind == "U"
        and values.ndim == 1
        and not all(isinstance(label, str) for label in y)
    )
    if lost_integers or lost_types:
        values = np.array(list(y), dtype=object)
    if values.dtype.kind == "T":
        values = values.astype(object)
    return column_or_1d(values, warn=True)


def _rows_of_positive_weight(values: NDArray[Any], sample_weight: ArrayLike | None) -> NDArray[np.bool_]:
    if sample_weight is None:
        is_present = np.ones(values.shape, dtype=bool)
    else:
        check_consistent_length(values, sample_weight)
        is_present = np.asarray(sample_weight) > 0
    if not is_present.any():
        raise LabelError(
            "y has no rows."
            if values.size == 0
            else "Sample weights must contain at least one non-zero number; no row of y counts."
        )
    return is_present


def _is_missing(value: Any) -> bool:
    # pandas' NA is known by name: comparing it raises, and importing pandas for it would be a dependency.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating | np.datetime64 | np.timedelta64) and bool(value != value)


def _missing_mask(values: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind == "O":
        return np.fromiter(map(_is_missing, values), dtype=bool, count=values.size)
    return np.zeros(values.shape, dtype=bool)


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
        return np.array(list(known))
    found = " and ".join(f"{kind}s (such as {label!r})" for kind, label in examples.items())
    raise LabelError(
        f"y holds {found}. Labels must be all numbers, all booleans or all strings, "
        "with missing values (None, NaN) where there is no label."
    )


def _kind_of(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "boolean"
    if isinstance(value, int | float | np.integer | np.floating):
        return "number"
    return "string" if isinstance(value, str) else f"{type(value).__name__} object"


def _plain(value: Any, argument: str) -> Any:
    """The value as a plain Python scalar, so that ``np.int64(1)`` prints and compares like ``1``."""
    if not np.isscalar(value):
        raise LabelError(f"{argument}={value!r}: {value!r} is not a label; give a number, boolean or string.")
    return value.item() if isinstance(value, np.generic) else value


# --- deciding what the labels mean -------------------------------------------------------------------


def _find_marker(column: _Column, unlabeled: Any, negative: Any, order: list[Any] | None) -> Any:
    """The label that marks unlabeled rows, or ``_MISSING`` when missing values do."""
    if unlabeled is not None and _is_missing(unlabeled):
        return _MISSING
    if unlabeled is None:
        _refuse_missing(column, None)
        if negative is not None:
            raise LabelError(
                f"negative={negative!r} names class 0, but nothing says which rows are unlabeled. Give the "
                'marker too, for example unlabeled=-1, or unlabeled=float("nan") for missing values.'
            )
        marker, argument = (order[0], "class_order names") if order else (column.names[0], "")
    else:
        marker, argument = _plain(unlabeled, "unlabeled"), "unlabeled is"
        _refuse_missing(column, marker)
    if marker not in column.names:
        raise LabelError(
            f"{argument} {marker!r}, which does not occur in y. "
            f"Labels present: {_listed(column.names)}.{_suggestion(marker, column.names)}"
        )
    return column.names[column.names.index(marker)]


def _refuse_missing(column: _Column, marker: Any) -> None:
    if column.n_missing == 0:
        return
    values = "1 missing value" if column.n_missing == 1 else f"{column.n_missing} missing values"
    aside = "" if marker is None else f", but unlabeled rows are marked by {marker!r}"
    raise LabelError(
        f"y has {values}{aside}. If a missing label means unlabeled, say so by "
        'unlabeled=float("nan"); otherwise fill or drop these rows.'
    )


def _name_class_0(
    column: _Column, marker: Any, unlabeled: Any, negative: Any, order: list[Any] | None
) -> Any:
    if negative is not None:
        return _checked_negative(column, negative)
    if unlabeled is None:
        return marker
    if order and marker is _MISSING:
        if order[0] in column.names:
            raise _ambiguous_name(order[0], column)
        return _checked_negative(column, order[0], "class_order starts with")
    default = _DEFAULT_NEGATIVE[column.kind]
    # With class_order the user has already said that this label is one of the positive classes.
    if order is None and default in column.names and default != marker:
        raise _ambiguous_name(default, column)
    return default if marker is _MISSING else marker


def _checked_negative(column: _Column, name: Any, argument: str = "negative is") -> Any:
    if _is_missing(name):
        raise LabelError(f"{argument} {name!r}, but class 0 needs an ordinary name, as predictions use it.")
    name = _plain(name, "negative")
    is_text = isinstance(name, str)
    # One array holds all class names, and text among numbers would turn the numbers into text.
    if column.names and is_text != (column.kind == "string"):
        example = _DEFAULT_NEGATIVE["string" if column.kind == "string" else "number"]
        raise LabelError(
            f"{argument} {name!r}, but the labels in y are {column.kind}s ({_listed(column.names)}). "
            f"Name class 0 by a value of the same kind, for example {example!r}."
        )
    return name


def _ambiguous_name(name: Any, column: _Column) -> LabelError:
    other = {"number": -1, "boolean": -1, "string": "background"}[column.kind]
    return LabelError(
        f"y holds the label {name!r} besides the marker of unlabeled rows: it could be a positive class or "
        f"a confirmed negative. Pass negative={name!r} to say that these rows are certainly class 0, or "
        f"another name for class 0 (for example negative={other!r}) to make {name!r} a positive class."
    )


def _positive_classes(column: _Column, marker: Any, class_0: Any, order: list[Any] | None) -> list[Any]:
    not_positive = (marker, class_0)
    present = [label for label in column.names if label not in not_positive]
    if order is None:
        return present
    for label in order:
        if order.count(label) > 1:
            raise LabelError(f"class_order names {label!r} more than once.")
    if order[:1] != [marker] and order[:1] != [class_0]:
        first = f"starts with {order[0]!r}" if order else "is empty"
        raise LabelError(
            f"class_order {first}, but must start with class 0, here {class_0!r}. "
            "To call class 0 otherwise, pass that name as negative=."
        )
    for label in order[1:]:
        if label in not_positive:
            raise LabelError(
                f"class_order names {label!r} after {order[0]!r}, but both stand for class 0 or for "
                "unlabeled rows: keep one of them, in first place."
            )
        if label not in present:
            raise LabelError(
                f"class_order names {label!r}, which does not occur in y. "
                f"Labels present: {_listed(column.names)}.{_suggestion(label, column.names)}"
            )
    left_out = [label for label in present if label not in order]
    if left_out:
        raise LabelError(f"class_order leaves out {_listed(left_out)}, found in y. List every class once.")
    return order[1:]


def _no_positive_class(column: _Column, marker: Any, class_0: Any, unlabeled: Any) -> LabelError:
    if unlabeled is None:
        return LabelError(
            f"y contains only one class, {marker!r}, which is taken as the marker of unlabeled rows: no "
            "labelled class is left to learn from. Check y, or name the marker by unlabeled=."
        )
    marked = column.n_missing
    if marker is not _MISSING:
        marked = int((column.index == column.names.index(marker)).sum())
    if marked == column.n_rows:
        return LabelError(
            f"no row carries a label (all {marked} rows are unlabeled): "
            "at least one row must be labelled with a positive class."
        )
    return LabelError(
        f"y contains only one class, {class_0!r}: {column.n_rows - marked} rows are confirmed negatives and "
        f"{marked} are unlabeled. At least one row must be labelled with a positive class."
    )


# --- writing codes -----------------------------------------------------------------------------------


def _code_table(positives: Sequence[Any], marker: Any, class_0: Any) -> dict[Any, int]:
    table = {label: code for code, label in enumerate(positives, start=1)}
    table[class_0] = len(positives) + 1
    # Last, because a marker that also names class 0 says nothing about the true class.
    table[marker] = 0
    return table


def _codes(column: _Column, table: Mapping[Any, int]) -> NDArray[np.intp]:
    # The extra last entry is what index -1 (missing, or weight zero) finds.
    return np.array([*(table[label] for label in column.names), 0], dtype=np.intp)[column.index]


def _class_array(names: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The names in the dtype of the labels, widened when class 0 has a name that does not fit."""
    if dtype.kind == "O":
        return np.array(names, dtype=object)
    widest = np.array(names)
    narrow = widest.astype(dtype)
    return narrow if np.array_equal(narrow, widest) else widest


# --- words -------------------------------------------------------------------------------------------


def _listed(labels: Sequence[Any]) -> str:
    shown = ", ".join(repr(label) for label in labels[:_MAX_LABELS_SHOWN])
    return shown if len(labels) <= _MAX_LABELS_SHOWN else f"{shown}, ... ({len(labels)} in all)"


def _suggestion(wanted: Any, labels: Sequence[Any]) -> str:
    """A closing "Did you mean ...?" when a label looks like the wanted one, whatever its case or type."""
    by_text = {str(label).strip().casefold(): label for label in labels}
    # Numbers that look alike, 1 and -1, are no misspelling of each other.
    cutoff = 0.6 if isinstance(wanted, str) else 1.0
    close = difflib.get_close_matches(str(wanted).strip().casefold(), by_text, n=3, cutoff=cutoff)
    return f" Did you mean {' or '.join(repr(by_text[text]) for text in close)}?" if close else ""
