"""The group lasso: ``sum_j weight_j ||theta[R_j, C_j]||_2``, with the plain l1 penalty as a special case."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pulasso.exceptions import GroupError
from pulasso.penalties.blocks import Blocks

__all__ = ["GroupLasso"]


@dataclass(frozen=True, eq=False)
class GroupLasso:
    """Weighted sum of the norms of disjoint blocks of theta.

    A block of weight 0 is not penalised, one of infinite weight is kept at zero.

    Parameters
    ----------
    blocks : Blocks
    """

    blocks: Blocks

    @cached_property
    def _excluded(self) -> NDArray:
        return np.isinf(self.blocks.weights)

    @cached_property
    def _finite_weights(self) -> NDArray:
        return np.where(self._excluded, 0.0, self.blocks.weights)

    @property
    def has_unpenalized(self) -> bool:
        """Whether some block is free to be fitted at any lam."""
        return bool((self.blocks.weights == 0).any())

    def value(self, theta: NDArray) -> float:
        """Return ``sum_j weight_j ||theta_j||``; infinite if an excluded block is not zero."""
        norms = self.blocks.norms(theta)
        if norms[self._excluded].any():
            return np.inf
        return float(self._finite_weights @ norms)

    def prox(self, theta: NDArray, step: float) -> NDArray:
        """Return ``argmin_b 0.5 ||b - theta||^2 + step * value(b)``: shrink each block, drop short ones."""
        norms = self.blocks.norms(theta)
        # 0 / 0 for blocks that are already zero, and too large a number for those that almost are
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            keep = 1.0 - step * self._finite_weights / norms
        keep = np.where((norms > 0) & (keep > 0) & ~self._excluded, keep, 0.0)
        return theta * self.blocks.expand(keep)

    def kkt_distances(self, theta: NDArray, grad: NDArray, lam: float) -> NDArray:
        """Return, per block, the distance of ``-grad`` to ``lam`` times the subdifferential at theta.

        ``max(0, ||grad_j|| - lam w_j)`` where theta_j is zero, and elsewhere
        ``||grad_j + lam w_j theta_j / ||theta_j||||``.
        """
        norms = self.blocks.norms(theta)
        active = norms > 0
        slope = np.divide(lam * self._finite_weights, norms, out=np.zeros_like(norms), where=active)
        residual = self.blocks.norms(grad + self.blocks.expand(slope) * theta)
        at_zero = np.maximum(0.0, residual - lam * self._finite_weights)
        return np.where(self._excluded, 0.0, np.where(active, residual, at_zero))

    def lam_max(self, grad: NDArray) -> float:
        """Return the smallest lam at which all penalised blocks may be zero, given the gradient there."""
        penalized = (self.blocks.weights > 0) & ~self._excluded
        norms, weights = self.blocks.norms(grad)[penalized], self.blocks.weights[penalized]
        with np.errstate(over="ignore"):
            lam_max = float((norms / weights).max(initial=0.0))
        if lam_max == np.inf:
            raise GroupError(
                f"A penalty weight of {weights.min():.3g} is so small that no finite lam can keep its group at zero. "
                "Give it weight 0 to leave it unpenalised, or a larger one."
            )
        return lam_max

    def without_penalized(self) -> "GroupLasso":
        """Return the penalty that keeps every penalised block at zero: the null model's."""
        weights = np.where(self.blocks.weights > 0, np.inf, 0.0)
        return GroupLasso(self.blocks.with_weights(weights))
