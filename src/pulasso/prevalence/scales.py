r"""Unknown label frequencies or prevalences on a scale without bounds, and the label model that they give.

- single-training-set: :math:`t_k = \mathrm{logit}(f_k)` of the label frequency;
- case-control: :math:`t_k = \log(\pi_k / \pi_0)` of the prevalence, so that all :math:`\pi_k` leave room for class 0.

The *free* numbers are t itself, one t for all classes, or t with one class anchored.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pulasso.numerics import sigmoid, softplus_pair
from pulasso.scenarios import LabelCounts, LabelModel

__all__ = ["Scale"]


@dataclass(frozen=True, eq=False)
class Scale:
    """From free numbers to those that users know, and to a label model with its derivatives.

    An anchor takes ``logit(pi_k)`` of one class (counted from 0) as its free number, so that a profile can hold it
    while the other prevalences share what is left.
    """

    counts: LabelCounts
    is_prevalence: bool  # or label frequencies
    common: bool = False  # one number for all classes
    anchor: int | None = None

    @property
    def n_positive(self) -> int:
        """K, the number of positive classes."""
        return len(self.counts.classes) - 1

    @property
    def n_free(self) -> int:
        """How many numbers are free."""
        return 1 if self.common else self.n_positive

    @property
    def largest_if_equal(self) -> float:
        """What a number stays below if it is the same for all classes: prevalences leave room for class 0."""
        return 1.0 / self.n_positive if self.is_prevalence else 1.0

    @property
    def ceiling(self) -> float:
        """What every number stays below."""
        return self.largest_if_equal if self.common else 1.0

    def anchored(self, k: int) -> "Scale":
        """Return a scale on which free number k alone says what number k is."""
        return replace(self, anchor=k) if self.is_prevalence and not self.common else self

    def spread(self, free: NDArray) -> tuple[NDArray, NDArray]:
        """Return t, shape (K,), and its derivatives in the free numbers, shape (K, n_free)."""
        if self.common:
            return np.full(self.n_positive, free[0]), np.ones((self.n_positive, 1))
        t, slope = free.copy(), np.eye(self.n_positive)
        if self.anchor is not None:
            # pi_k / pi_0 = pi_k / (1 - pi_k) * (pi_0 + the others) / pi_0
            others = np.delete(free, self.anchor)
            log_total = _log_total(others)
            t[self.anchor] += log_total
            slope[self.anchor, np.arange(len(t)) != self.anchor] = np.exp(others - log_total)
        return t, slope

    def gather(self, t: NDArray) -> NDArray:
        """Return the free numbers that spread to t (to the mean of t where all classes share one)."""
        if self.common:
            return t.mean(keepdims=True)
        free = t.copy()
        if self.anchor is not None:
            free[self.anchor] -= _log_total(np.delete(t, self.anchor))
        return free

    def numbers(self, free: NDArray) -> NDArray:
        """Return label frequencies or prevalences, shape (K,)."""
        t, _ = self.spread(free)
        return np.exp(t - _log_total(t)) if self.is_prevalence else sigmoid(t)[0]

    def free(self, numbers: NDArray) -> NDArray:
        """Return the free numbers of label frequencies or prevalences."""
        return self.gather(np.log(numbers) - np.log1p(-(numbers.sum() if self.is_prevalence else numbers)))

    def label_model(self, free: NDArray) -> tuple[LabelModel, NDArray, NDArray]:
        """Return a and c, and the derivatives of log a and log c of classes 1..K, shape (K, n_free) each."""
        t, slope = self.spread(free)
        if self.is_prevalence:
            log_prevalence, counts = t - _log_total(t), self.counts
            log_labeled = np.log(counts.n_labeled[1:] / counts.n_unlabeled) - log_prevalence
            log_hidden = np.zeros(len(t))
            by_t = np.exp(log_prevalence) - np.eye(len(t))
            slopes = by_t @ slope, np.zeros_like(slope)
        else:
            above, below = softplus_pair(t)
            log_labeled, log_hidden = -below, -above  # exact close to 0 and 1
            frequency, rest = sigmoid(t)
            slopes = rest[:, None] * slope, -frequency[:, None] * slope
        return LabelModel(np.append(-np.inf, log_labeled), np.append(0.0, log_hidden)), *slopes


def _log_total(t: NDArray) -> float:
    """Return the log of 1 + sum(exp(t)): class 0 has log odds 0."""
    return float(np.logaddexp.reduce(t, initial=0.0))
