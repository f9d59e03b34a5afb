"""Metrics of ordered classes: how many steps a prediction is away from the true class."""

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from pulasso.metrics import _statistics
from pulasso.metrics._estimate import Estimate
from pulasso.metrics._predictions import read_classes, warn_if_trivial
from pulasso.metrics._sample import LabelSettings, SignedSample, read_sample

__all__ = ["pu_mean_absolute_error", "pu_mean_squared_error"]


def pu_mean_squared_error(
    z: ArrayLike,
    y_pred: ArrayLike,
    *,
    numbered: bool = False,
    sample_weight: ArrayLike | None = None,
    **label_model: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the mean squared number of classes between prediction and truth.

    The mean of ``f(x, y) = (prediction(x) - y)^2``, with the classes numbered 0..K in their order. Unbiased.

    Parameters
    ----------
    z : array-like of shape (n_samples,)
        Observed labels, with the marker of unlabeled rows.
    y_pred : array-like of shape (n_samples,)
        Predicted true classes.
    numbered : bool, default=False
        Whether `y_pred` holds numbers between 0 and K, as from ``OrdinalPULasso.predict_expected``, instead
        of classes.
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
    >>> from pulasso.metrics import pu_mean_squared_error
    >>> rng = np.random.default_rng(2)
    >>> y = rng.integers(0, 4, 4000)
    >>> z = np.where(rng.random(4000) < 0.5, y, 0)
    >>> y_pred = np.clip(y + rng.integers(-1, 2, 4000), 0, 3)
    >>> estimate = pu_mean_squared_error(z, y_pred, scenario="single-training-set", label_frequency=0.5)
    >>> f"{estimate:.2f}, in truth {np.mean((y_pred - y) ** 2):.2f}"
    '0.53, in truth 0.51'
    """
    sample, position = _read(z, y_pred, numbered, sample_weight, label_model)
    return sample.estimate(_statistics.position_error(sample, position, 2))


def pu_mean_absolute_error(
    z: ArrayLike,
    y_pred: ArrayLike,
    *,
    numbered: bool = False,
    sample_weight: ArrayLike | None = None,
    **label_model: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the mean number of classes between prediction and truth.

    The mean of ``f(x, y) = |prediction(x) - y|``, with the classes numbered 0..K in their order. Unbiased.

    Parameters
    ----------
    z : array-like of shape (n_samples,)
        Observed labels, with the marker of unlabeled rows.
    y_pred : array-like of shape (n_samples,)
        Predicted true classes.
    numbered : bool, default=False
        Whether `y_pred` holds numbers between 0 and K instead of classes.
    sample_weight : array-like of shape (n_samples,), optional
        A weight of 2 counts as the row twice.
    **labelling
        scenario, prevalence, label_frequency, classes, unlabeled, negative: see :mod:`pulasso.metrics`.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> from pulasso.metrics import pu_mean_absolute_error
    >>> stages = ["mild", "medium", "severe"]
    >>> float(pu_mean_absolute_error(stages, ["mild", "severe", "mild"], scenario="fully-observed", classes=stages))
    1.0
    """
    sample, position = _read(z, y_pred, numbered, sample_weight, label_model)
    return sample.estimate(_statistics.position_error(sample, position, 1))


def _read(
    z: ArrayLike,
    y_pred: ArrayLike,
    numbered: bool,
    sample_weight: ArrayLike | None,
    settings: LabelSettings,
) -> tuple[SignedSample, NDArray]:
    sample = read_sample(z, settings, sample_weight, ordered=True)
    if not numbered:
        predicted = read_classes(sample, y_pred, settings)
        warn_if_trivial(sample, predicted)
        return sample, predicted
    position = check_array(y_pred, ensure_2d=False, dtype=np.float64, input_name="y_pred")
    if position.shape != sample.codes.shape:
        raise ValueError(f"z has {len(sample.codes)} rows but y_pred has the shape {position.shape}.")
    return sample, position
