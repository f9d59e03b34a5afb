"""Metrics of predicted classes: accuracy, recall, precision, confusion matrix, errors of ordered classes."""

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from pulasso._messages import listed, warn
from pulasso.data.parameters import check_choice
from pulasso.metrics import _formulas
from pulasso.metrics._estimate import Estimate
from pulasso.metrics._parameters import LabelSettings, documented
from pulasso.metrics._reading import read_classes, read_positions
from pulasso.metrics._signed_sample import SignedSample, Statistic


@documented
def pu_accuracy(
    z: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    **labels: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the share of rows whose true class is the predicted one.

    The mean of ``f(x, y) = 1{prediction(x) = y}``: in the case-control scenario

        sum_k pi_k (P(pred = k | labelled k) - P(pred = 0 | labelled k)) + P(pred = 0 | unlabeled) ,

    in a single training set the same with ``n_k / (n q_k)`` for pi_k, n_k rows being labelled k with
    frequency q_k, and with all rows in the place of the unlabeled ones. Unbiased.

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
    sample, predicted = read_classes(z, y_pred, sample_weight, labels)
    return sample.estimate(_formulas.accuracy(sample, predicted))


@documented
def pu_recall(
    z: ArrayLike,
    y_pred: ArrayLike,
    *,
    average: str | None = None,
    sample_weight: ArrayLike | None = None,
    **labels: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the share of each true class that is predicted as such.

    ``P(pred = c, Y = c) / P(Y = c)``, two means with ``f(x, y) = 1{prediction(x) = c, y = c}``
    and ``1{y = c}``. For a positive class this is the plain share among its labelled rows. For class 0 it is

        (P(pred = 0) - sum_k pi_k P(pred = 0 | labelled k)) / (1 - sum_k pi_k) .

    The plain average over classes is the balanced accuracy.

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
    sample, predicted = read_classes(z, y_pred, sample_weight, labels)
    return class_estimate(
        sample,
        _formulas.recall(sample, predicted),
        average,
        "recall",
        "z has no rows to judge these classes by",
    )


@documented
def pu_precision(
    z: ArrayLike,
    y_pred: ArrayLike,
    *,
    average: str | None = None,
    sample_weight: ArrayLike | None = None,
    **labels: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the share of the rows predicted as each class that belong to it.

    ``P(pred = c, Y = c) / P(pred = c)``. For a positive class the numerator is ``pi_k P(pred = k | labelled k)``; the
    denominator is a mean over the unlabeled rows (case-control) or over all rows (single training set).

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
    sample, predicted = read_classes(z, y_pred, sample_weight, labels)
    return class_estimate(
        sample, _formulas.precision(sample, predicted), average, "precision", "no row is predicted so"
    )


@documented
def pu_confusion_matrix(
    z: ArrayLike,
    y_pred: ArrayLike,
    *,
    normalize: str = "all",
    sample_weight: ArrayLike | None = None,
    **labels: Unpack[LabelSettings],
) -> Estimate:
    """Estimate how true classes and predicted classes occur together.

    ``P(Y = c, pred = j)``, the mean of ``f(x, y) = 1{y = c, prediction(x) = j}``. The rows of positive classes
    come from their labelled rows; the row of class 0 is the distribution of predictions less the other rows, so
    its entries may turn out negative.

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
    check_choice("normalize", normalize, ("all", "true", "pred"))
    sample, predicted = read_classes(z, y_pred, sample_weight, labels)
    return sample.estimate(_formulas.confusion_matrix(sample, predicted, normalize))


@documented
def pu_mean_squared_error(
    z: ArrayLike,
    y_pred: ArrayLike,
    *,
    numbered: bool = False,
    sample_weight: ArrayLike | None = None,
    **labels: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the mean squared number of classes between prediction and truth.

    The mean of ``f(x, y) = (prediction(x) - y)^2``, with the classes numbered 0..K in their order. Unbiased.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.metrics import pu_mean_squared_error
    >>> rng = np.random.default_rng(2)
    >>> y = rng.integers(0, 4, 4000)
    >>> z = np.where(rng.random(4000) < 0.5, y, 0)
    >>> y_pred = np.clip(y + rng.integers(-1, 2, 4000), 0, 3)
    >>> estimate = pu_mean_squared_error(z, y_pred, scenario="single-training-set", label_frequency=0.5)
    >>> f"{estimate:.2f}, in truth {np.mean((y_pred - y) ** 2):.2f}"
    '0.53, in truth 0.51'
    """
    sample, position = read_positions(z, y_pred, numbered, sample_weight, labels)
    return sample.estimate(_formulas.ordinal_error(sample, position, 2))


@documented
def pu_mean_absolute_error(
    z: ArrayLike,
    y_pred: ArrayLike,
    *,
    numbered: bool = False,
    sample_weight: ArrayLike | None = None,
    **labels: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the mean number of classes between prediction and truth.

    The mean of ``f(x, y) = |prediction(x) - y|``, with the classes numbered 0..K in their order. Unbiased.

    Examples
    --------
    >>> from pulasso.metrics import pu_mean_absolute_error
    >>> stages = ["mild", "medium", "severe"]
    >>> float(pu_mean_absolute_error(stages, ["mild", "severe", "mild"], scenario="fully-observed", classes=stages))
    1.0
    """
    sample, position = read_positions(z, y_pred, numbered, sample_weight, labels)
    return sample.estimate(_formulas.ordinal_error(sample, position, 1))


def class_estimate(
    sample: SignedSample, statistic: Statistic, average: str | None, what: str, why_undefined: str
) -> Estimate:
    """Return one value for each class, or their plain average; warn of classes for which it is 0 / 0."""
    check_choice("average", average, (None, "macro"))
    undefined = np.isnan(statistic.value)
    if undefined.any():
        names = listed(sample.classes[undefined])
        warn(f"{what} is undefined (nan) for {names}: {why_undefined}.", UndefinedMetricWarning)
    return sample.estimate(statistic if average is None else statistic.macro())
