"""The best model without features: the intercept-only maximum likelihood, where every path starts."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pulasso.losses.anchor import Anchor
from pulasso.losses.observed import ObservedLoss
from pulasso.scenarios import LabelCounts, LabelModel

__all__ = ["NullModel", "find_null_model"]

# Where the intercept-only likelihood has no maximiser (class 0 would get probability 0), the solver starts
# with class 0 half as frequent as the rarest other class. Only the start depends on this number.
SHARE_OF_A_VANISHING_CLASS = 0.5
MAX_STEPS, ACCURACY, SMALLEST_STEP = 200, 1e-14, 1e-10


@dataclass(frozen=True)
class NullModel:
    """The best model without features.

    Attributes
    ----------
    log_odds : array of shape (K,)
        Class log odds of the intercept-only maximum likelihood; always finite.
    excess : float
        Sum of the shares of classes 1..K that the labels ask for. At 1 or more no finite maximiser
        exists, and `log_odds` is a finite point close to the boundary.
    """

    log_odds: NDArray
    excess: float

    @property
    def exists(self) -> bool:
        """Whether the likelihood has a finite maximiser."""
        return self.excess < 1.0


def find_null_model(loss: ObservedLoss, counts: LabelCounts, anchor: Anchor | None = None) -> NullModel:
    """Return the intercept-only maximum likelihood, held to what an anchor was told.

    Without confirmed negatives the model is saturated and matching ``P(z=k) = f_k`` gives, with
    ``r_k = f_k / a_k``, the odds ``e_k = r_k / (f_0 - sum_j c_j r_j)``. The denominator is the
    share left for class 0; when the labels ask for more than everything it is not positive.
    """
    model = loss.label_model
    frequencies = counts.frequencies
    average = _averaged(model, loss.sample_weight)
    ratio = frequencies[1:-1] / np.exp(average.log_labeled[1:])
    left = frequencies[0] - np.sum(np.exp(average.log_hidden[1:]) * ratio)
    share_0 = left if left > 0 else SHARE_OF_A_VANISHING_CLASS * ratio.min()
    log_odds, excess = np.log(ratio) - np.log(share_0), float(ratio.sum() / (left + ratio.sum()))
    if model.is_by_row:
        return NullModel(
            _maximize(loss, log_odds, anchor), excess=0.0 if model.confirms_negatives else excess
        )
    if model.confirms_negatives:
        # The K + 2 kinds of labels stand for all rows.
        cells = ObservedLoss(model, np.arange(len(frequencies)), frequencies)
        return NullModel(_maximize(cells, log_odds, anchor), excess=0.0)
    return NullModel(log_odds, excess)


def _averaged(model: LabelModel, sample_weight: NDArray) -> LabelModel:
    """Return the mean over rows of what depends on the row."""
    if not model.is_by_row:
        return model
    with np.errstate(divide="ignore"):
        arrays = (np.exp(each - model.log_total) for each in (model.log_labeled, model.log_hidden))
        return LabelModel(*(np.log(sample_weight @ each) for each in arrays))


def _maximize(loss: ObservedLoss, log_odds: NDArray, anchor: Anchor | None) -> NDArray:
    """Return the intercepts of largest likelihood, by Fisher scoring with step halving."""
    # Without features all rows have the same probabilities: one stands for the population.
    one = None
    if anchor is not None and anchor.is_active:
        one = replace(anchor, population=np.ones(1, dtype=bool), weight=np.ones(1), total=1.0)

    def at(point: NDArray) -> tuple[float, NDArray]:
        value, grad = loss.value_and_grad(np.tile(point, (len(loss.codes), 1)))
        if one is None:
            return value, grad.sum(axis=0)
        more, by_anchor = one.value_and_grad(point[None])
        return value + more, grad.sum(axis=0) + by_anchor[0]

    value, grad = at(log_odds)
    for _ in range(MAX_STEPS):
        curvature = loss.curvature(np.tile(log_odds, (len(loss.codes), 1))).matrices()
        information = np.tensordot(loss.sample_weight, curvature, axes=1)
        if one is not None:
            proba = one.proba(log_odds[None])
            directions = np.vstack(list(one.directions(proba)))
            information += directions.T * one.factors(proba[0]) @ directions
        step = np.linalg.lstsq(information, -grad, rcond=None)[0]
        length = 1.0
        noise = ACCURACY * (1.0 + abs(value))
        while (found := at(log_odds + length * step))[0] > value + noise and length > SMALLEST_STEP:
            length *= 0.5
        if length <= SMALLEST_STEP:
            break
        change = np.abs(length * step).max()
        log_odds, (value, grad) = log_odds + length * step, found
        if change <= ACCURACY * (1.0 + np.abs(log_odds).max()):
            break
    return log_odds
