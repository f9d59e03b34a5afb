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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg, did_you_mean, listed
from pulasso.data.labels._column import (
    NAN_IS_UNLABELED,
    Column,
    class_array,
    plain_label,
    read_column,
    read_order,
)
from pulasso.data.labels._refusals import (
    ambiguous_name,
    how_to_start,
    if_encoded,
    refuse_measurements,
    refuse_missing,
    refuse_same_letters,
    warn_of_a_better_marker,
)
from pulasso.data.missing_values import is_missing
from pulasso.exceptions import LabelError

__all__ = ["Labels", "encode_labels", "encode_with"]

# The name of class 0 when the marker of unlabeled rows cannot serve as one, by kind of label.
_DEFAULT_NEGATIVE = {"number": 0, "boolean": False, "string": "negative"}

# Stands for "missing values mark the unlabeled rows"; equal to no label.
_MISSING = object()


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


@np.errstate(invalid="ignore")  # of numbers beyond all whole ones, which are compared afterwards
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
    column = read_column(y, sample_weight)
    refuse_same_letters(column)
    order = None if class_order is None else read_order(class_order)
    marker = _find_marker(column, unlabeled, negative, order)
    refuse_measurements(column)
    class_0 = _name_class_0(column, marker, unlabeled, negative, order)
    positives = _positive_classes(column, marker, class_0, order)
    if not positives:
        raise _no_positive_class(column, marker, class_0, unlabeled)
    codes = _codes(column, _code_table(positives, marker, class_0))
    order_is_a_guess = column.kind == "string" and not column.ordered and order is None
    return Labels(
        codes=codes,
        classes=class_array([class_0, *positives], column.labels.dtype),
        order_was_guessed=bool(ordered and len(positives) > 1 and order_is_a_guess),
        has_negatives=bool((codes == len(positives) + 1).any()),
    )


def _class_list(classes: ArrayLike) -> list:
    """Return names of classes as a list, class 0 first."""
    try:
        names = np.asarray(classes)
    except (TypeError, ValueError):
        names = np.array(None)
    if names.ndim != 1 or len(names) < 2 or len(set(map(repr, names.tolist()))) < len(names):
        raise LabelError(
            f"{arg('classes')} must be a list of two or more different classes, class 0 first.",
            parameter="classes",
        )
    return names.tolist()


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
    column = read_column(y)
    first, *positives = _class_list(classes)
    if unlabeled is not None and is_missing(unlabeled):
        marker = _MISSING
    else:
        marker = first if unlabeled is None else plain_label(unlabeled, "unlabeled")
        refuse_missing(column, marker)
    # Without `negative` the name of class 0 is only a name: the model knows no confirmed negatives.
    class_0 = marker if negative is None else plain_label(negative, "negative")
    table = _code_table(positives, marker, class_0)
    unknown = [label for label in column.names if label not in table]
    if unknown:
        raise LabelError(
            f"{arg('y')} holds {listed(unknown)}, unknown to the fitted model, "
            f"whose labels are {listed([label for label in table if label is not _MISSING])}.",
            parameter="y",
            remedy="Drop these rows, or fit again with them.",
        )
    return _codes(column, table)


# --- deciding what the labels mean -------------------------------------------------------------------


def _find_marker(column: Column, unlabeled: Any, negative: Any, order: list[Any] | None) -> Any:
    """The label that marks unlabeled rows, or ``_MISSING`` when missing values do."""
    if unlabeled is not None and is_missing(unlabeled):
        return _MISSING
    if unlabeled is None:
        refuse_missing(column, None)
        if negative is not None:
            raise LabelError(
                f"{arg('negative', repr(negative))} names class 0, but nothing says which rows are unlabeled.",
                parameter="unlabeled",
                remedy=f"Give the marker too, for example {arg('unlabeled', '-1')}, "
                f"or {NAN_IS_UNLABELED} for missing values.",
            )
        marker, parameter, verb = (
            (order[0], "class_order", "names") if order else (column.names[0], "unlabeled", "is")
        )
        warn_of_a_better_marker(column, marker)
    else:
        marker, parameter, verb = plain_label(unlabeled, "unlabeled"), "unlabeled", "is"
        refuse_missing(column, marker)
    if marker not in column.names:
        raise LabelError(
            f"{arg(parameter)} {verb} {marker!r}, which does not occur in {arg('y')}. "
            f"Labels present: {listed(column.names)}.",
            parameter=parameter,
            remedy=did_you_mean(marker, column.names).strip() or if_encoded(column, marker),
        )
    return column.names[column.names.index(marker)]


