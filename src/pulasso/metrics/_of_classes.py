"""Metrics of predicted classes: accuracy, recall, precision, confusion matrix."""

from typing import Unpack

from numpy.typing import ArrayLike, NDArray

from pulasso.metrics import _statistics
from pulasso.metrics._estimate import Estimate, Statistic
from pulasso.metrics._predictions import read_classes, warn_if_trivial, warn_if_undefined
from pulasso.metrics._sample import LabelSettings, SignedSample, read_sample

__all__ = ["as_estimate", "pu_accuracy", "pu_confusion_matrix", "pu_precision", "pu_recall"]


def pu_accuracy(
    z: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    **label_model: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the share of rows whose true class is the predicted one.

    The mean of ``f(x, y) = 1{prediction(x) = y}``: in the case-control scenario

        sum_k pi_k (P(pred = k | labelled k) - P(pred = 0 | labelled k)) + P(pred = 0 | unlabeled) ,

    in a single training set the same with ``n_k / (n q_k)`` for pi_k, n_k rows being labelled k with
    frequency q_k, and with all rows in the place of the unlabeled ones. Unbiased.

    Parameters
    ----------
    z : array-like of shape (n_samples,)
        Observed labels, with the marker of unlabeled rows.
    y_pred : array-like of shape (n_samples,)
        Predicted true classes.
    sample_weight : array-like of shape (n_samples,), optional
        A weight of 2 counts as the row twice.
    **labelling
        scenario, prevalence, label_frequency, classes, unlabeled, negative: see :mod:`pulasso.metrics`.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.metrics import pu_accuracy
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 3, 2000)  # true classes, which nobody sees
    >>> z = np.where(rng.random(2000) < 0.5, y, 0)  # half of the labels are lost
    >>> y_pred = np.where(rng.random(2000) < 0.8, y, 0)
    >>> pu_accuracy(z, y_pred, scenario="single-training-set", label_frequency=0.5)
    Estimate(0.867 ± 0.020)
    >>> float(np.mean(y_pred == y))
    0.8615
    """
    sample, predicted = _read(z, y_pred, sample_weight, label_model)
    return sample.estimate(_statistics.accuracy(sample, predicted))


def pu_recall(
    z: ArrayLike,
    y_pred: ArrayLike,
    *,
    average: str | None = None,
    sample_weight: ArrayLike | None = None,
    **label_model: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the share of each true class that is predicted as such.

    ``P(pred = c, Y = c) / P(Y = c)``, two means with ``f(x, y) = 1{prediction(x) = c, y = c}``
    and ``1{y = c}``. For a positive class this is the plain share among its labelled rows. For class 0 it is

        (P(pred = 0) - sum_k pi_k P(pred = 0 | labelled k)) / (1 - sum_k pi_k) .

    Parameters
    ----------
    z : array-like of shape (n_samples,)
        Observed labels, with the marker of unlabeled rows.
    y_pred : array-like of shape (n_samples,)
        Predicted true classes.
    average : {None, "macro"}, default=None
        "macro" is the plain average over classes: the balanced accuracy.
    sample_weight : array-like of shape (n_samples,), optional
        A weight of 2 counts as the row twice.
    **labelling
        scenario, prevalence, label_frequency, classes, unlabeled, negative: see :mod:`pulasso.metrics`.

    Returns
    -------
    Estimate
        One value for each class, class 0 first, or their average.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.metrics import pu_recall
    >>> z = np.repeat(["?", "oak"], [400, 100])
    >>> y_pred = np.r_[np.repeat(["none", "oak"], [280, 120]), np.repeat(["none", "oak"], [20, 80])]
    >>> recall = pu_recall(z, y_pred, prevalence=0.3, unlabeled="?", negative="none")
    >>> recall
    Estimate
      class      estimate
      none   0.914 ± 0.037
      oak    0.800 ± 0.040
    >>> recall.of("oak")
    Estimate(0.800 ± 0.040)
    """
    sample, predicted = _read(z, y_pred, sample_weight, label_model)
    statistic = _statistics.recall(sample, predicted)
    warn_if_undefined(sample, statistic, "recall", "z has no rows to judge these classes by")
    return as_estimate(sample, statistic, average)


