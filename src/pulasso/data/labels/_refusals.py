"""What is said about labels that leave open, or contradict, what they mean."""

import unicodedata
from typing import Any

from sklearn.utils.multiclass import check_classification_targets

from pulasso._messages import arg, listed, warn
from pulasso.data.labels._column import MEANS_UNLABELED, NAN_IS_UNLABELED, Column
from pulasso.exceptions import LabelError, MarkerWarning

__all__ = [
    "ambiguous_name",
    "how_to_start",
    "if_encoded",
    "refuse_measurements",
    "refuse_missing",
    "refuse_same_letters",
    "warn_of_a_better_marker",
]


def warn_of_a_better_marker(column: Column, marker: Any) -> None:
    """Warn where the smallest label is the marker, and another one says that it is."""
    telling = [name for name in column.names if str(name).strip().casefold() in MEANS_UNLABELED]
    if telling and marker not in telling:
        warn(
            f"Rows with the label {marker!r}, the first one, are taken as unlabeled, and {listed(telling)} as a class "
            f"of its own. If it is {telling[0]!r} that marks unlabeled rows, pass "
            f"{arg('unlabeled', repr(telling[0]))}; if not, pass {arg('unlabeled', repr(marker))} to say so.",
            MarkerWarning,
        )


def refuse_measurements(column: Column) -> None:
    """Refuse numbers that no one would use as names of classes."""
    try:
        check_classification_targets(column.labels[column.index[column.index >= 0]])
    except ValueError:
        examples = listed(column.names[:2], show="{:.4g}".format)
        raise LabelError(
            f"Unknown label type: continuous. {arg('y')} holds {len(column.names)} different numbers with decimals, "
            f"such as {examples}: it looks like a measurement.",
            parameter="y",
            remedy="Labels are names or whole numbers: pass the column that holds the classes, or cut the measurement "
            "into classes first, for example by pandas.cut.",
        ) from None


def refuse_same_letters(column: Column) -> None:
    """Refuse labels that print alike, written by other characters of Unicode: an é may be one of them, or two."""
    if column.kind != "string":
        return
    seen: dict[str, str] = {}
    for name in column.names:
        other = seen.setdefault(unicodedata.normalize("NFC", name), name)
        if other != name:
            raise LabelError(
                f"{arg('y')} holds {name!r} in two forms of Unicode, {ascii(other)} and {ascii(name)}, which would "
                "count as two classes.",
                parameter="y",
                remedy="Write them alike, for example by unicodedata.normalize('NFC', label).",
            )


def refuse_missing(column: Column, marker: Any) -> None:
    """Refuse missing labels where they are not the marker of unlabeled rows."""
    if column.n_missing == 0:
        return
    values = "1 missing value" if column.n_missing == 1 else f"{column.n_missing} missing values"
    aside = "" if marker is None else f", but unlabeled rows are marked by {marker!r}"
    raise LabelError(
        f"{arg('y')} has {values}{aside}.",
        parameter="unlabeled",
        remedy=f"If a missing label means unlabeled, say so by {NAN_IS_UNLABELED}; otherwise fill or drop these rows.",
    )


def ambiguous_name(name: Any, column: Column) -> LabelError:
    """Return the error about a label that could be a positive class or a confirmed negative."""
    other = {"number": -1, "boolean": -1, "string": "background"}[column.kind]
    return LabelError(
        f"{arg('y')} holds the label {name!r} besides the marker of unlabeled rows: it could be a positive class "
        "or a confirmed negative.",
        parameter="negative",
        remedy=f"Pass {arg('negative', repr(name))} to say that these rows are certainly class 0, or another name "
        f"for class 0 (for example {arg('negative', repr(other))}) to make {name!r} a positive class.",
    )


def how_to_start(order: list[Any], class_0: Any) -> str:
    """Return what to write where ``class_order`` does not start with class 0."""
    right = [class_0, *(label for label in order if label != class_0)]
    other = f"; if {order[0]!r} is, say {arg('negative', repr(order[0]))}" if order else ""
    return f"If {class_0!r} is class 0, put it first: {arg('class_order', str(right))}{other}."


def if_encoded(column: Column, marker: Any) -> str:
    """Say what may have happened where text is looked for among the numbers 0, 1, 2, ..."""
    if not isinstance(marker, str) or column.names != list(range(len(column.names))):
        return ""
    return (
        "If you gave text: scikit-learn's cross_val_predict turns it into numbers for predict_proba. Do so yourself, "
        f"with 0 for {marker!r}: names = [{marker!r}, *sorted(set(y) - {{{marker!r}}})], "
        f"y = [names.index(each) for each in y], {arg('unlabeled', '0')}."
    )
