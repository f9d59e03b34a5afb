"""The sparse-group lasso: few groups, and few coefficients within each."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pulasso.penalties._numbers import check_ratio
from pulasso.penalties._protocol import Thresholds
from pulasso.penalties.blocks import Segments

__all__ = ["SparseGroupLasso"]

BISECTIONS = 60  # of an interval that is known to hold the critical lam: down to rounding


@dataclass(frozen=True)
class SparseGroupLasso:
    """A group lasso and a lasso: few groups enter the model, with few coefficients each.

    ``lam * ((1 - l1_ratio) * sum_j weight_j ||theta_j||_2 + l1_ratio * sum |theta|)``. With one group per feature, a
    feature may matter to some classes only. Groups of weight 0 are free of both parts.

    Parameters
    ----------
    l1_ratio : float, default=0.5
        Share of the lasso, from 0 (the group lasso) to 1 (the lasso).

    References
    ----------
    N. Simon, J. Friedman, T. Hastie and R. Tibshirani, *A sparse-group lasso*, JCGS 22 (2013).

    Examples
    --------
    >>> from pulasso.penalties import SparseGroupLasso
    >>> SparseGroupLasso(l1_ratio=0.2)
    SparseGroupLasso(l1_ratio=0.2)
    """

    l1_ratio: float = 0.5

    name: ClassVar[str] = "sparse-group-lasso"

    def __post_init__(self) -> None:
        check_ratio("l1_ratio", self.l1_ratio, zero_allowed=True)

    def _limits(self, segments: Segments, lam: float) -> tuple[NDArray, NDArray]:
        """Return the thresholds of blocks, and of entries."""
        by_entry = segments.expand(np.where(segments.weights > 0, lam * self.l1_ratio, 0.0))
        return lam * (1.0 - self.l1_ratio) * segments.weights, by_entry

    def value(self, values: NDArray, segments: Segments, lam: float) -> float:
        """Return the penalty of these coefficients."""
        by_block, by_entry = self._limits(segments, lam)
        return float(by_block @ segments.norms(values) + by_entry @ np.abs(values))

    def prox(self, values: NDArray, segments: Segments, step: float, lam: float) -> NDArray:
        """Return ``argmin_b 0.5 ||b - values||^2 + step * value(b)``: first the lasso, then the group lasso."""
        by_block, by_entry = self._limits(segments, lam)
        soft = _soft(values, step * by_entry)
        norms = segments.norms(soft)
        new = np.maximum(norms - step * by_block, 0.0)
        return soft * segments.expand(np.divide(new, norms, out=np.zeros_like(norms), where=norms > 0))

    def subdiff_distance(self, values: NDArray, gradient: NDArray, segments: Segments, lam: float) -> NDArray:
        """Return, per block, how far ``-gradient`` is from the subdifferential, a ball plus a box or their sides."""
        by_block, by_entry = self._limits(segments, lam)
        norms = segments.norms(values)
        active = norms > 0
        pull = np.divide(by_block, norms, out=np.zeros_like(norms), where=active)
        residual = gradient + segments.expand(pull) * values
        residual = np.where(values != 0, residual + by_entry * np.sign(values), _soft(residual, by_entry))
        distance = segments.norms(residual)
        return np.where(active, distance, np.maximum(0.0, distance - by_block))

    def critical_lams(self, gradient: NDArray, segments: Segments) -> NDArray:
        """Return, per block, the root of ``||S(g_j, lam l1_ratio)|| = lam (1 - l1_ratio) weight_j``."""
        penalized = segments.weights > 0
        # Either part alone would hold the block at zero at the larger end.
        groups, entries = self._limits(segments, 1.0)
        sizes = np.sqrt(segments.sizes)
        norms = segments.norms(gradient)
        high = np.divide(
            norms * sizes, groups + sizes * float(self.l1_ratio), out=np.zeros_like(norms), where=penalized
        )
        high *= sizes  # |g| <= ||g|| <= sqrt(size) max |g|
        low = np.zeros_like(high)
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            left = segments.norms(_soft(gradient, segments.expand(middle) * entries))
            above = left > middle * groups
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return np.where(penalized, high, np.inf)

    def thresholds(self, values: NDArray, segments: Segments, lam: float) -> Thresholds:
        """Return both parts as they are: the penalty is its own bound."""
        return Thresholds(*self._limits(segments, lam))


def _soft(values: NDArray, thresholds: NDArray) -> NDArray:
    return np.sign(values) * np.maximum(np.abs(values) - thresholds, 0.0)
