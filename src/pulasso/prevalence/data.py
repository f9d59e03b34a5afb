"""What the estimators of labelling numbers need to know about the data, read once."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from pulasso._messages import listed, plain
from pulasso.data.inputs import check_features, check_same_length, check_weight
from pulasso.data.labels import encode_labels
from pulasso.exceptions import ClassOrderWarning, ScenarioError
from pulasso.responses import RESPONSES
from pulasso.scenarios import CaseControl, SingleTrainingSet

__all__ = ["UNKNOWN_NUMBERS", "PUData", "check_response", "dense_columns", "parameter_of", "read_data"]

UNKNOWN_NUMBERS = {cls.name: cls.asks_for for cls in (CaseControl, SingleTrainingSet)}


@dataclass(frozen=True, eq=False)
class PUData:
    """Features and encoded labels of one scenario, without rows of weight zero.

    Attributes
    ----------
    x : array or sparse matrix of shape (n_samples, n_features)
    codes : array of shape (n_samples,)
        0 unlabeled, k class k.
    classes : array of shape (K + 1,)
    weight : array of shape (n_samples,)
    scenario : {"case-control", "single-training-set"}
    feature_names : array of str, or None
    """

    x: Any
    codes: NDArray
    classes: NDArray
    weight: NDArray
    scenario: str
    feature_names: NDArray | None = None

    @property
    def n_positive(self) -> int:
        """K, the number of positive classes."""
        return len(self.classes) - 1

    def ready(self) -> "PUData":
        """Return the rows that count; confirmed negatives of a case-control sample are one more sample and left out."""
        confirmed = self.codes == self.n_positive + 1
        if confirmed.any() and self.scenario == SingleTrainingSet.name:
            raise ScenarioError(
                f"y holds confirmed negatives ({plain(self.classes[0])!r}), and estimating the label frequency "
                "beside them is not supported. Give the numbers: scenario=SingleTrainingSet(label_frequency=..., "
                "negative_label_frequency=...)."
            )
        if not (self.codes == 0).any():
            raise ScenarioError(
                "y has no unlabeled row, so nothing is hidden and there is nothing to estimate."
            )
        keep = (self.weight > 0) & ~confirmed
        if keep.all():
            return self
        rows = np.flatnonzero(keep)
        return replace(self, x=self.x[rows], codes=self.codes[rows], weight=self.weight[rows])


def parameter_of(scenario: Any) -> str:
    """Return the number that a scenario asks for, or say that it has none to estimate."""
    if not isinstance(scenario, str) or scenario not in UNKNOWN_NUMBERS:
        raise ScenarioError(
            f"scenario={scenario!r} has no number to estimate here; use one of {listed(UNKNOWN_NUMBERS)}, by name."
        )
    return str(UNKNOWN_NUMBERS[scenario])


def check_response(response: str) -> None:
    """Refuse a response that does not exist."""
    names = [cls.name for cls in RESPONSES]
    if response not in names:
        raise ValueError(f"response={response!r} is unknown; use one of {listed(names)}.")


def read_data(
    X: Any,
    z: ArrayLike,
    scenario: str,
    *,
    sample_weight: ArrayLike | None = None,
    unlabeled: Any = None,
    negative: Any = None,
    class_order: Sequence[Any] | None = None,
    ordered: bool = False,
) -> PUData:
    """Validate features and labels as the estimators do."""
    parameter_of(scenario)
    reader = BaseEstimator()
    x = check_features(reader, X, reset=True)
    check_same_length(x, z)
    weight = check_weight(sample_weight, x)
    labels = encode_labels(
        z,
        unlabeled=unlabeled,
        negative=negative,
        class_order=class_order,
        sample_weight=weight,
        ordered=ordered,
    )
    if labels.order_was_guessed:
        order = " < ".join(map(str, labels.classes))
        warnings.warn(
            f"The classes are text and were put in alphabetical order: {order}. If this is not their "
            "order, pass class_order=[...] or an ordered pandas categorical.",
            ClassOrderWarning,
            stacklevel=3,
        )
    names = getattr(reader, "feature_names_in_", None)
    return PUData(x, labels.codes, labels.classes, weight, scenario, names).ready()


def dense_columns(x: Any, columns: NDArray) -> NDArray:
    """Return some columns as a dense array in double precision."""
    chosen = x[:, columns]
    return np.asarray(chosen.toarray() if sparse.issparse(chosen) else chosen, dtype=float)
