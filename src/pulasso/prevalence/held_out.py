"""Held-out probabilities of the observed labels, and resampled weights, for the estimators that work on scores."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

from pulasso._messages import plain
from pulasso.data.inputs import check_number
from pulasso.exceptions import LabelError
from pulasso.prevalence.data import PUData

__all__ = ["held_out_proba", "resampled_weights"]

CALIBRATION_FOLDS = 3


def held_out_proba(data: PUData, classifier: Any, cv: int, seed: Any, *, calibrated: bool) -> NDArray:
    """Return P(z | x) of every row from a classifier that did not see it, shape (n_samples, K + 1).

    The default classifier is a ridge logistic regression on scaled features; with `calibrated` its
    probabilities are corrected by isotonic regression, because P(z | x) of hidden labels is not logistic.
    """
    check_number("cv", cv, least=2, whole=True)
    counts = np.bincount(data.codes, minlength=data.n_positive + 1)
    least = int(cv) * (CALIBRATION_FOLDS if calibrated and classifier is None else 1)
    rarest = int(np.argmin(counts))
    if counts[rarest] < least:
        name = "unlabeled rows" if rarest == 0 else f"rows labelled {plain(data.classes[rarest])!r}"
        raise LabelError(
            f"y has {counts[rarest]} {name}, but {least} are needed for cv={cv} folds. Use fewer folds, or "
            "another method."
        )
    x = data.x
    if classifier is None:
        x = StandardScaler(with_mean=False).fit_transform(x, sample_weight=data.weight)
        classifier = LogisticRegression(max_iter=5_000)
        if calibrated:
            classifier = CalibratedClassifierCV(classifier, method="isotonic", cv=CALIBRATION_FOLDS)
    proba = np.empty((len(data.codes), data.n_positive + 1))
    folds = StratifiedKFold(int(cv), shuffle=True, random_state=_whole_seed(seed))
    for fitted, held in folds.split(np.zeros(len(data.codes)), data.codes):
        model = clone(classifier)
        model.fit(x[fitted], data.codes[fitted], **_weights(model, data.weight[fitted]))
        proba[held] = model.predict_proba(x[held])
    return proba


def _weights(classifier: Any, weight: NDArray) -> dict[str, NDArray]:
    """Return the weights as the classifier takes them; equal ones need not be passed."""
    if np.ptp(weight) == 0:
        return {}
    if hasattr(classifier, "steps"):
        return {f"{classifier.steps[-1][0]}__sample_weight": weight}
    if not has_fit_parameter(classifier, "sample_weight"):
        raise ValueError(f"{type(classifier).__name__} does not take sample_weight; use another classifier=.")
    return {"sample_weight": weight}


def _whole_seed(seed: Any) -> int:
    return int(np.random.default_rng(seed).integers(2**31))


def resampled_weights(data: PUData, n_bootstrap: int, seed: Any) -> Iterator[NDArray]:
    """Draw bootstrap weights: in case-control, where counts are fixed, within each observed label."""
    rng = np.random.default_rng(seed)
    strata = [np.arange(len(data.codes))]
    if data.scenario == "case-control":
        strata = [np.flatnonzero(data.codes == code) for code in range(data.n_positive + 1)]
    for _ in range(n_bootstrap):
        weight = np.zeros(len(data.codes))
        for rows in strata:
            weight[rows] = rng.multinomial(len(rows), np.full(len(rows), 1.0 / len(rows)))
        yield weight * data.weight
