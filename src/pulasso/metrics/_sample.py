"""The sample with signed weights: what every row says about every class. See the package's docstring."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import plain, warn
from pulasso.data.inputs import check_weight
from pulasso.data.labels import Labels, encode_labels, encode_with
from pulasso.exceptions import ClassOrderWarning, LabelError, LabelFrequencyWarning, SmallWeightWarning
from pulasso.metrics._estimate import Estimate, Statistic
from pulasso.scenarios import LabelCounts, LabelModel, PerClass, Scenario, as_scenario

__all__ = ["LabelSettings", "SignedSample", "label_weights", "read_sample"]

# Weights that add up to 1 do so up to rounding.
ONE_ROW = 1.0 + 1e-6


class LabelSettings(TypedDict, total=False):
    """How labels came to be, and how they are written: keywords that every metric takes."""

    scenario: str | Scenario
    prevalence: PerClass | None
    label_frequency: PerClass | None
    classes: Sequence[Any] | NDArray | None
    unlabeled: Any
    negative: Any


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
    weight : array of shape (n_samples,)
        A weight of 2 counts as the row twice, in standard errors as well.
    table : array of shape (K + 2, K + 1)
        Signed weights by observed label and true class.
    by_label : bool
        Whether the number of rows with each label was fixed (case-control).
    """

    classes: NDArray
    codes: NDArray
    weight: NDArray
    table: NDArray
    by_label: bool

    @cached_property
    def share(self) -> NDArray:
        """Sample weights that sum to one."""
        return self.weight / self.weight.sum()

    @cached_property
    def class_weights(self) -> NDArray:
        """Signed weight of every row for every true class, shape (n_samples, K + 1)."""
        return self.table[self.codes]

    @cached_property
    def row_weights(self) -> NDArray:
        """Weight of every row in the population of x, shape (n_samples,); never negative."""
        return self.class_weights.sum(axis=1)

    @cached_property
    def class_shares(self) -> NDArray:
        """Estimated share of every true class in the population."""
        return self.share @ self.class_weights / (self.share @ self.row_weights)

    def ratio(self, numerator: NDArray, denominator: NDArray) -> Statistic:
        """Return ratios of two means over rows, with the influence ``(h_N - R h_D) / D`` (delta method).

        Parameters
        ----------
        numerator : array of shape (n_samples,) or (n_samples, m)
        denominator : array of shape (n_samples,) or (n_samples, m)
        """
        numerator = numerator.reshape(len(self.codes), -1)
        denominator = denominator.reshape(len(self.codes), -1)
        below = self.share @ denominator
        with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0: undefined, and reported as nan
            value = self.share @ numerator / below
            value = np.where(below == 0, np.nan, value)
            return Statistic(value, (numerator - value * denominator) / below)

    def mean(self, values: NDArray) -> Statistic:
        """Return the mean of f(X, Y) in the population, for f given as an array (n_samples, K + 1)."""
        return self.ratio(np.einsum("ij,ij->i", self.class_weights, values), self.row_weights)

    def estimate(self, statistic: Statistic, shape: tuple[int, ...] = ()) -> Estimate:
        """Return values with standard errors, in this shape; the shape () asks for one number."""
        error = np.sqrt(self.variance(statistic.influence))
        if shape == ():
            return Estimate(float(statistic.value[0]), float(error[0]))
        return Estimate(statistic.value.reshape(shape), error.reshape(shape), self.classes)

    @property
    def strata(self) -> NDArray:
        """What each row was drawn from: its observed label if their numbers were fixed, else one population."""
        return self.codes if self.by_label else np.zeros_like(self.codes)

    def variance(self, influence: NDArray) -> NDArray:
        """Return the variances of weighted means over rows, shape (m,): sums of squares, never negative.

        With ``n_s`` rows in stratum s and ``S_s^2`` the variance of the influence within it, the variance is
        ``sum_s n_s S_s^2 / n^2``. Strata are the observed labels if their numbers were fixed, else there is one.
        """
        stratum = self.strata
        variance = np.zeros(influence.shape[1])
        for s in np.unique(stratum[self.weight > 0]):
            rows = stratum == s
            weight, values = self.weight[rows], influence[rows]
            n_rows = weight.sum()
            spread = weight @ (values - weight @ values / n_rows) ** 2
            # One row alone says nothing about the spread.
            variance += n_rows * spread / (n_rows - 1.0) if n_rows > ONE_ROW else np.nan
        return variance / self.weight.sum() ** 2


