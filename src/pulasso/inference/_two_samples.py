"""Can a classifier tell labelled rows from those that a model of constant labelling expects."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

__all__ = ["default_classifier", "separation"]


def default_classifier() -> RandomForestClassifier:
    """Return trees with large leaves: they see bends and interactions, and need no settings."""
    return RandomForestClassifier(100, min_samples_leaf=20, random_state=0)


def separation(classifier: Any, w: NDArray, codes: NDArray, weight: NDArray, expected: NDArray) -> float:
    """Return the area under the ROC curve of "labelled" against "expected to be labelled", on rows not learnt from.

    One sample holds the labelled rows; the other every row once for each class k, with the weight P(z = k | x) of the
    model. If labelling is constant they are two samples of the same distribution of columns and class.

    Parameters
    ----------
    classifier : scikit-learn classifier that takes sample weights
    w : array of shape (n_samples, n_columns)
    codes, weight : array of shape (n_samples,)
    expected : array of shape (n_samples, K)
        P(z = k | x).
    """
    n_rows, n_positive = expected.shape
    labeled = np.flatnonzero((codes > 0) & (codes <= n_positive))
    rows = np.concatenate([labeled, np.tile(np.arange(n_rows), n_positive)])
    of_class = np.concatenate([codes[labeled], np.repeat(np.arange(1, n_positive + 1), n_rows)])
    is_seen = np.arange(len(rows)) < len(labeled)
    weights = np.concatenate([weight[labeled], (weight[:, None] * expected).T.ravel()])
    x = np.column_stack([w[rows], of_class])
    half, scores = rows % 2, np.empty(len(rows))  # both copies of a row are in the same half
    for own in (0, 1):
        learnt, judged = half != own, half == own
        fitted = clone(classifier).fit(x[learnt], is_seen[learnt], sample_weight=weights[learnt])
        scores[judged] = fitted.predict_proba(x[judged])[:, 1]
    areas = [
        roc_auc_score(is_seen[half == own], scores[half == own], sample_weight=weights[half == own])
        for own in (0, 1)
    ]
    return float(np.mean(areas))