def _name_class_0(column: Column, marker: Any, unlabeled: Any, negative: Any, order: list[Any] | None) -> Any:
    if negative is not None:
        return _checked_negative(column, negative)
    if unlabeled is None:
        return marker
    if order and marker is _MISSING:
        if order[0] in column.names:
            raise ambiguous_name(order[0], column)
        return _checked_negative(column, order[0], "class_order", "starts with")
    default = _DEFAULT_NEGATIVE[column.kind]
    # With class_order the user has already said that this label is one of the positive classes.
    if order is None and default in column.names and default != marker:
        raise ambiguous_name(default, column)
    return default if marker is _MISSING else marker


def _checked_negative(column: Column, name: Any, parameter: str = "negative", verb: str = "is") -> Any:
    if is_missing(name):
        raise LabelError(
            f"{arg(parameter)} {verb} {name!r}, but class 0 needs an ordinary name, as predictions use it.",
            parameter=parameter,
        )
    name = plain_label(name, "negative")
    is_text = isinstance(name, str)
    # One array holds all class names, and text among numbers would turn the numbers into text.
    if column.names and is_text != (column.kind == "string"):
        example = _DEFAULT_NEGATIVE["string" if column.kind == "string" else "number"]
        raise LabelError(
            f"{arg(parameter)} {verb} {name!r}, but the labels in {arg('y')} are {column.kind}s "
            f"({listed(column.names)}).",
            parameter=parameter,
            remedy=f"Name class 0 by a value of the same kind, for example {example!r}.",
        )
    return name


def _positive_classes(column: Column, marker: Any, class_0: Any, order: list[Any] | None) -> list[Any]:
    not_positive = (marker, class_0)
    present = [label for label in column.names if label not in not_positive]
    if order is None:
        return present
    for label in order:
        if order.count(label) > 1:
            raise LabelError(f"{arg('class_order')} names {label!r} more than once.", parameter="class_order")
    if order[:1] != [marker] and order[:1] != [class_0]:
        first = f"starts with {order[0]!r}" if order else "is empty"
        raise LabelError(
            f"{arg('class_order')} {first}, but must start with class 0, here {class_0!r}.",
            parameter="class_order",
            remedy=how_to_start(order, class_0),
        )
    for label in order[1:]:
        if label in not_positive:
            raise LabelError(
                f"{arg('class_order')} names {label!r} after {order[0]!r}, but both stand for class 0 or for "
                "unlabeled rows: keep one of them, in first place.",
                parameter="class_order",
            )
        if label not in present:
            raise LabelError(
                f"{arg('class_order')} names {label!r}, which does not occur in {arg('y')}. "
                f"Labels present: {listed(column.names)}.",
                parameter="class_order",
                remedy=did_you_mean(label, column.names).strip(),
            )
    left_out = [label for label in present if label not in order]
    if left_out:
        raise LabelError(
            f"{arg('class_order')} leaves out {listed(left_out)}, found in {arg('y')}. List every class once.",
            parameter="class_order",
        )
    return order[1:]


def _no_positive_class(column: Column, marker: Any, class_0: Any, unlabeled: Any) -> LabelError:
    if unlabeled is None:
        return LabelError(
            f"{arg('y')} contains only one class, {marker!r}, which is taken as the marker of unlabeled rows: no "
            "labelled class is left to learn from.",
            parameter="y",
            remedy=f"Check {arg('y')}, or name the marker by {arg('unlabeled')}.",
        )
    marked = column.n_missing
    if marker is not _MISSING:
        marked = int((column.index == column.names.index(marker)).sum())
    if marked == column.n_rows:
        return LabelError(
            f"no row carries a label (all {marked} rows are unlabeled): "
            "at least one row must be labelled with a positive class.",
            parameter="y",
        )
    return LabelError(
        f"{arg('y')} contains only one class, {class_0!r}: {column.n_rows - marked} rows are confirmed negatives "
        f"and {marked} are unlabeled.",
        parameter="y",
        remedy="At least one row must be labelled with a positive class.",
    )


# --- writing codes -----------------------------------------------------------------------------------


def _code_table(positives: Sequence[Any], marker: Any, class_0: Any) -> dict[Any, int]:
    table = {label: code for code, label in enumerate(positives, start=1)}
    table[class_0] = len(positives) + 1
    # Last, because a marker that also names class 0 says nothing about the true class.
    table[marker] = 0
    return table


def _codes(column: Column, table: Mapping[Any, int]) -> NDArray[np.intp]:
    # The extra last entry is what index -1 (missing, or weight zero) finds.
    return np.array([*(table[label] for label in column.names), 0], dtype=np.intp)[column.index]
