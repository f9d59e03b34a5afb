"""What a fitted model says about observed labels, beside the true classes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import plain
from pulasso.data.inputs import check_features, check_same_length, check_source, check_weight
from pulasso.data.labels import encode_with
from pulasso.exceptions import LabelError
from pulasso.losses import PULoss
from pulasso.responses import Response
from pulasso.scenarios import LabelCounts, LabelModel, Scenario, label_model_of

__all__ = ["ObservedMixin"]


class ObservedMixin:
    """P(z | x) and its likelihood, for estimators that know their scenario."""

    classes_: NDArray
    label_counts_: LabelCounts
    label_model_: LabelModel
    scenario_: Scenario
    unlabeled: Any
    negative: Any
    _linear: Callable[[Any], tuple[Response, NDArray, NDArray]]

    def predict_observed_proba(self, X: Any, source: ArrayLike | None = None) -> NDArray:
        """Return P(z | x), the probabilities of the *observed* labels under the scenario.

        Columns: unlabeled, the positive classes in order and, if y had any, confirmed negatives. A model of several
        sources needs the `source` of every row.
        """
        response, u, offsets = self._linear(X)
        log_proba = PULoss(self._label_model_of(X, source)).log_proba(response.log_odds(u, offsets))
        return np.exp(log_proba).astype(u.dtype, copy=False)

    def observed_score(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, source: ArrayLike | None = None
    ) -> float:
        """Return the mean log-likelihood of observed labels: a proper score that needs no true classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Observed labels, coded as in `fit`.
        sample_weight : array-like of shape (n_samples,), optional
        source : array-like of shape (n_samples,), optional
            Where each row comes from, as in `fit`.
        """
        response, u, offsets = self._linear(X)
        check_same_length(u, y)
        codes = encode_with(y, self.classes_, unlabeled=self.unlabeled, negative=self.negative)
        weight, label_model = check_weight(sample_weight, u), self._label_model_of(X, source)
        if (codes == len(self.classes_)).any() and not label_model.confirms_negatives:
            raise LabelError(
                f"y holds confirmed negatives ({plain(self.classes_[0])!r}), but the fit saw none, so the "
                "model does not know how likely they are.",
                parameter="y",
                remedy="Fit again with some, or drop these rows.",
            )
        rows = np.flatnonzero(weight > 0)  # a row of weight zero is no row, even if its label is impossible
        likelihood = PULoss(label_model.take(rows))
        losses = likelihood.loss(response.log_odds(u[rows], offsets), codes[rows])
        return -float(np.average(losses, weights=weight[rows] / weight.max()))

    def _label_model_of(self, x: Any, source: ArrayLike | None = None) -> LabelModel:
        """Return the label model of new rows: that of the fit, unless labelling depends on the row."""
        if not getattr(self.scenario_, "by_row", False):
            return self.label_model_
        x = check_features(self, x, reset=False)
        names = getattr(self, "feature_names_in_", None)
        return label_model_of(self.scenario_, self.label_counts_, x, names, check_source(source, x))
