"""A response in one file: ordered classes by the logits of neighbours, ``log P(y=j) - log P(y=j-1) = b_j + u``."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from pulasso import OrdinalPULasso
from pulasso.numerics import class_scores, log_normalize


@dataclass(frozen=True)
class AdjacentCategory:
    """Class log odds are ``eta_k = b_1 + ... + b_k + k u``, linear in all parameters."""

    n_positive: int

    name: ClassVar[str] = "adjacent-category"
    is_ordered: ClassVar[bool] = True
    offsets_name: ClassVar[str] = "steps_"
    n_outputs: ClassVar[int] = 1

    @classmethod
    def build(cls, n_positive, *, fit_intercept=True, symmetric=False):
        return cls(n_positive)

    @property
    def _times(self):
        return np.arange(1.0, self.n_positive + 1.0)

    def log_odds(self, u, offsets):
        return np.cumsum(offsets) + u * self._times

    def pullback(self, u, offsets, grad_eta):
        return (grad_eta @ self._times)[:, None], np.cumsum(grad_eta.sum(axis=0)[::-1])[::-1]

    def second_order(self, u, offsets, grad_eta, curvature, sample_weight):
        return LinearSecondOrder(curvature.matrices() * sample_weight[:, None, None], self._times)

    def log_proba(self, u, offsets):
        scores = class_scores(self.log_odds(u, offsets), np.zeros(self.n_positive + 1))
        return scores - log_normalize(scores)[0][:, None]

    def null_offsets(self, log_odds):
        return np.diff(log_odds, prepend=0.0)

    def is_feasible(self, offsets, u=None):
        return bool(np.isfinite(offsets).all())

    def shift(self, offsets, constant):
        return offsets - np.sum(constant)

    def output_names(self, classes):
        return ["coef"]

    def to_public(self, theta, offsets):
        return {"coef_": theta[:, 0].copy(), "steps_": offsets}

    @classmethod
    def from_public(cls, fitted):
        return cls(len(fitted.steps_)), fitted.coef_[:, None], fitted.steps_


class LinearSecondOrder:
    """Second derivatives where eta is linear: ``k' W k``, ``k' W L``, ``L' W L``, L the lower triangle of ones."""

    def __init__(self, matrices, times):
        self.matrices, self.times, self.steps = matrices, times, np.tri(len(times))

    @cached_property
    def oo(self):
        return self.steps.T @ self.matrices.sum(axis=0) @ self.steps

    def uu(self, k, l):  # noqa: E741
        return self.times @ self.matrices @ self.times

    def uo(self, k):
        return (self.times @ self.matrices) @ self.steps


class AdjacentCategoryPULasso(OrdinalPULasso):
    """The estimator of this response."""

    _response = AdjacentCategory
