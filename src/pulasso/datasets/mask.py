"""Hiding labels at random, to try on labelled data what happens when labels are missing."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg, listed, plain
from pulasso.data.parameters import as_generator, kind_of
from pulasso.exceptions import LabelError
from pulasso.scenarios import LabelCounts, PerClass, SingleTrainingSet

__all__ = ["frequency_of_classes", "mask_labels"]


def frequency_of_classes(label_frequency: PerClass, classes: NDArray) -> NDArray:
    """Return one label frequency for each of the classes 1..K, whatever way the user gave them."""
    # The scenario reads and checks the numbers, with the words it has for wrong ones.
    anyone = LabelCounts(classes, 1.0, np.zeros(len(classes)))
    return np.exp(SingleTrainingSet(label_frequency).label_model(anyone).log_labeled[1:])


def _read_classes(name: str, given: ArrayLike) -> tuple[NDArray, NDArray]:
    """Return classes as an array, and those that it holds in order."""
    try:
        labels = np.asarray(given)
        found = np.unique(labels)
    except (TypeError, ValueError):
        problem = f"{arg(name)} must hold classes of one kind, all numbers or all text."
        raise LabelError(problem, parameter=name) from None
    if labels.ndim != 1 or len(labels) == 0 or labels.dtype.kind not in "biufUSO":
        words = f"{arg(name)} has shape {labels.shape} and type {labels.dtype}; give"
        what = "one true class for each row" if name == "y" else "a list of all classes, class 0 first"
        raise LabelError(f"{words} {what}.", parameter=name)
    return labels, found


def mask_labels(
    y: ArrayLike,
    label_frequency: PerClass,
    random_state: Any = None,
    *,
    unlabeled: Any = None,
    classes: ArrayLike | None = None,
) -> NDArray:
    """Keep the label of a row of class k with probability pi_k, and mark all other rows as unlabeled.

    This makes a single training set of fully labelled data. Rows of class 0 never show their class.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True classes.
    label_frequency : float, array-like of shape (K,) or mapping
        pi_k of every class but class 0: a number for all, an array in class order, or a mapping from class to
        number. In (0, 1].
    random_state : int, Generator or None, default=None
    unlabeled : label, optional
        The marker to write, for example -1; by default the name of class 0.
    classes : array-like of shape (K + 1,), optional
        All classes, class 0 first; by default those of y, sorted.

    Returns
    -------
    z : array of shape (n_samples,)
        Observed labels.

    Examples
    --------
    >>> from pulasso.datasets import mask_labels
    >>> mask_labels([0, 1, 2, 2, 1, 0], {1: 1.0, 2: 0.5}, random_state=0).tolist()
    [0, 1, 2, 2, 1, 0]
    >>> mask_labels(["no", "oak", "fir"], 1.0, unlabeled="?", classes=["no", "fir", "oak"]).tolist()
    ['?', 'oak', 'fir']
    """
    labels, found = _read_classes("y", y)
    names = found if classes is None else _read_classes("classes", classes)[0]
    unknown = [label for label in found if label not in names]
    if unknown:
        words = f"y holds {listed(unknown)}, which {arg('classes')} does not name."
        raise LabelError(words, parameter="classes")
    if len(names) < 2:
        words = f"y holds only class {plain(names[0])!r}: there is no label to hide."
        raise LabelError(words, parameter="y")
    shown = np.append(0.0, frequency_of_classes(label_frequency, names))
    code = np.argmax(labels[:, None] == names[None, :], axis=1)
    hidden = as_generator(random_state).random(len(labels)) >= shown[code]
    marker = names[0] if unlabeled is None else unlabeled
    if not isinstance(marker, str | bytes | int | float | np.generic):
        raise LabelError(f"{arg('unlabeled')} is {kind_of(marker)}, no label.", parameter="unlabeled")
    try:
        return np.where(hidden, marker, labels)
    except (TypeError, OverflowError):
        words = f"{arg('unlabeled')} is {kind_of(marker)}, and the classes are of type {labels.dtype}."
        raise LabelError(words, parameter="unlabeled") from None