def label_weights(label_model: LabelModel, counts: LabelCounts) -> NDArray:
    """Return the signed weights by observed label (unlabeled, 1..K, negative) and true class (0..K).

    With a and c the scenario's two vectors, up to a common factor

        m[k, k] = 1 / a_k,  m[k, 0] = -t c_k / a_k,  m[unlabeled, 0] = t,  m[negative, 0] = (1 - t c_0) / a_0

    satisfy ``a_y m[label y, j] + c_y m[unlabeled, j] = 1{y = j}`` for every class y, whatever t is: a row of
    true class y contributes to class y alone, on average over its label. Without confirmed negatives t = 1.
    With them class 0 is seen in two ways, as "everybody but the positives" and directly; t is the mixture
    of least ``sum_z n_z m[z, 0]^2``.
    """
    a, c = np.exp(label_model.log_labeled), np.exp(label_model.log_hidden)
    n_positive, n_labeled = label_model.n_positive, counts.n_labeled
    positive = np.arange(1, n_positive + 1)
    table = np.zeros((n_positive + 2, n_positive + 1))
    table[positive, positive] = 1.0 / a[1:]
    t = 1.0
    if a[0] > 0:
        directly = n_labeled[0] / a[0] ** 2
        by_difference = counts.n_unlabeled + n_labeled[1:] @ (c[1:] / a[1:]) ** 2
        t = c[0] * directly / (by_difference + c[0] ** 2 * directly) if c[0] > 0 else 0.0
        table[-1, 0] = (1.0 - t * c[0]) / a[0]
    table[0, 0] = t
    table[positive, 0] = -t * c[1:] / a[1:]
    return table


def read_sample(
    z: ArrayLike, settings: LabelSettings, sample_weight: ArrayLike | None = None, *, ordered: bool = False
) -> SignedSample:
    """Read observed labels as the estimators do, and weigh every row for every class.

    Parameters
    ----------
    z : array-like of shape (n_samples,)
    settings : LabelSettings
    sample_weight : array-like of shape (n_samples,), optional
    ordered : bool, default=False
        Whether the order of the classes matters to the metric.
    """
    _refuse_unknown(settings)
    given = {name: settings.get(name) for name in ("prevalence", "label_frequency")}
    scenario = as_scenario(settings.get("scenario", "case-control"), **given)
    weight = _read_weight(sample_weight, np.shape(z)[0] if np.ndim(z) else 0)
    labels = _read_labels(z, settings, weight, ordered)
    counts = LabelCounts.from_codes(labels.codes, labels.classes, weight)
    if scenario.sampled_by_label:
        _refuse_absent_classes(counts, scenario)
    table = label_weights(scenario.label_model(counts), counts)
    sample = SignedSample(labels.classes, labels.codes, weight, table, scenario.sampled_by_label)
    _warn_if_too_many_positives(sample)
    _warn_if_weights_are_shares(sample)
    return sample


def _read_weight(sample_weight: ArrayLike | None, n_rows: int) -> NDArray:
    n_weights = (
        n_rows if sample_weight is None or not np.ndim(sample_weight) else len(np.asarray(sample_weight))
    )
    if n_weights != n_rows:
        raise ValueError(
            f"z has {n_rows} rows but sample_weight has {n_weights} numbers; there must be one for each row."
        )
    return check_weight(sample_weight, np.empty((n_rows, 0)))


def _refuse_unknown(settings: LabelSettings) -> None:
    known = LabelSettings.__annotations__
    for name in settings:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else f" These are known: {', '.join(known)}."
            raise TypeError(f"unexpected keyword argument {name!r}.{hint}")


def _read_labels(z: ArrayLike, settings: LabelSettings, weight: NDArray, ordered: bool) -> Labels:
    marks = {"unlabeled": settings.get("unlabeled"), "negative": settings.get("negative")}
    classes = settings.get("classes")
    if classes is not None:
        names = np.asarray(classes)
        codes = encode_with(z, names, **marks)
        codes = np.where(weight > 0, codes, 0)
        return Labels(codes, names, False, bool((codes == len(names)).any()))
    labels = encode_labels(z, sample_weight=weight, ordered=ordered, **marks)
    if labels.order_was_guessed:
        order = " < ".join(map(str, labels.classes))
        warn(
            f"The classes are text and were put in alphabetical order: {order}. If this is not their order, "
            "pass classes=[...], lowest first.",
            ClassOrderWarning,
        )
    return labels


def _refuse_absent_classes(counts: LabelCounts, scenario: Scenario) -> None:
    for name, n_rows in zip(counts.classes[1:], counts.n_labeled[1:], strict=True):
        if n_rows <= 0:
            raise LabelError(
                f"no row is labelled {plain(name)!r}, so nothing shows how its members are predicted. In the "
                f"{scenario.name} scenario every class needs labelled rows: use more rows, or split them "
                "stratified by the observed label."
            )


def _warn_if_weights_are_shares(sample: SignedSample) -> None:
    """Warn if several rows count as one or less, as they do after weights were divided by their sum."""
    counted = sample.weight > 0
    strata = sample.strata[counted]
    n_rows = np.bincount(strata)
    total = np.bincount(strata, weights=sample.weight[counted])
    if not ((n_rows > 1) & (total <= ONE_ROW)).any():
        return
    warn(
        f"sample_weight adds up to {sample.weight.sum():.3g} over {int(counted.sum())} rows. A weight of 2 counts as "
        "the row twice, so these count as hardly any rows, and standard errors cannot be told (nan). If the weights "
        "were divided by their sum, multiply them by the number of rows.",
        SmallWeightWarning,
    )


def _warn_if_too_many_positives(sample: SignedSample) -> None:
    if sample.class_shares[0] > 0:
        return
    warn(
        f"The labels ask for {100 * sample.class_shares[1:].sum():.0f} % of positive classes, which leaves "
        f"nothing for class {plain(sample.classes[0])!r}: label_frequency is too low for these labels, "
        "or there are too few rows. Scores of class 0 mean nothing here.",
        LabelFrequencyWarning,
    )
