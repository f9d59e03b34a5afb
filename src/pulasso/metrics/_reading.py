"""One reader of what users pass to a metric: observed labels, weights, and what a model predicts."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg, listed, plain, warn
from pulasso.data.inputs import check_flag, check_weight
from pulasso.data.labels import encode_labels, encode_predictions, encode_with
from pulasso.data.parameters import as_numbers, shape_of
from pulasso.exceptions import (
    ClassOrderWarning,
    InputError,
    LabelError,
    LabelFrequencyWarning,
    ScenarioError,
    SmallWeightWarning,
    TrivialModelWarning,
)
from pulasso.metrics._parameters import LabelSettings, check_keywords
from pulasso.metrics._signed_sample import ONE_ROW, SignedSample, signed_weights
from pulasso.scenarios import LabelCounts, Scenario, as_scenario

# Probabilities in single precision, summed over many classes, are this far from 1 at most.
SUM_TOLERANCE = 1e-3


def read_sample(
    z: ArrayLike, sample_weight: ArrayLike | None, labels: LabelSettings, ordered: bool = False
) -> SignedSample:
    """Read observed labels as the estimators do, and weigh every row for every class.

    `ordered` says whether the order of the classes matters to the metric.
    """
    check_keywords(labels)
    scenario = scenario_of(labels)
    n_rows = _n_rows_of("z", z)
    if sample_weight is not None and shape_of("sample_weight", sample_weight):
        _check_rows(n_rows, sample_weight, "sample_weight")
    weight = check_weight(sample_weight, np.empty((n_rows, 0)))
    codes, classes = _read_labels(z, weight, labels, ordered)
    counts = LabelCounts.from_codes(codes, classes, weight)
    _refuse_absent_classes(counts, scenario)
    class_weights = signed_weights(scenario.label_model(counts), codes, weight)
    sample = SignedSample(classes, codes, weight, class_weights, scenario.sampled_by_label)
    _warn_if_too_many_positives(sample)
    _warn_if_weights_sum_to_one(sample)
    return sample


def read_classes(
    z: ArrayLike,
    y_pred: ArrayLike,
    sample_weight: ArrayLike | None,
    labels: LabelSettings,
    ordered: bool = False,
) -> tuple[SignedSample, NDArray]:
    """Return the sample and predicted classes as positions 0..K; warn if they are those of a trivial model."""
    sample = read_sample(z, sample_weight, labels, ordered)
    _check_rows(len(sample.codes), y_pred, "y_pred")
    predicted = encode_predictions(y_pred, sample.classes, unlabeled=labels.get("unlabeled"))
    words = trivial_model_words(sample, predicted)
    if words is not None:
        warn(words, TrivialModelWarning)
    return sample, predicted


def read_positions(
    z: ArrayLike, y_pred: ArrayLike, numbered: bool, sample_weight: ArrayLike | None, labels: LabelSettings
) -> tuple[SignedSample, NDArray]:
    """Return the sample and predictions on the scale 0..K of ordered classes."""
    check_flag("numbered", numbered)
    if not numbered:
        return read_classes(z, y_pred, sample_weight, labels, ordered=True)
    sample = read_sample(z, sample_weight, labels, ordered=True)
    return sample, _read_numbers(y_pred, "y_pred", sample.codes.shape, "Give one number for each row.")


def read_proba(
    z: ArrayLike,
    y_proba: ArrayLike,
    log: bool,
    sample_weight: ArrayLike | None,
    labels: LabelSettings,
    name: str = "y_proba",
) -> tuple[SignedSample, NDArray]:
    """Return the sample and the probabilities of the classes, or their logs if those are given."""
    check_flag("log", log)
    sample = read_sample(z, sample_weight, labels)
    given = read_matrix(sample, y_proba, name)
    proba = np.exp(given) if log else given
    bad = (proba < 0).any(axis=1) | (np.abs(proba.sum(axis=1) - 1.0) > SUM_TOLERANCE)
    for row in np.flatnonzero(bad)[:1]:
        what = "exponentials of log-probabilities" if log else "probabilities"
        raise InputError(
            f"{arg(name)} of row {row} is {given[row].tolist()}; {what} must not be negative and must sum to 1.",
            parameter=name,
            remedy="" if log else f"For log-probabilities pass {arg('log', 'True')}.",
        )
    return sample, given


def read_matrix(sample: SignedSample, values: ArrayLike, name: str) -> NDArray:
    """Return one number for each row and class."""
    remedy = (
        f"Give one number for each row and class, as predict_proba does, in the order {listed(sample.classes)}. If z "
        f"happens to lack a class, pass all of them as {arg('classes', '[...]')}."
    )
    return _read_numbers(values, name, sample.class_weights.shape, remedy)


def scenario_of(labels: LabelSettings) -> Scenario:
    """Return the scenario that the user names."""
    numbers = {name: labels.get(name) for name in ("prevalence", "label_frequency")}
    scenario = as_scenario(labels.get("scenario", "case-control"), **numbers)
    if getattr(scenario, "by_row", False):
        raise ScenarioError(
            "The chance of a label depends on the row, and this function does not see the features.",
            parameter="scenario",
            remedy="Use pu_scores(model, X, z), a scorer, or scenario=pulasso.metrics.at_rows(model.scenario_, X).",
        )
    return scenario


def trivial_model_words(sample: SignedSample, predicted: NDArray) -> str | None:
    """Say what it means for PU data if all rows are predicted alike, or all as positive; else None."""
    found = np.unique(predicted[sample.sample_weight > 0])
    name, share = plain(sample.classes[found[0]]), sample.class_shares[found[0]]
    if len(found) == 1 and found[0] == 0:
        return (
            f"Every row is predicted as {name!r}, class 0: the model has found no positive class. Its accuracy is the "
            f"share of class 0, {share:.2g}, and says nothing about the features. Try a smaller {arg('lam')}; a model "
            "that takes unlabeled rows for class 0 looks like this, too."
        )
    if len(found) == 1:
        return (
            f"Every row is predicted as {name!r}: recall of this class is perfect for free, and accuracy is its share, "
            f"{share:.2g}. Labelled rows alone would not show it. Check {arg('prevalence')} or "
            f"{arg('label_frequency')}, and {arg('lam')}."
        )
    if found[0] > 0:
        return (
            f"Everything is predicted as positive: no row as {plain(sample.classes[0])!r}, class 0, although its share "
            f"is estimated at {sample.class_shares[0]:.2g}. Labelled rows alone would not show it, as none of them is "
            f"of class 0. The assumed {arg('prevalence')} may be too high, or the assumed {arg('label_frequency')} "
            "too low."
        )
    return None


def _n_rows_of(name: str, values: Any) -> int:
    """Return the number of rows, none of a single value."""
    return (*shape_of(name, values), 0)[0]


def _check_rows(n_rows: int, values: Any, name: str) -> None:
    n_given = _n_rows_of(name, values)
    if n_given != n_rows:
        raise InputError(
            f"{arg('z')} has {n_rows} rows but {arg(name)} has {n_given}; there must be one for each row.",
            parameter=name,
        )


def _read_numbers(values: ArrayLike, name: str, shape: tuple[int, ...], remedy: str) -> NDArray:
    """Return numbers in this shape; -inf is one, as the log of zero."""
    numbers = as_numbers(name, values, finite=False)
    if numbers.shape != shape:
        raise InputError(
            f"{arg(name)} has the shape {numbers.shape} in place of {shape}.", parameter=name, remedy=remedy
        )
    for row in np.flatnonzero(~(numbers < np.inf).reshape(len(numbers), -1).all(axis=1))[:1]:
        raise InputError(
            f"{arg(name)} of row {row} is {numbers[row].tolist()}: not a number, or infinite.", parameter=name
        )
    return numbers


def _read_labels(
    z: ArrayLike, weight: NDArray, labels: LabelSettings, ordered: bool
) -> tuple[NDArray, NDArray]:
    """Return codes and classes; rows of weight zero are absent and have the code 0, whatever their label."""
    marks = {"unlabeled": labels.get("unlabeled"), "negative": labels.get("negative")}
    classes = labels.get("classes")
    if classes is not None:
        codes = encode_with(z, classes, **marks)
        return np.where(weight > 0, codes, 0), np.asarray(classes)
    found = encode_labels(z, sample_weight=weight, ordered=ordered, **marks)
    if found.order_was_guessed:
        warn(
            f"The classes are text and were put in alphabetical order: {' < '.join(map(str, found.classes))}. If this "
            f"is not their order, pass {arg('classes', '[...]')}, lowest first.",
            ClassOrderWarning,
        )
    return found.codes, found.classes


def _refuse_absent_classes(counts: LabelCounts, scenario: Scenario) -> None:
    absent = counts.classes[1:][counts.n_labeled[1:] <= 0]
    if scenario.sampled_by_label and len(absent):
        raise LabelError(
            f"no row is labelled {plain(absent[0])!r}, so nothing shows how its members are predicted.",
            parameter="z",
            remedy=f"In the {scenario.name} scenario every class needs labelled rows: use more rows, or split them "
            "stratified by the observed label.",
        )


def _warn_if_too_many_positives(sample: SignedSample) -> None:
    if sample.class_shares[0] <= 0:
        warn(
            f"The labels ask for {100 * sample.class_shares[1:].sum():.0f} % of positive classes, which leaves nothing "
            f"for class {plain(sample.classes[0])!r}: {arg('label_frequency')} is too low for these labels, or there "
            "are too few rows. Scores of class 0 mean nothing here.",
            LabelFrequencyWarning,
        )


def _warn_if_weights_sum_to_one(sample: SignedSample) -> None:
    """Warn if several rows count as one or less, as they do after weights were divided by their sum."""
    present = sample.sample_weight > 0
    n_rows = np.bincount(sample.strata[present])
    total = np.bincount(sample.strata[present], weights=sample.sample_weight[present])
    if ((n_rows > 1) & (total <= ONE_ROW)).any():
        warn(
            f"{arg('sample_weight')} adds up to {total.sum():.3g} over {n_rows.sum()} rows. A weight of 2 counts as "
            "the row twice, so these count as hardly any rows, and standard errors cannot be told (nan). If the "
            "weights were divided by their sum, multiply them by the number of rows.",
            SmallWeightWarning,
        )
