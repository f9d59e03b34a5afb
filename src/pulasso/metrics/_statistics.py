"""Each metric as a ratio of signed means; predictions and labels are codes here, and nothing is checked."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pulasso.metrics._estimate import Statistic
from pulasso.metrics._sample import SignedSample

__all__ = [
    "accuracy",
    "brier_score",
    "class_share",
    "confusion_matrix",
    "log_loss",
    "position_error",
    "precision",
    "predicted_share",
    "recall",
    "roc_auc",
]


def _one_hot(sample: SignedSample, predicted: NDArray) -> NDArray:
    return (predicted[:, None] == np.arange(len(sample.classes))).astype(float)


def accuracy(sample: SignedSample, predicted: NDArray) -> Statistic:
    """Return P(Y = prediction)."""
    return sample.mean(_one_hot(sample, predicted))


def class_share(sample: SignedSample) -> Statistic:
    """Return P(Y = c) for every class c."""
    return sample.ratio(sample.class_weights, sample.row_weights)


def predicted_share(sample: SignedSample, predicted: NDArray) -> Statistic:
    """Return P(prediction = c) for every class c."""
    return sample.ratio(sample.row_weights[:, None] * _one_hot(sample, predicted), sample.row_weights)


def recall(sample: SignedSample, predicted: NDArray) -> Statistic:
    """Return P(prediction = c | Y = c) for every class c."""
    return sample.ratio(sample.class_weights * _one_hot(sample, predicted), sample.class_weights)


def precision(sample: SignedSample, predicted: NDArray) -> Statistic:
    """Return P(Y = c | prediction = c) for every class c."""
    chosen = _one_hot(sample, predicted)
    return sample.ratio(sample.class_weights * chosen, sample.row_weights[:, None] * chosen)


def confusion_matrix(sample: SignedSample, predicted: NDArray, normalize: str) -> Statistic:
    """Return P(Y = c, prediction = j), or conditional on either, true classes c by rows, flattened."""
    chosen, rows = _one_hot(sample, predicted), sample.row_weights[:, None]
    parts = []
    for weights in sample.class_weights.T:
        below = {"all": rows, "true": weights[:, None], "pred": rows * chosen}[normalize]
        parts.append(sample.ratio(weights[:, None] * chosen, below))
    return Statistic(
        np.concatenate([part.value for part in parts]), np.hstack([part.influence for part in parts])
    )


def log_loss(sample: SignedSample, log_proba: NDArray) -> Statistic:
    """Return E[-log P(Y | x)]; infinite as soon as a row gives no chance to a class it may stand for."""
    if np.isneginf(log_proba[(sample.class_weights != 0) & (sample.weight[:, None] > 0)]).any():
        return Statistic(np.array([np.inf]), np.full((len(log_proba), 1), np.nan))
    return sample.mean(-np.where(np.isneginf(log_proba), 0.0, log_proba))


def brier_score(sample: SignedSample, proba: NDArray) -> Statistic:
    """Return E[sum_j (P(j | x) - 1{Y = j})^2], halved for two classes, as scikit-learn does."""
    # For true class c the sum is |p|^2 - 2 p_c + 1.
    squares = (proba**2).sum(axis=1, keepdims=True) - 2.0 * proba + 1.0
    return sample.mean(squares / 2.0 if proba.shape[1] == 2 else squares)


def position_error(sample: SignedSample, position: NDArray, power: int) -> Statistic:
    """Return E[|position - Y|^power], with the classes numbered 0..K."""
    distance = np.abs(position[:, None] - np.arange(len(sample.classes)))
    return sample.mean(distance**power)


def roc_auc(sample: SignedSample, scores: NDArray, of_class: Sequence[int]) -> Statistic:
    """Return P(score of a member > score of another) + P(equal) / 2, one class against the rest.

    Parameters
    ----------
    sample : SignedSample
    scores : array of shape (n_samples, m)
    of_class : sequence of m int
        The class that each column of scores is about.
    """
    parts = [_one_auc(sample, scores[:, i], sample.class_weights[:, c]) for i, c in enumerate(of_class)]
    return Statistic(np.array([value for value, _ in parts]), np.column_stack([h for _, h in parts]))


def _one_auc(sample: SignedSample, score: NDArray, member: NDArray) -> tuple[float, NDArray]:
    """Return the AUC and its influence, from the signed weights of being a member and of being none."""
    other = sample.row_weights - member
    n_member, n_other = sample.share @ member, sample.share @ other
    if n_member == 0 or n_other == 0:
        return np.nan, np.full(len(score), np.nan)
    below = _mass_below(score, sample.share * other)
    above = n_member - _mass_below(score, sample.share * member)
    value = (sample.share * member) @ below / (n_member * n_other)
    # Projection of the two-sample U-statistic on each row (Hoeffding; DeLong et al. 1988), then the
    # delta method for its denominator.
    influence = member * below + other * above - value * (member * n_other + other * n_member)
    return float(value), influence / (n_member * n_other)


def _mass_below(score: NDArray, mass: NDArray) -> NDArray:
    """Return for every row the mass of rows with a smaller score, plus half of that of equal ones."""
    _, index = np.unique(score, return_inverse=True)
    by_value = np.bincount(index, weights=mass)
    return (np.cumsum(by_value) - by_value / 2.0)[index]