def pu_precision(
    z: ArrayLike,
    y_pred: ArrayLike,
    *,
    average: str | None = None,
    sample_weight: ArrayLike | None = None,
    **label_model: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the share of the rows predicted as each class that belong to it.

    ``P(pred = c, Y = c) / P(pred = c)``. For a positive class the numerator is ``pi_k P(pred = k | labelled k)``; the
    denominator is a mean over the unlabeled rows (case-control) or over all rows (single training set).

    Parameters
    ----------
    z : array-like of shape (n_samples,)
        Observed labels, with the marker of unlabeled rows.
    y_pred : array-like of shape (n_samples,)
        Predicted true classes.
    average : {None, "macro"}, default=None
        "macro" is the plain average over classes.
    sample_weight : array-like of shape (n_samples,), optional
        A weight of 2 counts as the row twice.
    **labelling
        scenario, prevalence, label_frequency, classes, unlabeled, negative: see :mod:`pulasso.metrics`.

    Returns
    -------
    Estimate
        One value for each class, class 0 first, or their average; nan for a class that is never predicted.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.metrics import pu_precision
    >>> z = np.repeat([0, 1], [400, 100])
    >>> y_pred = np.repeat([0, 1, 0, 1], [280, 120, 20, 80])
    >>> pu_precision(z, y_pred, prevalence=0.3).value.round(3)
    array([0.914, 0.8  ])
    """
    sample, predicted = _read(z, y_pred, sample_weight, label_model)
    statistic = _statistics.precision(sample, predicted)
    warn_if_undefined(sample, statistic, "precision", "no row is predicted so")
    return as_estimate(sample, statistic, average)


def pu_confusion_matrix(
    z: ArrayLike,
    y_pred: ArrayLike,
    *,
    normalize: str = "all",
    sample_weight: ArrayLike | None = None,
    **label_model: Unpack[LabelSettings],
) -> Estimate:
    """Estimate how true classes and predicted classes occur together.

    ``P(Y = c, pred = j)``, the mean of ``f(x, y) = 1{y = c, prediction(x) = j}``. The rows of positive classes
    come from their labelled rows; the row of class 0 is the distribution of predictions less the other rows, so
    its entries may turn out negative.

    Parameters
    ----------
    z : array-like of shape (n_samples,)
        Observed labels, with the marker of unlabeled rows.
    y_pred : array-like of shape (n_samples,)
        Predicted true classes.
    normalize : {"all", "true", "pred"}, default="all"
        Shares of everything, of each true class (rows sum to 1), or of each predicted class (columns do).
    sample_weight : array-like of shape (n_samples,), optional
        A weight of 2 counts as the row twice.
    **labelling
        scenario, prevalence, label_frequency, classes, unlabeled, negative: see :mod:`pulasso.metrics`.

    Returns
    -------
    Estimate
        A matrix, true classes by rows, predicted classes by columns, class 0 first.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.metrics import pu_confusion_matrix
    >>> z = np.repeat([0, 1], [400, 100])
    >>> y_pred = np.repeat([0, 1, 0, 1], [280, 120, 20, 80])
    >>> pu_confusion_matrix(z, y_pred, prevalence=0.3)
    Estimate
      true class              0              1
      0           0.640 ± 0.026  0.060 ± 0.026
      1           0.060 ± 0.012  0.240 ± 0.012
    """
    if normalize not in ("all", "true", "pred"):
        raise ValueError(f"normalize={normalize!r} is unknown; use 'all', 'true' or 'pred'.")
    sample, predicted = _read(z, y_pred, sample_weight, label_model)
    n_classes = len(sample.classes)
    return sample.estimate(
        _statistics.confusion_matrix(sample, predicted, normalize), shape=(n_classes, n_classes)
    )


def as_estimate(sample: SignedSample, statistic: Statistic, average: str | None) -> Estimate:
    """Return one value for each class, or their plain average."""
    if average is None:
        return sample.estimate(statistic, shape=(len(statistic.value),))
    if average != "macro":
        raise ValueError(
            f"average={average!r} is unknown; use None for one value per class, or 'macro' for their average."
        )
    return sample.estimate(statistic.macro())


def _read(
    z: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None, settings: LabelSettings
) -> tuple[SignedSample, NDArray]:
    sample = read_sample(z, settings, sample_weight)
    predicted = read_classes(sample, y_pred, settings)
    warn_if_trivial(sample, predicted)
    return sample, predicted
