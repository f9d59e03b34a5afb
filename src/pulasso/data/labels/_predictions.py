"""Reading predicted classes: names of true classes, never the marker."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg, listed
from pulasso.data.labels._column import read_column
from pulasso.exceptions import LabelError

__all__ = ["encode_predictions"]


def encode_predictions(y_pred: ArrayLike, classes: ArrayLike, *, unlabeled: Any = None) -> NDArray[np.intp]:
    """Turn predicted classes into their positions in `classes`.

    Parameters
    ----------
    y_pred : array-like of shape (n_samples,)
    classes : array-like of shape (K + 1,)
        Class names, class 0 first.
    unlabeled : label, default=None
        The marker of unlabeled rows, for the message if somebody predicts it.

    Returns
    -------
    ndarray of shape (n_samples,), dtype intp
        0 for class 0, k for class k.

    Raises
    ------
    LabelError
        If a prediction is missing or names no class.

    Examples
    --------
    >>> encode_predictions(["oak", "none", "oak"], ["none", "ash", "oak"]).tolist()
    [2, 0, 2]
    """
    column = read_column(y_pred)
    if column.n_missing:
        raise LabelError(
            f"{arg('y_pred')} lacks a class in {column.n_missing} of {column.n_rows} rows; "
            "every row needs a prediction to be scored.",
            parameter="y_pred",
        )
    names = np.asarray(classes).tolist()
    position = {name: code for code, name in enumerate(names)}
    unknown = [label for label in column.names if label not in position]
    if unknown:
        is_marker = unlabeled is not None and unlabeled in unknown
        hint = (
            f"{unlabeled!r} marks unlabeled rows and is no true class; if predictions call class 0 so, "
            f"pass {arg('negative', repr(unlabeled))} as well."
            if is_marker
            else f"If {arg('z')} happens to lack a class, pass all of them as {arg('classes', '[...]')}, class 0 first."
        )
        raise LabelError(
            f"{arg('y_pred')} names {listed(unknown)}, but the classes are {listed(names)}.",
            parameter="y_pred",
            remedy=hint,
        )
    return np.array([position[label] for label in column.names], dtype=np.intp)[column.index]
