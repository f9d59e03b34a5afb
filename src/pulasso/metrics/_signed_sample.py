"""Means over the population of (X, Y), from rows with signed weights. See the package's docstring."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pulasso.metrics._estimate import Estimate
from pulasso.scenarios import LabelModel

# Weights that add up to 1 do so up to rounding.
ONE_ROW = 1.0 + 1e-6


@dataclass(frozen=True, eq=False)
class Statistic:
    """Values with their influence functions, before these become standard errors.

    To first order a value differs from the truth by the weighted mean of its influence over rows, so sums
    and averages of statistics keep exact account of their correlations.

    Attributes
    ----------
    value : array of any shape
        One number, one for each class, or a matrix.
    influence : array of shape (n_samples, *value.shape)
    """

    value: NDArray
    influence: NDArray

    def macro(self) -> "Statistic":
        """Return the plain average over classes."""
        return Statistic(np.mean(self.value), self.influence.mean(axis=1))


@dataclass(frozen=True, eq=False)
class SignedSample:
    """Observed labels with the weight that every row has in the mean over every true class.

    ``E[f(X, Y)]`` is estimated by the weighted mean over rows of ``sum_c class_weights[:, c] * f(x, c)``,
    divided by that of f = 1.

    Attributes
    ----------
    classes : array of shape (K + 1,)
    codes : array of shape (n_samples,)
        Observed labels: 0 unlabeled, k class k, K + 1 confirmed negative.
    sample_weight : array of shape (n_samples,)
        A weight of 2 counts as the row twice, in standard errors as well.
    class_weights : array of shape (n_samples, K + 1)
        Signed weight of every row for every true class, of :func:`signed_weights`.
    sampled_by_label : bool
        Whether the number of rows with each label was fixed (case-control).
    """

    classes: NDArray
    codes: NDArray
    sample_weight: NDArray
    class_weights: NDArray
    sampled_by_label: bool

    @cached_property
    def row_weights(self) -> NDArray:
        """Weight of every row in the population of x, shape (n_samples,); never negative."""
        return self.class_weights.sum(axis=1)

    @cached_property
    def class_shares(self) -> NDArray:
        """Estimated share of every true class in the population."""
        return self.average(self.class_weights) / self.average(self.row_weights)

    @cached_property
    def strata(self) -> NDArray:
        """What each row was drawn from: its observed label if their numbers were fixed, else one population."""
        return self.codes if self.sampled_by_label else np.zeros_like(self.codes)

    def average(self, values: NDArray) -> NDArray:
        """Return the weighted mean over rows, the first axis."""
        return np.tensordot(self.sample_weight, values, axes=1) / self.sample_weight.sum()

    def ratio(self, numerator: NDArray, denominator: NDArray) -> Statistic:
        """Return ratios R of two means over rows, N / D, with the influence ``(h_N - R h_D) / D`` (delta method)."""
        below = self.average(denominator)
        with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0: undefined, and reported as nan
            value = np.where(below == 0, np.nan, self.average(numerator) / below)
            return Statistic(value, (numerator - value * denominator) / below)

    def mean(self, values: NDArray) -> Statistic:
        """Return the mean of f(X, Y) in the population, for f given as an array (n_samples, K + 1)."""
        return self.ratio(np.einsum("ij,ij->i", self.class_weights, values), self.row_weights)

    def estimate(self, statistic: Statistic) -> Estimate:
        """Return values with their standard errors."""
        error = np.sqrt(self.variance(statistic.influence))
        if np.ndim(statistic.value) == 0:
            return Estimate(float(statistic.value), float(error))
        return Estimate(statistic.value, error, self.classes)

    def variance(self, influence: NDArray) -> NDArray:
        """Return the variances of weighted means over rows: sums of squares, never negative.

        With ``n_s`` rows in stratum s and ``S_s^2`` the variance of the influence within it, the variance is
        ``sum_s n_s S_s^2 / n^2``. Strata are the observed labels if their numbers were fixed, else there is one.
        """
        variance = np.zeros(influence.shape[1:])
        for stratum in np.unique(self.strata[self.sample_weight > 0]):
            rows = self.strata == stratum
            weight, values = self.sample_weight[rows], influence[rows]
            n_rows = weight.sum()
            centred = values - np.tensordot(weight, values, axes=1) / n_rows
            # One row alone says nothing about the spread.
            factor = n_rows / (n_rows - 1.0) if n_rows > ONE_ROW else np.nan
            with np.errstate(over="ignore"):  # of the largest weights that are allowed: no error can be told
                variance += factor * np.tensordot(weight, centred**2, axes=1)
        return variance / self.sample_weight.sum() ** 2


def signed_weights(label_model: LabelModel, codes: NDArray, sample_weight: NDArray) -> NDArray:
    """Return the signed weight of every row for every true class, shape (n_samples, K + 1).

    With a and c the two vectors of the label model, a row has up to a common factor the weights

        labelled k:          1 / a_k for class k,  -t c_k / a_k for class 0
        unlabeled:           t for class 0
        confirmed negative:  (1 - t c_0) / a_0 for class 0

    For every class y and whatever t is, ``a_y * (weight of label y) + c_y * (weight of no label)`` is then 1 for
    class y and 0 for the others: a row of true class y contributes to class y alone, on average over its label.
    Without confirmed negatives ``t = 1 / c_0``. With them class 0 is seen in two ways, as "everybody but the
    positives" and directly; t is the mixture of least sum of squared weights for class 0.
    """
    n_classes = label_model.log_labeled.shape[-1]
    labeled, negative = codes > 0, codes == n_classes
    rows, own = np.arange(len(codes)), codes % n_classes  # a confirmed negative is labelled as class 0

    def own_rate(log_rates: NDArray) -> NDArray:
        return np.exp(np.broadcast_to(log_rates, (len(codes), n_classes))[rows, own])

    a, c = own_rate(label_model.log_labeled), own_rate(label_model.log_hidden)
    a[~labeled] = 1.0  # it may be 0, and is not used
    by_difference = np.where(labeled, -c / a, 1.0)
    weights = np.zeros((len(codes), n_classes))
    weights[rows, own] = np.where(labeled, 1.0 / a, 0.0)
    if negative.any():
        squares = sample_weight @ by_difference**2
        t = -(sample_weight * weights[:, 0]) @ by_difference / squares if squares > 0 else 0.0
    else:
        t = np.exp(-label_model.log_hidden[..., 0])
    weights[:, 0] += t * by_difference
    return weights
