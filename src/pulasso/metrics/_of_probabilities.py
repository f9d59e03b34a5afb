"""Metrics of predicted probabilities and scores: log-loss, Brier score, area under the ROC curve."""

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from pulasso.metrics import _statistics
from pulasso.metrics._estimate import Estimate
from pulasso.metrics._of_classes import as_estimate
from pulasso.metrics._predictions import read_matrix, read_proba, warn_if_undefined
from pulasso.metrics._sample import LabelSettings, read_sample

__all__ = ["pu_brier_score", "pu_log_loss", "pu_roc_auc"]


def pu_log_loss(
    z: ArrayLike,
    y_proba: ArrayLike,
    *,
    log: bool = False,
    sample_weight: ArrayLike | None = None,
    **label_model: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the mean negative log-probability that the model gives to the true class.

    The mean of ``f(x, y) = -log P(y | x)``: unlabeled rows count as class 0, and every row labelled k, with its
    positive weight, adds ``-log P(k | x)`` and takes ``-log P(0 | x)`` back. Unbiased.

    Parameters
    ----------
    z : array-like of shape (n_samples,)
        Observed labels, with the marker of unlabeled rows.
    y_proba : array-like of shape (n_samples, K + 1)
        Probabilities of the true classes, class 0 first, as from ``predict_proba``.
    log : bool, default=False
        Whether `y_proba` holds log-probabilities, as from ``predict_log_proba``: they stay finite where a
        probability would be rounded to 0, which makes the loss infinite.
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
    >>> from pulasso.metrics import pu_log_loss
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(4000)
    >>> y = (rng.random(4000) < p).astype(int)
    >>> z = np.where(rng.random(4000) < 0.5, y, 0)
    >>> loss = pu_log_loss(z, np.column_stack([1 - p, p]), scenario="single-training-set", label_frequency=0.5)
    >>> f"{loss:.2f}, in truth {-np.mean(np.log(np.where(y == 1, p, 1 - p))):.2f}"
    '0.50, in truth 0.51'
    """
    sample = read_sample(z, label_model, sample_weight)
    return sample.estimate(_statistics.log_loss(sample, read_proba(sample, y_proba, log=log)))


def pu_brier_score(
    z: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    **label_model: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the mean squared distance of predicted probabilities to the true class.

    The mean of ``f(x, y) = sum_j (P(j | x) - 1{y = j})^2``, halved for two classes as in scikit-learn. Unbiased.

    Parameters
    ----------
    z : array-like of shape (n_samples,)
        Observed labels, with the marker of unlabeled rows.
    y_proba : array-like of shape (n_samples, K + 1)
        Probabilities of the true classes, class 0 first.
    sample_weight : array-like of shape (n_samples,), optional
        A weight of 2 counts as the row twice.
    **labelling
        scenario, prevalence, label_frequency, classes, unlabeled, negative: see :mod:`pulasso.metrics`.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> from pulasso.metrics import pu_brier_score
    >>> proba = [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]]
    >>> f"{pu_brier_score([0, 0, 1, 1], proba, scenario='fully-observed'):.3f}"
    '0.075'
    """
    sample = read_sample(z, label_model, sample_weight)
    return sample.estimate(_statistics.brier_score(sample, np.exp(read_proba(sample, y_proba, log=False))))


def pu_roc_auc(
    z: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = None,
    sample_weight: ArrayLike | None = None,
    **label_model: Unpack[LabelSettings],
) -> Estimate:
    """Estimate the area under the ROC curve of each class against the rest.

    The probability that a member of the class scores higher than a row of another class, ties counting one half:

        sum_ij u_i v_j 1{s_i > s_j} / (sum_i u_i * sum_j v_j) ,

    with u_i the signed weight of row i for the class and v_i its weight for all other classes. The sum over pairs
    is a two-sample U-statistic; its influence function at row i is ``u_i V(s_i) + v_i U(s_i)``, V the mass
    of others below the score and U that of members above it, less the part of the denominator.
    Consistent; with fully observed labels it is the usual area, with the standard error of DeLong et al. (1988).

    Parameters
    ----------
    z : array-like of shape (n_samples,)
        Observed labels, with the marker of unlabeled rows.
    y_score : array-like of shape (n_samples, K + 1), or (n_samples,) for one positive class
        Scores that grow with the chance of each class, class 0 first: probabilities will do. Of two
        classes, the score of the positive one is enough.
    average : {None, "macro"}, default=None
        "macro" is the plain average over classes.
    sample_weight : array-like of shape (n_samples,), optional
        A weight of 2 counts as the row twice.
    **labelling
        scenario, prevalence, label_frequency, classes, unlabeled, negative: see :mod:`pulasso.metrics`.

    Returns
    -------
    Estimate
        One value for each class, class 0 first, or their average, or that of the positive class.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.metrics import pu_roc_auc
    >>> rng = np.random.default_rng(2)
    >>> y = rng.integers(0, 2, 4000)
    >>> score = y + rng.normal(size=4000)
    >>> z = np.where(rng.random(4000) < 0.4, y, 0)
    >>> pu_roc_auc(z, score, scenario="single-training-set", label_frequency=0.4)
    Estimate(0.771 ± 0.018)
    """
    sample = read_sample(z, label_model, sample_weight)
    is_single = int(np.ndim(y_score) == 1 and len(sample.classes) == 2)
    if is_single:
        y_score = np.column_stack([np.zeros(len(np.asarray(y_score))), np.asarray(y_score, dtype=float)])
    scores = read_matrix(sample, y_score, "y_score")
    of_class = range(is_single, len(sample.classes))
    statistic = _statistics.roc_auc(sample, scores[:, is_single:], of_class)
    warn_if_undefined(
        sample, statistic, "the area under the ROC curve", "z has no rows to judge these classes by"
    )
    return sample.estimate(statistic) if is_single else as_estimate(sample, statistic, average)
