"""A penalty together with the blocks of a coefficient matrix: what a problem holds."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pulasso.exceptions import GroupError
from pulasso.penalties._protocol import Penalty
from pulasso.penalties.blocks import Blocks

__all__ = ["BlockPenalty"]


@dataclass(frozen=True, eq=False)
class BlockPenalty:
    """The formulas of a penalty applied to whole coefficient matrices; excluded blocks are handled here.

    Attributes
    ----------
    formula : Penalty
    blocks : Blocks
    """

    formula: Penalty
    blocks: Blocks

    @property
    def has_unpenalized(self) -> bool:
        """Whether some block is free to be fitted at any lam."""
        return bool((self.blocks.weights == 0).any())

    @property
    def is_bounded(self) -> bool:
        """Whether the formula has a bound for the compiled descent."""
        one = self.blocks.segments.select(np.arange(1))
        return self.formula.thresholds(np.zeros(int(one.sizes.sum())), one, 1.0) is not None

    def value(self, theta: NDArray, lam: float) -> float:
        """Return the penalty of a matrix; infinite if an excluded block is not zero."""
        values, segments = self.blocks.flat(theta), self.blocks.segments
        if self.blocks.is_excluded.any() and segments.norms(values)[self.blocks.is_excluded].any():
            return np.inf
        with np.errstate(over="ignore"):  # a step that is far too long costs infinitely much
            return self.formula.value(values, segments, lam)

    def prox(self, theta: NDArray, step: float, lam: float) -> NDArray:
        """Return ``argmin_b 0.5 ||b - theta||^2 + step * value(b)``."""
        blocks = self.blocks
        values = self.formula.prox(blocks.flat(theta), blocks.segments, step, lam)
        if blocks.is_excluded.any():
            values = np.where(blocks.segments.expand(blocks.is_excluded), 0.0, values)
        return blocks.matrix(values)

    def subdiff_distance(self, theta: NDArray, gradient: NDArray, lam: float) -> NDArray:
        """Return, per block, how far ``-gradient`` is from the subdifferential at theta; 0 for excluded blocks."""
        blocks = self.blocks
        distance = self.formula.subdiff_distance(
            blocks.flat(theta), blocks.flat(gradient), blocks.segments, lam
        )
        return np.where(blocks.is_excluded, 0.0, distance)

    def critical_lams(self, gradient: NDArray) -> NDArray:
        """Return, per block, the smallest lam at which it may be zero; excluded blocks may be at any lam."""
        critical = self.formula.critical_lams(self.blocks.flat(gradient), self.blocks.segments)
        return np.where(self.blocks.is_excluded, -np.inf, critical)

    def lam_max(self, gradient: NDArray) -> float:
        """Return the smallest lam at which all penalised blocks may be zero, given the gradient there."""
        lam_max = float(self.critical_lams(gradient)[self.blocks.is_penalized].max(initial=0.0))
        if lam_max == np.inf:
            least = self.blocks.weights[self.blocks.is_penalized].min()
            raise GroupError(
                f"A penalty weight of {least:.3g} is so small that no finite lam can keep its group at zero.",
                parameter="groups",
                remedy="Give it weight 0 to leave it unpenalised, or a larger one.",
            )
        return lam_max

    def without_penalized(self) -> "BlockPenalty":
        """Return the penalty that keeps every penalised block at zero: the null model's."""
        weights = np.where(self.blocks.weights > 0, np.inf, 0.0)
        return replace(self, blocks=self.blocks.with_weights(weights))
