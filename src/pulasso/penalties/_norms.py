"""Penalties that are functions of the norms of the blocks: ``sum_j height(||theta_j||)``."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pulasso.penalties._protocol import Thresholds
from pulasso.penalties.blocks import Segments

__all__ = ["NormPenalty"]


class NormPenalty:
    """A penalty of block norms; subclasses give `height`, `slope` and `shrink`, which see arrays over the blocks.

    ``limits`` is what a gradient must exceed for its block to leave zero, usually lam times the weight. A ridge, where
    there is one, is added to every penalised block.
    """

    name: ClassVar[str]
    concavity: float = 0.0  # largest decrease of the slope per unit of the norm; 0 for convex penalties

    def height(self, norms: NDArray, limits: NDArray) -> NDArray:
        """Return the penalty of every block."""
        raise NotImplementedError

    def slope(self, norms: NDArray, limits: NDArray) -> NDArray:
        """Return the derivative of `height` in the norm; `limits` at zero."""
        raise NotImplementedError

    def shrink(self, norms: NDArray, steps: NDArray, limits: NDArray) -> NDArray:
        """Return ``argmin_r 0.5 (r - norms)^2 + steps * height(r)`` over r >= 0."""
        raise NotImplementedError

    def limits(self, weights: NDArray, lam: float) -> NDArray:
        """Return what gradients must exceed for their blocks to leave zero."""
        return lam * weights

    def ridge(self, weights: NDArray, lam: float) -> NDArray | None:
        """Return the coefficient of ``0.5 ||theta_j||^2`` for every block, or None if there is none."""
        return None

    # -- the protocol of penalties, from the above -----------------------------------------------------------------

    def value(self, values: NDArray, segments: Segments, lam: float) -> float:
        """Return the penalty of these coefficients."""
        norms, ridge = segments.norms(values), self.ridge(segments.weights, lam)
        total = float(self.height(norms, self.limits(segments.weights, lam)).sum())
        return total if ridge is None else total + 0.5 * float(ridge @ norms**2)

    def prox(self, values: NDArray, segments: Segments, step: float, lam: float) -> NDArray:
        """Return ``argmin_b 0.5 ||b - values||^2 + step * value(b)``: shorten each block, drop short ones."""
        norms, ridge = segments.norms(values), self.ridge(segments.weights, lam)
        # A ridge shortens what the rest of the penalty sees, and its steps.
        less = 1.0 / (1.0 + step * ridge) if ridge is not None else np.ones_like(norms)
        new = self.shrink(less * norms, step * less, self.limits(segments.weights, lam))
        return values * segments.expand(np.divide(new, norms, out=np.zeros_like(norms), where=norms > 0))

    def subdiff_distance(self, values: NDArray, gradient: NDArray, segments: Segments, lam: float) -> NDArray:
        """Return ``||g + slope theta / ||theta|| + ridge theta||`` per block, ``max(0, ||g|| - limit)`` at zero."""
        norms, limits = segments.norms(values), self.limits(segments.weights, lam)
        active = norms > 0
        pull = np.divide(self.slope(norms, limits), norms, out=np.zeros_like(norms), where=active)
        ridge = self.ridge(segments.weights, lam)
        residual = segments.norms(
            gradient + segments.expand(pull if ridge is None else pull + ridge) * values
        )
        return np.where(active, residual, np.maximum(0.0, residual - limits))

    def critical_lams(self, gradient: NDArray, segments: Segments) -> NDArray:
        """Return ``||g_j|| / weight_j``: above it the block may be zero."""
        weights = self.limits(segments.weights, 1.0)
        norms = segments.norms(gradient)
        with np.errstate(over="ignore"):
            return np.divide(norms, weights, out=np.full_like(norms, np.inf), where=weights > 0)

    def thresholds(self, values: NDArray, segments: Segments, lam: float) -> Thresholds:
        """Return the slopes at these norms: exact for a norm, an upper bound for concave functions of it."""
        limits, ridge = self.limits(segments.weights, lam), self.ridge(segments.weights, lam)
        slopes = self.slope(segments.norms(values), limits)
        return Thresholds(slopes, None, None if ridge is None else segments.expand(ridge))
