"""Each metric as a ratio of signed means; predictions and labels are codes here, and nothing is checked."""

import numpy as np
from numpy.typing import NDArray

from pulasso.metrics._signed_sample import SignedSample, Statistic


def _one_hot(sample: SignedSample, predicted: NDArray) -> NDArray:
    return (predicted[:, None] == np.arange(len(sample.classes))).astype(float)


def accuracy(sample: SignedSample, predicted: NDArray) -> Statistic:
    """Return P(Y = prediction)."""
    return sample.mean(_one_hot(sample, predicted))


def class_shares(sample: SignedSample) -> Statistic:
    """Return P(Y = c) for every class c."""
    return sample.ratio(sample.class_weights, sample.row_weights[:, None])


def predicted_shares(sample: SignedSample, predicted: NDArray) -> Statistic:
    """Return P(prediction = c) for every class c."""
    rows = sample.row_weights[:, None]
    return sample.ratio(rows * _one_hot(sample, predicted), rows)


def recall(sample: SignedSample, predicted: NDArray) -> Statistic:
    """Return P(prediction = c | Y = c) for every class c."""
    return sample.ratio(sample.class_weights * _one_hot(sample, predicted), sample.class_weights)


def precision(sample: SignedSample, predicted: NDArray) -> Statistic:
    """Return P(Y = c | prediction = c) for every class c."""
    chosen = _one_hot(sample, predicted)
    return sample.ratio(sample.class_weights * chosen, sample.row_weights[:, None] * chosen)


def confusion_matrix(sample: SignedSample, predicted: NDArray, normalize: str) -> Statistic:
    """Return P(Y = c, prediction = j), or conditional on either, true classes c by rows."""
    chosen, true = _one_hot(sample, predicted)[:, None, :], sample.class_weights[:, :, None]
    rows = sample.row_weights[:, None, None]
    return sample.ratio(true * chosen, {"all": rows, "true": true, "pred": rows * chosen}[normalize])


def log_loss(sample: SignedSample, log_proba: NDArray) -> Statistic:
    """Return E[-log P(Y | x)]; infinite as soon as a row gives no chance to a class it may stand for."""
    impossible = np.isneginf(log_proba)
    if impossible[(sample.class_weights != 0) & (sample.sample_weight[:, None] > 0)].any():
        return Statistic(np.array(np.inf), np.full(len(log_proba), np.nan))
    return sample.mean(-np.where(impossible, 0.0, log_proba))


def log_loss_difference(sample: SignedSample, log_proba: NDArray, other: NDArray) -> Statistic:
    """Return E[log Q(Y | x) - log P(Y | x)]; infinite where one of the losses is, unknown where both are."""
    losses = log_loss(sample, log_proba), log_loss(sample, other)
    if not all(np.isfinite(each.value) for each in losses):
        with np.errstate(invalid="ignore"):
            return Statistic(losses[0].value - losses[1].value, losses[0].influence * np.nan)
    return Statistic(losses[0].value - losses[1].value, losses[0].influence - losses[1].influence)


def brier_score(sample: SignedSample, proba: NDArray) -> Statistic:
    """Return E[sum_j (P(j | x) - 1{Y = j})^2], halved for two classes, as scikit-learn does."""
    # For true class c the sum is |p|^2 - 2 p_c + 1.
    squares = (proba**2).sum(axis=1, keepdims=True) - 2.0 * proba + 1.0
    return sample.mean(squares / 2.0 if proba.shape[1] == 2 else squares)


def ranked_probability_score(sample: SignedSample, proba: NDArray) -> Statistic:
    """Return E[sum_j (P(y <= j | x) - 1{Y <= j})^2] over the K cuts between classes."""
    up_to = np.cumsum(proba[:, :-1], axis=1)[:, None, :]
    cuts = np.arange(proba.shape[1] - 1)
    below = np.arange(proba.shape[1])[:, None] <= cuts  # true class c by cut j
    return sample.mean(((up_to - below) ** 2).sum(axis=2))


def ordinal_error(sample: SignedSample, position: NDArray, power: int) -> Statistic:
    """Return E[|position - Y|^power], with the classes numbered 0..K."""
    distance = np.abs(position[:, None] - np.arange(len(sample.classes)))
    return sample.mean(distance**power)


def roc_auc(sample: SignedSample, scores: NDArray) -> Statistic:
    """Return P(score of a member > score of another) + P(equal) / 2, every class against the rest."""
    parts = [_one_auc(sample, *each) for each in zip(scores.T, sample.class_weights.T, strict=True)]
    return Statistic(np.array([value for value, _ in parts]), np.column_stack([h for _, h in parts]))


def _one_auc(sample: SignedSample, score: NDArray, member: NDArray) -> tuple[float, NDArray]:
    """Return the AUC and its influence, from the signed weights of being a member and of being none."""
    other = sample.row_weights - member
    n_member, n_other = sample.average(member), sample.average(other)
    if n_member == 0 or n_other == 0:
        return np.nan, np.full(len(score), np.nan)
    _, rank = np.unique(score, return_inverse=True)

    def mass_below(weights: NDArray) -> NDArray:
        """Return for every row the mean weight of rows with a smaller score, plus half of that of equal ones."""
        at_rank = np.bincount(rank, weights=sample.sample_weight * weights) / sample.sample_weight.sum()
        return (np.cumsum(at_rank) - at_rank / 2.0)[rank]

    below, above = mass_below(other), n_member - mass_below(member)
    value = sample.average(member * below) / (n_member * n_other)
    # Projection of the two-sample U-statistic on each row (Hoeffding; DeLong et al. 1988), then the
    # delta method for its denominator.
    influence = member * below + other * above - value * (member * n_other + other * n_member)
    return float(value), influence / (n_member * n_other)
