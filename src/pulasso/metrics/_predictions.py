"""Reading what a model predicts, and noticing models that predict nothing."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import check_array

from pulasso._messages import listed, plain, warn
from pulasso.data.labels import encode_predictions
from pulasso.exceptions import TrivialModelWarning
from pulasso.metrics._estimate import Statistic
from pulasso.metrics._sample import LabelSettings, SignedSample

__all__ = [
    "read_classes",
    "read_matrix",
    "read_proba",
    "trivial_words",
    "warn_if_trivial",
    "warn_if_undefined",
]

# Probabilities in single precision, summed over many classes, are this far from 1 at most.
SUM_TOLERANCE = 1e-3


def _check_rows(sample: SignedSample, predictions: Any, name: str) -> None:
    n_rows = len(sample.codes)
    n_given = np.shape(predictions)[0] if np.ndim(predictions) else 0
    if n_given != n_rows:
        raise ValueError(f"z has {n_rows} rows but {name} has {n_given}; there must be one for each row.")


def read_classes(sample: SignedSample, y_pred: ArrayLike, settings: LabelSettings) -> NDArray[np.intp]:
    """Return predicted classes as positions 0..K."""
    _check_rows(sample, y_pred, "y_pred")
    return encode_predictions(y_pred, sample.classes, unlabeled=settings.get("unlabeled"))


def read_matrix(sample: SignedSample, values: ArrayLike, name: str) -> NDArray:
    """Return one finite number for each row and class, class 0 first."""
    if np.ndim(values) == 1:
        raise ValueError(
            f"{name} has one number for each row; give one for each row and class, as predict_proba does, class 0 "
            f"first: {listed(sample.classes)}."
        )
    matrix = check_array(values, dtype=np.float64, ensure_all_finite=False, input_name=name)
    _check_rows(sample, matrix, name)
    if matrix.shape[1] != len(sample.classes):
        raise ValueError(
            f"{name} has {matrix.shape[1]} columns, but there are {len(sample.classes)} classes: "
            f"{listed(sample.classes)}. Give one column for each, in this order; if z happens to lack a "
            "class, pass all of them as classes=[...]."
        )
    bad = np.flatnonzero(np.isnan(matrix).any(axis=1) | np.isposinf(matrix).any(axis=1))
    if len(bad):
        raise ValueError(f"{name} of row {bad[0]} is {matrix[bad[0]].tolist()}: not a number, or infinite.")
    return matrix


def read_proba(sample: SignedSample, y_proba: ArrayLike, *, log: bool) -> NDArray:
    """Return log-probabilities of the classes, from probabilities or from their logs."""
    matrix = read_matrix(sample, y_proba, "y_proba")
    proba = np.exp(matrix) if log else matrix
    bad = (proba < 0).any(axis=1) | (np.abs(proba.sum(axis=1) - 1.0) > SUM_TOLERANCE)
    if bad.any():
        row = np.flatnonzero(bad)[0]
        raise ValueError(
            f"y_proba of row {row} is {matrix[row].tolist()}; "
            + ("exponentials of log-probabilities" if log else "probabilities")
            + " must not be negative and must sum to 1."
            + ("" if log else " For log-probabilities pass log=True.")
        )
    if log:
        return matrix
    with np.errstate(divide="ignore"):  # log 0 = -inf: a class that the model rules out
        return np.log(matrix)


def trivial_words(sample: SignedSample, predicted: NDArray) -> str | None:
    """Say what it means for PU data if all rows are predicted alike, or all as positive; else None."""
    found = np.unique(predicted[sample.weight > 0])
    names, shares = [plain(name) for name in sample.classes], sample.class_shares
    if len(found) == 1 and found[0] == 0:
        return (
            f"Every row is predicted as {names[0]!r}, class 0: the model has found no positive class. Its accuracy is "
            f"the share of class 0, {shares[0]:.2g}, and says nothing about the features. Try a smaller lam; "
            "a model that takes unlabeled rows for class 0 looks like this, too."
        )
    if len(found) == 1:
        return (
            f"Every row is predicted as {names[found[0]]!r}: recall of this class is perfect for free, and accuracy is "
            f"its share, {shares[found[0]]:.2g}. Labelled rows alone would not show it. Check prevalence or "
            "label_frequency, and lam."
        )
    if found[0] > 0:
        return (
            f"Everything is predicted as positive: no row as {names[0]!r}, class 0, although its share is estimated at "
            f"{shares[0]:.2g}. Labelled rows alone would not show it, as none of them is of class 0. The "
            "assumed prevalence may be too high, or the assumed label_frequency too low."
        )
    return None


def warn_if_trivial(sample: SignedSample, predicted: NDArray) -> None:
    """Warn of a model that predicts one class only, or never class 0."""
    words = trivial_words(sample, predicted)
    if words is not None:
        warn(words, TrivialModelWarning)


def warn_if_undefined(sample: SignedSample, statistic: Statistic, what: str, why: str) -> None:
    """Warn of classes for which a metric is 0 / 0."""
    undefined = np.isnan(statistic.value)
    if undefined.any():
        names = listed(sample.classes[undefined])
        warn(f"{what} is undefined (nan) for {names}: {why}.", UndefinedMetricWarning)
